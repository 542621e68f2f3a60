import { aFunction, assertEntries, boolean } from '../../shared/index.ts';
import type { Milliseconds } from '../../shared/index.ts';
import { takeFrom } from './bucket.ts';
import type { StoredBucket } from './bucket.ts';
import type { BudgetStore } from './budget-store.ts';
import { claimRecord, finishRecord, releaseRecord } from './record.ts';
import type { RecordStep, StoredRecord } from './record.ts';
import type { IdempotencyStore } from './idempotency-store.ts';

/** Options of {@link memoryStore}. */
export interface MemoryStoreOptions {
  /** True if one process serves all requests, for example on a machine of your own. Then the store may be used in production. Default: false */
  readonly isOnlyProcess?: boolean | undefined;
  /** Milliseconds since the epoch. Default: `Date.now` */
  readonly now?: (() => number) | undefined;
}

/**
 * The most records, the most buckets of known clients, and the most buckets of anonymous clients. A forgotten record would let a mutation
 * run twice, and a forgotten bucket would be full again.
 */
const maxEntries = 100_000;
/** Characters of all answers. Those beyond are not kept, and a retry is refused. */
const maxCharacters = 67_108_864;

/**
 * Keeps up to 100,000 records, 67,108,864 characters of answers, and 100,000 buckets of points, and as many of anonymous clients, in the
 * memory of this process: for tests and development. A restart forgets them.
 */
export function memoryStore(options: MemoryStoreOptions = {}): IdempotencyStore & BudgetStore {
  assertEntries('', options, { isOnlyProcess: boolean, now: aFunction }, 'memoryStore');
  const { isOnlyProcess = false, now = () => Date.now() } = options;
  let characters = 0;
  const records = new Entries<StoredRecord>('records', ({ answer }) => void (characters -= answer?.length ?? 0));
  const apply = <T>(id: string, { result, write }: RecordStep<T>): T => {
    if (write === undefined) return result;
    records.delete(id);
    const length = write.answer?.length ?? 0;
    const isKept = characters + length <= maxCharacters;
    records.set(id, isKept ? write : { ...write, answer: undefined });
    if (isKept) characters += length;
    return result;
  };
  const identified = new Entries<StoredBucket>('buckets');
  const anonymous = new Entries<StoredBucket>('buckets of anonymous clients');
  return {
    isLocal: !isOnlyProcess,
    isInMemory: true,
    take: (id, take) => {
      const buckets = take.isAnonymous === true ? anonymous : identified;
      buckets.makeRoom(id, now());
      const { result, write: fullAt } = takeFrom(buckets.get(id)?.fullAt, take, Math.floor(now() * 1000));
      if (fullAt !== undefined) buckets.set(id, { fullAt, expires: fullAt / 1000 });
      return result;
    },
    claim: async (id, claim) => {
      records.makeRoom(id, now());
      return apply(id, claimRecord(records.get(id), claim, now()));
    },
    finish: async (id, finish) => apply(id, finishRecord(records.get(id), finish, now())),
    release: async (id, release) => apply(id, releaseRecord(records.get(id), release, now())),
  };
}

/** Entries that expire in any order. */
class Entries<T extends { readonly expires: Milliseconds }> extends Map<string, T> {
  readonly #name: string;
  readonly #onDelete: ((entry: T) => void) | undefined;
  #sweep = this.entries();

  constructor(name: string, onDelete?: (entry: T) => void) {
    super();
    this.#name = name;
    this.#onDelete = onDelete;
  }

  override delete(id: string): boolean {
    const entry = this.get(id);
    if (entry !== undefined) this.#onDelete?.(entry);
    return super.delete(id);
  }

  /**
   * Looks at the next two entries, and removes expired ones. That is enough, because each call adds at most one entry. If there is no room
   * left, looks at up to 1,000, and throws if there is still no room.
   */
  makeRoom(id: string, now: Milliseconds): void {
    const isFull = (): boolean => this.size >= maxEntries && !this.has(id);
    for (let seen = 0; seen < (isFull() ? 1000 : 2); seen++) {
      const { value } = this.#sweep.next();
      if (value === undefined) this.#sweep = this.entries();
      else if (value[1].expires <= now) this.delete(value[0]);
    }
    if (isFull()) throw new Error(`memoryStore has ${maxEntries} ${this.#name}, the most that it keeps.`);
  }
}
