import assert from 'node:assert/strict';
import { test } from 'node:test';

import { buildSchema, parse } from 'graphql';

import { markResolvers } from '../../../src/development/explain/resolver-paths.ts';

test('a resolver is marked once, whatever is put around it later', () => {
  const schema = buildSchema('type Query { name: String }');
  const field = schema.getQueryType()!.getFields()['name']!;
  field.resolve = () => 'x';
  const document = parse('{ name }');
  markResolvers(schema, document);
  const marked = field.resolve;
  const around: typeof marked = (...values) => marked(...values);
  field.resolve = around;

  markResolvers(schema, document);

  assert.equal(field.resolve, around);
});
