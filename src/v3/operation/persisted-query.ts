import { GraphQLError } from 'graphql';

import type { KeyValueCache } from '../../datasources/index.ts';
import { sha256 } from '../../shared/index.ts';
import { PersistedQueryNotFoundError, PersistedQueryNotSupportedError } from '../errors/apollo-error.ts';
import type { GraphQLRequest, GraphQLRequestMetrics } from '../types.ts';

/** Stores documents that clients send by their hash. */
export interface PersistedQuerySettings {
  readonly cache: KeyValueCache;
  /** Seconds; null: no expiry. Undefined: the cache decides. */
  readonly ttl?: number | null | undefined;
}

/** The text of an operation, and the function that stores it for clients that send only its hash. */
export interface FoundSource {
  readonly source: string;
  readonly register?: () => Promise<void>;
}

/** Request → text of the document, by Apollo's protocol for automatic persisted queries, or the error to answer with. */
export async function resolveSource(
  settings: PersistedQuerySettings | undefined,
  { query, extensions }: GraphQLRequest,
  metrics: GraphQLRequestMetrics,
): Promise<FoundSource | Error> {
  metrics.persistedQueryHit = false;
  metrics.persistedQueryRegister = false;
  const persisted = extensions?.['persistedQuery'] as { readonly version?: unknown; readonly sha256Hash?: unknown } | undefined;
  if (!persisted) return query ? { source: query } : new GraphQLError(nothingToRun);
  if (settings?.cache === undefined) return new PersistedQueryNotSupportedError();
  if (persisted.version !== 1) return new GraphQLError('Unsupported persisted query version');
  const hash = persisted.sha256Hash;
  if (query === undefined) return find(settings, hash, metrics);
  // Otherwise a client could store its document under the hash of another.
  if (typeof hash !== 'string' || hash !== sha256(query)) return new GraphQLError('provided sha does not match query');
  metrics.persistedQueryRegister = true;
  const options = settings.ttl === undefined ? {} : { ttl: settings.ttl };
  return { source: query, register: async () => settings.cache.set(hash, query, options) };
}

async function find({ cache }: PersistedQuerySettings, hash: unknown, metrics: GraphQLRequestMetrics): Promise<FoundSource | Error> {
  const source = typeof hash === 'string' ? await cache.get(hash) : undefined;
  if (!source) return new PersistedQueryNotFoundError();
  metrics.persistedQueryHit = true;
  return { source };
}

const nothingToRun = 'GraphQL operations must contain a non-empty `query` or a `persistedQuery` extension.';
