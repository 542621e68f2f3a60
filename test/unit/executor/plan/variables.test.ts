import { deepEqual, equal, notEqual, ok } from 'node:assert/strict';
import { test } from 'node:test';

import { buildSchema, parse, versionInfo } from 'graphql';
import type { GraphQLInputObjectType, OperationDefinitionNode } from 'graphql';

import { coercedOf } from '../../../../src/executor/run/run.ts';
import type { VariableValues } from '../../../../src/executor/run/shared-info.ts';
import { prepareVariables } from '../../../../src/executor/plan/variables.ts';
import { unlimitedRun } from '../../../support/unlimited-run.ts';
import { compareCoercion } from '../../../support/differential/compare-coercion.ts';

test('random variables of random input types are coerced to the values of graphql-js, and graphql-js reports every refusal', () => {
  const { accepted, left, leftAlthoughValid, differences } = compareCoercion(1, 60, 25);

  deepEqual(differences.slice(0, 3), []);
  ok(accepted > left, `${accepted} accepted, ${left} left`);
  ok(leftAlthoughValid < accepted / 10, `${leftAlthoughValid} left although valid, of ${accepted}`);
});

function prepared(
  typeDefs: string,
  definitions: string,
): { readonly type: (name: string) => GraphQLInputObjectType; readonly coerce: (inputs: object) => VariableValues } {
  const schema = buildSchema(`type Query { a: Int } ${typeDefs}`);
  const [operation] = parse(`query (${definitions}) { a }`).definitions as [OperationDefinitionNode];
  const type = (name: string): GraphQLInputObjectType => schema.getType(name) as GraphQLInputObjectType;
  const prepare = prepareVariables(schema, operation.variableDefinitions!);
  const coerce = (inputs: object): VariableValues =>
    prepare(inputs as Record<string, unknown>, unlimitedRun(schema, operation)) as VariableValues;
  return { type, coerce };
}

test('a default list is created for each execution: resolvers cannot modify it for others', () => {
  const { coerce } = prepared('input In { tags: [String!] = ["a"] }', '$in: In, $list: [Int!] = [1]');

  const [one, other] = [coercedOf(coerce({ in: {} })), coercedOf(coerce({ in: {} }))] as any[];

  deepEqual([one.in.tags, one.list], [['a'], [1]]);
  // graphql 16 has the default as a value, and returns that value itself.
  if (versionInfo.major >= 17) notEqual(one.in.tags, other.in.tags);
  notEqual(one.list, other.list);
});

test('changes that an execution makes to its variables are not visible to the next one', () => {
  const { coerce } = prepared('', '$number: Int = 1');
  const first: any = coerce({});
  const before = JSON.stringify(coercedOf(first));
  Object.assign(coercedOf(first), { number: 'alice' });
  if (first.sources !== undefined) first.sources.number.signature.default.literal = 'alice';

  const second: any = coerce({});

  equal(JSON.stringify(coercedOf(second)), before);
  ok(!JSON.stringify(second.sources ?? {}).includes('alice'));
});
