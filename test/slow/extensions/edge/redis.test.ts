import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { TestContext } from 'node:test';

import KeyvRedis from '@keyv/redis';
import { Keyv } from 'keyv';

import { KeyvAdapter } from '../../../../src/entries/index.ts';
import { needsProgram, startRedis } from '../../../support/program.ts';
import { freePort } from '../../../support/free-port.ts';
import { edgeServing } from '../../../support/edge/serving.ts';
import type { EdgeServing } from '../../../support/edge/serving.ts';

const redis = { ...needsProgram('redis-server'), timeout: 30_000 };

/** Creates one process of a shop over a Redis. */
function shopOver(t: TestContext, port: number, titles: Map<string, string>): EdgeServing {
  const store = new KeyvRedis(`redis://127.0.0.1:${port}`);
  t.after(() => store.disconnect(true).catch(() => {}));
  const book = (_: unknown, { id }: { id: string }): object => ({ id, title: titles.get(id) });
  const rename = (_: unknown, { id, title }: { id: string; title: string }): object => (titles.set(id, title), { id });
  return edgeServing({
    cdn: undefined,
    store: new KeyvAdapter(new Keyv(store)),
    deploy: 'v1',
    server: {
      typeDefs: `type Query { book(id: ID!): Book @cacheControl(maxAge: 60) } type Book { id: ID! title: String }
        type Mutation { rename(id: ID!, title: String!): Book }`,
      resolvers: { Query: { book }, Mutation: { rename } },
    } as never,
  });
}

const query = '{ book(id: 1) { id title } }';
/** Sends requests until the store answers, because a client needs time to connect. */
async function untilKept(shop: EdgeServing): Promise<void> {
  for (;;) {
    await shop.post({ query });
    await shop.settled();
    const decision = shop.decisions.at(-1);
    if (decision?.public === true && decision.hit === true) return;
    await new Promise((resolve) => {
      setTimeout(resolve, 20);
    });
  }
}

const titleIn = async (response: Response): Promise<string> => ((await response.json()) as any).data.book.title;

describe('answers in a real Redis', () => {
  test('are shared by processes, and purged by a mutation in any of them', redis, async (t) => {
    const port = await freePort();
    const titles = new Map([['1', 'one']]);
    const [one, two] = [shopOver(t, port, titles), shopOver(t, port, titles)];
    await startRedis(t, port);
    await untilKept(one);
    await untilKept(two);

    await two.post({ query: 'mutation { rename(id: 1, title: "uno") { id } }' });
    // The answer waits for a slow store only for a while.
    await two.settled();
    const title = await titleIn(await one.post({ query }));
    await one.settled();

    assert.equal(title, 'uno');
    assert.deepEqual(one.decisions.at(-1), { public: true, maxAge: 60, tags: ['d:v1', 't:Book', 'q:book', 'e:Book:1'] });
  });
});
