import assert from 'node:assert/strict';
import { test } from 'node:test';

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
  readonly runs: () => number;
}

/** Creates a shop whose queries read their data immediately, and wait before they return it. */
function shop(): Shop {
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
  const server = { typeDefs, resolvers, context } as never;
  const serving = edgeServing({ cdn: undefined, store: new MapCache(), deploy: 'v1', server });
  return {
    ...serving,
    runs: () => runs,
    goOn: () => {
      gate.resolve();
      gate = deferred();
    },
  };
}

test('in random orders of concurrent mutations and reads by three users, no user gets the answer of another, or one older than a completed mutation', async () => {
  const random = createRandom(1_512);
  const wrong: string[] = [];
  let shared = 0;
  for (let history = 0; history < 60; history++) {
    const { get, post, goOn, runs } = shop();
    let [answered, reads] = [0, 0];
    const read = async (): Promise<void> => {
      const [user, least] = [random.pick(['anna', 'bert', 'cora']), answered];
      reads++;
      const isMine = random.chance(0.3);
      const { data } = (await (await get(isMine ? '{ mine }' : '{ slow { version } }', { headers: { cookie: user } })).json()) as any;
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
