import { isDeepStrictEqual } from 'node:util';

import {
  assertInputType,
  buildSchema,
  getNullableType,
  getVariableValues,
  isInputObjectType,
  isListType,
  isNonNullType,
  parse,
  print,
  typeFromAST,
  validateSchema,
  versionInfo,
} from 'graphql';
import type { GraphQLEnumType, GraphQLInputType, GraphQLScalarType, GraphQLSchema, OperationDefinitionNode } from 'graphql';

import { prepareVariables, UncoercedVariable } from '../../../src/executor/plan/variables.ts';
import { createRandom } from '../random.ts';
import { unlimitedRun } from '../unlimited-run.ts';
import type { Random } from '../random.ts';

/** The result of comparing how variables are coerced. */
export interface CoercionComparison {
  /** The number of sets of variables that were coerced without graphql-js. */
  accepted: number;
  /** The number of sets that were passed to graphql-js, and how many of them it accepted. */
  left: number;
  leftAlthoughValid: number;
  readonly differences: string[];
}

/** Coerces this many sets of variables for several operations on each random input type. Compares the values, the order of their keys, and prototypes. */
export function compareCoercion(seed: number, schemas: number, sets: number): CoercionComparison {
  const comparison: CoercionComparison = { accepted: 0, left: 0, leftAlthoughValid: 0, differences: [] };
  for (let nth = 0; nth < schemas; nth++) {
    const random = createRandom(seed * 100_003 + nth);
    const schema = randomSchema(random);
    if (validateSchema(schema).length > 0) continue;
    for (let operation = 0; operation < 4; operation++) compareOperation({ schema, random, sets, comparison });
  }
  return comparison;
}

interface Comparing {
  readonly schema: GraphQLSchema;
  readonly random: Random;
  readonly sets: number;
  readonly comparison: CoercionComparison;
}

function compareOperation({ schema, random, sets, comparison }: Comparing): void {
  const [operation] = parse(`query (${randomDefinitions(random)}) { a }`).definitions as [OperationDefinitionNode];
  const definitions = operation.variableDefinitions!;
  const coerce = prepareVariables(schema, definitions);
  for (let set = 0; set < sets; set++) {
    const inputs: Record<string, unknown> = {};
    for (const { variable, type } of definitions) {
      if (random.chance(0.85)) inputs[variable.name.value] = randomValue(random, assertInputType(typeFromAST(schema, type as never)), 0);
    }
    const theirs = getVariableValues(schema, definitions, inputs, { maxErrors: 50 }) as any;
    const expected = theirs.errors === undefined ? (theirs.variableValues ?? theirs.coerced) : undefined;
    const actual = coerce(inputs, unlimitedRun(schema, operation));
    const json = JSON.parse(JSON.stringify(inputs)) as Record<string, unknown>;
    const isLeft = coerce(json, unlimitedRun(schema, operation)) instanceof UncoercedVariable;
    const ofJSON = getVariableValues(schema, definitions, json) as any;
    const coerced = ofJSON.variableValues?.coerced ?? ofJSON.coerced;
    // graphql 17 loses a OneOf value whose scalar makes null of it.
    const isAccepted = coerced !== undefined && Object.keys(json).every((name) => coerced[name] !== undefined);
    // Large values that are left are refused without graphql-js.
    if (isLeft && isAccepted) comparison.differences.push(`${print(operation)} ${JSON.stringify(json)} is left`);
    if (actual instanceof UncoercedVariable) {
      comparison.left++;
      if (expected !== undefined) comparison.leftAlthoughValid++;
    } else if (expected !== undefined && isDeepStrictEqual(outline(actual), outline(expected))) {
      comparison.accepted++;
    } else {
      comparison.differences.push(`${print(operation)} ${JSON.stringify(inputs)} of ${JSON.stringify(outline(actual))}`);
    }
  }
}

export const leaves = ['Int', 'Float', 'String', 'Boolean', 'ID', 'Kind', 'Custom'];
const literals: Record<string, string> = { Int: '3', Float: '1.5', String: '"d"', Boolean: 'true', ID: '7', Kind: 'B', Custom: '"c"' };

export function randomSchema(random: Random): GraphQLSchema {
  const inputs = [0, 1, 2].map((at) => (at === 2 && random.chance(0.4) ? randomOneOf(random) : randomInput(random, at)));
  const schema = buildSchema(
    `enum Kind { A B C } scalar Custom type Query { a(${leaves.map((leaf) => `${leaf}: ${leaf}`).join(' ')}): Int } ${inputs.join(' ')}`,
  );
  const custom = schema.getType('Custom') as GraphQLScalarType;
  const coerceCustom = (value: unknown): unknown => {
    if (value === 'bad') throw new Error('no');
    return value === 'nothing' ? null : typeof value === 'object' ? value : `c:${String(value)}`;
  };
  Object.assign(custom, versionInfo.major >= 17 ? { coerceInputValue: coerceCustom } : { parseValue: coerceCustom });
  (schema.getType('Kind') as GraphQLEnumType).getValue('C')!.value = { internal: 1 };
  return schema;
}

