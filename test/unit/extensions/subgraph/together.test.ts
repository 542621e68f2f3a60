import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { stopTheClock } from '../../../support/clock.ts';
import { batch } from '../../../../src/entries/index.ts';
import { inlineTraces } from '../../../../src/entries/subgraph.ts';
import { entitiesQuery, linkTo, serveSubgraph } from './serving.ts';
import type { Answer } from './serving.ts';

interface Reference {
  readonly id: string;
}

const representations = [
  { __typename: 'User', id: '1' },
  { __typename: 'Order', id: '9' },
  { __typename: 'User', id: '2' },
  { __typename: 'User', id: '3' },
];

/** The answer at the deadline: orders never arrive, and the second user has no name. */
async function answerAtDeadline(t: TestContext, onError: string): Promise<{ readonly answer: Answer; readonly calls: string[] }> {
  const calls: string[] = [];
  const ask = serveSubgraph({
    deadline: { ms: 1_000, reserveMs: 100 },
    typeDefs: `${linkTo('v2.9', '@key')}
      type Query { now: String }
      type User @key(fields: "id") { id: ID! name: String! friends: [String!] }
      type Order @key(fields: "id") { id: ID! total: Int! }`,
    resolvers: {
      User: {
        __resolveReferences: (references: readonly Reference[]) => {
          calls.push(references.map(({ id }) => id).join());
          return references.map(({ id }) => ({ id, name: id === '2' ? null : `User ${id}` }));
        },
        friends: batch((users: readonly Reference[]) => users.map(({ id }) => [`friend of ${id}`])),
      },
      Order: { __resolveReference: () => new Promise(() => {}) },
    } as never,
    traces: inlineTraces(),
  });
  const pass = stopTheClock(t);
  const query = entitiesQuery('... on User { id name friends } ... on Order { total }');
  const asking = ask(query, { representations }, { 'apollo-federation-include-trace': 'ftv1' }, { onError });
  for (const milliseconds of [900, 50]) await pass(milliseconds);
  return { answer: await asking, calls };
}

test('at the deadline, a router gets the entities that have arrived, each error at its index, and a trace', async (t) => {
  const { answer, calls } = await answerAtDeadline(t, 'NULL');

  const user = (id: string, name: string | null) => ({ __typename: 'User', id, name, friends: [`friend of ${id}`] });
  assert.deepEqual(answer.data, { _entities: [user('1', 'User 1'), null, user('2', null), user('3', 'User 3')] });
  assert.deepEqual(answer.errors!.map(({ path }) => path!.join('.')).toSorted(), ['_entities.1', '_entities.2.name']);
  assert.deepEqual(calls, ['1,2,3']);
  assert.equal(typeof answer.extensions.ftv1, 'string');
});

test('without onError, a null in a non-null field takes its entity alone', async (t) => {
  const { answer } = await answerAtDeadline(t, 'PROPAGATE');

  const ids = answer.data._entities.map((entity: any) => entity?.id ?? null);
  assert.deepEqual(ids, ['1', null, null, '3']);
});
