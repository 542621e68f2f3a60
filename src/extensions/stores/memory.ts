import { takeFrom } from './bucket.ts';
import type { BudgetStore, Microseconds, Take, TakeResult } from './budget-store.ts';
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

/** Records that are kept. Further claims are refused, because to forget a record would let its mutation run twice. */
const maxRecords = 100_000;
/** Buckets that are kept, and as many of anonymous clients. Takes from further ones fail, because to forget a bucket would fill it. */
const maxBuckets = 100_000;
/** Characters of all answers. Those beyond are not kept, and a retry is refused. */
const maxCharacters = 67_108_864;

/**
 * Keeps up to 100,000 records, 67,108,864 characters of answers, and 100,000 buckets of points, and as many of anonymous clients, in the
 * memory of this process: for tests and development. A restart forgets them.
 */
export function memoryStore({ isOnlyProcess = false, now = () => Date.now() }: MemoryStoreOptions = {}): IdempotencyStore & BudgetStore {
  const records = new Map<string, StoredRecord>();
  let characters = 0;
  const remove = (id: string): void => {
    characters -= lengthOf(records.get(id)?.answer);
    records.delete(id);
  };
  const apply = <T>(id: string, { result, write }: RecordStep<T>): T => {
    if (write === undefined) return result;
    // The map keeps records in the order in which they expire.
    remove(id);
    if (write === null) return result;
    const isKept = characters + lengthOf(write.answer) <= maxCharacters;
    records.set(id, isKept ? write : { ...write, answer: undefined });
    if (isKept) characters += lengthOf(write.answer);
    return result;
  };
  /** Removes expired records, which are nearly in the order in which they expire. */
  const removeExpired = (): void => {
    for (const [id, { expires }] of records) {
      if (expires > now()) return;
      remove(id);
    }
  };
  const identified = new Buckets();
  const anonymous = new Buckets();
  return {
    isLocal: !isOnlyProcess,
    isInMemory: true,
    take: (id, take) => (take.isAnonymous === true ? anonymous : identified).take(id, take, Math.floor(now() * 1000)),
    claim: async (id, claim) => {
      removeExpired();
      if (records.size >= maxRecords && !records.has(id)) throw new Error(`memoryStore has ${maxRecords} records, the most that it keeps.`);
      return apply(id, claimRecord(records.get(id), claim, now()));
    },
    finish: async (id, finish) => apply(id, finishRecord(records.get(id), finish, now())),
    release: async (id, release) => apply(id, releaseRecord(records.get(id), release, now())),
  };
}

function lengthOf(answer: string | undefined): number {
  return answer?.length ?? 0;
}

/** Buckets that do not take the room of others. */
class Buckets {
  readonly #buckets = new Map<string, Microseconds>();
  #sweep = this.#buckets.entries();

  take(id: string, take: Take, time: Microseconds): TakeResult {
    this.#removeFull(time);
    const fullAt = this.#buckets.get(id);
    if (fullAt === undefined && this.#buckets.size >= maxBuckets)
      throw new Error(
        `memoryStore has ${maxBuckets} buckets${take.isAnonymous === true ? ' of anonymous clients' : ''}, the most that it keeps.`,
      );
    const { result, write } = takeFrom(fullAt, take, time);
    if (write !== undefined) this.#buckets.set(id, write);
    return result;
  }

  /** Looks at two buckets, in turns, and removes them if they are full: each take adds at most one. */
  #removeFull(time: Microseconds): void {
    for (let seen = 0; seen < 2; seen++) {
      const { value } = this.#sweep.next();
      if (value === undefined) this.#sweep = this.#buckets.entries();
      else if (value[1] <= time) this.#buckets.delete(value[0]);
    }
  }
}