function randomOneOf(random: Random): string {
  return `input I2 @oneOf { f0: ${random.pick(leaves)} f1: [I0!] f2: I1 }`;
}

function randomInput(random: Random, at: number): string {
  const fields = [0, 1, 2, 3].map((field) => {
    if (random.chance(0.35)) {
      // Nullable, so that none contains itself in all cases.
      const type = `I${random.below(3)}`;
      return random.chance(0.5) ? `f${field}: ${type}` : `f${field}: [${type}!]${random.chance(0.3) ? ' = []' : ''}`;
    }
    const leaf = random.pick(leaves);
    const type = wrapped(random, leaf);
    return `f${field}: ${type}${randomDefault(random, leaf, type)}`;
  });
  return `input I${at} { ${fields.join(' ')} ${random.chance(0.1) ? 'constructor: String' : ''} }`;
}

export function wrapped(random: Random, name: string): string {
  let type = random.chance(0.35) ? `${name}!` : name;
  if (random.chance(0.35)) type = `[${type}]`;
  if (type.startsWith('[') && random.chance(0.3)) type += '!';
  return type.startsWith('[') && random.chance(0.15) ? `[${type}]` : type;
}

export function randomDefault(random: Random, leaf: string, type: string): string {
  if (!random.chance(0.35)) return '';
  if (!type.endsWith('!') && random.chance(0.2)) return ' = null';
  return ` = ${type.startsWith('[[') ? '[]' : type.startsWith('[') ? `[${literals[leaf]}]` : literals[leaf]}`;
}

function randomDefinitions(random: Random): string {
  const definitions = Array.from({ length: 1 + random.below(3) }, (_, at) => {
    if (random.chance(0.55)) return `$v${at}: ${wrapped(random, `I${random.below(3)}`)}${random.chance(0.1) ? ' = null' : ''}`;
    const leaf = random.pick(leaves);
    const type = wrapped(random, leaf);
    return `$v${at}: ${type}${randomDefault(random, leaf, type)}`;
  });
  return definitions.join(', ').replaceAll('! = null', '!');
}

const odd: readonly unknown[] = [null, undefined, 'wrong', {}, [], 1.5, -0, 2 ** 40, true, Number.NaN, new Date(0), new Set([1]), [[]]];

function randomValue(random: Random, type: GraphQLInputType, depth: number): unknown {
  if (random.chance(0.02)) return random.pick(odd);
  if (!isNonNullType(type) && random.chance(0.08)) return null;
  const nullable = getNullableType(type);
  if (isListType(nullable)) {
    if (random.chance(0.15)) return randomValue(random, nullable.ofType, depth);
    return Array.from({ length: random.below(3) }, () => randomValue(random, nullable.ofType, depth));
  }
  if (!isInputObjectType(nullable)) return randomLeaf(random, nullable.name);
  if (depth > 3) return null;
  return randomObject(random, { type: nullable, depth });
}

type InputObject = Extract<ReturnType<typeof getNullableType>, { readonly isOneOf: boolean }>;

function randomObject(random: Random, { type, depth }: { readonly type: InputObject; readonly depth: number }): unknown {
  const object: Record<string, unknown> = random.chance(0.1) ? Object.create(null) : {};
  const fields = Object.values(type.getFields());
  for (const field of type.isOneOf && random.chance(0.9) ? [random.pick(fields)] : fields) {
    if (random.chance(isNonNullType(field.type) || type.isOneOf ? 0.97 : 0.6))
      object[field.name] = randomValue(random, field.type, depth + 1);
  }
  if (random.chance(0.02)) object[random.pick(['extra', '', 'toString'])] = random.pick([1, undefined]);
  return object;
}

function randomLeaf(random: Random, name: string): unknown {
  return random.pick<unknown>(values[name] ?? ['x', 'x', 3, { a: 1 }, 'nothing', random.chance(0.1) ? 'bad' : 'x']);
}

const values: Readonly<Record<string, readonly unknown[]>> = {
  Int: [1, -5, 0, -0, 2_147_483_647],
  Float: [1, 2.5, -0],
  String: ['', 'x'],
  Boolean: [true, false],
  ID: ['a', 5, -3, 5_000_000_000],
  Kind: ['A', 'B', 'C'],
};

/** Describes everything that a resolver can observe of a value: own keys in order, prototypes, the sign of zero. Types are kept as they are, memos left out. */
export function outline(value: unknown): unknown {
  if (Object.is(value, -0)) return '-0';
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(outline);
  if (typeof (value as { toConfig?: unknown }).toConfig === 'function' || 'ofType' in value) return `type ${String(value)}`;
  if ('kind' in value && 'loc' in value) return value;
  const prototype: unknown = Object.getPrototypeOf(value);
  const kind = prototype === null ? 'bare' : prototype === Object.prototype ? 'ordinary' : value.constructor.name;
  const keys = Object.keys(value).filter((key) => !isMemo(key));
  return [kind, ...keys.map((key) => [key, outline((value as Record<string, unknown>)[key])])];
}

/** True for what graphql-js 17 remembers in the signatures of variables, under names of its own. */
export function isMemo(key: string): boolean {
  return key.startsWith('_memoized');
}
