import { isInputObjectType, isListType, isNonNullType } from 'graphql';
import type { GraphQLInputObjectType, GraphQLInputType, GraphQLLeafType } from 'graphql';

import { plainKinds, plainValue } from '../run/shapes/leaf.ts';
import { isGraphQL17 } from '../graphql-version.ts';
import { workOf } from '../costs.ts';
import type { Run } from '../run/run.ts';
import { inputFieldsOf } from './literals.ts';
import type { PreparedInput } from './literals.ts';
import { absent, put, valueOf } from './per-run-values.ts';
import { notPlain } from './planned-field.ts';

/**
 * Coerces input of one type. graphql-js determines the kind of type at each level of each value, which was 5.7 of the 17 us of a
 * mutation with a nested input object. Invalid or unusual input gives undefined: then graphql-js coerces all variables again and
 * writes the error messages, unless the variables are too large.
 */
export interface InputCoercion {
  readonly nonNull: boolean;
  /** Which built-in scalar it is: see leaf.ts. */
  readonly plain: number;
  /** Coerces a value that is not plain, null or undefined, and counts its work. */
  coerce(value: unknown, run: Run): unknown;
}

/** Coerces a given value. Undefined: graphql-js decides. */
export function coerceGiven(coercion: InputCoercion, value: unknown, run: Run): unknown {
  if (value === null || value === undefined) return coercion.nonNull ? undefined : null;
  const same = plainValue(coercion.plain, value);
  return same === undefined ? coercion.coerce(value, run) : same;
}

export function inputCoercionOf(type: GraphQLInputType): InputCoercion {
  const nonNull = isNonNullType(type);
  const nullable = nonNull ? type.ofType : type;
  if (isListType(nullable)) return { nonNull, plain: notPlain, coerce: listCoercer(nullable.ofType) };
  if (isInputObjectType(nullable)) return { nonNull, plain: notPlain, coerce: objectCoercer(nullable) };
  return new LeafCoercion(nullable, nonNull);
}

/** graphql 17 renamed the function that a leaf type coerces values with. */
const coerceLeaf = (isGraphQL17 ? 'coerceInputValue' : 'parseValue') as 'parseValue';

/** The built-in scalars with their original functions: a replaced one must be called. */
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

function listCoercer(type: GraphQLInputType): InputCoercion['coerce'] {
  const item = inputCoercionOf(type);
  return (value, run) => {
    if (!Array.isArray(value)) return isIterable(value) ? undefined : listOfOne(item, value, run);
    const list: unknown[] = [];
    // A loop by index also visits holes.
    for (let at = 0; at < value.length; at++) {
      const coerced = coerceGiven(item, value[at], run);
      if (coerced === undefined) return undefined;
      list.push(coerced);
    }
    return list;
  };
}

function isIterable(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Symbol.iterator in value;
}

function listOfOne(item: InputCoercion, value: unknown, run: Run): unknown[] | undefined {
  const coerced = coerceGiven(item, value, run);
  return coerced === undefined ? undefined : [coerced];
}

/** Coercers by type, because types may be recursive. */
const objectCoercers = new WeakMap<GraphQLInputObjectType, InputCoercion['coerce']>();

function objectCoercer(type: GraphQLInputObjectType): InputCoercion['coerce'] {
  let coerce = objectCoercers.get(type);
  if (coerce === undefined) {
    const coercer = new ObjectCoercer(type);
    coerce = (value, run) => coercer.coerce(value, run);
    objectCoercers.set(type, coerce);
  }
  return coerce;
}

class ObjectCoercer {
  readonly #type: GraphQLInputObjectType;
  /** Prepared with the first value, because types may be recursive. */
  #fields: readonly PreparedInput[] | undefined = undefined;
  #coercions: readonly InputCoercion[] = [];
  /** Fields with names of Object.prototype, such as `constructor`. If one is absent, graphql-js takes what the value inherits. */
  #inherited: readonly string[] = [];

  constructor(type: GraphQLInputObjectType) {
    this.#type = type;
  }

  coerce(value: unknown, run: Run): unknown {
    if (!isOrdinary(value)) return undefined;
    const fields = (this.#fields ??= this.#prepare());
    for (const name of this.#inherited) if (!Object.hasOwn(value, name)) return undefined;
    run.budget.spend(workOf.inputValue + Math.floor(fields.length / workOf.inputLeaves));
    const coerced = emptyInput();
    let known = 0;
    let kept = 0;
    let last: unknown;
    for (let at = 0; at < fields.length; at++) {
      const field = fields[at]!;
      const given = value[field.name];
      const result = given === undefined ? valueOf(field.whenAbsent(), run) : coerceGiven(this.#coercions[at]!, given, run);
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

  #prepare(): readonly PreparedInput[] {
    const fields = inputFieldsOf(this.#type);
    this.#coercions = fields.map(({ type }) => inputCoercionOf(type));
    this.#inherited = fields.filter(({ name }) => name in Object.prototype).map(({ name }) => name);
    return fields;
  }
}

/** Counts the keys of a value. If the count equals that of the known fields, there are no unknown keys. */
function countKeys(value: object): number {
  let count = 0;
  for (const _key in value) count++;
  return count;
}

/** True for objects as JSON.parse creates them, without inherited fields. */
function isOrdinary(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Creates the object as graphql-js does: without a prototype in 17, an ordinary object in 16. */
function emptyInput(): Record<string, unknown> {
  return isGraphQL17 ? (Object.create(null) as Record<string, unknown>) : {};
}
