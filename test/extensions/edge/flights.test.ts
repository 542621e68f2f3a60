import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { TestContext } from 'node:test';

import type { EdgeOptions } from '../../../src/entries/edge.ts';
import type { ContextArgument } from '../../../src/entries/index.ts';
import { createRandom } from '../../support/random.ts';
import { deferred } from '../../support/deferred.ts';
import { MapCache } from './map-cache.ts';
import { edgeServing } from './serving.ts';
import type { EdgeServing } from './serving.ts';

const typeDefs = `
  type Query { slow: Item @cacheControl(maxAge: 60) mine: String @cacheControl(maxAge: 60) }
  type Item @cacheControl(maxAge: 60) { id: ID! version: Int! } type Mutation { change: Item }`;

interface Shop extends EdgeServing {
  /** Lets operations that have read their data continue. */
  readonly goOn: () => void;
  /** Resolves when this number of operations have read their data. */
  readonly waiting: (count: number) => Promise<void>;
  readonly runs: () => number;
}

/** Creates a shop whose queries read their data immediately, and wait before they return it. */
function shop(options: Partial<EdgeOptions> = {}): Shop {
  let gate = deferred<void>();
  let [version, runs] = [0, 0];
  const read = async <T>(value: T): Promise<T> => {
    runs++;
    await gate.promise;
    return value;
  };
  const resolvers = {
    Query: {
      slow: () => read({ id: 1, version }),
      mine: (_: unknown, __: unknown, { user }: { user: () => string | null }) => read(`of ${user()}`),
    },
    Mutation: { change: () => ({ id: 1, version: ++version }) },
  };
  const context = ({ request }: ContextArgument): object => ({ user: () => request.headers.get('cookie') });
  const serving = edgeServing({
    cdn: undefined,
    store: new MapCache(),
    deploy: 'v1',
    ...options,
    server: { typeDefs, resolvers, context } as never,
  });
  return {
    ...serving,
    runs: () => runs,
    goOn: () => {
      gate.resolve();
      gate = deferred();
    },
    waiting: async (count) => {
      const isThere = (): boolean => runs >= count;
      // This is shorter than the time for which an operation waits for another.
      for (let turn = 0; turn < 2_000 && !isThere(); turn++) await new Promise(setImmediate);
      assert.ok(isThere(), `${runs} run, ${count} expected`);
    },
  };
}

