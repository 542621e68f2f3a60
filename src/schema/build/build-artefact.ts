import { fingerprint } from './fingerprint.ts';

/** Raised with every change of {@link BuildArtefact} or of what is in it. */
export const artefactFormat = 2;

/**
 * The file that `graphql-functions build` writes, as JSON.
 *
 * Nearly all of it is in long strings without line ends. A bundler makes JavaScript of JSON, where objects and arrays cost
 * several times as much, and it writes a string with line ends as a template, which costs V8 8 ms for 1 MB in place of 5.
 */
export interface BuildArtefact {
  readonly format: number;
  /** Major and minor version of the graphql that has checked schema and documents. */
  readonly graphql: string;
  /** The sources it was made of, to make it again. */
  readonly from: BuildSources;
  /** Every definition, one behind the other. */
  readonly text: string;
  /** Which types there are and where in `text`; see encoded-types.ts. */
  readonly types: string;
  /** The members of large types; see encoded-types.ts. */
  readonly members: string;
  /** The rest of the schema index, as JSON. */
  readonly rest: string;
  /** Documents that are valid, to the letter. */
  readonly documents: readonly string[];
  /** Of all of the above. */
  readonly seal: string;
}

/** The sources of an artefact. */
export interface BuildSources {
  /** Patterns of files with the schema. Empty: the function's own `typeDefs`. */
  readonly schema: readonly string[];
  /** A mark of the function's own `typeDefs`, when the schema is theirs. */
  readonly typeDefs?: string;
  /** Patterns of files with operations. */
  readonly documents: readonly string[];
  /** True when `text` has descriptions. */
  readonly descriptions: boolean;
}

/** Tells whether an artefact is as it was written. */
export function sealOf({ format, graphql, from, text, types, members, rest, documents }: Omit<BuildArtefact, 'seal'>): string {
  return fingerprint([format, graphql, JSON.stringify(from), text, types, members, rest, ...documents].join('\0'));
}
