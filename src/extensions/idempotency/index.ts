export { idempotency, idempotencyDefinitions } from './plugin.ts';
export { idempotencyKeyOf } from './idempotency-key-of.ts';
export type { IdempotencyOptions } from './options.ts';
