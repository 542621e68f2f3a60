import { isDeepStrictEqual } from 'node:util';

import {
  buildSchema,
  extendSchema,
  getArgumentValues,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  parse,
  validateSchema,
  versionInfo,
} from 'graphql';
import type { FieldNode, GraphQLField, GraphQLInputType, GraphQLScalarType, GraphQLSchema, OperationDefinitionNode } from 'graphql';

import { argumentValues, PlannedArguments } from '../../../src/executor/plan/arguments.ts';
import type { VariableValues } from '../../../src/executor/run/shared-info.ts';
import { createRandom } from '../random.ts';
import { unlimitedRun } from '../unlimited-run.ts';
import type { Random } from '../random.ts';
import { leaves, outline, randomDefault, randomSchema, wrapped } from './compare-coercion.ts';

/** The result of comparing how the arguments of fields are computed. */
export interface LiteralsComparison {
  /** The numbers of fields for which both had the same values, and the same error. */
  equal: number;
  refused: number;
  readonly differences: string[];
}

/**
 * Compares the values that a plan and graphql-js compute for random arguments of random types, written as literals that contain
 * variables. Runs each operation three times: changes that one run makes to its values must not appear in the next.
 */
export function compareLiterals(seed: number, schemas: number, fields: number): LiteralsComparison {
  const comparison: LiteralsComparison = { equal: 0, refused: 0, differences: [] };
  for (let nth = 0; nth < schemas; nth++) {
    const random = createRandom(seed * 100_019 + nth);
    const schema = schemaWithArguments(random);
    if (schema === undefined) continue;
    const definition = schema.getQueryType()!.getFields()['f'] as GraphQLField<unknown, unknown>;
    for (let field = 0; field < fields; field++) compareField({ schema, definition, random, comparison });
  }
  return comparison;
}

function schemaWithArguments(random: Random): GraphQLSchema | undefined {
  const schema = randomSchema(random);
  const given = Array.from({ length: 1 + random.below(4) }, (_, at) => {
    if (random.chance(0.5)) return `x${at}: ${wrapped(random, `I${random.below(3)}`)}`;
    const leaf = random.pick(leaves);
    const type = wrapped(random, leaf);
    return `x${at}: ${type}${randomDefault(random, leaf, type)}`;
  });
  const custom = schema.getType('Custom') as GraphQLScalarType;
  if (versionInfo.major >= 17 && random.chance(0.5)) Object.assign(custom, { coerceInputLiteral: literalOfCustom });
  const extended = extendSchema(schema, parse(`extend type Query { f(${given.join(' ')}): Int }`));
  return validateSchema(extended).length > 0 ? undefined : extended;
}

/** Coerces a literal: returns a new object each time, or throws. */
function literalOfCustom(node: { readonly kind: string; readonly value?: unknown }): unknown {
  if (node.value === 'bad') throw new Error('no');
  return { kind: node.kind, value: node.value };
}

interface Comparing {
  readonly schema: GraphQLSchema;
  readonly definition: GraphQLField<unknown, unknown>;
  readonly random: Random;
  readonly comparison: LiteralsComparison;
}

function compareField({ schema, definition, random, comparison }: Comparing): void {
  const given = definition.args.filter(() => random.chance(0.75)).map(({ name, type }) => `${name}: ${randomLiteral(random, type, 0)}`);
  if (random.chance(0.3)) given.reverse();
  const text = `{ f${given.length > 0 ? `(${given.join(', ')})` : ''} }`;
  const operation = parse(text).definitions[0] as OperationDefinitionNode;
  const node = operation.selectionSet.selections[0] as FieldNode;
  const planned = new PlannedArguments(definition, node, undefined);
  for (let run = 0; run < 3; run++) {
    const variableValues = randomVariables(random);
    const ownRun = unlimitedRun(schema, operation);
    ownRun.setVariables(variableValues);
    const theirs = outcomeOf(() => getArgumentValues(definition, node, variableValues, undefined, true));
    const ours = outcomeOf(() => argumentValues({ arguments: planned, node }, ownRun), true);
    if (!isDeepStrictEqual(ours, theirs)) {
      comparison.differences.push(
        `${text} ${JSON.stringify(variableValues)}: ${JSON.stringify(ours)} instead of ${JSON.stringify(theirs)}`,
      );
    } else if ('error' in ours) comparison.refused++;
    else comparison.equal++;
  }
}

