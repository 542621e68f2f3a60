import type { GraphQLSchema } from 'graphql';

import type { ServerOptions } from '../../../server/index.ts';
import type { BuildArtefact } from '../../../executor/schema/index.ts';
import { buildFileOf, makeBuild } from '../project/build-sources.ts';
import type { Problem } from '../project/problem.ts';

interface CheckedServer {
  readonly options?: ServerOptions | undefined;
  readonly schema?: GraphQLSchema | undefined;
}

/** Reports a build that differs from what would be built now. */
export async function findStaleBuild(
  { options, schema }: CheckedServer,
  found: ReadonlyMap<string, BuildArtefact>,
  directory: string,
): Promise<Problem[]> {
  const file = buildFileOf(options);
  const artefact = file === undefined ? undefined : found.get(file);
  if (file === undefined || artefact === undefined || schema === undefined) return [];
  try {
    const made = await makeBuild({ from: artefact.from, typeDefs: options?.typeDefs, schema, directory });
    return made.seal === artefact.seal ? [] : [{ file, message: staleness(artefact, made) }];
  } catch (error) {
    return [{ file, message: `Cannot check whether the build is stale. ${(error as Error).message}` }];
  }
}

function staleness(artefact: BuildArtefact, made: BuildArtefact): string {
  const isSame = { 'the version of graphql': artefact.graphql === made.graphql, 'the schema': artefact.text === made.text };
  const [changed = 'its input'] = Object.entries(isSame).flatMap(([what, same]) => (same ? [] : [what]));
  return `The build is stale: ${changed} has changed since it was created. Run: npx graphql-functions build`;
}
