import { assertCost } from './bucket.ts';
import type { BudgetStore, TakeResult } from './budget-store.ts';
import { conditionalStore } from './conditional-store.ts';
import type { IdempotencyStore } from './idempotency-store.ts';

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

type Store = Required<Omit<IdempotencyStore & BudgetStore, 'isLocal' | 'isInMemory'>>;

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
  const call =
    (method: keyof Store) =>
    async (id: string, argument: object): Promise<any> => {
      const body = JSON.stringify({ method, argument });
      const response = await binding.get(binding.idFromName(id)).fetch('https://idempotency.invalid/', { method: 'POST', body });
      if (!response.ok) throw new Error(`The Durable Object of a store answered ${response.status}.`);
      return response.json();
    };
  const take = call('take');
  return {
    claim: call('claim'),
    finish: call('finish'),
    release: call('release'),
    take: async (id, given) => {
      assertCost(given);
      return take(id, given) as Promise<TakeResult>;
    },
  };
}

interface StoredValue {
  readonly value: string;
  readonly expires: number;
}

/** The class of the Durable Objects of {@link durableObjectStore}. */
export class IdempotencyRecord {
  readonly #storage: DurableObjectState['storage'];
  readonly #store: Store;

  constructor({ storage }: DurableObjectState) {
    this.#storage = storage;
    this.#store = conditionalStore({
      read: async () => {
        const value = (await this.#read())?.value;
        return { value, version: value, now: Date.now() };
      },
      // Other requests wait while the storage is used, and nothing else is awaited after the read, so the version is still the same.
      write: async (_id, { value, version, expires }) => {
        const writes = [storage.put('value', { value, expires } satisfies StoredValue)];
        // Sets an alarm for the first record only: each alarm sets the next, because setting an alarm is a write.
        if (version === undefined) writes.push(storage.setAlarm(expires));
        await Promise.all(writes);
        return true;
      },
    });
  }

  async fetch(request: { json(): Promise<any> }): Promise<Response> {
    const { method, argument } = (await request.json()) as { method: keyof Store; argument: never };
    return Response.json(await this.#store[method]('', argument));
  }

  /** Removes an expired value. Another may have been written while the alarm was on its way. */
  async alarm(): Promise<void> {
    const stored = await this.#read();
    if (stored !== undefined && stored.expires > Date.now()) return this.#storage.setAlarm(stored.expires);
    return this.#storage.deleteAll();
  }

  #read(): Promise<StoredValue | undefined> {
    return this.#storage.get('value') as Promise<StoredValue | undefined>;
  }
}
