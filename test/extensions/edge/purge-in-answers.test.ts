import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { versionInfo } from 'graphql';

import { varnishPurge } from '../../../src/entries/edge.ts';
import type { EdgeOptions } from '../../../src/entries/edge.ts';
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

describe('when Varnish reads the answers of mutations', () => {
  test('an answer carries the tags of a mutation, and a request repeats the purge three seconds later', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { post, settled, purges } = shop();

    const response = await post({ query: 'mutation { rename(id: 1) { id } }' });
    const before = [...purges];
    t.mock.timers.tick(3_000);
    await settled();

    assert.deepEqual([response.headers.get('xkey-purge'), before, purges], ['e:Book:1 u:Book l:Book', [], ['e:Book:1 u:Book l:Book']]);
  });

  test('an answer carries no tags of objects that its operation has not changed', async () => {
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

  test('exactly one server is required', () => {
    const urls = ['http://a/', 'http://b/'];

    assert.throws(() => varnishPurge({ urls, inAnswers: true }), {
      message: 'Expected varnishPurge with inAnswers to have one of urls, the server that mutations come through, got 2.',
    });
  });
});
