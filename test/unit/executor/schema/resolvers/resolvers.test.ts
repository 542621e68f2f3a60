import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { makeExecutableSchema } from '@graphql-tools/schema';
import { execute, GraphQLScalarType, parse } from 'graphql';
import type { GraphQLSchema } from 'graphql';

import { createTester } from '../../../../../src/entries/testing.ts';
import { findCheck } from '../../../../../src/server/startup/load-tools.ts';
import { createSchema } from '../../../../../src/executor/schema/create-schema.ts';
import type { Resolvers } from '../../../../../src/executor/schema/resolvers/resolver-map.ts';

/** Returns the result of our schema, and asserts that it equals that of a schema built by @graphql-tools/schema. */
async function answer(typeDefs: string, resolvers: Resolvers, source: string, variableValues?: Record<string, unknown>): Promise<unknown> {
  const run = async (schema: GraphQLSchema): Promise<unknown> =>
    JSON.parse(JSON.stringify(await execute({ schema, document: parse(source), ...(variableValues && { variableValues }) })));
  const ours = await run(createSchema({ typeDefs, resolvers }, { checkWhole: findCheck }));
  const theirs = await run(makeExecutableSchema({ typeDefs, resolvers: resolvers as never }));
  assert.deepEqual(ours, theirs);
  return ours;
}

describe('field resolvers', () => {
  const typeDefs = 'type Query { a(x: Int = 2): Int b: Int }';

  test('are functions', async () => {
    const resolvers: Resolvers = { Query: { a: (_parent, { x }) => x * 2 } };

    assert.deepEqual(await answer(typeDefs, resolvers, '{ a again: a(x: 5) b }'), { data: { a: 4, again: 10, b: null } });
  });

  // @graphql-tools/schema uses Object.prototype.toString as the resolver of the field.
  test('are not inherited from Object.prototype', () => {
    const schema = createSchema({ typeDefs: 'type Query { toString: Int }', resolvers: { Query: {} } }, { checkWhole: false });

    assert.deepEqual(JSON.parse(JSON.stringify(execute({ schema, document: parse('{ toString }'), rootValue: { toString: 5 } }))), {
      data: { toString: 5 },
    });
  });

  test('come from several maps, and a later map overrides an earlier one field by field', async () => {
    const resolvers: Resolvers = [{ Query: { a: () => 1, b: () => 1 } }, { Query: { b: () => 2 } }];

    assert.deepEqual(await answer(typeDefs, resolvers, '{ a b }'), { data: { a: 1, b: 2 } });
  });

  // @graphql-tools/schema does not find the methods of a class when it merges an instance with other maps.
  test('come from parent classes, from objects without a prototype, and from nested lists', () => {
    class Base {
      readonly #base = 1;
      a(): number {
        return this.#base;
      }
    }
    class Derived extends Base {
      readonly b = (): number => 2;
    }
    const bare: unknown = Object.assign(Object.create(null), { c: () => 3 });
    const resolvers = [{ Query: new Derived() }, [{ Query: bare }], { Query: { b: () => 4 } }];
    const schema = createSchema(
      { typeDefs: 'type Query { a: Int b: Int c: Int constructor: Int }', resolvers: resolvers as never },
      { checkWhole: false },
    );

    const result = execute({ schema, document: parse('{ a b c constructor }'), rootValue: { constructor: 5 } });

    assert.deepEqual(JSON.parse(JSON.stringify(result)), { data: { a: 1, b: 4, c: 3, constructor: 5 } });
  });
});

test('a subscription field streams the source that its subscribe returns, which may come from another map than its resolve', async () => {
  const typeDefs = 'type Query { a: Int } type Subscription { count: Int }';
  async function* subscribe(): AsyncGenerator<number> {
    yield* [1, 2];
  }
  const resolvers: Resolvers = [{ Subscription: { count: { subscribe } } }, { Subscription: { count: { resolve: (n) => n * 10 } } }];

  const results: unknown[] = [];
  for await (const { data } of createTester({ typeDefs, resolvers }).subscribe('subscription { count }')) results.push(data.count);
  assert.deepEqual(results, [10, 20]);
});

