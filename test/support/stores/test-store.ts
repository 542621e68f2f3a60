import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';

import type { BudgetStore, Take } from '../../../src/entries/budget.ts';
import type { Claim, IdempotencyStore } from '../../../src/entries/idempotency.ts';
import { storeTests } from '../../../src/entries/testing.ts';

type Details<TStore> = Readonly<Record<string, (store: TStore, id: string) => Promise<void>>>;

/** Registers the tests that authors of stores run, and what this package's stores promise beyond them. */
export function testStore(createStore: () => AnyStore | Promise<AnyStore>, { hasPoints = true, hasClock = false } = {}): void {
  for (const { name, run } of storeTests(createStore)) if (hasPoints || name.startsWith('claim: ')) test(name, run);
  const register = <TStore>(details: Details<TStore>): void => {
    for (const [name, check] of Object.entries(details))
      test(name, async () => check((await createStore()) as TStore, `details:${randomUUID()}`));
  };
  register(ofKeys);
  if (hasPoints) register(ofPoints);
  if (hasClock) register(byItsClock);
}

type AnyStore = IdempotencyStore | BudgetStore;

const first: Claim = { token: 'first', fingerprint: '1e5', lease: 60_000, keep: 120_000, again: false };
const second: Claim = { ...first, token: 'second' };
const takeover: Claim = { ...second, again: true };
const end = { token: 'first', answer: 'text', keep: 120_000 };

const ofKeys: Details<IdempotencyStore> = {
  'an attempt claims again with its token, and finishes': async (store, id) => {
    for (const claim of [first, first]) assert.deepEqual(await store.claim(id, claim), { state: 'claimed' });
    assert.equal((await store.claim(id, takeover)).state, 'running');
    assert.deepEqual(await store.claim(`${id}:other`, second), { state: 'claimed' });
    assert.equal(await store.finish(id, end), true);
    assert.deepEqual(await store.claim(id, first), { state: 'finished', fingerprint: '1e5', answer: 'text' });
  },
  'an attempt finishes without an answer': async (store, id) => {
    await store.claim(id, first);
    assert.equal(await store.finish(id, { ...end, answer: undefined }), true);
    // An answer that is undefined may be absent.
    assert.deepEqual(
      { answer: undefined, ...(await store.claim(id, second)) },
      { state: 'finished', fingerprint: '1e5', answer: undefined },
    );
  },
  'what was not claimed, or was released, is neither finished nor released': async (store, id) => {
    assert.deepEqual([await store.release(id, first), await store.finish(id, end)], [false, false]);
    assert.deepEqual(await store.claim(id, second), { state: 'claimed' });
    assert.equal(await store.release(id, second), true);
    assert.deepEqual([await store.release(id, second), await store.finish(id, { ...end, token: 'second' })], [false, false]);
    assert.deepEqual(await store.claim(id, { ...first, token: 'third' }), { state: 'claimed' });
    assert.equal(await store.release(id, { token: 'second' }), false);
    assert.equal((await store.claim(id, { ...first, token: 'fourth' })).state, 'running');
  },
  'a claim that arrives after its release does not block the key': async (store, id) => {
    for (const isClaimed of [false, true]) {
      if (isClaimed) await store.claim(id, first);
      await store.release(id, first);
      assert.notEqual((await store.claim(id, first)).state, 'claimed');
      assert.deepEqual(await store.claim(id, second), { state: 'claimed' });
      await store.release(id, second);
    }
  },
  'an abandoned attempt stays abandoned, and finishes if no other has taken over': async (store, id) => {
    await abandon(store, id);
    for (const claim of [second, { ...takeover, fingerprint: 'other' }])
      assert.deepEqual(await store.claim(id, claim), { state: 'abandoned', fingerprint: '1e5' });
    assert.equal(await store.finish(id, end), true);
    assert.equal((await store.claim(id, takeover)).state, 'finished');
  },
  'the late end of an attempt that was taken over is ignored': async (store, id) => {
    await abandon(store, id);
    assert.deepEqual(await store.claim(id, takeover), { state: 'claimed' });
    assert.deepEqual([await store.finish(id, end), await store.release(id, first)], [false, false]);
    assert.equal(await store.finish(id, { ...end, token: 'second' }), true);
  },
  'a forgotten attempt does not finish, and the next one does': async (store, id) => {
    await store.claim(id, { ...first, keep: 20 });
    await until(async () => (await store.claim(id, second)).state === 'claimed');
    assert.equal(await store.finish(id, end), false);
    assert.equal(await store.finish(id, { ...end, token: 'second', keep: 20 }), true);
    await until(async () => (await store.claim(id, first)).state === 'claimed');
    assert.equal(await store.finish(id, end), true);
  },
};

