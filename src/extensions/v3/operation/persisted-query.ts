import { GraphQLError } from 'graphql';

import type { KeyValueCache } from '../../../cache/key-value-cache.ts';
import { sha256 } from '../../../operation/documents/persisted-queries.ts';
import { PersistedQueryNotFoundError, PersistedQueryNotSupportedError } from '../errors/apollo-error.ts';
import type { GraphQLRequest, GraphQLRequestMetrics } from '../types.ts';

/** Where documents that clients name by their hash are kept. */
export interface PersistedQuerySettings {
  readonly cache: KeyValueCache;
  /** Seconds; null: for ever. Undefined: as the cache likes. */
  readonly ttl?: number | null | undefined;
}

/** The text of an operation, and the function that stores it for clients that send only its hash. */
export interface FoundSource {
  readonly source: string;
  readonly keep?: () => Promise<void>;
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
  // Else anybody could put a document of their own under the hash of another.
  if (typeof hash !== 'string' || hash !== (await sha256(query))) return new GraphQLError('provided sha does not match query');
  metrics.persistedQueryRegister = true;
  const options = settings.ttl === undefined ? {} : { ttl: settings.ttl };
  return { source: query, keep: async () => settings.cache.set(hash, query, options) };
}

async function find({ cache }: PersistedQuerySettings, hash: unknown, metrics: GraphQLRequestMetrics): Promise<FoundSource | Error> {
  const source = typeof hash === 'string' ? await cache.get(hash) : undefined;
  if (!source) return new PersistedQueryNotFoundError();
  metrics.persistedQueryHit = true;
  return { source };
}

const nothingToRun = 'GraphQL operations must contain a non-empty `query` or a `persistedQuery` extension.';
