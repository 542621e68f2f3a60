import type { KeyValueCache } from '../../../datasources/index.ts';
import { describe, sha256 } from '../../../shared/index.ts';
import type { ResponseHead } from '../../../shared/index.ts';
import type { ErrorBehavior } from '../types.ts';
import { createError } from '../errors.ts';
import type { OperationHooks } from '../apollo-hooks.ts';
import type { GraphQLRequest } from '../types.ts';
import type { TrustedDocument, TrustedDocuments } from './trusted-documents.ts';

/** The sources of documents beside the request itself. */
export interface SourceSettings {
  /** The settings of automatic persisted queries; undefined if they are off. */
  readonly persistedQueries: PersistedQuerySettings | undefined;
  readonly trustedDocuments: TrustedDocuments | undefined;
}

/** The stores of automatic persisted queries. */
export interface PersistedQuerySettings {
  /** The store in this process. It is bounded, and separate from the store of data sources. */
  readonly memory: KeyValueCache;
  /** The user's cache, which other instances may share. */
  readonly shared: KeyValueCache | undefined;
}

/** The text of a document, and how to keep it. */
export interface FoundSource {
  readonly source: string;
  /** Stores the document. Only called when it has proved valid, so that clients cannot fill the store with anything else. */
  readonly keep?: (() => Promise<void>) | undefined;
  /** The error behavior of a trusted document. */
  readonly onError?: ErrorBehavior | undefined;
  /** True in development, for a document that is not trusted when others are refused. */
  readonly isRefusedInProduction?: boolean | undefined;
}

/** The fields of an operation that finding its document needs. */
interface FindingOperation {
  readonly request: GraphQLRequest;
  /** True: the text of the request runs even if only trusted documents may. */
  readonly isTrusted: boolean;
  readonly head: ResponseHead;
  readonly hooks: Pick<OperationHooks, 'didResolveSource'> | undefined;
}

/** The text of the document: from the request, or by its hash or id. Then `didResolveSource` of the plugins. */
export async function findSource(settings: SourceSettings, { request, isTrusted, head, hooks }: FindingOperation): Promise<FoundSource> {
  const found = isTrusted ? { source: request.query! } : await lookUp(settings, request);
  if (found.isRefusedInProduction === true)
    head.headers.set('graphql-functions-notice', 'Production refuses this operation: it is not in trustedDocuments.');
  await hooks?.didResolveSource(found.source);
  return found;
}

/**
 * A document that is sent, or is trusted, or is known by its hash from automatic persisted queries, Apollo's protocol: a client sends only
 * the hash of its document. If the server does not know the hash, the client sends both, and from then on only the hash.
 */
async function lookUp(
  { persistedQueries, trustedDocuments }: SourceSettings,
  { query, extensions, documentId }: GraphQLRequest,
): Promise<FoundSource> {
  const hash = persistedQueryHash(extensions);
  const trusted = trustedDocuments && findTrusted(trustedDocuments, query, documentId ?? hash);
  const known = {
    // The `onError` of a trusted document applies only if the client sent its id: a client that sends a text does not expect it.
    onError: query === undefined ? trusted?.onError : undefined,
    isRefusedInProduction: trusted === undefined && trustedDocuments?.only === 'in production',
  };
  if (hash !== undefined && persistedQueries !== undefined && (query !== undefined || trusted === undefined)) {
    const source = query ?? (await findByHash(persistedQueries, hash));
    if (query === undefined || (await persistedQueries.memory.get(hash)) === query) return { source, ...known };
    assertHash(hash, query);
    const keep = (): Promise<void> => keepQuery(persistedQueries, hash, query);
    return { source, keep: query.length > maxKept ? undefined : keep, ...known };
  }
  if (query !== undefined && hash !== undefined && trusted !== undefined) assertHash(hash, query);
  const source = query ?? trusted?.text;
  if (source !== undefined) return { source, ...known };
  if (documentId !== undefined) throw notTrusted(shown(documentId));
  // Clients that get this error stop sending hashes.
  throw createError('PERSISTED_QUERY_NOT_SUPPORTED', 'PersistedQueryNotSupported');
}

/** The hash in `extensions.persistedQuery`; undefined if there is none. Throws if the extension is malformed. */
function persistedQueryHash(extensions: GraphQLRequest['extensions']): string | undefined {
  const extension = extensions?.['persistedQuery'];
  if (extension === undefined || extension === null) return undefined;
  const { version, sha256Hash } = extension as Readonly<Record<string, unknown>>;
  if (version !== 1) throw createError('BAD_REQUEST', `Expected extensions.persistedQuery.version to be 1, got ${describe(version)}.`);
  if (typeof sha256Hash === 'string') return sha256Hash;
  throw createError('BAD_REQUEST', `Expected extensions.persistedQuery.sha256Hash to be a string, got ${describe(sha256Hash)}.`);
}

/**
 * Finds the trusted document of a request; returns undefined if there is none and other documents are allowed. The text of a request takes
 * precedence over its id.
 */
function findTrusted(documents: TrustedDocuments, query: string | undefined, id: string | undefined): TrustedDocument | undefined {
  const known = query === undefined ? id !== undefined && documents.find(id) : documents.withText(query);
  if (known) return known;
  if (!documents.only) return undefined;
  if (query !== undefined && documents.only === 'in production') return undefined;
  throw notTrusted(id !== undefined && query === undefined ? shown(id) : 'another document');
}

function notTrusted(what: string): Error {
  return createError('BAD_REQUEST', `Expected one of the server's trusted documents (trustedDocuments), got ${what}.`);
}

function shown(id: string): string {
  return `the id ${JSON.stringify(id.slice(0, 80))}`;
}

/** Throws unless `hash` is the SHA-256 of `query`. */
function assertHash(hash: string, query: string): void {
  if (sha256(query) === hash) return;
  throw createError(
    'BAD_REQUEST',
    'Expected extensions.persistedQuery.sha256Hash to be the SHA-256 hash of "query" in hexadecimal digits, but it is not.',
  );
}

/**
 * Maximum length of a document that is kept. We cannot bound a shared store: thirty requests of 1 MiB left 30 MB in it for a day. Longer
 * documents run, but their hash stays unknown.
 */
const maxKept = 65_536;

/** Any client can register documents, so they expire after a day, in case the store has no limit. */
const lifetime = { ttl: 86_400 };

async function findByHash({ memory, shared }: PersistedQuerySettings, hash: string): Promise<string> {
  // Only hashes are looked up in the store.
  const isHash = /^[0-9a-f]{64}$/.test(hash);
  const kept = isHash ? await memory.get(hash) : undefined;
  if (kept !== undefined) return kept;
  const query = isHash ? await shared?.get(sharedKey(hash)) : undefined;
  // Others can write to a shared store, so check that the text matches the hash.
  if (query === undefined || sha256(query) !== hash) throw createError('PERSISTED_QUERY_NOT_FOUND', 'PersistedQueryNotFound');
  await memory.set(hash, query, lifetime);
  return query;
}

async function keepQuery({ memory, shared }: PersistedQuerySettings, hash: string, query: string): Promise<void> {
  await Promise.all([memory.set(hash, query, lifetime), shared?.set(sharedKey(hash), query, lifetime)]);
}

/** The same prefix as in Apollo Server, because the store also has other keys. */
function sharedKey(hash: string): string {
  return `apq:${hash}`;
}