/** Two clients whose clocks are ten minutes apart. */
const byItsClock: Details<IdempotencyStore & BudgetStore> = {
  'the clock of the store decides, whatever that of the client shows': async (store, id) => {
    const [early, late] = [-300_000, 300_000].map((shift) => async <T>(run: () => Promise<T>): Promise<T> => {
      const { now } = Date;
      Date.now = () => now() + shift;
      return run().finally(() => void (Date.now = now));
    });
    const take = async (): Promise<boolean> => (await store.take(`${id}:points`, all)).isTaken;

    assert.equal((await early!(async () => store.claim(id, first))).state, 'claimed');
    assert.equal((await late!(async () => store.claim(id, takeover))).state, 'running');
    assert.equal(await early!(async () => store.finish(id, end)), true);
    assert.equal((await late!(async () => store.claim(id, takeover))).state, 'finished');
    assert.deepEqual([await early!(take), await late!(take)], [true, false]);
  },
};

/** Microseconds. */
const [aSecond, hour] = [1_000_000, 3_600_000_000];
/** A quarter of a bucket that takes an hour to fill. */
const quarter: Take = { cost: hour / 4, capacity: hour };
const all: Take = { cost: hour, capacity: hour };

const ofPoints: Details<BudgetStore> = {
  'a bucket that is unknown is full, and is emptied before a take is refused': async (store, id) => {
    for (const taken of [1, 2, 3, 4]) await expectTake(store, { id, take: quarter }, [true, (taken * hour) / 4]);
    for (const cost of [hour / 4, aSecond * 60]) await expectTake(store, { id, take: { ...quarter, cost } }, [false, hour]);
    await expectTake(store, { id: `${id}:other`, take: { ...quarter, cost: 1 } }, [true, 1]);
  },
  'a refusal takes nothing': async (store, id) => {
    await expectTake(store, { id, take: { ...quarter, cost: (hour / 4) * 3 } }, [true, (hour / 4) * 3]);
    for (const cost of [hour / 2, hour / 2, hour / 2]) await expectTake(store, { id, take: { ...quarter, cost } }, [false, (hour / 4) * 3]);
    await expectTake(store, { id, take: quarter }, [true, hour]);
  },
  'an empty bucket refills again and again': async (store, id) => {
    const take = { cost: aSecond / 25, capacity: aSecond / 25 };
    await expectTake(store, { id, take }, [true, take.cost]);
    for (const _ of [1, 2]) await until(async () => (await store.take(id, take)).isTaken);
  },
  'a smaller capacity that refuses a take gives no points back to a larger one': async (store, id) => {
    await expectTake(store, { id, take: all }, [true, hour]);
    for (const _ of [1, 2]) await expectTake(store, { id, take: { cost: aSecond / 25, capacity: aSecond } }, [false, hour]);
    await expectTake(store, { id, take: quarter }, [false, hour]);
  },
  'a cost below 1 is refused, because it would give points back': async (store, id) => {
    await expectTake(store, { id, take: all }, [true, hour]);
    for (const cost of [0, -1, -hour, Number.NaN]) await assert.rejects(async () => store.take(id, { cost, capacity: hour }), RangeError);
    await expectTake(store, { id, take: quarter }, [false, hour]);
  },
  'a larger capacity keeps what was taken': async (store, id) => {
    await expectTake(store, { id, take: all }, [true, hour]);
    await expectTake(store, { id, take: quarter }, [false, hour]);
    for (const isTaken of [true, false]) await expectTake(store, { id, take: { ...all, capacity: hour * 2 } }, [isTaken, hour * 2]);
  },
};

/** The bucket refills while the test runs, and the clock of a function may differ from that of another one. */
async function expectTake(
  store: BudgetStore,
  { id, take }: { readonly id: string; readonly take: Take },
  [expected, atMost]: readonly [isTaken: boolean, untilFull: number],
): Promise<void> {
  const { isTaken, untilFull } = await store.take(id, take);
  assert.equal(isTaken, expected);
  assert.ok(untilFull >= 0 && untilFull <= atMost && untilFull > atMost - 60 * aSecond, `full in ${untilFull} instead of up to ${atMost}`);
}

async function abandon(store: IdempotencyStore, id: string): Promise<void> {
  await store.claim(id, { ...first, lease: 1 });
  await until(async () => (await store.claim(id, second)).state === 'abandoned');
}

async function until(isReached: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await isReached()); tries++) {
    assert.ok(tries < 500, 'not within seconds');
    await new Promise((resolve) => void setTimeout(resolve, 10));
  }
}
