import { isInputObjectType, isListType, isNonNullType } from 'graphql';
import type { GraphQLInputObjectType, GraphQLInputType, GraphQLLeafType } from 'graphql';

import { notPlain, plainKinds, plainValue } from '../complete/leaf.ts';
import { isGraphQL17 } from '../graphql-js/version.ts';
import { inputFieldsOf } from './literals.ts';
import type { InputFields, PreparedInput } from './literals.ts';
import { absent, put, valueOf } from './made-values.ts';

/**
 * How input of one type is coerced, worked out once for the type.
 *
 * Why: graphql-js asks at each level of each value what kind of type it has before it, which was 5.7 of the 17 us of a mutation
 * with a nested input object. Here there is only a yes, with the value that graphql-js gives. Anything else is undefined: then
 * graphql-js looks at all variables itself, and finds the words for what is wrong.
 */
export interface InputCoercion {
  readonly nonNull: boolean;
  /** Which values of a built-in scalar stay as they are: see leaf.ts. */
  readonly plain: number;
  /** Coerces what is neither plain, nor null, nor undefined. */
  coerce(value: unknown): unknown;
}

/** Coerces a value that was given: null where it is null. Undefined: graphql-js decides. */
export function coerceGiven(coercion: InputCoercion, value: unknown): unknown {
  if (value === null || value === undefined) return coercion.nonNull ? undefined : null;
  const same = plainValue(coercion.plain, value);
  return same === undefined ? coercion.coerce(value) : same;
}

/** How input of this type is coerced. */
export function inputCoercionOf(type: GraphQLInputType): InputCoercion {
  const nonNull = isNonNullType(type);
  const nullable = nonNull ? type.ofType : type;
  if (isListType(nullable)) return { nonNull, plain: notPlain, coerce: listCoercer(nullable.ofType) };
  if (isInputObjectType(nullable)) return { nonNull, plain: notPlain, coerce: objectCoercer(nullable) };
  return new LeafCoercion(nullable, nonNull);
}

/** graphql 17 renamed the function that a leaf type coerces values with. */
const coerceLeaf = (isGraphQL17 ? 'coerceInputValue' : 'parseValue') as 'parseValue';

/** The built-in scalars, each with the function it had when it came: one that was replaced since is called. */
const builtIn = new Map<GraphQLLeafType, unknown>([...plainKinds.keys()].map((type) => [type, type[coerceLeaf]]));

function plainInputOf(type: GraphQLLeafType): number {
  return builtIn.get(type) === type[coerceLeaf] ? plainKinds.get(type)! : notPlain;
}

class LeafCoercion implements InputCoercion {
  readonly nonNull: boolean;
  readonly plain: number;
  readonly #type: GraphQLLeafType;

  constructor(type: GraphQLLeafType, nonNull: boolean) {
    this.nonNull = nonNull;
    this.plain = plainInputOf(type);
    this.#type = type;
  }

  coerce(value: unknown): unknown {
    try {
      return this.#type[coerceLeaf](value);
    } catch {
      return undefined;
    }
  }
}

function listCoercer(type: GraphQLInputType): (value: unknown) => unknown {
  const item = inputCoercionOf(type);
  return (value) => {
    if (!Array.isArray(value)) return isIterable(value) ? undefined : listOfOne(item, value);
    const list: unknown[] = [];
    // By index, which meets the holes, too.
    for (let at = 0; at < value.length; at++) {
      const coerced = coerceGiven(item, value[at]);
      if (coerced === undefined) return undefined;
      list.push(coerced);
    }
    return list;
  };
}

function isIterable(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Symbol.iterator in value;
}

function listOfOne(item: InputCoercion, value: unknown): unknown[] | undefined {
  const coerced = coerceGiven(item, value);
  return coerced === undefined ? undefined : [coerced];
}

/** One for each type, which may have itself for a field. */
const objectCoercers = new WeakMap<GraphQLInputObjectType, (value: unknown) => unknown>();

function objectCoercer(type: GraphQLInputObjectType): (value: unknown) => unknown {
  let coerce = objectCoercers.get(type);
  if (coerce === undefined) {
    const coercer = new ObjectCoercer(type);
    coerce = (value) => coercer.coerce(value);
    objectCoercers.set(type, coerce);
  }
  return coerce;
}

class ObjectCoercer {
  readonly #type: GraphQLInputObjectType;
  readonly #inputs: InputFields;
  /** The fields for which it has been prepared, and how each is coerced. */
  #fields: readonly PreparedInput[] | undefined = undefined;
  #coercions: readonly InputCoercion[] = [];
  /** Every object has something of the name of a field: whether a value has it, too, graphql-js decides. */
  #isAmbiguous = false;

  constructor(type: GraphQLInputObjectType) {
    this.#type = type;
    this.#inputs = inputFieldsOf(type);
  }

  coerce(value: unknown): unknown {
    if (!isOrdinary(value)) return undefined;
    const fields = this.#inputs.current();
    if (fields !== this.#fields) this.#prepare(fields);
    if (this.#isAmbiguous) return undefined;
    const coerced = emptyInput();
    let known = 0;
    let kept = 0;
    let last: unknown;
    for (let at = 0; at < fields.length; at++) {
      const field = fields[at]!;
      const given = value[field.name];
      const result = given === undefined ? valueOf(field.whenAbsent(), undefined) : coerceGiven(this.#coercions[at]!, given);
      if (result === absent) continue;
      if (result === undefined) return undefined;
      if (given !== undefined) known++;
      last = result;
      put(coerced, field.name, last);
      kept++;
    }
    const keys = countKeys(value);
    if (keys !== known) return undefined;
    return this.#type.isOneOf && (keys !== 1 || kept !== 1 || last === null) ? undefined : coerced;
  }

  #prepare(fields: readonly PreparedInput[]): void {
    this.#coercions = fields.map(({ type }) => inputCoercionOf(type));
    this.#isAmbiguous = fields.some(({ name }) => name in Object.prototype);
    this.#fields = fields;
  }
}

/** With as many keys as there are known ones, there is none that the type does not know. */
function countKeys(value: object): number {
  let count = 0;
  for (const _key in value) count++;
  return count;
}

/** A value that comes from JSON. Then a field that is read is the value's own, unless every object has something of that name. */
function isOrdinary(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** graphql 17 gives input objects without prototype, 16 ordinary ones. Resolvers can tell. */
function emptyInput(): Record<string, unknown> {
  return isGraphQL17 ? (Object.create(null) as Record<string, unknown>) : {};
}
