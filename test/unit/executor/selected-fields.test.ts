import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { makeExecutableSchema } from '@graphql-tools/schema';
import { parse } from 'graphql';
import type { FragmentDefinitionNode, GraphQLObjectType, GraphQLResolveInfo, OperationDefinitionNode } from 'graphql';

import { batch, selectedFields, selectionsOf } from '../../../src/entries/index.ts';
import { executePlanned } from '../../../src/executor/execute.ts';
import { executionOf } from '../../support/differential/both-executors.ts';
import { createEndpoint } from '../../support/endpoint.ts';
import { executors } from '../../support/executors.ts';
import { json, post } from '../../support/plain-http.ts';
import { allPayloads, runIncrementally } from '../../support/run-incrementally.ts';

const typeDefs = `
  interface Product { id: ID! name: String maker: Named }
  type Query { books: [Book!]! product: Product products: [Product] any: Any page: BookPage version: String self: Query }
  union Any = Book | Maker
  type BookPage { edges: [BookEdge] }
  type BookEdge { cursor: String node: Book }
  type Book implements Product { id: ID! name: String maker: Author title: String author: Author rows: [Row] }
  type Film implements Product { id: ID! name: String maker: Maker length: Int }
  type Author implements Named { name: String born: Int books: [Book] }
  type Maker implements Named { name: String country: String }
  interface Named { name: String }
  type Row { id: ID batched: Row plain: Row }
`;

const including = 'query ($with: Boolean!) { books { id ...F @include(if: $with) } } fragment F on Book { title }';
const makers = '{ products { maker { name ... on Author { born } ... on Maker { country } } } }';

/** Operations, the fields that their first field is asked for, the option `type`, and variables. */
const operations: readonly (readonly [query: string, fields: string, type?: string | undefined, variables?: object])[] = [
  ['{ books { title } }', 'title'],
  ['{ books { t: title __typename n: name other: name } }', 'name title'],
  ['{ books { author { name books { id } } } }', 'author author.books author.books.id author.name'],
  ['{ books { a: author { name } b: author { born } } }', 'author author.born author.name'],
  [
    '{ books { ...F ... on Product { name } ... { id } } } fragment F on Book { title ...G } fragment G on Book { author { born } }',
    'author author.born id name title',
  ],
  ['{ books { id } books { title } ...F } fragment F on Query { books { name } }', 'id name title'],
  ['{ books { id title @skip(if: true) name @include(if: false) } }', 'id'],
  [including, 'id title', undefined, { with: true }],
  [including, 'id', undefined, { with: false }],
  ['query ($with: Boolean = false) { books { id author @skip(if: $with) { name } } }', 'author author.name id'],
  ['{ product { id ... on Book { title maker { born } } ... on Film { length } } }', 'id length maker maker.born title'],
  ['{ product { id ... on Book { title } ... on Film { length } } }', 'id title', 'Book'],
  ['{ product { id ... on Book { title } ... on Film { length } } }', 'id length', 'Film'],
  [makers, 'maker maker.born maker.country maker.name'],
  [makers, 'maker maker.born maker.name', 'Book'],
  ['{ any { ... on Book { id } ... on Named { name } } }', 'id name'],
  ['{ any { ... on Product { ... on Film { length } name } } }', 'name'],
  ['{ page { edges { cursor node { title } } } }', 'edges edges.cursor edges.node edges.node.title'],
  ['{ version }', ''],
  ['{ books { __typename } }', ''],
  ['{ self { __schema { description } version } }', 'version'],
];

/** A resolver that notes the fields that it is asked for. */
function noting(): { seen: string[][]; books(...given: [unknown, unknown, unknown, GraphQLResolveInfo]): object[] } {
  const seen: string[][] = [];
  return { seen, books: (_, __, ___, info) => (seen.push([...selectedFields(info)]), []) };
}

