import type { GraphQLSchema } from 'graphql';

import type { ServerOptions } from '../../../server/index.ts';
import type { BuildArtifact } from '../../../executor/schema/index.ts';
import { buildFileOf, makeBuild } from '../project/build-sources.ts';
import type { Problem } from '../project/problem.ts';

interface CheckedServer {
  readonly options?: ServerOptions | undefined;
  readonly schema?: GraphQLSchema | undefined;
}

/** Reports a build that differs from what would be built now. */
export async function findStaleBuild(
  { options, schema }: CheckedServer,
  found: ReadonlyMap<string, BuildArtifact>,
  directory: string,
): Promise<Problem[]> {
  const file = buildFileOf(options);
  const artifact = file === undefined ? undefined : found.get(file);
  if (file === undefined || artifact === undefined || schema === undefined) return [];
  try {
    const made = await makeBuild({ from: artifact.from, typeDefs: options?.typeDefs, schema, directory });
    return made.seal === artifact.seal ? [] : [{ file, message: staleness(artifact, made) }];
  } catch (error) {
    return [{ file, message: `Cannot check whether the build is stale. ${(error as Error).message}` }];
  }
}

function staleness(artifact: BuildArtifact, made: BuildArtifact): string {
  const isSame = { 'the version of graphql': artifact.graphql === made.graphql, 'the schema': artifact.text === made.text };
  const [changed = 'its input'] = Object.entries(isSame).flatMap(([what, same]) => (same ? [] : [what]));
  return `The build is stale: ${changed} has changed since it was created. Run: npx graphql-functions build`;
}
