import type { KeyValueCache } from '../../../datasources/index.ts';
import { sha256, describe } from '../../../shared/index.ts';
import type { ErrorBehavior } from '../error-behavior.ts';
import { createError } from '../errors.ts';

/** Where automatic persisted queries are kept. */
export interface PersistedQuerySettings {
  /** The store in this process: bounded, and separate from that of data sources. */
  readonly memory: KeyValueCache;
  /** The user's cache, which other instances may share. */
  readonly shared: KeyValueCache | undefined;
}

/** The text of a document, and how to keep it. */
export interface FoundSource {
  readonly source: string;
  /** Stores the document. Only called when it has proved valid, so that clients cannot fill the store with anything else. */
  readonly keep: (() => Promise<void>) | undefined;
  /** The error behavior of a trusted document. */
  readonly onError?: ErrorBehavior | undefined;
  /** True in development, for a document that is not trusted when others are refused. */
  readonly isRefusedInProduction?: boolean | undefined;
}

/** The hash in `extensions.persistedQuery`; undefined if there is none. Throws if the extension is malformed. */
export function persistedQueryHash(extensions: Readonly<Record<string, unknown>> | undefined): string | undefined {
  const extension = extensions?.['persistedQuery'];
  if (extension === undefined || extension === null) return undefined;
  const { version, sha256Hash } = extension as Readonly<Record<string, unknown>>;
  if (version !== 1) throw createError('BAD_REQUEST', `Expected extensions.persistedQuery.version to be 1, got ${describe(version)}.`);
  if (typeof sha256Hash === 'string') return sha256Hash;
  throw createError('BAD_REQUEST', `Expected extensions.persistedQuery.sha256Hash to be a string, got ${describe(sha256Hash)}.`);
}

/**
 * Automatic persisted queries, Apollo's protocol: a client sends only the hash of its document. If the server does not know the hash, the
 * client sends both, and from then on only the hash.
 */
export async function resolvePersistedQuery(
  settings: PersistedQuerySettings,
  { hash, query, ...known }: PersistedQuery,
): Promise<FoundSource> {
  if (query !== undefined) return { ...(await registered(settings, hash, query)), ...known };
  // Only hashes are looked up in the store.
  const source = isHash(hash) ? await find(settings, hash) : undefined;
  if (source === undefined) throw createError('PERSISTED_QUERY_NOT_FOUND', 'PersistedQueryNotFound');
  return { source, keep: undefined, ...known };
}

interface PersistedQuery extends Pick<FoundSource, 'onError' | 'isRefusedInProduction'> {
  readonly hash: string;
  /** Undefined: the client sends only the hash. */
  readonly query: string | undefined;
}

/** The error when the protocol is disabled: clients that get it stop sending hashes. */
export function persistedQueriesNotSupported(): Error {
  return createError('PERSISTED_QUERY_NOT_SUPPORTED', 'PersistedQueryNotSupported');
}

function isHash(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text);
}

async function registered(settings: PersistedQuerySettings, hash: string, query: string): Promise<FoundSource> {
  if ((await settings.memory.get(hash)) === query) return { source: query, keep: undefined };
  assertHash(hash, query);
  return { source: query, keep: query.length > maxKept ? undefined : () => keep(settings, hash, query) };
}

/** Throws for a text with the hash of another one. */
export function assertHash(hash: string, query: string): void {
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

/** Any client can register documents, so they must expire in a store without a limit: after a day. */
const lifetime = { ttl: 86_400 };

async function find({ memory, shared }: PersistedQuerySettings, hash: string): Promise<string | undefined> {
  const known = await memory.get(hash);
  if (known !== undefined || shared === undefined) return known;
  const query = await shared.get(sharedKey(hash));
  // Others can write to a shared store, so check that the text matches the hash.
  if (query === undefined || sha256(query) !== hash) return undefined;
  await memory.set(hash, query, lifetime);
  return query;
}

async function keep({ memory, shared }: PersistedQuerySettings, hash: string, query: string): Promise<void> {
  await Promise.all([memory.set(hash, query, lifetime), shared?.set(sharedKey(hash), query, lifetime)]);
}

/** The same prefix as in Apollo Server, because the store also has other keys. */
function sharedKey(hash: string): string {
  return `apq:${hash}`;
}
