import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { cacheControlDefinitions, edge } from '../../../../src/entries/edge.ts';
import { createHandler } from '../../../../src/entries/fetch.ts';
import { subgraph } from '../../../../src/entries/subgraph.ts';
import { linkTo, silent } from './serving.ts';

const typeDefs = `${linkTo('v2.9', '@key')}
  type Query { me: Int }
  type Product @key(fields: "id") @cacheControl(maxAge: 60) { id: ID! name: String }
  type Price @key(fields: "id") @cacheControl(maxAge: 20) { id: ID! name: String }
  type Account @key(fields: "id") @cacheControl(maxAge: 60, scope: PRIVATE) { id: ID! name: String }
  type Note @key(fields: "id") { id: ID! name: String }
  type Order @key(fields: "id") @cacheControl(maxAge: 60, scope: PRIVATE) { id: ID! name: String }
  type Letter implements Media @key(fields: "id") @cacheControl(maxAge: 60, scope: PRIVATE) { id: ID! name: String }
  type Book implements Media @key(fields: "id") @cacheControl(maxAge: 30) { id: ID! name: String }
  interface Media @key(fields: "id") { id: ID! name: String }`;

interface Reference {
  readonly id: string;
}
const found = ({ id }: Reference): object => ({ id, name: `name ${id}` });
const resolvers = {
  Product: { __resolveReference: found },
  Price: { __resolveReference: async (reference: Reference) => found(reference) },
  Account: { __resolveReference: () => null },
  Order: { __resolveReferences: (references: readonly Reference[]) => references.map(found) },
  Media: { __resolveType: async ({ id }: Reference) => id },
};

/** The lifetime of an answer with entities of these types; undefined if it is private. */
async function lifetimeOf(defaultMaxAge: number, ...references: readonly (readonly [type: string, id: string])[]): Promise<unknown> {
  const handler = createHandler(
    subgraph({
      logger: silent,
      nodeEnv: 'production',
      typeDefs: [cacheControlDefinitions, typeDefs],
      resolvers,
      plugins: [edge({ cdn: 'vercel', defaultMaxAge })],
    }),
  );
  const representations = references.map(([type, id]) => `{ __typename: "${type}", id: "${id}" }`).join(' ');
  const query = `{ _entities(representations: [${representations}]) { __typename ... on Product { name } ... on Price { name } } }`;
  const response = await handler(new Request(`https://subgraph.test/graphql?${new URLSearchParams({ query }).toString()}`));
  const body = (await response.json()) as { readonly errors?: unknown };
  assert.equal(body.errors, undefined);
  const isPrivate = response.headers.get('cache-control') === 'private, no-store';
  return isPrivate ? undefined : Number(/max-age=(\d+)/.exec(response.headers.get('vercel-cdn-cache-control')!)![1]);
}

describe('@cacheControl of the types of entities', () => {
  test('the shortest lifetime of the entities in the answer counts', async () => {
    assert.equal(await lifetimeOf(0, ['Product', '1']), 60);
    assert.equal(await lifetimeOf(0, ['Product', '1'], ['Price', '1']), 20);
    assert.equal(await lifetimeOf(300, ['Product', '1']), 60);
  });

  test('an entity of a PRIVATE type makes the answer private, even if it was not found', async () => {
    assert.equal(await lifetimeOf(300, ['Account', '1']), undefined);
    assert.equal(await lifetimeOf(300, ['Order', '1']), undefined);
    assert.equal(await lifetimeOf(300, ['Product', '1'], ['Account', '1']), undefined);
  });

  test('a type without a lifetime has the default, and never that of another type', async () => {
    assert.equal(await lifetimeOf(0, ['Note', '1']), undefined);
    assert.equal(await lifetimeOf(300, ['Note', '1']), 300);
    assert.equal(await lifetimeOf(0, ['Product', '1'], ['Note', '1']), undefined);
    assert.equal(await lifetimeOf(0, ['Note', '1'], ['Product', '1']), undefined);
  });

  test('for a reference to an interface, the type of the object counts', async () => {
    assert.equal(await lifetimeOf(0, ['Media', 'Book']), 30);
    assert.equal(await lifetimeOf(300, ['Media', 'Letter']), undefined);
  });
});
