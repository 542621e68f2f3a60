import { isRecord } from '../../../shared/index.ts';
import { errorBehaviors } from '../error-behavior.ts';
import type { ErrorBehavior } from '../error-behavior.ts';
import { createError, describe } from '../errors.ts';

/**
 * The documents that clients may send by id: Apollo's operation manifest, or an object of texts by id, as written by Relay's
 * `persistConfig` and GraphQL Code Generator's client preset. An object in place of a text also says what errors do.
 */
export type TrustedDocumentManifest = ApolloOperationManifest | Readonly<Record<string, string | TrustedDocument>>;

/** A trusted document with settings. */
export interface TrustedDocument {
  readonly text: string;
  /** What errors do to the response if the request does not say so. Experimental. Default: PROPAGATE. */
  readonly onError?: ErrorBehavior;
}

/** The file that `@apollo/generate-persisted-query-manifest` writes. */
export interface ApolloOperationManifest {
  readonly format: 'apollo-persisted-query-manifest';
  readonly version: number;
  readonly operations: readonly {
    readonly id: string;
    readonly body: string;
    readonly name?: string;
    readonly type?: string;
    /** Apollo's manifests do not have this: see {@link TrustedDocument}. */
    readonly onError?: ErrorBehavior;
  }[];
}

/** Option `trustedDocuments`. */
export interface TrustedDocumentOptions {
  /** The documents, by their ids. */
  readonly documents: TrustedDocumentManifest;
  /** Refuse every other document. In development they run, and the response says that production refuses them. Default: false. */
  readonly only?: boolean;
}

/** Looks up trusted documents. */
export interface TrustedDocuments {
  /** True when all other documents are refused; 'in production': they run here, with a notice. */
  readonly only: boolean | 'in production';
  /** The document with this id. */
  find(id: string): TrustedDocument | undefined;
  /** All documents, with their ids. */
  entries(): [id: string, document: TrustedDocument][];
  /** True when a text is exactly that of one of the documents. */
  has(text: string): boolean;
}

/** Reads a manifest. Throws a TypeError if its format is unknown. */
export function createTrustedDocuments({ documents, only = false }: TrustedDocumentOptions, development: boolean): TrustedDocuments {
  const byId = new Map(entriesOf(documents));
  const known = new Set(Array.from(byId.values(), ({ text }) => text));
  return {
    only: only && development ? 'in production' : only,
    // Some clients prefix the algorithm, "sha256:…", as the GraphQL over HTTP draft's appendix on persisted documents proposes.
    find: (id) => byId.get(id) ?? byId.get(id.replace(/^sha256:/, '')),
    entries: () => [...byId],
    has: (text) => known.has(text),
  };
}

/** The documents of a manifest by id. Throws a TypeError if its format is unknown. */
export function entriesOf(documents: TrustedDocumentManifest): [id: string, document: TrustedDocument][] {
  const isObject = isRecord(documents);
  const entries = isObject ? (isApolloManifest(documents) ? apolloEntries(documents) : plainEntries(documents)) : undefined;
  if (entries?.every(isEntry) === true) return entries;
  throw new TypeError(
    `Expected trustedDocuments.documents to be an Apollo operation manifest, { operations: [{ id, body }] }, or texts by id, ` +
      `{ "<id>": "query …" } or { "<id>": { text, onError } }, got ${isObject ? 'something else' : describe(documents)}.`,
  );
}

function isApolloManifest(documents: TrustedDocumentManifest): documents is ApolloOperationManifest {
  return 'operations' in documents && Array.isArray(documents.operations);
}

function apolloEntries({ operations }: ApolloOperationManifest): [id: string, document: TrustedDocument][] {
  return operations.map(({ id, body: text, onError }) => [id, { text, ...(onError && { onError }) }]);
}

function plainEntries(documents: Readonly<Record<string, string | TrustedDocument>>): [id: string, document: TrustedDocument][] {
  return Object.entries(documents).map(([id, one]) => [id, typeof one === 'string' ? { text: one } : one]);
}

function isEntry([id, document]: readonly [unknown, unknown]): boolean {
  if (typeof id !== 'string' || !isRecord(document) || typeof document['text'] !== 'string') return false;
  const { onError } = document;
  return onError === undefined || errorBehaviors.includes(onError as ErrorBehavior);
}

/** The error for a document that is not trusted. */
export function notTrusted(what: string): Error {
  return createError('BAD_REQUEST', `Expected one of the server's trusted documents (trustedDocuments), got ${what}.`);
}
