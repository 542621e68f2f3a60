import { isInputObjectType, isListType, isNonNullType } from 'graphql';
import type { GraphQLInputObjectType, GraphQLInputType, GraphQLLeafType } from 'graphql';

import { copyOfJSON, getOrCreate, isObjectLike } from '../../shared/index.ts';
import { notPlain, plainKindOf, plainValue } from '../built-in-scalars.ts';
import { coerceInput } from '../graphql-version.ts';
import type { Run } from '../run/run.ts';
import { inputsOf } from './literals.ts';
import type { PreparedInput } from './literals.ts';
import { workOf } from '../costs.ts';
import { absent, createRecord, put, valueOf, workIn, workOfContainer } from './per-run-values.ts';

/**
 * Coerces input of one type. graphql-js determines the kind of type at each level of each value, which was 5.7 of the 17 us of a
 * mutation with a nested input object. Invalid or unusual input gives undefined: then graphql-js coerces all variables again and
 * writes the error messages, unless the variables are too large.
 */
export interface InputCoercion {
  readonly nonNull: boolean;
  /** The number of the built-in scalar: see built-in-scalars.ts. */
  readonly plain: number;
  /**
   * True if coerced values may share objects with the given values, because a custom scalar may return a value as it is. Input objects copy
   * their values.
   */
  readonly shares: boolean;
  /** Coerces a value that is not plain, null or undefined, and counts its work. */
  readonly coerce: (value: unknown, run: Run) => unknown;
}

/** Coerces a given value. Undefined: graphql-js decides. */
export function coerceGiven(coercion: InputCoercion, value: unknown, run: Run): unknown {
  if (value === null || value === undefined) return coercion.nonNull ? undefined : null;
  const same = plainValue(coercion.plain, value);
  return same === undefined ? coercion.coerce(value, run) : same;
}

/** Returns the value to coerce: a copy, if the coerced value must not change when the given value does. */
export function ownedInput({ shares }: InputCoercion, given: unknown, run: Run): unknown {
  return shares && run.settings.copiesVariables === true ? copyOfJSON(given) : given;
}

export function inputCoercionOf(type: GraphQLInputType): InputCoercion {
  const nonNull = isNonNullType(type);
  const nullable = nonNull ? type.ofType : type;
  if (isListType(nullable)) {
    const item = inputCoercionOf(nullable.ofType);
    return { nonNull, plain: notPlain, shares: item.shares, coerce: listCoercer(item) };
  }
  if (isInputObjectType(nullable)) return { nonNull, plain: notPlain, shares: false, coerce: objectCoercer(nullable) };
  const plain = plainKindOf(nullable, coerceInput);
  return { nonNull, plain, shares: plain === notPlain, coerce: leafCoercer(nullable) };
}

function leafCoercer(type: GraphQLLeafType): InputCoercion['coerce'] {
  return (value) => {
    try {
      return type[coerceInput](value);
    } catch {
      return undefined;
    }
  };
}

function listCoercer(item: InputCoercion): InputCoercion['coerce'] {
  return (value, run) => {
    if (!Array.isArray(value) && typeof value === 'object' && value !== null && Symbol.iterator in value) return undefined;
    // A single value counts as a list of one. The copy has its final length from the start: an array that grows takes three times the
    // memory.
    const list: unknown[] = Array.isArray(value) ? [...(value as unknown[])] : [value];
    run.budget.spend(workOfContainer(list.length));
    for (let at = 0; at < list.length; at++) {
      const coerced = coerceGiven(item, list[at], run);
      if (coerced === undefined) return undefined;
      list[at] = coerced;
    }
    return list;
  };
}

/** Coercers by type, because types may be recursive. */
const objectCoercers = new WeakMap<GraphQLInputObjectType, InputCoercion['coerce']>();

function objectCoercer(type: GraphQLInputObjectType): InputCoercion['coerce'] {
  return getOrCreate(objectCoercers, type, () => createObjectCoercer(type));
}

function createObjectCoercer(type: GraphQLInputObjectType): InputCoercion['coerce'] {
  // Prepared with the first value.
  let list: readonly PreparedInput[] | undefined;
  let coercions: readonly InputCoercion[] = [];
  return (value, run) => {
    if (!isOrdinary(value)) return undefined;
    if (list === undefined) {
      ({ list } = inputsOf(type));
      coercions = list.map((field) => inputCoercionOf(field.type));
    }
    const coerced = createRecord();
    let work = workOfContainer(list.length);
    let recognized = 0;
    let kept = 0;
    let last: unknown;
    for (let at = 0; at < list.length; at++) {
      const field = list[at]!;
      if (field.isInherited && !Object.hasOwn(value, field.name)) return undefined;
      const given = value[field.name];
      if (given !== undefined) recognized++;
      const coercion = coercions[at]!;
      const result = given === undefined ? valueOf(field.whenAbsent(), run) : coerceGiven(coercion, ownedInput(coercion, given, run), run);
      if (result === absent) continue;
      if (result === undefined) return undefined;
      if (given === undefined) work += workOf.inputDefault + workIn(field.whenAbsent());
      last = result;
      put(coerced, field.name, last);
      kept++;
    }
    run.budget.spend(work);
    const keys = countKeys(value);
    if (keys !== recognized) return undefined;
    return type.isOneOf && (keys !== 1 || kept !== 1 || last === null) ? undefined : coerced;
  };
}

/** Counts the keys of a value. If the count equals that of the known fields, there are no unknown keys. */
function countKeys(value: object): number {
  let count = 0;
  for (const _key in value) count++;
  return count;
}

/** True for objects as JSON.parse creates them, without inherited fields. */
function isOrdinary(value: unknown): value is Record<string, unknown> {
  if (!isObjectLike(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
