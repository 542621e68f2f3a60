import type { KeyValueCache, Seconds } from '../../cache/key-value-cache.ts';
import { createError, describe } from '../errors.ts';

/** Where automatic persisted queries are kept. */
export interface PersistedQuerySettings {
  /** This process's own share: bounded, and apart from what data sources keep. */
  readonly memory: KeyValueCache;
  /** The user's cache, which other instances read too. Undefined: there is none. */
  readonly shared: KeyValueCache | undefined;
  /** How long a query is kept. Undefined: as long as there is room. */
  readonly ttl: Seconds;
}

/** A document that stands for its hash, and whether it is to be kept. */
export interface PersistedQuery {
  readonly source: string;
  /** Keeps the document. Called once it has proved to be valid, so that the store cannot be filled with anything else. */
  readonly keep: (() => Promise<void>) | undefined;
}

/** The hash in `extensions.persistedQuery`; undefined when the request has none. Throws for a form that the protocol does not know. */
export function persistedQueryHash(extensions: Readonly<Record<string, unknown>> | undefined): string | undefined {
  const extension = extensions?.['persistedQuery'];
  if (extension === undefined || extension === null) return undefined;
  const { version, sha256Hash } = extension as Readonly<Record<string, unknown>>;
  if (version !== 1) throw createError('BAD_REQUEST', `Expected extensions.persistedQuery.version to be 1, got ${describe(version)}.`);
  if (typeof sha256Hash === 'string') return sha256Hash;
  throw createError('BAD_REQUEST', `Expected extensions.persistedQuery.sha256Hash to be a string, got ${describe(sha256Hash)}.`);
}

/**
 * Automatic persisted queries, by Apollo's protocol: a client sends only the hash of its document; told that it
 * is unknown, it sends both, and from then on the hash will do.
 */
export async function resolvePersistedQuery(
  settings: PersistedQuerySettings,
  hash: string,
  query: string | undefined,
): Promise<PersistedQuery> {
  if (query !== undefined) return registered(settings, hash, query);
  // Nothing but a hash becomes a key of the store.
  const source = isHash(hash) ? await find(settings, hash) : undefined;
  if (source === undefined) throw createError('PERSISTED_QUERY_NOT_FOUND', 'PersistedQueryNotFound');
  return { source, keep: undefined };
}

/** The server does not take part in the protocol: clients stop sending hashes when they are told. */
export function persistedQueriesNotSupported(): Error {
  return createError('PERSISTED_QUERY_NOT_SUPPORTED', 'PersistedQueryNotSupported');
}

function isHash(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text);
}

async function registered(settings: PersistedQuerySettings, hash: string, query: string): Promise<PersistedQuery> {
  if ((await settings.memory.get(hash)) === query) return { source: query, keep: undefined };
  if ((await sha256(query)) !== hash) {
    throw createError(
      'BAD_REQUEST',
      'Expected extensions.persistedQuery.sha256Hash to be the SHA-256 hash of "query" in hexadecimal digits, but it is not.',
    );
  }
  return { source: query, keep: query.length > maxKept ? undefined : () => keep(settings, hash, query) };
}

/**
 * Characters of a document that is kept: a shared store has no bound of ours, and thirty requests of 1 MiB left 30 MB in
 * it for a day. A longer one is answered all the same; its client is told each time that the hash is not known.
 */
const maxKept = 65_536;

async function find({ memory, shared, ttl }: PersistedQuerySettings, hash: string): Promise<string | undefined> {
  const known = await memory.get(hash);
  if (known !== undefined || shared === undefined) return known;
  const query = await shared.get(sharedKey(hash));
  // Others can write to a shared store: what is in there must be what was asked for.
  if (query === undefined || (await sha256(query)) !== hash) return undefined;
  await memory.set(hash, query, { ttl });
  return query;
}

async function keep({ memory, shared, ttl }: PersistedQuerySettings, hash: string, query: string): Promise<void> {
  const options = { ttl };
  await Promise.all([memory.set(hash, query, options), shared?.set(sharedKey(hash), query, options)]);
}

/** A prefix as in Apollo Server: the store has keys of others, too. */
function sharedKey(hash: string): string {
  return `apq:${hash}`;
}

/** The hash of a text in lower-case hexadecimal digits. Loads node:crypto when it is first asked; elsewhere the platform's own does it. */
export function sha256(text: string): string | Promise<string> {
  const crypto = globalThis.process?.getBuiltinModule?.('node:crypto');
  return crypto === undefined ? digest(text) : crypto.createHash('sha256').update(text).digest('hex');
}

async function digest(text: string): Promise<string> {
  const bytes = new Uint8Array(await globalThis.crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