test('enum values are those of the map inside the server, in results, arguments and defaults', async () => {
  const typeDefs = 'type Query { echo(colour: Colour = RED): String colour: Colour other: Colour } enum Colour { RED GREEN BLUE }';
  const resolvers: Resolvers = {
    Query: { echo: (_parent, { colour }) => colour, colour: () => '#f00', other: () => 'BLUE' },
    Colour: { RED: '#f00', GREEN: 0 },
  };

  const source = 'query ($c: Colour) { a: echo b: echo(colour: GREEN) c: echo(colour: $c) colour other }';
  assert.deepEqual(await answer(typeDefs, resolvers, source, { c: 'BLUE' }), {
    data: { a: '#f00', b: '0', c: 'BLUE', colour: 'RED', other: 'BLUE' },
  });
});

describe('scalars', () => {
  const typeDefs = 'type Query { a(d: Date, l: [Date]): Date } "A day." scalar Date @specifiedBy(url: "https://example.com/date")';
  const query = { a: (_parent: unknown, { d, l }: { d?: Date; l?: Date[] }) => d ?? l?.[0] };
  const source = 'query ($d: Date) { a: a(d: "2026-01-02") b: a(d: $d) c: a(l: ["2026-01-04"]) }';
  const expected = { data: { a: '2026-01-02', b: '2026-01-03', c: '2026-01-04' } };
  const parseValue = (text: unknown): Date => new Date(String(text));
  const serialize = (date: unknown): string => (date as Date).toISOString().slice(0, 10);

  for (const [what, date] of [
    ['functions', { serialize, parseValue }],
    ['GraphQLScalarTypes', new GraphQLScalarType({ name: 'Date', serialize, parseValue })],
  ] as const)
    test(`are ${what}`, async () => {
      assert.deepEqual(await answer(typeDefs, { Query: query, Date: date }, source, { d: '2026-01-03' }), expected);
    });

  test('may be GraphQLScalarTypes of another copy of graphql, such as that of a package of scalars', async () => {
    const entry = import.meta.resolve('graphql');
    const other = await import(entry.endsWith('.mjs') ? entry.replace(/mjs$/, 'js') : entry.replace(/js$/, 'mjs'));
    const date = new other.GraphQLScalarType({ name: 'Date', serialize, parseValue });
    const schema = createSchema({ typeDefs, resolvers: { Query: query, Date: date } }, { checkWhole: findCheck });

    assert.ok(!(date instanceof GraphQLScalarType));
    const variableValues = { d: '2026-01-03' };
    assert.deepEqual(JSON.parse(JSON.stringify(execute({ schema, document: parse(source), variableValues }))), expected);
  });
});

describe('abstract types', () => {
  const typeDefs = `
    type Query { nodes: [Node] media: [Media] } interface Node { id: ID } union Media = Book | Film
    type Book implements Node { id: ID pages: Int } type Film implements Node { id: ID minutes: Int }`;
  const values = [{ pages: 5 }, { minutes: 90 }];
  const source = '{ nodes { __typename ... on Book { pages } } media { __typename ... on Film { minutes } } }';
  const nodes = [{ __typename: 'Book', pages: 5 }, { __typename: 'Film' }];
  const expected = { data: { nodes, media: [{ __typename: 'Book' }, { __typename: 'Film', minutes: 90 }] } };
  const Query = { nodes: () => values, media: () => values };
  const typeOf = (value: object): string => ('pages' in value ? 'Book' : 'Film');

  for (const [what, types] of [
    ['__resolveType', { Node: { __resolveType: typeOf }, Media: { __resolveType: typeOf } }],
    [
      '__isTypeOf',
      { Book: { __isTypeOf: (value: object) => 'pages' in value }, Film: { __isTypeOf: (value: object) => 'minutes' in value } },
    ],
  ] as const)
    test(`find the type of a value by ${what}`, async () => {
      assert.deepEqual(await answer(typeDefs, { Query, ...types } as Resolvers, source), expected);
    });

  test('report a value without a type, or of a type that is not possible, as graphql-js does', async () => {
    const Node = { __resolveType: (value: object) => ('pages' in value ? 'Query' : 'Nothing') };

    const { errors } = (await answer(typeDefs, { Query, Node }, '{ nodes { id } }')) as { errors: unknown[] };

    assert.equal(errors.length, 2);
  });
});
