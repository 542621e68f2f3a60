import { assertCost, takeFrom } from './bucket.ts';
import type { BudgetStore, Microseconds, Take, TakeResult } from './budget-store.ts';
import { claimRecord, finishRecord, releaseRecord } from './record.ts';
import type { RecordStep, StoredRecord } from './record.ts';
import type { Claim, ClaimResult, Finish, IdempotencyStore } from './idempotency-store.ts';

/** A binding of Durable Objects, as in `env`. */
export interface DurableObjectBinding {
  idFromName(name: string): any;
  get(id: any): { fetch(url: string, init: any): Promise<{ readonly ok: boolean; readonly status: number; json(): Promise<any> }> };
}

/** The part of a Durable Object's state that {@link IdempotencyRecord} uses. */
export interface DurableObjectState {
  readonly storage: {
    get(key: string): Promise<any>;
    put(key: string, value: any): Promise<void>;
    deleteAll(): Promise<void>;
    setAlarm(time: number): Promise<void>;
  };
}

/** An operation of the store, with its arguments. */
type Operation =
  | (Claim & { readonly kind: 'claim' })
  | (Finish & { readonly kind: 'finish' })
  | { readonly kind: 'release'; readonly token: string }
  | (Take & { readonly kind: 'take' });

/**
 * Keeps each record or bucket in a separate Durable Object, by the clock of the object. Export {@link IdempotencyRecord} from the worker, and
 * bind it. `graphql-functions/budget` exports the same class as `BudgetBucket`.
 *
 * @example
 * export { IdempotencyRecord } from 'graphql-functions/idempotency';
 * durableObjectStore(env.IDEMPOTENCY)
 */
export function durableObjectStore(binding: DurableObjectBinding): IdempotencyStore & BudgetStore {
  if (typeof binding?.idFromName !== 'function')
    throw new TypeError('Expected durableObjectStore to get a binding of Durable Objects, such as env.IDEMPOTENCY.');
  const call = async <T>(id: string, operation: Operation): Promise<T> => {
    const object = binding.get(binding.idFromName(id));
    const response = await object.fetch('https://idempotency.invalid/', { method: 'POST', body: JSON.stringify(operation) });
    if (!response.ok) throw new Error(`The Durable Object of a store answered ${response.status}.`);
    return (await response.json()) as T;
  };
  return {
    claim: (id, claim) => call<ClaimResult>(id, { kind: 'claim', ...claim }),
    finish: (id, finish) => call<boolean>(id, { kind: 'finish', ...finish }),
    release: (id, { token }) => call<boolean>(id, { kind: 'release', token }),
    take: async (id, take) => {
      assertCost(take);
      return call<TakeResult>(id, { kind: 'take', ...take });
    },
  };
}

/** The class of the Durable Objects of {@link durableObjectStore}. */
export class IdempotencyRecord {
  readonly #storage: DurableObjectState['storage'];

  constructor(state: DurableObjectState) {
    this.#storage = state.storage;
  }

  async fetch(request: { json(): Promise<any> }): Promise<Response> {
    const operation = (await request.json()) as Operation;
    if (operation.kind === 'take') return Response.json(await this.#take(operation));
    // Other requests wait while the storage is used, so nothing else may be awaited between reading and writing.
    const record = (await this.#storage.get('record')) as StoredRecord | undefined;
    const { result, write } = step(record, operation, Date.now());
    if (write === null) await this.#storage.deleteAll();
    else if (write !== undefined) await Promise.all([this.#storage.put('record', write), this.#storage.setAlarm(write.expires)]);
    return Response.json(result);
  }

  async #take(take: Take): Promise<TakeResult> {
    const fullAt = (await this.#storage.get('fullAt')) as Microseconds | undefined;
    const { result, write } = takeFrom(fullAt, take, Date.now() * 1000);
    const writes = write === undefined ? [] : [this.#storage.put('fullAt', write)];
    // The alarm sets the next one, because every alarm is a write.
    if (write !== undefined && fullAt === undefined) writes.push(this.#storage.setAlarm(write / 1000));
    await Promise.all(writes);
    return result;
  }

  /** Removes an expired record, or a full bucket. Another may have been written while the alarm was on its way. */
  async alarm(): Promise<void> {
    const fullAt = (await this.#storage.get('fullAt')) as Microseconds | undefined;
    if (fullAt !== undefined && fullAt > Date.now() * 1000) return this.#storage.setAlarm(fullAt / 1000);
    const record = (await this.#storage.get('record')) as StoredRecord | undefined;
    if (record === undefined || record.expires <= Date.now()) await this.#storage.deleteAll();
  }
}

function step(
  record: StoredRecord | undefined,
  operation: Exclude<Operation, { kind: 'take' }>,
  now: number,
): RecordStep<ClaimResult | boolean> {
  if (operation.kind === 'claim') return claimRecord(record, operation, now);
  return operation.kind === 'finish' ? finishRecord(record, operation, now) : releaseRecord(record, operation, now);
}
