import type { BudgetStore, Take, TakeResult } from '../../extensions/stores/index.ts';
import { testsOfContract, until } from './store-contract.ts';
import type { StoreTest } from './store-contract.ts';

/** One test of a store for points. */
export type BudgetStoreTest = StoreTest;

/**
 * The contract of a store for points, as tests for any test runner. They write buckets with random ids, which are full again within an hour,
 * and wait for refills of some milliseconds. `createStore` is called for each test.
 *
 * @example
 * for (const { name, run } of budgetStoreTests(() => redisStore(…))) test(name, run);
 */
export function budgetStoreTests(createStore: () => BudgetStore | Promise<BudgetStore>): readonly BudgetStoreTest[] {
  return testsOfContract(tests, createStore);
}

/** Microseconds. */
const [second, hour] = [1_000_000, 3_600_000_000];
/** A quarter of a bucket that takes an hour to fill. */
const quarter: Take = { cost: hour / 4, capacity: hour };

const tests: Readonly<Record<string, (store: BudgetStore, id: string) => Promise<void>>> = {
  'takes from a bucket that it does not know, which is full': async (store, id) => {
    expectTaken(await store.take(id, quarter), hour / 4);
  },
  'takes until the bucket is empty, and then refuses': async (store, id) => {
    for (let taken = 1; taken <= 4; taken++) expectTaken(await store.take(id, quarter), (taken * hour) / 4);
    expectRefused(await store.take(id, quarter), hour);
    expectRefused(await store.take(id, { ...quarter, cost: second * 60 }), hour);
  },
  'takes all points at once': async (store, id) => {
    expectTaken(await store.take(id, { cost: hour, capacity: hour }), hour);
    expectRefused(await store.take(id, quarter), hour);
  },
  'takes nothing when it refuses': async (store, id) => {
    expectTaken(await store.take(id, { ...quarter, cost: (hour / 4) * 3 }), (hour / 4) * 3);
    for (let tries = 0; tries < 3; tries++) expectRefused(await store.take(id, { ...quarter, cost: hour / 2 }), (hour / 4) * 3);
    expectTaken(await store.take(id, quarter), hour);
  },
  'keeps ids apart': async (store, id) => {
    await store.take(id, { cost: hour, capacity: hour });
    expectTaken(await store.take(`${id}:other`, quarter), hour / 4);
  },
  'lets four of twenty concurrent takes of a quarter win': async (store, id) => {
    const results = await Promise.all(Array.from({ length: 20 }, async () => store.take(id, quarter)));
    const taken = results.filter(({ isTaken }) => isTaken).length;
    if (taken !== 4) throw new Error(`Expected 4 takes, got ${taken}.`);
  },
  'takes the smallest number of points': async (store, id) => {
    expectTaken(await store.take(id, { cost: 1, capacity: hour }), 1);
  },
  'refills an empty bucket with time': async (store, id) => {
    const take = { cost: second / 25, capacity: second / 25 };
    expectTaken(await store.take(id, take), take.cost);
    await untilTaken(store, id, take);
    await untilTaken(store, id, take);
  },
  'empties a bucket by the new capacity after a much larger one, and refills it': async (store, id) => {
    expectTaken(await store.take(id, { cost: hour, capacity: hour }), hour);
    const take = { cost: second / 25, capacity: second };
    expectRefused(await store.take(id, take), second);
    await untilTaken(store, id, take);
  },
  'keeps what was taken when the capacity grows': async (store, id) => {
    expectTaken(await store.take(id, { cost: hour, capacity: hour }), hour);
    expectTaken(await store.take(id, { cost: hour, capacity: hour * 2 }), hour * 2);
    expectRefused(await store.take(id, { cost: hour, capacity: hour * 2 }), hour * 2);
  },
};

/** Polls until the store grants the take. */
function untilTaken(store: BudgetStore, id: string, take: Take): Promise<void> {
  return until(async () => (await store.take(id, take)).isTaken, 'the bucket to refill');
}

function expectTaken(result: TakeResult, untilFull: number): void {
  expect(result, true, untilFull);
}

function expectRefused(result: TakeResult, untilFull: number): void {
  expect(result, false, untilFull);
}

/** The bucket refills while the test runs. */
function expect({ isTaken, untilFull }: TakeResult, expected: boolean, atMost: number): void {
  if (isTaken !== expected) throw new Error(`Expected the points to be ${expected ? 'taken' : 'refused'}, but they were not.`);
  // The clock of a function may differ from that of another one.
  if (!(untilFull <= atMost && untilFull >= 0 && untilFull > atMost - 60 * second))
    throw new Error(`Expected the bucket to be full in up to ${atMost} microseconds, got ${untilFull}.`);
}
