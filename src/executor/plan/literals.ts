import { GraphQLEnumType, isEnumType, isInputObjectType, isListType, isNonNullType, Kind, specifiedScalarTypes } from 'graphql';
import type {
  GraphQLArgument,
  GraphQLInputField,
  GraphQLInputObjectType,
  GraphQLInputType,
  GraphQLLeafType,
  NameNode,
  ObjectValueNode,
  ValueNode,
} from 'graphql';

import { workOf } from '../costs.ts';
import {
  absent,
  coerceWithGraphQLJS,
  coerceLiteral,
  leafLiteral,
  listOf,
  sharedDefault,
  perRun,
  copiedDefault,
  put,
  readLiteral,
  valueOf,
  VariableValue,
} from './per-run-values.ts';
import type { Prepared } from './per-run-values.ts';

/** Prepares a literal for an argument or input field of this type. */
export function prepareLiteral(inputType: GraphQLInputType, node: ValueNode): Prepared {
  const nonNull = isNonNullType(inputType);
  if (node.kind === Kind.VARIABLE) return new VariableValue(node.name.value, nonNull);
  if (node.kind === Kind.NULL) return nonNull ? undefined : null;
  const type = nonNull ? inputType.ofType : inputType;
  if (isListType(type)) return prepareList(type.ofType, node);
  if (isInputObjectType(type)) return node.kind === Kind.OBJECT ? prepareObject(type, node) : undefined;
  return prepareLeaf(type, node);
}

/** The built-in scalars with their original functions: a replaced one must be called. */
const builtIn = new Map<GraphQLLeafType, unknown>(specifiedScalarTypes.map((type) => [type, type[coerceLiteral]]));

/** Values of built-in scalars and enums are the same in every run. */
function prepareLeaf(type: GraphQLLeafType, node: ValueNode): Prepared {
  const original = isEnumType(type) ? GraphQLEnumType.prototype[coerceLiteral] : builtIn.get(type);
  return original !== undefined && original === type[coerceLiteral] ? readLiteral(type, node) : leafLiteral(type, node);
}

function prepareList(type: GraphQLInputType, node: ValueNode): Prepared {
  const nodes = node.kind === Kind.LIST ? node.values : [node];
  const items: Prepared[] = [];
  for (let at = 0; at < nodes.length; at++) {
    const item = prepareLiteral(type, nodes[at]!);
    if (item === undefined) return undefined;
    items.push(item);
  }
  return listOf(items, isNonNullType(type));
}

function prepareObject(type: GraphQLInputObjectType, { fields: nodes }: ObjectValueNode): Prepared {
  let members: readonly Member[] | undefined | null;
  return perRun(workOf.inputValue, (run) => {
    // The fields are prepared with the first value, because input types may be recursive.
    if (members === undefined) {
      const fields = inputFieldsOf(type);
      run.budget.spend(Math.floor(fields.length / workOf.inputLeaves));
      members = membersOf(fields, nodes);
    }
    if (members === null) return undefined;
    // The object has no prototype in either major version.
    const object = Object.create(null) as Record<string, unknown>;
    let count = 0;
    for (const { field, given } of members) {
      let value = valueOf(given, run);
      if (value === absent) value = valueOf(field.whenAbsent(), run);
      if (value === absent) continue;
      if (value === undefined || (value === null && type.isOneOf)) return undefined;
      put(object, field.name, value);
      count++;
    }
    return type.isOneOf && (count !== 1 || nodes.length !== 1) ? undefined : object;
  });
}

/** A field of an input object with a value or a default. */
interface Member {
  readonly field: PreparedInput;
  readonly given: Prepared;
}

/**
 * The fields that are given or have a default. Input types for filters have a hundred fields, of which one is given: reading all of
 * them for each object took 8 µs, and a request of 8 KB 180 ms. Null: graphql-js decides.
 */
function membersOf(fields: readonly PreparedInput[], nodes: readonly GivenNode[]): readonly Member[] | null {
  const members: Member[] = [];
  const byName = valuesByName(nodes);
  let known = 0;
  for (const field of fields) {
    const node = byName.get(field.name);
    if (node !== undefined) known++;
    const given = node === undefined ? field.whenAbsent() : prepareLiteral(field.type, node);
    if (given === undefined) return null;
    if (given !== absent) members.push({ field, given });
  }
  // graphql-js rejects unknown fields.
  return known === nodes.length ? members : null;
}

interface GivenNode {
  readonly name: NameNode;
  readonly value: ValueNode;
}

/** The values of the arguments, in the order of the schema. Undefined: graphql-js decides. */
export function prepareGiven(inputs: readonly PreparedInput[], nodes: readonly GivenNode[]): readonly Prepared[] | undefined {
  const byName = valuesByName(nodes);
  const prepared: Prepared[] = [];
  for (const input of inputs) {
    const node = byName.get(input.name);
    const value = node === undefined ? input.whenAbsent() : prepareLiteral(input.type, node);
    if (value === undefined) return undefined;
    prepared.push(value);
  }
  return prepared;
}

/** Of several fields with one name the last counts, as in graphql-js. */
function valuesByName(nodes: readonly GivenNode[]): ReadonlyMap<string, ValueNode> {
  return new Map(nodes.map(({ name, value }) => [name.value, value]));
}

const inputFields = new WeakMap<GraphQLInputObjectType, readonly PreparedInput[]>();

/** The fields of an input type, prepared once. */
export function inputFieldsOf(type: GraphQLInputObjectType): readonly PreparedInput[] {
  let known = inputFields.get(type);
  if (known === undefined) inputFields.set(type, (known = Object.values(type.getFields()).map((field) => new PreparedInput(field))));
  return known;
}

/** The property `default` of graphql 17, which also supports `defaultValue`. */
type DefaultInput = { readonly literal?: ValueNode } | undefined;

/** An argument, or a field of an input type. */
export class PreparedInput {
  readonly name: string;
  readonly type: GraphQLInputType;
  readonly #default: DefaultInput;
  readonly #defaultValue: unknown;
  #whenAbsent: Prepared = notPrepared;

  constructor(input: GraphQLArgument | GraphQLInputField) {
    this.name = input.name;
    this.type = input.type;
    this.#default = (input as { readonly default?: DefaultInput }).default;
    this.#defaultValue = input.defaultValue;
  }

  /** Its default. Objects and lists are copied in each run: graphql-js shares them between requests, and resolvers can modify them. */
  whenAbsent(): Prepared {
    if (this.#whenAbsent === notPrepared) this.#whenAbsent = this.#prepareDefault();
    return this.#whenAbsent;
  }

  #prepareDefault(): Prepared {
    const input = this.#default;
    if (input?.literal !== undefined) return sharedDefault(this.type, prepareLiteral(this.type, input.literal));
    const value = input === undefined ? this.#defaultValue : coerceWithGraphQLJS({ type: this.type, default: input });
    if (value === undefined) return input === undefined && !isNonNullType(this.type) ? absent : undefined;
    return copiedDefault(this.type, value);
  }
}

const notPrepared = Symbol('not prepared');
