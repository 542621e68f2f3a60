import type { Claim, ClaimResult, IdempotencyStore } from '../../extensions/stores/index.ts';
import { testsOfContract, until } from './store-contract.ts';
import type { StoreTest } from './store-contract.ts';

/** One test of a store for idempotency keys. */
export type IdempotencyStoreTest = StoreTest;

/**
 * The contract of a store for idempotency keys, as tests for any test runner. They write records with random ids, which expire within
 * minutes, and wait for leases of some milliseconds. `createStore` is called for each test.
 *
 * @example
 * for (const { name, run } of idempotencyStoreTests(() => redisStore(client))) test(name, run);
 */
export function idempotencyStoreTests(createStore: () => IdempotencyStore | Promise<IdempotencyStore>): readonly IdempotencyStoreTest[] {
  return testsOfContract(tests, createStore);
}

const first: Claim = { token: 'first', fingerprint: '1e5', lease: 60_000, keep: 120_000, again: false };
const second: Claim = { ...first, token: 'second' };
/** A claim whose lease ends at once. */
const brief: Claim = { ...first, lease: 1 };
const takeover: Claim = { ...second, again: true };
const answer = '{"result":{"data":{"text":"世界 \\u0000 \\" \\\\ \\n 💸"}}}';
const end = { token: 'first', answer, keep: 120_000 };

