import * as graphql from 'graphql';
import { getNamedType, getNullableType, isInputObjectType, isLeafType, isListType, Kind } from 'graphql';
import type {
  ArgumentNode,
  ConstValueNode,
  FieldNode,
  GraphQLField,
  GraphQLInputField,
  GraphQLInputType,
  GraphQLLeafType,
  ObjectFieldNode,
  ValueNode,
} from 'graphql';

import { getOrCreate } from '../../shared/index.ts';

// A named import would fail with an older graphql before the message about its version.

type Variables = Readonly<Record<string, unknown>>;

/** An argument, or a field of an input object, that gives a number of items. */
interface SizeInput {
  readonly name: string;
  readonly type: GraphQLInputType;
  /** The default of the schema. */
  readonly byDefault: number | undefined;
}

/** An argument whose input objects have sizes. */
interface ObjectInput {
  readonly name: string;
  readonly fields: readonly SizeInput[];
  /** The largest size in the default of the argument, or 0. */
  readonly byDefault: number;
}

/** The arguments of a field that give the number of its items. */
export interface SizeInputs {
  readonly direct: readonly SizeInput[];
  readonly objects: readonly ObjectInput[];
}

/** Finds arguments with one of the names, and input objects in arguments that have fields with one of the names. */
export function findSizeInputs({ args }: GraphQLField<unknown, unknown>, names: readonly string[]): SizeInputs {
  const direct: SizeInput[] = [];
  const objects: ObjectInput[] = [];
  const isSize = (input: GraphQLInput): boolean =>
    names.includes(input.name) && (isListType(getNullableType(input.type)) || !isInputObjectType(getNamedType(input.type)));
  for (const argument of args) {
    const type = getNamedType(argument.type);
    if (isSize(argument)) direct.push(toSizeInput(argument));
    else if (isInputObjectType(type)) {
      const fields = Object.values(type.getFields()).filter(isSize).map(toSizeInput);
      if (fields.length > 0) objects.push({ name: argument.name, fields, byDefault: sizesIn(defaultOf(argument), fields).inObjects });
    }
  }
  return { direct, objects };
}

type GraphQLInput = Pick<GraphQLInputField, 'name' | 'type'>;

function toSizeInput(input: GraphQLInput): SizeInput {
  return { name: input.name, type: input.type, byDefault: toSize(input.type, defaultOf(input)) };
}

/** The sizes in an input object, or in a list of them. */
function sizesIn(value: unknown, fields: readonly SizeInput[]): Sizes {
  const sizes = new Sizes();
  addValue(sizes, fields, value);
  return sizes;
}

/** The coerced default of an argument or input field. The property differs between graphql 16 and 17. */
function defaultOf(input: GraphQLInput): unknown {
  try {
    const values = graphql.getArgumentValues({ args: [input] } as never, { kind: Kind.FIELD, arguments: [] } as never);
    return values[input.name];
  } catch {
    // The input is required and has no default.
    return undefined;
  }
}

/** How many items a field is asked for. */
export class Sizes {
  /** The largest size in an argument. */
  direct = 0;
  /** An argument has a value that is no number above 0. */
  isUnclear = false;
  /** The largest size in an input object. */
  inObjects = 0;
  /** The smallest and the largest number that the client has sent. */
  least: number = Infinity;
  most: number = -Infinity;
  /** The client has sent `first`, or `last`. */
  isFirst = false;
  isLast = false;

  /** The number of items, at least the default if it is not clear. */
  count(byDefault: number): number {
    const { direct, inObjects, isUnclear } = this;
    return Math.max(direct, inObjects, isUnclear || direct === 0 ? byDefault : 0);
  }

  note(name: string, size: number): void {
    if (!Number.isNaN(size)) this.join({ inObjects: 0, least: size, most: size, isFirst: name === 'first', isLast: name === 'last' });
  }

  join(other: Pick<Sizes, 'inObjects' | 'least' | 'most' | 'isFirst' | 'isLast'>): void {
    this.inObjects = Math.max(this.inObjects, other.inObjects);
    this.least = Math.min(this.least, other.least);
    this.most = Math.max(this.most, other.most);
    this.isFirst ||= other.isFirst;
    this.isLast ||= other.isLast;
  }
}

/** Reads the sizes in the arguments of fields, as resolvers get them. */
export class SizeReader {
  /** The coerced variables. */
  readonly #variables: Variables;
  /** The sizes in the values of variables, each of which may be as large as a request and used in every field. */
  readonly #known = new Map<unknown, Sizes>();

  constructor(variables: Variables) {
    this.#variables = variables;
  }

