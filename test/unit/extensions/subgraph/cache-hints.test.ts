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
async function lifetimeOf(defaultMaxAge: number, references: string): Promise<unknown> {
  const handler = createHandler(
    subgraph({
      logger: silent,
      nodeEnv: 'production',
      typeDefs: [cacheControlDefinitions, typeDefs],
      resolvers,
      plugins: [edge({ cdn: 'vercel', defaultMaxAge })],
    }),
  );
  const entities = references.split(' ').map((reference) => reference.split(':'));
  const representations = entities.map(([type, id = '1']) => `{ __typename: "${type}", id: "${id}" }`).join(' ');
  const query = `{ _entities(representations: [${representations}]) { __typename ... on Product { name } ... on Price { name } } }`;
  const response = await handler(new Request(`https://subgraph.test/graphql?${new URLSearchParams({ query }).toString()}`));
  const body = (await response.json()) as { readonly errors?: unknown };
  assert.equal(body.errors, undefined);
  const isPrivate = response.headers.get('cache-control') === 'private, no-store';
  return isPrivate ? undefined : Number(/max-age=(\d+)/.exec(response.headers.get('vercel-cdn-cache-control')!)![1]);
}

describe('@cacheControl of the types of entities', () => {
  const rows: readonly (readonly [rule: string, references: string, lifetime: number | undefined, defaultMaxAge?: number])[] = [
    ['the lifetime of the type counts', 'Product', 60],
    ['the shortest lifetime of the entities in the answer counts', 'Product Price', 20],
    ['a default that is longer does not', 'Product', 60, 300],
    ['an entity of a PRIVATE type makes the answer private', 'Order', undefined, 300],
    ['even if it was not found', 'Account', undefined, 300],
    ['and beside others', 'Product Account', undefined, 300],
    ['a type without a lifetime has none', 'Note', undefined],
    ['or the default', 'Note', 300, 300],
    ['and never that of another type', 'Product Note', undefined],
    ['also not of a later one', 'Note Product', undefined],
    ['for a reference to an interface, the type of the object counts', 'Media:Book', 30],
    ['also if it is PRIVATE', 'Media:Letter', undefined, 300],
  ];
  for (const [rule, references, lifetime, defaultMaxAge = 0] of rows)
    test(`${rule}: ${references}`, async () => {
      assert.equal(await lifetimeOf(defaultMaxAge, references), lifetime);
    });
});
