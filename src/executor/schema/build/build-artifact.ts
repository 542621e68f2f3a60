import { fingerprint } from './fingerprint.ts';

/** Incremented with every change of {@link BuildArtifact} or of its contents. */
export const artifactFormat = 3;

/**
 * The JSON file that `graphql-functions build` writes. Bundlers turn it into JavaScript, where objects and arrays cost several times
 * as much as long strings; and strings with line breaks become templates, which take V8 8 ms for 1 MB instead of 5.
 */
export interface BuildArtifact {
  readonly format: number;
  /** Major and minor version of the graphql that has validated schema and documents. */
  readonly graphql: string;
  readonly from: BuildSources;
  /** All definitions. */
  readonly text: string;
  /** The types and their positions in `text`; see encoded-types.ts. */
  readonly types: string;
  /** The members of large types; see encoded-types.ts. */
  readonly members: string;
  /** The rest of the schema index, as JSON. */
  readonly rest: string;
  /** The texts of valid documents. */
  readonly documents: readonly string[];
  /** Fingerprint of all of the above. */
  readonly seal: string;
}

/** The sources of an artifact. */
export interface BuildSources {
  /** Patterns of files with the schema. Empty: the function's `typeDefs`. */
  readonly schema: readonly string[];
  /** Fingerprint of the function's `typeDefs`, if the schema comes from them. */
  readonly typeDefs?: string;
  /** Patterns of files with operations. */
  readonly documents: readonly string[];
  /** True when `text` has descriptions. */
  readonly descriptions: boolean;
}

/** Shows whether an artifact has been changed. */
export function sealOf({ format, graphql, from, text, types, members, rest, documents }: Omit<BuildArtifact, 'seal'>): string {
  return fingerprint([format, graphql, JSON.stringify(from), text, types, members, rest, ...documents].join('\0'));
}