/** Waits long enough for requests to start waiting for another one. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
}

const textsOf = (responses: readonly Response[]): Promise<string[]> => Promise.all(responses.map((response) => response.text()));
const slow = '{ slow { version } }';

describe('equal queries that arrive while no answer is kept', () => {
  test('run once, and all get the answer', async () => {
    const { get, goOn, waiting, runs, decisions } = shop();
    const first = get(slow);
    await waiting(1);
    const others = [get(slow), get(slow)];
    await turns();

    goOn();
    const texts = await textsOf(await Promise.all([first, ...others]));

    assert.deepEqual([...new Set(texts)], ['{"data":{"slow":{"version":0}}}']);
    assert.equal(runs(), 1);
    assert.deepEqual(
      decisions.map((decision) => decision.public && decision.hit === true),
      [false, true, true],
    );
  });

  test('each get a separate response if it is private: all run concurrently, and later ones do not wait', async () => {
    const { get, goOn, waiting, runs } = shop();
    const ask = (user: string): Promise<Response> => get('{ mine }', { headers: { cookie: user } });
    const first = ask('anna');
    await waiting(1);
    const others = [ask('bert'), ask('cora')];
    await turns();
    assert.equal(runs(), 1);

    goOn();
    await waiting(3);
    const later = ask('dora');
    await waiting(4);
    goOn();
    const texts = await textsOf(await Promise.all([first, ...others, later]));

    assert.deepEqual(
      texts,
      ['anna', 'bert', 'cora', 'dora'].map((user) => `{"data":{"mine":"of ${user}"}}`),
    );
  });

  test('that arrive after a mutation do not get an answer read before it', async () => {
    const { get, post, goOn, waiting } = shop();
    const before = get(slow);
    await waiting(1);
    await post({ query: 'mutation { change { version } }' });
    const after = get(slow);
    await waiting(2);

    goOn();

    assert.deepEqual(await textsOf([await before, await after]), ['{"data":{"slow":{"version":0}}}', '{"data":{"slow":{"version":1}}}']);
  });

  test('that arrived before a mutation, and waited for a query that it overtook, run themselves', async () => {
    const { get, post, goOn, waiting, runs } = shop();
    const first = get(slow);
    await waiting(1);
    const second = get(slow);
    await turns();
    await post({ query: 'mutation { change { version } }' });

    goOn();
    await waiting(2);
    goOn();

    assert.deepEqual(await textsOf([await first, await second]), ['{"data":{"slow":{"version":0}}}', '{"data":{"slow":{"version":1}}}']);
    assert.equal(runs(), 2);
  });

  test('that arrive after another process has purged something do not wait for an earlier one', async () => {
    const store = new MapCache();
    const [{ get, goOn, waiting }, other] = [shop({ store }), shop({ store })];
    await other.get('{ __typename }');
    const before = get(slow);
    await waiting(1);
    await other.edge.purge({ types: ['Item'] });

    const after = get(slow);
    await waiting(2);
    goOn();

    assert.equal((await textsOf([await before, await after])).length, 2);
  });

  test('in one batch do not wait for each other', async () => {
    const { post, goOn, waiting } = shop();
    const batch = post([{ query: slow }, { query: slow }]);
    await waiting(2);

    goOn();

    assert.equal((await batch).status, 200);
  });

  test('run after two seconds if the first one does not end', async (t) => {
    const { get, goOn, waiting } = shop();
    const first = get(slow);
    await waiting(1);
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const second = get(slow);
    await turns();

    t.mock.timers.tick(2_000);
    await waiting(2);
    goOn();

    assert.deepEqual(await textsOf([await first, await second]), ['{"data":{"slow":{"version":0}}}', '{"data":{"slow":{"version":0}}}']);
  });
});

describe('an answer whose lifetime has just ended', () => {
  /** Creates a shop whose stored answer, of version 0, expired a second ago. */
  async function aged(t: TestContext): Promise<Shop> {
    t.mock.timers.enable({ apis: ['Date'], now: 1_000_000 });
    const all = shop({ staleWhileRevalidate: 30 });
    const first = all.get(slow);
    await all.waiting(1);
    all.goOn();
    await first;
    await all.settled();
    t.mock.timers.tick(61_000);
    return all;
  }

  test('is sent to other requests while one request creates a new answer', async (t) => {
    const { get, goOn, waiting, runs } = await aged(t);
    const renewing = get(slow);
    await waiting(2);

    const other = await get(slow);
    const isRenewed = runs();
    goOn();

    assert.deepEqual(await textsOf([other, await renewing]), ['{"data":{"slow":{"version":0}}}', '{"data":{"slow":{"version":0}}}']);
    assert.equal(isRenewed, 2);
  });

  test('is not sent after a mutation of an object in it', async (t) => {
    const { get, post, settled, goOn, waiting } = await aged(t);
    const renewing = get(slow);
    await waiting(2);
    await post({ query: 'mutation { change { version } }' });
    await settled();

    const other = get(slow);
    await waiting(3);
    goOn();
    await renewing;
    await settled();
    const later = get(slow);
    await turns();
    goOn();

    assert.deepEqual(await textsOf([await other, await later]), ['{"data":{"slow":{"version":1}}}', '{"data":{"slow":{"version":1}}}']);
  });
});

test('in random orders of concurrent mutations and reads by three users, no user gets the answer of another, or one older than a completed mutation', async () => {
  const random = createRandom(1_512);
  const wrong: string[] = [];
  let shared = 0;
  for (let history = 0; history < 60; history++) {
    const { get, post, goOn, runs } = shop({ staleWhileRevalidate: 30 });
    let [answered, reads] = [0, 0];
    const read = async (): Promise<void> => {
      const [user, least] = [random.pick(['anna', 'bert', 'cora']), answered];
      reads++;
      const isMine = random.chance(0.3);
      const { data } = (await (await get(isMine ? '{ mine }' : slow, { headers: { cookie: user } })).json()) as any;
      if (isMine && data.mine !== `of ${user}`) wrong.push(`${user} got ${data.mine}`);
      if (!isMine && data.slow.version < least) wrong.push(`version ${data.slow.version} after ${least}`);
    };
    const write = async (): Promise<void> => {
      const { data } = (await (await post({ query: 'mutation { change { version } }' })).json()) as any;
      answered = Math.max(answered, data.change.version);
    };
    const work: Promise<void>[] = [];
    for (let step = 0; step < 12; step++) {
      work.push(random.chance(0.2) ? write() : read());
      for (let turn = random.below(4); turn > 0; turn--) await new Promise(setImmediate);
      if (random.chance(0.3)) goOn();
    }
    const ended: unknown[] = [];
    void Promise.all(work).then((all) => ended.push(all));
    while (ended.length === 0) {
      goOn();
      await new Promise(setImmediate);
    }
    shared += reads - runs();
  }

  assert.deepEqual(wrong.slice(0, 3), []);
  assert.ok(shared > 60, `${shared} answers that nothing was run for`);
});
