import { claimRecord, finishRecord, releaseRecord } from '../record.ts';
import type { RecordStep, StoredRecord } from '../record.ts';
import type { Claim, ClaimResult, Finish, IdempotencyStore } from '../store.ts';

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
  | { readonly kind: 'release'; readonly token: string };

/**
 * Keeps each record in a separate Durable Object, by the clock of the object. Export {@link IdempotencyRecord} from the worker, and bind it.
 *
 * @example
 * export { IdempotencyRecord } from 'graphql-functions/idempotency';
 * durableObjectStore(env.IDEMPOTENCY)
 */
export function durableObjectStore(binding: DurableObjectBinding): IdempotencyStore {
  if (typeof binding?.idFromName !== 'function')
    throw new TypeError('Expected durableObjectStore to get a binding of Durable Objects, such as env.IDEMPOTENCY.');
  const call = async <T>(id: string, operation: Operation): Promise<T> => {
    const object = binding.get(binding.idFromName(id));
    const response = await object.fetch('https://idempotency.invalid/', { method: 'POST', body: JSON.stringify(operation) });
    if (!response.ok) throw new Error(`The Durable Object of an idempotency key answered ${response.status}.`);
    return (await response.json()) as T;
  };
  return {
    claim: (id, claim) => call<ClaimResult>(id, { kind: 'claim', ...claim }),
    finish: (id, finish) => call<boolean>(id, { kind: 'finish', ...finish }),
    release: (id, { token }) => call<boolean>(id, { kind: 'release', token }),
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
    // Other requests wait while the storage is used, so nothing else may be awaited between reading and writing.
    const record = (await this.#storage.get('record')) as StoredRecord | undefined;
    const { result, write } = step(record, operation, Date.now());
    if (write === null) await this.#storage.deleteAll();
    else if (write !== undefined) await Promise.all([this.#storage.put('record', write), this.#storage.setAlarm(write.expires)]);
    return Response.json(result);
  }

  /** Removes an expired record. Another may have been written while the alarm was on its way. */
  async alarm(): Promise<void> {
    const record = (await this.#storage.get('record')) as StoredRecord | undefined;
    if (record === undefined || record.expires <= Date.now()) await this.#storage.deleteAll();
  }
}

function step(record: StoredRecord | undefined, operation: Operation, now: number): RecordStep<ClaimResult | boolean> {
  if (operation.kind === 'claim') return claimRecord(record, operation, now);
  return operation.kind === 'finish' ? finishRecord(record, operation, now) : releaseRecord(record, operation, now);
}
