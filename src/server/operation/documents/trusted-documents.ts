import { isRecord, describe } from '../../../shared/index.ts';
import { errorBehaviors } from '../error-behavior.ts';
import type { ErrorBehavior } from '../error-behavior.ts';
import { createError } from '../errors.ts';
import { cut } from '../limits/error-allowance.ts';

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
  /** The documents, by their ids: a manifest, or a list of manifests, for clients of several kinds or releases. */
  readonly documents: TrustedDocumentManifest | readonly TrustedDocumentManifest[];
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
  /** The document with exactly this text. */
  withText(text: string): TrustedDocument | undefined;
}

/** Reads the manifests. Throws a TypeError if the format of one is unknown, or if an id has two documents. */
export function createTrustedDocuments({ documents, only = false }: TrustedDocumentOptions, development: boolean): TrustedDocuments {
  const byId = new Map(entriesOf(documents));
  const byText = new Map(Array.from(byId.values(), (document) => [document.text, document]));
  return {
    only: only && development ? 'in production' : only,
    // Some clients prefix the algorithm, "sha256:…", as the GraphQL over HTTP draft's appendix on persisted documents proposes.
    find: (id) => byId.get(id) ?? byId.get(id.replace(/^sha256:/, '')),
    entries: () => [...byId],
    withText: (text) => byText.get(text),
  };
}

/** The documents of one or several manifests by id. Throws a TypeError if a format is unknown, or if an id has two documents. */
export function entriesOf(documents: TrustedDocumentOptions['documents']): [id: string, document: TrustedDocument][] {
  const name = 'trustedDocuments.documents';
  const manifests = isList(documents) ? documents.map((one, at) => ({ one, name: `${name}[${at}]` })) : [{ one: documents, name }];
  const byId = new Map<string, NamedDocument>();
  for (const { one, name: manifest } of manifests) {
    for (const [id, document] of entriesOfOne(one, manifest)) {
      const named = { document, manifest };
      const known = byId.get(id) ?? named;
      if (!isSame(known.document, document)) throw twoDocuments(id, known, named);
      byId.set(id, known);
    }
  }
  return Array.from(byId, ([id, { document }]) => [id, document]);
}

/** A document, and the name of its manifest in messages. */
interface NamedDocument {
  readonly document: TrustedDocument;
  readonly manifest: string;
}

function isList<T extends object>(documents: T | readonly T[]): documents is readonly T[] {
  return Array.isArray(documents);
}

function isSame(one: TrustedDocument, other: TrustedDocument): boolean {
  return one.text === other.text && one.onError === other.onError;
}

function twoDocuments(id: string, ...documents: readonly NamedDocument[]): TypeError {
  const shown = documents.map(
    ({ document: { text, onError }, manifest }) =>
      `${JSON.stringify(cut(text, 100))}${onError === undefined ? '' : ` with onError ${onError}`} in ${manifest}`,
  );
  return new TypeError(`Expected one document for the id ${JSON.stringify(cut(id, 100))}, got ${shown.join(' and ')}.`);
}

function entriesOfOne(manifest: TrustedDocumentManifest, name: string): [id: string, document: TrustedDocument][] {
  const isObject = isRecord(manifest);
  const entries = isObject ? (isApolloManifest(manifest) ? apolloEntries(manifest) : plainEntries(manifest)) : undefined;
  const wrong = entries?.find((entry) => !isEntry(entry));
  if (entries !== undefined && wrong === undefined) return entries;
  throw new TypeError(
    `Expected ${name} to be an Apollo operation manifest, { operations: [{ id, body }] }, or texts by id, ` +
      `{ "<id>": "query …" } or { "<id>": { text, onError } }, or a list of these, got ${wrong === undefined ? describe(manifest) : described(wrong)}.`,
  );
}

/** Describes an entry that is not valid. */
function described([id]: readonly [unknown, unknown]): string {
  return typeof id === 'string' ? `something else for the id ${JSON.stringify(cut(id, 100))}` : `an operation with the id ${describe(id)}`;
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
