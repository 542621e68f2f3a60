export { idempotency, idempotencyDefinitions, idempotencyKeyOf, memoryStore } from '../extensions/idempotency/index.ts';
export type {
  Claim,
  ClaimResult,
  Finish,
  IdempotencyOptions,
  IdempotencyStore,
  MemoryStoreOptions,
} from '../extensions/idempotency/index.ts';
