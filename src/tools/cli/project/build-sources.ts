import type { GraphQLSchema } from 'graphql';

import { isPending, sourcesOf, typeDefsMark } from '../../../executor/schema/index.ts';
import type { BuildArtifact, BuildSources, PendingBuild } from '../../../executor/schema/index.ts';
import { readDocuments } from './documents/check-documents.ts';
import type { DocumentFile } from './documents/check-documents.ts';
import { DevError } from './problem.ts';
import { isCode } from './documents/embedded-operations.ts';
import { findKnownDocuments } from './documents/known-documents.ts';
import { makeArtifact } from './make-artifact.ts';

/** The material of a build, read from its sources. */
export interface BuildMaterial {
  readonly from: BuildSources;
  /** The function's own `typeDefs`, for a build that names no files. */
  readonly typeDefs: unknown;
  /** The schema as clients see it. */
  readonly schema: GraphQLSchema;
  readonly directory: string;
}

/** Reads the files of a build and creates the build. */
export async function makeBuild({ from, typeDefs, schema, directory }: BuildMaterial): Promise<BuildArtifact> {
  const files = await readDocuments(from.schema, directory);
  const sources = files.length > 0 ? [...files.map(({ text }) => text), ...textAddedBySubgraph(typeDefs)] : sourcesOf(typeDefs);
  const documents = await readBuildDocuments(from.documents, directory);
  const mark = files.length > 0 ? {} : { typeDefs: typeDefsMark(typeDefs) };
  return makeArtifact(sources, { ...from, ...mark }, findKnownDocuments(schema, documents));
}

/** The definitions that `subgraph()` has appended to the function's `typeDefs`. */
function textAddedBySubgraph(typeDefs: unknown): string[] {
  const last = typeDefs === undefined ? undefined : sourcesOf(typeDefs).at(-1);
  return typeof last === 'string' && /^type _Service /m.test(last) ? [last] : [];
}

/** Reads files of operations. Source code is rejected: only the client's tools know the exact texts that it sends. */
export async function readBuildDocuments(patterns: readonly string[], directory: string): Promise<DocumentFile[]> {
  const files = patterns.length === 0 ? [] : await readDocuments(patterns, directory);
  const code = files.find(({ path }) => isCode(path));
  if (code === undefined) return files;
  throw new DevError(`--documents takes .graphql files and manifests written by client tools; ${code.path} is source code.`);
}

/** True when the content of a JSON file is a build. */
export function isArtifact(value: unknown): value is BuildArtifact {
  return typeof value === 'object' && value !== null && 'seal' in value && 'from' in value && 'types' in value;
}

/** The file of a server's build. Undefined if artifactPlugin did not provide the build. */
export function buildFileOf(options: unknown): string | undefined {
  return pendingOf(options)?.pending;
}

/** The text of the schema files that a build refers to. */
export function textsOfBuild(options: unknown): readonly string[] | undefined {
  return pendingOf(options)?.typeDefs;
}

function pendingOf(options: unknown): PendingBuild | undefined {
  const { build } = (options ?? {}) as { build?: { artifact?: unknown } };
  const artifact = build?.artifact;
  return typeof artifact === 'object' && artifact !== null && isPending(artifact) ? artifact : undefined;
}
