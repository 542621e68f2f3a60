import { deepEqual, equal, notEqual, ok } from 'node:assert/strict';
import { test } from 'node:test';

import { buildSchema, GraphQLInt, parse, versionInfo } from 'graphql';
import type { GraphQLInputObjectType, OperationDefinitionNode } from 'graphql';

import { coercedOf } from '../../../src/execution/run.ts';
import { prepareVariables } from '../../../src/execution/plan/variable-coercion.ts';
import type { CoerceVariables } from '../../../src/execution/plan/variable-coercion.ts';
import { compareCoercion } from '../../support/differential/compare-coercion.ts';

test('random variables of random input types: what is coerced without graphql-js is what graphql-js gives, and it says every no', () => {
  const { accepted, left, leftAlthoughValid, differences } = compareCoercion(1, 60, 25);

  deepEqual(differences.slice(0, 3), []);
  ok(accepted > left, `${accepted} accepted, ${left} left`);
  ok(leftAlthoughValid < accepted / 10, `${leftAlthoughValid} left although valid, of ${accepted}`);
});

function prepared(
  typeDefs: string,
  definitions: string,
): { readonly type: (name: string) => GraphQLInputObjectType; readonly coerce: CoerceVariables } {
  const schema = buildSchema(`type Query { a: Int } ${typeDefs}`);
  const [operation] = parse(`query (${definitions}) { a }`).definitions as [OperationDefinitionNode];
  const type = (name: string): GraphQLInputObjectType => schema.getType(name) as GraphQLInputObjectType;
  const coerce = prepareVariables(schema, operation.variableDefinitions!);
  // The first time it may leave to graphql-js what it could do: the other times are looked at.
  coerce({});
  return { type, coerce };
}

test('a default that is a list is made anew for each execution: no resolver writes into that of another', () => {
  const { coerce } = prepared('input In { tags: [String!] = ["a"] }', '$in: In, $list: [Int!] = [1]');

  const [one, other] = [coercedOf(coerce({ in: {} })!), coercedOf(coerce({ in: {} })!)] as any[];

  deepEqual([one.in.tags, one.list], [['a'], [1]]);
  // graphql 16 knows the default as a value, which it hands out as it is.
  if (versionInfo.major >= 17) notEqual(one.in.tags, other.in.tags);
  notEqual(one.list, other.list);
});

test('what an execution may write of its variables, the next one does not see', () => {
  const { coerce } = prepared('', '$number: Int = 1');
  const first: any = coerce({});
  const before = JSON.stringify(coercedOf(first));
  Object.assign(coercedOf(first), { number: 'alice' });
  if (first.sources !== undefined) first.sources.number.signature.default.literal = 'alice';

  const second: any = coerce({});

  equal(JSON.stringify(coercedOf(second)), before);
  ok(!JSON.stringify(second.sources ?? {}).includes('alice'));
});

test('a field of an input type that is replaced counts from the next execution on', () => {
  const { type, coerce } = prepared('input In { a: String b: In }', '$in: In');
  coerce({ in: { a: 'x', b: { a: 'y' } } });
  type('In').getFields()['a']!.type = GraphQLInt;

  deepEqual([coerce({ in: { a: 'x' } }), coerce({ in: { a: 'x' } })], [undefined, undefined]);
  equal((coercedOf(coerce({ in: { a: 3 } })!) as any).in.a, 3);
});
