import assert from 'node:assert/strict';
import { test } from 'node:test';

import { buildSchema, parse, validate } from 'graphql';
import type { GraphQLSchema } from 'graphql';

import { createSchema } from '../../../../../src/executor/schema/create-schema.ts';
import { specifiedRulesForLazySchema } from '../../../../../src/executor/schema/lazy/lazy-schema.ts';

const typeDefs = 'type Query { a(b: In): Book } type Book { title: String } input In { a: Int } type Untouched { ::: }';

test('a valid document builds no type that it does not name', () => {
  const schema = createSchema({ typeDefs }, { checkWhole: false });

  assert.deepEqual(validate(schema, parse('query ($b: In) { a(b: $b) { ... on Book { title } } }'), specifiedRulesForLazySchema), []);
});

test('unknown types are reported as graphql-js reports them', () => {
  const text = typeDefs.replace(':::', 'a: Int');
  const document = parse('query ($b: Inn, $c: Stringg) { a(b: $b) { ... on Bok { title } ...f } } fragment f on Nothing { a }');
  const messages = (schema: GraphQLSchema, rules?: typeof specifiedRulesForLazySchema): unknown =>
    validate(schema, document, rules).map((error) => error.toJSON());

  assert.deepEqual(
    messages(createSchema({ typeDefs: text }, { checkWhole: false }), specifiedRulesForLazySchema),
    messages(buildSchema(text)),
  );
});
