export { guardCache, type GuardOptions } from './cache/guard.ts';
export { InMemoryLRUCache, type InMemoryLRUCacheOptions } from './cache/in-memory.ts';
export type { KeyValueCache, KeyValueCacheSetOptions, Seconds } from './cache/key-value-cache.ts';
export { KeyvAdapter, type KeyvAdapterOptions, type KeyvLike } from './cache/keyv.ts';
export { PrefixingKeyValueCache } from './cache/guard.ts';
