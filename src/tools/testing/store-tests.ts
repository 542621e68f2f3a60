import type { BudgetStore, Claim, IdempotencyStore, Take } from '../../extensions/stores/index.ts';

/** Loaded by the first test, because importing `/testing` must not load Node's modules. */
let assert: typeof import('node:assert/strict');

/** One test of a store: `run` rejects if the store breaks its contract. */
export interface StoreTest {
  readonly name: string;
  readonly run: () => Promise<void>;
}

/**
 * The contract of stores for idempotency keys and for points, as tests for any test runner. The tests of `take` pass for a store without it,
 * and those of `claim` for a store for points alone. They write records and buckets with random ids, which expire within an hour, and wait for
 * leases and refills of some milliseconds. `createStore` is called for each test.
 *
 * @example
 * for (const { name, run } of storeTests(() => redisStore(…))) test(name, run);
 */
export function storeTests(createStore: () => Store | Promise<Store>): readonly StoreTest[] {
  return Object.entries(tests).map(([name, test]) => ({
    name,
    run: async () => {
      ({ default: assert } = await import('node:assert/strict'));
      const store = (await createStore()) as IdempotencyStore & BudgetStore;
      assert.ok('claim' in store || 'take' in store, 'Expected a store with claim, finish and release, or with take.');
      if (name.slice(0, name.indexOf(':')) in store) await test(store, `contract:${crypto.randomUUID()}`);
    },
  }));
}

type Store = IdempotencyStore | BudgetStore;

const first: Claim = { token: 'first', fingerprint: '1e5', lease: 60_000, keep: 120_000, again: false };
const second: Claim = { ...first, token: 'second' };
/** 256 KiB. */
const answer = JSON.stringify(`世界 \u0000 " \\ \n 💸 ${'é'.repeat(131_071)}`);
const end = { token: 'first', answer, keep: 120_000 };
const hour = 3_600_000_000;
/** A quarter of a bucket that takes an hour to fill. */
const quarter: Take = { cost: hour / 4, capacity: hour };

const tests: Readonly<Record<string, (store: IdempotencyStore & BudgetStore, id: string) => Promise<void>>> = {
  'claim: one of twenty concurrent attempts may run': async (store, id) => {
    const found = await Promise.all(twenty.map((token) => store.claim(id, { ...first, token })));
    assert.equal(found.filter(({ state }) => state === 'claimed').length, 1);
    const { left, ...other } = (await store.claim(id, { ...second, fingerprint: 'other', again: true })) as { left: number };
    assert.deepEqual(other, { state: 'running', fingerprint: '1e5' });
    assert.ok(left <= 60_000 && left > 50_000, `Expected left to be up to 60000, got ${left}.`);
  },
  'claim: the first answer stays, as it was': async (store, id) => {
    await store.claim(id, first);
    assert.equal(await store.finish(id, end), true);
    assert.equal(await store.finish(id, { ...end, answer: 'another' }), true);
    assert.equal(await store.release(id, first), false);
    assert.deepEqual({ ...(await store.claim(id, second)) }, { state: 'finished', fingerprint: '1e5', answer });
  },
  'claim: only the token that has claimed finishes or releases': async (store, id) => {
    assert.equal(await store.finish(id, end), false);
    await store.claim(id, first);
    assert.equal(await store.finish(id, { ...end, token: 'second' }), false);
    assert.equal(await store.release(id, second), false);
    assert.equal(await store.release(id, first), true);
    assert.equal((await store.claim(id, second)).state, 'claimed');
  },
  'claim: one of twenty attempts takes over when the lease is over': async (store, id) => {
    await store.claim(id, { ...first, lease: 1 });
    await until(async () => (await store.claim(id, second)).state === 'abandoned');
    assert.equal((await store.claim(id, { ...second, again: true, fingerprint: 'other' })).state, 'abandoned');
    const found = await Promise.all(twenty.map((token) => store.claim(id, { ...first, token, again: true })));
    assert.equal(found.filter(({ state }) => state === 'claimed').length, 1);
    assert.equal(await store.finish(id, end), false);
  },
  'claim: a record is forgotten after its time, which begins anew with the end': async (store, id) => {
    await store.claim(id, { ...first, keep: 20 });
    await until(async () => (await store.claim(id, second)).state === 'claimed');
    await store.finish(id, { ...end, token: 'second', keep: 20 });
    await until(async () => (await store.claim(id, first)).state === 'claimed');
  },
  'take: four of twenty concurrent takes of a quarter have their points, and the others take none': async (store, id) => {
    const found = await Promise.all(twenty.map(async () => store.take(id, quarter)));
    assert.equal(found.filter(({ isTaken }) => isTaken).length, 4);
    const { isTaken, untilFull } = await store.take(id, { ...quarter, cost: 60_000_000 });
    assert.equal(isTaken, false);
    assert.ok(untilFull <= hour && untilFull > hour - 60_000_000, `Expected the bucket to be full in up to an hour, got ${untilFull}.`);
  },
  'take: an empty bucket refills with time': async (store, id) => {
    const take = { cost: 40_000, capacity: 40_000 };
    assert.equal((await store.take(id, take)).isTaken, true);
    await until(async () => (await store.take(id, take)).isTaken);
  },
};

const twenty = Array.from({ length: 20 }, (_, at) => `token ${at}`);

async function until(isReached: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await isReached()); tries++) {
    assert.ok(tries < 500, 'Expected the time of a record or a refill to be over within seconds.');
    await new Promise((resolve) => void setTimeout(resolve, 10));
  }
}
