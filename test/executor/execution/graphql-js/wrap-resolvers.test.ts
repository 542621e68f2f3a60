import assert from 'node:assert/strict';
import { test } from 'node:test';

import { buildSchema, parse } from 'graphql';
import type { GraphQLObjectType, GraphQLSchema } from 'graphql';

import { wrapResolvers } from '../../../../src/executor/execution/graphql-js/wrap-resolvers.ts';
import type { Around, SchemaFunction } from '../../../../src/executor/execution/graphql-js/wrap-resolvers.ts';

const schemaText = `
  type Query { node: Node, found: [Found!], plain: Int, other: Book }
  interface Node { id: ID }
  union Found = Book | Author
  type Book implements Node { id: ID, title: String, author: Author }
  type Author implements Node { id: ID, name: String }
  type Subscription { ticks: Int }
`;

test('the functions that a document may call are wrapped, through fragments, interfaces, unions and introspection; no others', () => {
  const schema = withFunctions();
  const wrapped: string[] = [];
  const note = (original: SchemaFunction): SchemaFunction => {
    wrapped.push(original.name);
    return original;
  };
  const document = parse(`
    query { node { id ...OfBook } found { ... on Author { name } } __schema { types { name } } }
    fragment OfBook on Book { author { ... { name } } }
  `);

  wrapResolvers(schema, document, { resolve: note, resolveType: note, isTypeOf: note });

  assert.deepEqual(wrapped.filter((name) => /^[A-Z]/.test(name)).toSorted(), [
    'Author.id',
    'Author.isTypeOf',
    'Author.name',
    'Book.author',
    'Book.id',
    'Book.isTypeOf',
    'Found.resolveType',
    'Node.resolveType',
    'Query.found',
    'Query.node',
  ]);
  assert.ok(wrapped.some((name) => !/^[A-Z]/.test(name)));
});

test('each wraps a function once, even if others wrap it, and again after it was replaced', () => {
  const schema = withFunctions();
  const field = schema.getQueryType()!.getFields()['plain']!;
  const counts = [0, 0];
  const [first, second] = [0, 1].map((at): Around => ({
    resolve: (original) => {
      counts[at]!++;
      return (...values) => original(...values);
    },
  })) as [Around, Around];

  for (let at = 0; at < 5; at++) for (const around of [first, second]) wrapResolvers(schema, parse(`{ a${at}: plain }`), around);
  const afterFive = [...counts];
  field.resolve = () => 1;
  wrapResolvers(schema, parse('{ plain }'), first);

  assert.deepEqual(afterFive, [1, 1]);
  assert.deepEqual(counts, [2, 1]);
});

test('the source of a subscription is wrapped if requested', () => {
  const schema = withFunctions();
  const ticks = schema.getSubscriptionType()!.getFields()['ticks']!;
  ticks.subscribe = () => 'source';

  wrapResolvers(schema, parse('subscription { ticks }'), { subscribe: (original) => () => [(original as () => unknown)()] });

  assert.deepEqual((ticks.subscribe as () => unknown)(), ['source']);
});

test('a schema that is frozen stays as it is', () => {
  const schema = withFunctions();
  const field = schema.getQueryType()!.getFields()['plain']!;
  const { resolve } = field;
  Object.freeze(field);

  wrapResolvers(schema, parse('{ plain }'), { resolve: () => () => 2 });

  assert.equal(field.resolve, resolve);
});

/** Every field and type has functions, each with the name of its place. */
function withFunctions(): GraphQLSchema {
  const schema = buildSchema(schemaText);
  for (const type of Object.values(schema.getTypeMap())) {
    if (type.name.startsWith('__')) continue;
    if ('resolveType' in type) type.resolveType = named(`${type.name}.resolveType`);
    else if ('isTypeOf' in type) {
      type.isTypeOf = named(`${type.name}.isTypeOf`);
      for (const field of Object.values((type as GraphQLObjectType).getFields())) field.resolve = named(`${type.name}.${field.name}`);
    }
  }
  return schema;
}

function named(name: string): () => never {
  return Object.defineProperty(() => undefined as never, 'name', { value: name });
}