  read({ direct, objects }: SizeInputs, { arguments: given = [] }: FieldNode): Sizes {
    const sizes = new Sizes();
    for (const input of direct) {
      const node = this.#givenTo(input.name, given);
      const size = node === undefined ? input.byDefault : this.#sizeIn(input.type, node);
      if (size === undefined) continue;
      if (node !== undefined) sizes.note(input.name, size);
      if (size > 0) sizes.direct = Math.max(sizes.direct, Math.ceil(size));
      else sizes.isUnclear = true;
    }
    for (const input of objects) {
      const node = this.#givenTo(input.name, given);
      if (node === undefined) sizes.inObjects = Math.max(sizes.inObjects, input.byDefault);
      else this.#addNode(sizes, input.fields, node);
    }
    return sizes;
  }

  /** Returns undefined also for a variable without a value: then the default of the schema applies, which null would replace. */
  #givenTo(name: string, given: readonly (ArgumentNode | ObjectFieldNode)[]): ValueNode | undefined {
    const node = given.find((one) => one.name.value === name)?.value;
    return node?.kind === Kind.VARIABLE && !Object.hasOwn(this.#variables, node.name.value) ? undefined : node;
  }

  /** Returns undefined if the value is null. */
  #sizeIn(type: GraphQLInputType, node: ValueNode): number | undefined {
    if (node.kind === Kind.VARIABLE) return toSize(type, this.#variables[node.name.value]);
    if (node.kind === Kind.NULL) return undefined;
    const nullable = getNullableType(type);
    if (isListType(nullable)) return node.kind === Kind.LIST ? node.values.length : 1;
    return isLeafType(nullable) ? toSize(type, coerceLiteral(nullable, node, this.#variables)) : Number.NaN;
  }

  #addNode(sizes: Sizes, fields: readonly SizeInput[], node: ValueNode): void {
    if (node.kind === Kind.VARIABLE) this.#addVariable(sizes, fields, this.#variables[node.name.value]);
    else if (node.kind === Kind.LIST) for (const item of node.values) this.#addNode(sizes, fields, item);
    else if (node.kind === Kind.OBJECT)
      for (const field of fields) {
        const given = this.#givenTo(field.name, node.fields);
        addSize(sizes, field, given === undefined ? field.byDefault : this.#sizeIn(field.type, given));
      }
  }

  #addVariable(sizes: Sizes, fields: readonly SizeInput[], value: unknown): void {
    sizes.join(getOrCreate(this.#known, value, () => sizesIn(value, fields)));
  }
}

function addValue(sizes: Sizes, fields: readonly SizeInput[], value: unknown): void {
  if (Array.isArray(value)) for (const item of value) addValue(sizes, fields, item);
  else if (typeof value === 'object' && value !== null)
    for (const field of fields) addSize(sizes, field, toSize(field.type, (value as Variables)[field.name]));
}

/** The default of a field was written by the author of the schema, so no limit applies to it. */
function addSize(sizes: Sizes, { name, byDefault }: SizeInput, size: number | undefined): void {
  if (size === undefined) return;
  if (size !== byDefault) sizes.note(name, size);
  if (size > 0) sizes.inObjects = Math.max(sizes.inObjects, Math.ceil(size));
}

/** True for an argument that can have a number as its value. */
export function takesNumbers({ type }: Pick<SizeInput, 'type'>): boolean {
  const nullable = getNullableType(type);
  return isLeafType(nullable) && toSize(type, coerceLiteral(nullable, { kind: Kind.INT, value: '1' }, {})) === 1;
}

function coerceLiteral(type: GraphQLLeafType, node: ValueNode, variables: Variables): unknown {
  // graphql 17 has and prefers this method.
  const { coerceInputLiteral } = type as { coerceInputLiteral?: (literal: ConstValueNode) => unknown };
  try {
    return coerceInputLiteral === undefined ? type.parseLiteral(node, variables) : coerceInputLiteral.call(type, node as ConstValueNode);
  } catch {
    // The field will fail.
    return Number.NaN;
  }
}

/**
 * A number; the larger one that a resolver may read in a text: "0x3e8" and "1000 rows" are 1,000; the length of a list. NaN for other values,
 * undefined for null.
 */
function toSize(type: GraphQLInputType, value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number' || typeof value === 'bigint') return Number(value);
  if (typeof value === 'string') {
    const [size, start] = [value.trim() === '' ? Number.NaN : Number(value), Number.parseInt(value)];
    return size > start || Number.isNaN(start) ? size : start;
  }
  return Array.isArray(value) && isListType(getNullableType(type)) ? value.length : Number.NaN;
}
