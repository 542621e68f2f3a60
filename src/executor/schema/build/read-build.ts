import { print, version } from 'graphql';

import { artifactFormat, sealOf } from './build-artifact.ts';
import type { BuildArtifact } from './build-artifact.ts';
import { EncodedTypes } from './encoded-types.ts';
import { fingerprint } from './fingerprint.ts';
import { describeValue } from '../resolvers/merge-resolvers.ts';
import type { SchemaIndex } from '../sdl/schema-index.ts';
import { sourcesOf } from '../sdl/type-defs.ts';
import type { TypeDefs } from '../sdl/type-defs.ts';

/** The result of `readBuild` of `graphql-functions/build`. */
export interface SchemaBuild {
  /** The contents of the file. */
  readonly artifact: object;
  /** Returns the source of the schema. Throws an Error if the build does not fit. */
  open(use: SchemaBuildUse): OpenedBuild;
}

/** The options for opening a build. */
export interface SchemaBuildUse {
  /** The option `typeDefs`, if it was also given. */
  readonly typeDefs: TypeDefs | undefined;
  /** Throw if the build does not fit; otherwise report it and do without. */
  readonly strict: boolean;
  readonly report: (problem: string) => void;
}

/** The source of a schema. */
export interface OpenedBuild {
  readonly typeDefs: TypeDefs | undefined;
  /** Default: created from `typeDefs`. */
  readonly index?: SchemaIndex;
  /** Texts of valid documents. */
  readonly knownDocuments?: ReadonlySet<string>;
}

/**
 * Takes the file that `graphql-functions build` has written, for the option `build`.
 *
 * @example
 * ```ts
 * import { createHandler } from 'graphql-functions';
 * import { readBuild } from 'graphql-functions/build';
 * import artifact from './graphql.build.json' with { type: 'json' };
 *
 * export default createHandler({ build: readBuild(artifact), resolvers: {} });
 * ```
 */
export function readBuild(artifact: object): SchemaBuild {
  if (describeValue(artifact) !== 'an object')
    throw new TypeError(`readBuild expects the content of <function>.build.json, got ${describeValue(artifact)}.`);
  return { artifact, open: (use) => openBuild(artifact, use) };
}

/** A build that does not fit is an error in development; in production it is logged and ignored. */
function openBuild(artifact: object, use: SchemaBuildUse): OpenedBuild {
  if (isPending(artifact)) return { typeDefs: pendingTypeDefs(artifact, use) };
  const problem = problemOf(artifact as BuildArtifact, use.typeDefs);
  if (problem === undefined) {
    const { text, documents } = artifact as BuildArtifact;
    const { typeDefs = text } = use;
    return { typeDefs, index: decodeIndex(artifact as BuildArtifact), knownDocuments: new Set(documents) };
  }
  const message = `${problem.words} Run \`npx graphql-functions build\`, and deploy what it writes.`;
  const typeDefs = use.typeDefs ?? problem.text;
  if (use.strict || typeDefs === undefined) throw new Error(message);
  use.report(`${message} Until then, the schema is made at startup, which makes cold starts slower.`);
  return { typeDefs };
}

/** Replaces a build while the command line creates or checks it. */
export interface PendingBuild {
  /** The file of the build. */
  readonly pending: string;
  /** Default: those of the function. */
  readonly typeDefs?: readonly string[];
}

export function isPending(artifact: object): artifact is PendingBuild {
  return 'pending' in artifact;
}

function pendingTypeDefs({ typeDefs }: PendingBuild, use: SchemaBuildUse): SchemaBuildUse['typeDefs'] {
  if (typeDefs !== undefined || use.typeDefs !== undefined) return use.typeDefs ?? typeDefs;
  throw new Error("There is no schema to build yet: name its files with --schema 'schema/*.graphql', or set `typeDefs` beside `build`.");
}

interface Problem {
  readonly words: string;
  /** The text of the build, if it is intact. */
  readonly text?: string;
}

function problemOf(artifact: BuildArtifact, typeDefs: SchemaBuildUse['typeDefs']): Problem | undefined {
  const { format, graphql, text, from } = artifact;
  if (format !== artifactFormat)
    return { words: `This version of graphql-functions cannot read the \`build\` (format ${artifactFormat}).` };
  if (!isSealed(artifact)) return { words: 'The `build` was changed after it was made.' };
  if (typeDefs !== undefined && from.typeDefs === undefined)
    return {
      words: `The \`build\` was made from ${from.schema.join(', ')}: remove \`typeDefs\`, or make it from them, without --schema.`,
    };
  if (typeDefs !== undefined && from.typeDefs !== typeDefsMark(typeDefs))
    return { words: 'The `build` is stale: `typeDefs` have changed since it was made.' };
  if (graphql === graphqlVersion()) return undefined;
  return { words: `The \`build\` was made with graphql ${graphql}, but this is graphql ${graphqlVersion()}.`, text };
}

function isSealed(artifact: BuildArtifact): boolean {
  try {
    const { text, types, members, rest } = artifact;
    // A missing part has the same seal as an empty one.
    return [text, types, members, rest].every((part) => typeof part === 'string') && artifact.seal === sealOf(artifact);
  } catch {
    return false;
  }
}

/** Fingerprint of typeDefs, to detect a stale build. */
export function typeDefsMark(typeDefs: unknown): string {
  return fingerprint(
    sourcesOf(typeDefs)
      .map((source) => (typeof source === 'string' ? source : print(source)))
      .join('\n'),
  );
}

/** Major and minor version of graphql, because each minor version may change which documents are valid. */
export function graphqlVersion(): string {
  return version.split('.', 2).join('.');
}

/** The index of a sealed artifact. */
function decodeIndex({ text, types, members, rest }: BuildArtifact): SchemaIndex {
  const encoded = new EncodedTypes(types, members);
  return {
    ...(JSON.parse(rest) as Omit<SchemaIndex, 'text' | 'sources' | 'types' | 'members'>),
    text,
    sources: [[0, text.length]],
    types: encoded,
    members: (at) => encoded.membersAt(at),
  };
}
