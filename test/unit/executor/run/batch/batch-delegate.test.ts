import { deepEqual } from 'node:assert/strict';
import { describe, it } from 'node:test';

import { batchDelegateToSchema } from '@graphql-tools/batch-delegate';
import type { GraphQLResolveInfo, GraphQLSchema } from 'graphql';

import { createHandler } from '../../../../../src/entries/index.ts';
import { schemaWith } from '../../../../support/differential/both-executors.ts';
import { httpAPI } from '../../../../support/sources.ts';
import { json, post } from '../../../../support/plain-http.ts';

// The package keeps a DataLoader for each `info.fieldNodes`, with the options of its first caller.
describe('@graphql-tools/batch-delegate, with the same document for two users', () => {
  const ask = createClient();

  it('returns each user their answers when they ask concurrently', async () => {
    const answers = await Promise.all(['carol', 'dave', 'carol'].map(ask));

    deepEqual(answers, ['carol', 'dave', 'carol'].map(sees));
  });
});

const batches: string[][] = [];

function sees(user: string): object {
  return { items: ['1', '2'].map((id) => ({ owner: { name: `${user} sees ${id}` } })) };
}

/** Creates a client that sends the same query as a given user. */
function createClient(): (user: string) => Promise<unknown> {
  const owners = ownersService();
  const handler = createHandler({
    typeDefs: 'type Query { items: [Item!]! } type Item { id: ID! owner: User! } type User { id: ID! name: String! }',
    resolvers: {
      Query: { items: () => [{ id: '1' }, { id: '2' }] },
      Item: {
        owner: ({ id }: { id: string }, _values: object, { user }: { user: string | null }, info: GraphQLResolveInfo) =>
          batchDelegateToSchema({ schema: owners, fieldName: 'users', key: id, argsFromKeys: (ids) => ({ ids, viewer: user }), info }),
      },
    },
    context: ({ request }) => ({ user: request.headers.get('x-user') }),
  });
  return async (user) => {
    const request = post({ query: '{ items { owner { name } } }' }, { headers: [['x-user', user]] });
    return json(await httpAPI.read(await handler(httpAPI.build(request), {}))).data;
  };
}

/** Creates the schema to delegate to. Its answers depend on the viewer. */
function ownersService(): GraphQLSchema {
  const users = (_source: unknown, { ids, viewer }: { ids: string[]; viewer: string }): object[] => {
    batches.push(ids);
    return ids.map((id) => ({ id, name: `${viewer} sees ${id}` }));
  };
  const typeDefs = 'type Query { users(ids: [ID!]!, viewer: String!): [User!]! } type User { id: ID! name: String! }';
  return schemaWith(typeDefs, { Query: { users } });
}
