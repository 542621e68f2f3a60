import { sha256 } from '../../shared/index.ts';

/** The records of operations that are running or have run, by context value. 'shared': several operations have the same one. */
const records = new WeakMap<object, string>();
const shared = 'shared';

/** Remembers the record of a mutation before it runs. `id`: '' for a mutation without a key. */
export function rememberRecord(contextValue: unknown, id: string): void {
  if (typeof contextValue !== 'object' || contextValue === null) return;
  const known = records.get(contextValue);
  records.set(contextValue, known === undefined || known === id ? id : shared);
}

/**
 * A key to pass on to another service, such as a payment provider: the same for every attempt of an operation, and another one for each
 * client, idempotency key and label. Undefined: the operation has no idempotency key.
 *
 * @example
 * charge: (_, { amount }, contextValue) => stripe.charges.create({ amount }, { idempotencyKey: idempotencyKeyOf(contextValue, 'charge') })
 */
export function idempotencyKeyOf(contextValue: object, label: string): string | undefined {
  const id = records.get(contextValue);
  if (id === shared) throw new Error('idempotencyKeyOf needs a context value for each operation, got one that several operations share.');
  return id === undefined || id === '' ? undefined : sha256(JSON.stringify([id, label]));
}
