import { deepEqual } from 'node:assert/strict';
import { describe, it } from 'node:test';

import { createHandler } from '../../../../src/entries/fetch.ts';
import { subgraph } from '../../../../src/entries/subgraph.ts';
import { entitiesQuery, linkTo } from './serving.ts';

describe('a subgraph of 300 entities', () => {
  it('makes only the entities that an operation uses, which reads only their resolvers', async () => {
    const names = Array.from({ length: 300 }, (_, at) => `Entity${at}`);
    const typeDefs = `${linkTo('v2.9', '@key')} type Query { ok: Boolean }
      ${names.map((name) => `type ${name} @key(fields: "id") { id: ID! other: ${name} }`).join('\n')}`;
    const read: string[] = [];
    const resolvers = Object.defineProperties(
      {},
      Object.fromEntries(
        names.map((name) => [
          name,
          {
            enumerable: true,
            get: () => {
              read.push(name);
              return { __resolveReference: ({ id }: any) => ({ id }), other: () => ({ id: 'other' }) };
            },
          },
        ]),
      ),
    );
    const handler = createHandler(
      subgraph({
        typeDefs,
        resolvers,
        nodeEnv: 'production',
      }),
    );

    const response = await handler(
      new Request('https://x.test/', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          query: entitiesQuery('... on Entity7 { id other { id } }', '... on Entity9 { id }'),
          variables: {
            representations: [
              { __typename: 'Entity7', id: '1' },
              { __typename: 'Entity9', id: '2' },
            ],
          },
        }),
      }),
    );

    deepEqual(((await response.json()) as any).data._entities, [
      { __typename: 'Entity7', id: '1', other: { id: 'other' } },
      { __typename: 'Entity9', id: '2' },
    ]);
    deepEqual([...new Set(read)].toSorted(), ['Entity7', 'Entity9']);
  });
});