function outcomeOf(work: () => Record<string, unknown>, mayWrite = false): { readonly values: unknown } | { readonly error: string } {
  try {
    const values = work();
    const seen = outline(values);
    if (mayWrite) for (const value of Object.values(values)) write(value);
    return { values: seen };
  } catch (error) {
    return { error: (error as Error).message };
  }
}

/** Changes values as a careless resolver does, except internal values of enums, values of scalars and variables, which graphql-js shares as well. */
function write(value: unknown): void {
  if (typeof value !== 'object' || value === null || 'internal' in value || 'kind' in value || 'variable' in value) return;
  for (const member of Object.values(value)) write(member);
  if (Array.isArray(value)) value.push('written');
  else (value as Record<string, unknown>)['written'] = true;
}

function randomVariables(random: Random): VariableValues {
  const coerced = (versionInfo.major >= 17 ? Object.create(null) : {}) as Record<string, unknown>;
  const sources: Record<string, unknown> = {};
  const schema = buildSchema('type Query { a: Int }');
  for (const name of ['v0', 'v1', 'constructor']) {
    if (random.chance(0.3)) continue;
    coerced[name] = random.pick([null, 1, 'text', true, Object.assign([], { variable: true }), { variable: true }]);
    sources[name] = { signature: { name, type: schema.getType('Int') }, value: 7 };
  }
  return (versionInfo.major >= 17 ? { sources, coerced } : coerced) as unknown as VariableValues;
}

function randomLiteral(random: Random, type: GraphQLInputType, depth: number): string {
  if (random.chance(0.08)) return random.pick(['$v0', '$v1', '$constructor']);
  if (random.chance(0.015)) return random.pick(['null', '"wrong"', '{ a: 1 }', '[[1]]', 'WRONG', '99999999999', '-0', '1e400', 'true']);
  if (!isNonNullType(type) && random.chance(0.08)) return 'null';
  const nullable = getNullableType(type);
  if (isListType(nullable)) {
    if (random.chance(0.15)) return randomLiteral(random, nullable.ofType, depth);
    return `[${Array.from({ length: random.below(3) }, () => randomLiteral(random, nullable.ofType, depth)).join(', ')}]`;
  }
  if (isEnumType(nullable)) return random.pick(['A', 'B', 'C']);
  if (!isInputObjectType(nullable)) return leafLiteral(random, nullable.name);
  if (depth > 3) return 'null';
  const all = Object.values(nullable.getFields());
  const fields =
    nullable.isOneOf && random.chance(0.9) ? [random.pick(all)] : all.filter((one) => random.chance(isNonNullType(one.type) ? 0.97 : 0.6));
  const written = fields.map((field) => `${field.name}: ${randomLiteral(random, field.type, depth + 1)}`);
  if (random.chance(0.02)) written.push(random.pick(['extra: 1', 'f0: 1', 'f1: []']));
  if (random.chance(0.3)) written.reverse();
  return `{ ${written.join(', ')} }`;
}

function leafLiteral(random: Random, name: string): string {
  return random.pick(literals[name] ?? ['"x"', '3', '{ a: [1, $v0] }', '["x", { b: 2 }]', 'E', random.chance(0.1) ? '"bad"' : '"y"']);
}

const literals: Readonly<Record<string, readonly string[]>> = {
  Int: ['1', '-5', '0', '-0', '2147483647'],
  Float: ['1', '2.5', '-0', '1e3'],
  String: ['""', '"x"', '"""block"""'],
  Boolean: ['true', 'false'],
  ID: ['"a"', '5', '5000000000'],
};
