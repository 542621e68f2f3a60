import { isRecord } from '../../../shared/index.ts';
import { createError, describe } from '../errors.ts';

/**
 * The documents that clients may send by id: Apollo's operation manifest, or an object of texts by id, as written by Relay's
 * `persistConfig` and GraphQL Code Generator's client preset.
 */
export type TrustedDocumentManifest = ApolloOperationManifest | Readonly<Record<string, string>>;

/** The file that `@apollo/generate-persisted-query-manifest` writes. */
export interface ApolloOperationManifest {
  readonly format: 'apollo-persisted-query-manifest';
  readonly version: number;
  readonly operations: readonly { readonly id: string; readonly body: string; readonly name?: string; readonly type?: string }[];
}

/** Option `trustedDocuments`. */
export interface TrustedDocumentOptions {
  /** The documents, by their ids. */
  readonly documents: TrustedDocumentManifest;
  /** Refuse every other document. Default: false. */
  readonly only?: boolean;
}

/** Looks up trusted documents. */
export interface TrustedDocuments {
  /** True when all other documents are refused. */
  readonly only: boolean;
  /** The text of the document with this id. */
  find(id: string): string | undefined;
  /** True when a text is exactly that of one of the documents. */
  has(text: string): boolean;
}

/** Reads a manifest. Throws a TypeError if its format is unknown. */
export function createTrustedDocuments({ documents, only = false }: TrustedDocumentOptions): TrustedDocuments {
  const texts = new Map(entriesOf(documents));
  const known = new Set(texts.values());
  return {
    only,
    // Some clients prefix the algorithm, "sha256:…", as the GraphQL over HTTP draft's appendix on persisted documents proposes.
    find: (id) => texts.get(id) ?? texts.get(id.replace(/^sha256:/, '')),
    has: (text) => known.has(text),
  };
}

/** The ids and texts of a manifest. Throws a TypeError if its format is unknown. */
export function entriesOf(documents: TrustedDocumentManifest): [id: string, text: string][] {
  const isObject = isRecord(documents);
  const entries = isObject ? (isApolloManifest(documents) ? apolloEntries(documents) : Object.entries(documents)) : undefined;
  if (entries?.every((pair) => pair.every((text) => typeof text === 'string')) === true) return entries;
  throw new TypeError(
    `Expected trustedDocuments.documents to be an Apollo operation manifest, { operations: [{ id, body }] }, or texts by id, ` +
      `{ "<id>": "query …" }, got ${isObject ? 'something else' : describe(documents)}.`,
  );
}

function isApolloManifest(documents: TrustedDocumentManifest): documents is ApolloOperationManifest {
  return 'operations' in documents && Array.isArray(documents.operations);
}

function apolloEntries({ operations }: ApolloOperationManifest): [id: string, text: string][] {
  return operations.map(({ id, body }) => [id, body]);
}

/** The error for a document that is not trusted. */
export function notTrusted(what: string): Error {
  return createError('BAD_REQUEST', `Expected one of the operations that this server was told to trust (trustedDocuments), got ${what}.`);
}
