export { InMemoryLRUCache, KeyvAdapter, PrefixingKeyValueCache, guardCache } from '../datasources/index.ts';
export type {
  GuardOptions,
  InMemoryLRUCacheOptions,
  KeyValueCache,
  KeyValueCacheSetOptions,
  KeyvAdapterOptions,
  KeyvLike,
  Seconds,
} from '../datasources/index.ts';
