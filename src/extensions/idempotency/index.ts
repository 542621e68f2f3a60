export { idempotency, idempotencyDefinitions } from './plugin.ts';
export { idempotencyKeyOf } from './idempotency-key-of.ts';
export type { IdempotencyOptions } from './options.ts';
export type { Claim, ClaimResult, Finish, IdempotencyStore } from './store.ts';
export { memoryStore } from './stores/memory.ts';
export type { MemoryStoreOptions } from './stores/memory.ts';
