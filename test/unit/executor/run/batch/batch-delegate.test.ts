import { deepEqual } from 'node:assert/strict';
import { it } from 'node:test';

import { batchDelegateToSchema } from '@graphql-tools/batch-delegate';
import type { GraphQLResolveInfo } from 'graphql';

import { createHandler } from '../../../../../src/entries/index.ts';
import { createTester } from '../../../../../src/entries/testing.ts';
import { schemaWith } from '../../../../support/differential/both-executors.ts';

const sees = (user: string): object => ({ items: ['1', '2'].map((id) => ({ owner: { name: `${user} sees ${id}` } })) });

// The package keeps a DataLoader for each `info.fieldNodes`, with the options of its first caller.
it('@graphql-tools/batch-delegate returns each of two users their answers when they ask with the same document at the same time', async () => {
  const users = (_source: unknown, { ids, viewer }: { ids: string[]; viewer: string }): object[] =>
    ids.map((id) => ({ id, name: `${viewer} sees ${id}` }));
  const typeDefs = 'type Query { users(ids: [ID!]!, viewer: String!): [User!]! } type User { id: ID! name: String! }';
  const owners = schemaWith(typeDefs, { Query: { users } });
  const { run } = createTester(
    createHandler({
      typeDefs: 'type Query { items: [Item!]! } type Item { id: ID! owner: User! } type User { id: ID! name: String! }',
      resolvers: {
        Query: { items: () => [{ id: '1' }, { id: '2' }] },
        Item: {
          owner: ({ id }: { id: string }, _values: object, { user }: { user: string | null }, info: GraphQLResolveInfo) =>
            batchDelegateToSchema({ schema: owners, fieldName: 'users', key: id, argsFromKeys: (ids) => ({ ids, viewer: user }), info }),
        },
      },
      context: ({ request }) => ({ user: request.headers.get('x-user') }),
    }),
  );
  const ask = async (user: string): Promise<unknown> =>
    (await run('{ items { owner { name } } }', {}, { headers: { 'x-user': user } })).data;

  deepEqual(await Promise.all(['carol', 'dave', 'carol'].map(ask)), ['carol', 'dave', 'carol'].map(sees)); // oxfmt-ignore
});
