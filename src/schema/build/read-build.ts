import { print, version } from 'graphql';

import { artefactFormat, sealOf } from './build-artefact.ts';
import type { BuildArtefact } from './build-artefact.ts';
import { EncodedTypes } from './encoded-types.ts';
import { fingerprint } from './fingerprint.ts';
import { describeValue } from '../resolvers/merge-resolvers.ts';
import type { SchemaIndex } from '../sdl/schema-index.ts';
import { sourcesOf } from '../sdl/type-defs.ts';
import type { TypeDefs } from '../sdl/type-defs.ts';

/** A schema and documents that `graphql-functions build` has prepared: what `readBuild` of `graphql-functions/build` makes. */
export interface SchemaBuild {
  /** What was read from the file. */
  readonly artefact: object;
  /** Says what to make the schema of. Throws an Error when that would be the wrong one. */
  open(use: SchemaBuildUse): OpenedBuild;
}

/** Who opens a build, and beside what. */
export interface SchemaBuildUse {
  /** The option `typeDefs`, when it was given too. */
  readonly typeDefs: TypeDefs | undefined;
  /** Throw when the build does not fit; else report it and do without. */
  readonly strict: boolean;
  readonly report: (problem: string) => void;
}

/** What there is to make a schema of. */
export interface OpenedBuild {
  readonly typeDefs: TypeDefs | undefined;
  /** Where everything stands in the build's own text. Undefined: to be found in `typeDefs`. */
  readonly index?: SchemaIndex;
  /** Texts of documents that are valid for this schema. */
  readonly knownDocuments?: ReadonlySet<string>;
}

/**
 * Takes the file that `graphql-functions build` has written, for the option `build`.
 *
 * @example
 * ```ts
 * import { createHandler } from 'graphql-functions';
 * import { readBuild } from 'graphql-functions/build';
 * import artefact from './graphql.build.json' with { type: 'json' };
 *
 * export default createHandler({ build: readBuild(artefact), resolvers: {} });
 * ```
 */
export function readBuild(artefact: object): SchemaBuild {
  if (describeValue(artefact) !== 'an object')
    throw new TypeError(`readBuild takes what is in <function>.build.json, got ${describeValue(artefact)}.`);
  return { artefact, open: (use) => openBuild(artefact, use) };
}

/**
 * The input of the server's schema. A build that does not fit is an error where a developer reads it; in
 * production it is logged, and the schema is made as without it.
 */
function openBuild(artefact: object, use: SchemaBuildUse): ReturnType<SchemaBuild['open']> {
  if (isPending(artefact)) return { typeDefs: pendingTypeDefs(artefact, use) };
  const problem = problemOf(artefact as BuildArtefact, use.typeDefs);
  if (problem === undefined) return openFitting(artefact as BuildArtefact, use);
  const message = `${problem.words} Run \`npx graphql-functions build\`, and deploy what it writes.`;
  const typeDefs = use.typeDefs ?? problem.text;
  if (use.strict || typeDefs === undefined) throw new Error(message);
  use.report(`${message} Until then the schema is made as without a build, which takes a cold start longer.`);
  return { typeDefs };
}

function openFitting(artefact: BuildArtefact, { typeDefs = artefact.text }: SchemaBuildUse): ReturnType<SchemaBuild['open']> {
  return {
    typeDefs,
    index: decodeIndex(artefact),
    knownDocuments: new Set(artefact.documents),
  };
}

/** The stand-in of the command line for a build while it makes or checks one: the schema's own texts. */
export interface PendingBuild {
  /** The file of the build. */
  readonly pending: string;
  /** Undefined: the function's own. */
  readonly typeDefs?: readonly string[];
}

/** True when there is no build yet. */
export function isPending(artefact: object): artefact is PendingBuild {
  return 'pending' in artefact;
}

function pendingTypeDefs({ typeDefs }: PendingBuild, use: SchemaBuildUse): SchemaBuildUse['typeDefs'] {
  if (typeDefs !== undefined || use.typeDefs !== undefined) return use.typeDefs ?? typeDefs;
  throw new Error("There is no schema yet to build: name its files with --schema 'schema/*.graphql', or give `typeDefs` beside `build`.");
}

interface Problem {
  readonly words: string;
  /** The text of the build, when that can be relied on. */
  readonly text?: string;
}

function problemOf(artefact: BuildArtefact, typeDefs: SchemaBuildUse['typeDefs']): Problem | undefined {
  const { format, graphql, text, from } = artefact;
  if (format !== artefactFormat)
    return { words: `The \`build\` given is not one that this version of graphql-functions makes (format ${artefactFormat}).` };
  if (!isSealed(artefact)) return { words: 'The `build` given was changed after it was made.' };
  if (typeDefs !== undefined && from.typeDefs === undefined)
    return {
      words: `The \`build\` given was made of ${from.schema.join(', ')}: leave \`typeDefs\` out, or make it of them, without --schema.`,
    };
  if (typeDefs !== undefined && from.typeDefs !== typeDefsMark(typeDefs))
    return { words: 'The `build` given is stale: `typeDefs` have changed since it was made.' };
  if (graphql === graphqlVersion()) return undefined;
  return { words: `The \`build\` given was made with graphql ${graphql}, and this is graphql ${graphqlVersion()}.`, text };
}

/** Anything may have been given: what cannot be sealed is not. */
function isSealed(artefact: BuildArtefact): boolean {
  try {
    const { text, types, members, rest } = artefact;
    // A part that is missing is sealed like an empty one.
    return [text, types, members, rest].every((part) => typeof part === 'string') && artefact.seal === sealOf(artefact);
  } catch {
    return false;
  }
}

/** Tells whether typeDefs are those that a build was made of. */
export function typeDefsMark(typeDefs: unknown): string {
  return fingerprint(
    sourcesOf(typeDefs)
      .map((source) => (typeof source === 'string' ? source : print(source)))
      .join('\n'),
  );
}

/** The version that a build is bound to: which documents are valid may change with every minor version. */
export function graphqlVersion(): string {
  return version.split('.', 2).join('.');
}

/** The index of a sealed artefact, as its writer encoded it. */
export function decodeIndex({ text, types, members, rest }: BuildArtefact): SchemaIndex {
  const encoded = new EncodedTypes(types, members);
  return {
    ...(JSON.parse(rest) as Omit<SchemaIndex, 'text' | 'sources' | 'types' | 'members'>),
    text,
    sources: [[0, text.length]],
    types: encoded,
    members: (at) => encoded.membersAt(at),
  };
}