describe('selectedFields', () => {
  for (const [executor, option] of executors)
    for (const [query, fields, type, variables] of operations)
      test(`of ${query}${type ? ` for ${type}` : ''} is ${fields || 'empty'}, with ${executor}`, async () => {
        const seen: ReadonlySet<string>[] = [];
        const fieldResolver = (_: unknown, __: unknown, ___: unknown, info: GraphQLResolveInfo): unknown => {
          if (info.path.prev === undefined) seen.push(selectedFields(info, type === undefined ? {} : { type }));
          return null;
        };
        const endpoint = createEndpoint({ ...option, typeDefs, resolvers: {}, fieldResolver, introspection: true } as never);

        const response = await endpoint.send(post({ query, variables }));

        assert.equal(seen.length, 1, response.body);
        assert.equal([...seen[0]!].toSorted().join(' '), fields);
      });

  test('includes what @defer delivers later', async () => {
    const { seen, books } = noting();

    const outcome = await runIncrementally(
      { typeDefs, resolvers: { Query: { books } } } as never,
      '{ books { id ... @defer { title author { ...F @defer } } } } fragment F on Author { born }',
    );
    await allPayloads(outcome);

    assert.deepEqual(seen, [['id', 'title', 'author', 'author.born']]);
  });

  test('throws for a type that the field does not return', async () => {
    const message = (type: string): string =>
      `Expected the type of selectedFields to be one that Query.product returns (Book, Film), got ${type}.`;
    const messages: string[] = [];
    const product = (_: unknown, __: unknown, ___: unknown, info: GraphQLResolveInfo): unknown => {
      for (const type of ['Author', 'Product', 'constructor'])
        assert.throws(
          () => selectedFields(info, { type }),
          (error: TypeError) => messages.push(error.message) > 0,
        );
      return null;
    };

    await createEndpoint({ typeDefs, resolvers: { Query: { product } } } as never).send(post({ query: '{ product { id } }' }));

    assert.deepEqual(messages, [message('Author'), message('Product'), message('constructor')]);
  });

  test('is one set for all rows of an execution, and another for the next execution', async () => {
    const sets = new Set<ReadonlySet<string>>();
    const rows = 3_000;
    const endpoint = createEndpoint({
      typeDefs,
      resolvers: {
        Query: { books: () => [{ rows: Array.from({ length: rows }, (_, id) => ({ id })) }] },
        Row: {
          plain: (_: unknown, __: unknown, ___: unknown, info: GraphQLResolveInfo) => (sets.add(selectedFields(info)), {}),
          batched: batch((parents, _, __, info) => (sets.add(selectedFields(info)), parents.map(() => ({})))),
        },
      },
    } as never);
    const query = 'query ($with: Boolean!) { books { rows { plain { id } batched { id @include(if: $with) } } } }';

    const found: string[][][] = [];
    for (const variables of [{ with: true }, { with: false }]) {
      sets.clear();
      const response = await endpoint.send(post({ query, variables }));
      assert.equal(json(response).data.books[0].rows.length, rows);
      found.push([...sets].map((set) => [...set]));
    }

    assert.deepEqual(found, [
      [['id'], ['id']],
      [['id'], []],
    ]);
  });

  test('takes fragments that spread each other twice in linear time', async () => {
    const { seen, books } = noting();
    const fragments = Array.from({ length: 60 }, (_, at) => `fragment F${at} on Book { ...F${at + 1} ...F${at + 1} }`);
    const query = `{ books { ...F0 } } ${fragments.join(' ')} fragment F60 on Book { title }`;

    const response = await createEndpoint({ typeDefs, resolvers: { Query: { books } } } as never).send(post({ query }));

    assert.deepEqual([response.status, seen], [200, [['title']]]);
  });
});

test('selectedFields takes little time and memory, even if fragments in 1 KB of text select two million fields', async () => {
  const fragments = Array.from({ length: 20 }, (_, at) => `fragment R${at} on Row { batched { ...R${at + 1} } plain { ...R${at + 1} } }`);
  const text = `{ books { rows { ...R0 } } } ${fragments.join(' ')} fragment R20 on Row { id }`;
  const execution = executionOf({ typeDefs, text, functions: { Query: { books: noting().books } } as never });

  const start = process.cpuUsage();
  const { errors } = await executePlanned(execution);
  const { user, system } = process.cpuUsage(start);

  assert.match(errors?.[0]?.message ?? '', /^The operation selects too many fields/);
  assert.ok(user + system < 1_000_000, `${(user + system) / 1000} ms`);
});

test('selectionsOf collects what an operation selects for objects of each type, with its fragments and conditions', () => {
  const schema = makeExecutableSchema({ typeDefs });
  const document = parse('query ($no: Boolean!) { p: product { id ...F name @skip(if: $no) } } fragment F on Book { t: title }');
  const [operation, fragment] = document.definitions as [OperationDefinitionNode, FragmentDefinitionNode];

  const select = selectionsOf({ schema, fragments: { F: fragment }, variables: { no: true } });
  const [product] = select(schema.getQueryType()!, [operation]).fields;
  const namesOf = (type: string): string[] =>
    select(schema.getType(type) as GraphQLObjectType, product!.nodes).fields.map(({ responseName }) => responseName);

  assert.deepEqual([product!.responseName, product!.definition.name], ['p', 'product']);
  assert.deepEqual([namesOf('Book'), namesOf('Film')], [['id', 't'], ['id']]);
});