const tests: Readonly<Record<string, (store: IdempotencyStore, id: string) => Promise<void>>> = {
  'claims an id that has no record': async (store, id) => {
    expect(await store.claim(id, first), { state: 'claimed' });
  },
  'refuses a second claim while the first attempt is running': async (store, id) => {
    await store.claim(id, first);
    const found = await store.claim(id, { ...second, fingerprint: 'other' });
    const left = found.state === 'running' ? found.left : Number.NaN;
    if (!(left > 50_000 && left <= first.lease)) throw new Error(`Expected left to be up to ${first.lease}, got ${JSON.stringify(found)}.`);
    expect(found, { state: 'running', fingerprint: '1e5', left });
  },
  'keeps ids apart': async (store, id) => {
    await store.claim(id, first);
    expect(await store.claim(`${id}:other`, second), { state: 'claimed' });
  },
  'claims again for the same token': async (store, id) => {
    await store.claim(id, first);
    expect(await store.claim(id, first), { state: 'claimed' });
    expect(await store.finish(id, end), true);
  },
  'lets one of twenty concurrent claims win': async (store, id) => {
    const claims = Array.from({ length: 20 }, (_, at) => store.claim(id, { ...first, token: `token ${at}` }));
    expect((await Promise.all(claims)).filter(({ state }) => state === 'claimed').length, 1);
  },
  'returns the answer of a finished attempt as it was': async (store, id) => {
    await store.claim(id, first);
    expect(await store.finish(id, end), true);
    expect(await store.claim(id, second), { state: 'finished', fingerprint: '1e5', answer });
    expect(await store.claim(id, first), { state: 'finished', fingerprint: '1e5', answer });
  },
  'keeps an answer of 256 KiB': async (store, id) => {
    const large = JSON.stringify('é'.repeat(131_071));
    await store.claim(id, first);
    await store.finish(id, { ...end, answer: large });
    expect(await store.claim(id, second), { state: 'finished', fingerprint: '1e5', answer: large });
  },
  'finishes without an answer': async (store, id) => {
    await store.claim(id, first);
    expect(await store.finish(id, { ...end, answer: undefined }), true);
    expect(await store.claim(id, second), { state: 'finished', fingerprint: '1e5', answer: undefined });
  },
  'finishes once: the first answer stays': async (store, id) => {
    await store.claim(id, first);
    await store.finish(id, end);
    expect(await store.finish(id, { ...end, answer: 'another' }), true);
    expect(await store.claim(id, second), { state: 'finished', fingerprint: '1e5', answer });
  },
  'does not finish or release with another token': async (store, id) => {
    await store.claim(id, first);
    expect(await store.finish(id, { ...end, token: 'second' }), false);
    expect(await store.release(id, { token: 'second' }), false);
    expect((await store.claim(id, second)).state, 'running');
  },
  'does not finish or release what was not claimed': async (store, id) => {
    expect(await store.finish(id, end), false);
    expect(await store.release(id, first), false);
    expect(await store.claim(id, second), { state: 'claimed' });
  },
  'releases a claim, once': async (store, id) => {
    await store.claim(id, first);
    expect(await store.release(id, first), true);
    expect(await store.release(id, first), false);
    expect(await store.finish(id, end), false);
    expect(await store.claim(id, second), { state: 'claimed' });
  },
  'does not release a finished attempt': async (store, id) => {
    await store.claim(id, first);
    await store.finish(id, end);
    expect(await store.release(id, first), false);
    expect((await store.claim(id, second)).state, 'finished');
  },
  'reports an attempt as abandoned when its lease is over, and keeps it': async (store, id) => {
    await store.claim(id, brief);
    expect(await untilAbandoned(store, id), { state: 'abandoned', fingerprint: '1e5' });
    expect(await store.claim(id, second), { state: 'abandoned', fingerprint: '1e5' });
  },
  'finishes after the lease if no other attempt has taken over': async (store, id) => {
    await store.claim(id, brief);
    await untilAbandoned(store, id);
    expect(await store.finish(id, end), true);
    expect((await store.claim(id, takeover)).state, 'finished');
  },
  'lets one of twenty claims take over an abandoned attempt, if they may': async (store, id) => {
    await store.claim(id, brief);
    await untilAbandoned(store, id);
    const claims = Array.from({ length: 20 }, (_, at) => store.claim(id, { ...takeover, token: `token ${at}` }));
    expect((await Promise.all(claims)).filter(({ state }) => state === 'claimed').length, 1);
  },
  'ignores a late end of an attempt that was taken over': async (store, id) => {
    await store.claim(id, brief);
    await untilAbandoned(store, id);
    expect(await store.claim(id, takeover), { state: 'claimed' });
    expect(await store.finish(id, end), false);
    expect(await store.release(id, first), false);
    expect(await store.finish(id, { ...end, token: 'second' }), true);
  },
  'does not let a claim take over a running attempt': async (store, id) => {
    await store.claim(id, first);
    expect((await store.claim(id, takeover)).state, 'running');
  },
  'does not let another operation take over': async (store, id) => {
    await store.claim(id, brief);
    await untilAbandoned(store, id);
    expect(await store.claim(id, { ...takeover, fingerprint: 'other' }), { state: 'abandoned', fingerprint: '1e5' });
  },
  'forgets a claimed record after its time': async (store, id) => {
    await store.claim(id, { ...first, keep: 20 });
    await until(async () => (await store.claim(id, second)).state === 'claimed', 'the record to be forgotten');
    expect(await store.finish(id, end), false);
  },
  'forgets a finished record after its time, which begins anew with the end': async (store, id) => {
    await store.claim(id, first);
    await store.finish(id, { ...end, keep: 20 });
    await until(async () => (await store.claim(id, second)).state === 'claimed', 'the record to be forgotten');
    expect(await store.finish(id, { ...end, token: 'second' }), true);
  },
};

async function untilAbandoned(store: IdempotencyStore, id: string): Promise<ClaimResult> {
  let found: ClaimResult | undefined;
  await until(async () => (found = await store.claim(id, second)).state === 'abandoned', 'the record to be abandoned');
  return found!;
}

function expect(got: unknown, expected: unknown): void {
  if (normalized(got) !== normalized(expected)) throw new Error(`Expected ${normalized(expected)}, got ${normalized(got)}.`);
}

/** An answer that is undefined may be absent. */
function normalized(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return JSON.stringify(
    Object.entries(value)
      .filter(([, one]) => one !== undefined)
      .sort(([one], [other]) => (one < other ? -1 : 1)),
  );
}
