import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { budget } from '../../../../src/entries/budget.ts';
import { createHandler } from '../../../../src/entries/fetch.ts';
import { memoryStore } from '../../../../src/entries/idempotency.ts';
import { batch } from '../../../../src/entries/index.ts';
import { inlineTraces, subgraph } from '../../../../src/entries/subgraph.ts';

const typeDefs = `
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key"])
  type Query { now: String }
  type User @key(fields: "id") { id: ID! name: String! friends: [String!] }
  type Order @key(fields: "id") { id: ID! total: Int! }
`;

interface Reference {
  readonly id: string;
}

/** Orders never arrive, and the second user has no name. */
function serve() {
  const calls: string[] = [];
  const store = memoryStore({ isOnlyProcess: true });
  const handler = createHandler(
    subgraph({
      nodeEnv: 'test',
      maskErrors: true,
      csrfPrevention: true,
      logger: { debug() {}, info() {}, warn() {}, error() {} },
      deadline: { ms: 1_000, reserveMs: 100 },
      typeDefs,
      resolvers: {
        Query: { now: () => 'noon' },
        User: {
          __resolveReferences: (references: readonly Reference[]) => {
            calls.push(`users ${references.map(({ id }) => id).join()}`);
            return references.map(({ id }) => ({ id, name: id === '2' ? null : `User ${id}` }));
          },
          friends: batch((users: readonly Reference[]) => users.map(({ id }) => [`friend of ${id}`])),
        },
        Order: { __resolveReference: () => new Promise(() => {}) },
      } as never,
      traces: inlineTraces(),
      plugins: [budget({ store, identity: () => 'router', capacity: 100, refillPerSecond: 1 })],
    }),
  );
  const send = async (body: object, headers: Record<string, string> = {}): Promise<{ answer: any; left: string | null }> => {
    const response = await handler.fetch(
      new Request('https://example.com/', {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      }),
    );
    return { answer: await response.json(), left: /r=(\d+)/.exec(response.headers.get('ratelimit') ?? '')?.[1] ?? null };
  };
  return { send, calls };
}

const query = `query ($representations: [_Any!]!) {
  _entities(representations: $representations) { __typename ... on User { id name friends } ... on Order { total } }
}`;
const representations = [
  { __typename: 'User', id: '1' },
  { __typename: 'Order', id: '9' },
  { __typename: 'User', id: '2' },
  { __typename: 'User', id: '3' },
];
const traced = { 'apollo-federation-include-trace': 'ftv1' };

test('at the deadline, a router gets the entities that have arrived, each error at its index, and a trace', async (context) => {
  const { send, calls } = serve();

  const { answer, left } = await atDeadline(context, () => send({ query, variables: { representations }, onError: 'NULL' }, traced));

  const user = (id: string, name: string | null) => ({ __typename: 'User', id, name, friends: [`friend of ${id}`] });
  assert.deepEqual(answer.data, { _entities: [user('1', 'User 1'), null, user('2', null), user('3', 'User 3')] });
  assert.deepEqual(
    answer.errors.map(({ path }: any) => path).toSorted((one: unknown[], other: unknown[]) => Number(one[1]) - Number(other[1])),
    [
      ['_entities', 1],
      ['_entities', 2, 'name'],
    ],
  );
  assert.deepEqual(calls, ['users 1,2,3']);
  assert.equal(typeof answer.extensions.ftv1, 'string');
  assert.ok(Number(left) < 100);
});

test('without onError, a null in a non-null field takes its entity alone', async (context) => {
  const { send } = serve();

  const { answer } = await atDeadline(context, () => send({ query, variables: { representations } }));

  assert.deepEqual(
    answer.data._entities.map((entity: any) => entity?.id ?? null),
    ['1', null, null, '3'],
  );
});

/** Lets the deadline come while the request runs. */
async function atDeadline<T>({ mock }: TestContext, run: () => Promise<T>): Promise<T> {
  mock.timers.enable({ apis: ['setTimeout', 'Date'] });
  const running = run();
  for (let turn = 0; turn < 20; turn++) await setImmediate();
  mock.timers.tick(900);
  for (let turn = 0; turn < 20; turn++) await setImmediate();
  mock.timers.tick(50);
  return running;
}
