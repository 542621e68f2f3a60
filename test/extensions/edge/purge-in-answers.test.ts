import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { versionInfo } from 'graphql';

import { varnishPurge } from '../../../src/entries/edge.ts';
import type { EdgeOptions } from '../../../src/entries/edge.ts';
import { Purger } from '../../../src/extensions/edge/purge/purger.ts';
import { incrementalDelivery } from '../../../src/entries/incremental.ts';
import { edgeServing } from './serving.ts';
import type { EdgeServing } from './serving.ts';

const typeDefs = `
  type Query { book(id: ID!): Book @cacheControl(maxAge: 60) }
  type Book { id: ID! }
  type Mutation { rename(id: ID!): Book many: [Book!]! remove: Boolean }`;

interface Shop extends EdgeServing {
  /** The tags of each request to Varnish. */
  readonly purges: string[];
}

function shop(options: Partial<EdgeOptions> = {}, server: object = {}): Shop {
  const purges: string[] = [];
  const fetch = async (_url: string, { headers }: { headers: Record<string, string> }): Promise<Response> => {
    purges.push(headers['xkey-purge']!);
    return new Response();
  };
  const book = (_: unknown, { id }: { id: string }): object => ({ id });
  const Mutation = {
    rename: book,
    many: () => Array.from({ length: 1_000 }, (_, id) => ({ id: `book number ${id}` })),
    remove: () => true,
  };
  const serving = edgeServing({
    purge: varnishPurge({ urls: ['http://varnish.internal/'], inAnswers: true, fetch }),
    ...options,
    server: { typeDefs, resolvers: { Query: { book }, Mutation }, ...server } as never,
  });
  return { ...serving, purges };
}

describe('where Varnish reads the answers of mutations', () => {
  test('an answer carries the tags of a mutation, and a request repeats the purge three seconds later', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { post, settled, purges } = shop();

    const response = await post({ query: 'mutation { rename(id: 1) { id } }' });
    const before = [...purges];
    t.mock.timers.tick(3_000);
    await settled();

    assert.deepEqual([response.headers.get('xkey-purge'), before, purges], ['e:Book:1 u:Book l:Book', [], ['e:Book:1 u:Book l:Book']]);
  });

  test('an answer takes nothing along that it has not changed', async () => {
    const { get, post } = shop();

    const answers = [
      await get('{ book(id: 1) { id } }'),
      await post({ query: '{ book(id: 1) { id } }' }),
      await post({ query: 'mutation { remove }' }),
    ];

    assert.deepEqual(
      answers.map(({ status, headers }) => [status, headers.get('xkey-purge')]),
      [
        [200, null],
        [200, null],
        [200, null],
      ],
    );
  });

  const atOnce: readonly (readonly [name: string, body: object, headers: Record<string, string>])[] = [
    ['of a batch', [{ query: 'mutation { rename(id: 1) { id } }' }, { query: 'mutation { rename(id: 1) { id } }' }], {}],
    ['with more tags than a header field may have', { query: 'mutation { many { id } }' }, {}],
    ...(versionInfo.major < 17
      ? []
      : [['that comes in parts', { query: 'mutation { rename(id: 1) { ... @defer { id } } }' }, { accept: 'multipart/mixed' }] as const]),
  ];
  for (const [name, body, headers] of atOnce)
    test(`an answer ${name} is purged immediately by a request`, async (t) => {
      t.mock.timers.enable({ apis: ['setTimeout'] });
      const { post, purges } = shop({}, { allowBatchedHttpRequests: true, incrementalDelivery: incrementalDelivery() });

      const response = await post(body, headers);
      await response.text();

      assert.equal(response.headers.get('xkey-purge'), null);
      assert.ok(purges.length > 0);
    });

  test('one server is expected, and that a lost answer is made up for', () => {
    const urls = ['http://a/', 'http://b/'];

    assert.throws(() => varnishPurge({ urls, inAnswers: true }), {
      message: 'Expected varnishPurge with inAnswers to have one of urls, the server that mutations come through, got 2.',
    });
    assert.throws(() => shop({ purgeAgainAfter: 0 }), {
      message: 'Expected purgeAgainAfter of edge to be above 0 where answers purge: an answer that is lost purges nothing.',
    });
  });
});

describe('the repeats of many mutations', () => {
  test('come twice in the time after which they are due, and none of them early', async () => {
    const done: [number, readonly string[]][] = [];
    const clock = new TurnedClock();
    const purger = new Purger({ now: clock.now, sleep: clock.sleep, purge: async (tags) => done.push([clock.now(), tags]) });
    for (let at = 0; at < 20; at++) {
      void purger.repeat([`${at}`], 1);
      await clock.turn(100);
    }

    await clock.turn(2_000);

    assert.deepEqual(
      done.map(([at, tags]) => [at, tags.length]),
      [
        [1_000, 1],
        [1_500, 5],
        [2_000, 5],
        [2_500, 5],
        [3_000, 4],
      ],
    );
    for (const [at, tags] of done) for (const tag of tags) assert.ok(at >= Number(tag) * 100 + 1_000, `${tag} at ${at}`);
  });
});

/** A clock that a test turns. */
class TurnedClock {
  #time = 0;
  #sleepers: { readonly until: number; readonly wake: () => void }[] = [];
  readonly now = (): number => this.#time;
  readonly sleep = (seconds: number): Promise<void> =>
    new Promise((wake) => {
      this.#sleepers.push({ until: this.#time + seconds * 1_000, wake });
    });

  async turn(milliseconds: number): Promise<void> {
    const end = this.#time + milliseconds;
    for (;;) {
      const [next] = this.#sleepers.filter(({ until }) => until <= end).toSorted((a, b) => a.until - b.until);
      this.#time = next?.until ?? end;
      if (next === undefined) return;
      this.#sleepers = this.#sleepers.filter((sleeper) => sleeper !== next);
      next.wake();
      // What has been woken comes to its next sleep.
      for (let microtask = 0; microtask < 50; microtask++) await Promise.resolve();
    }
  }
}
