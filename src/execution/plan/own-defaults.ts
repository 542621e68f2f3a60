import { getNullableType, isEnumType, isInputObjectType, isListType, specifiedScalarTypes } from 'graphql';
import type { GraphQLInputType } from 'graphql';

import { deepCopyOf } from '../../message/plain-object.ts';

const builtIn: ReadonlySet<unknown> = new Set(specifiedScalarTypes);

/** Numbers, texts and the values of an enum: the same for the same literal, and nobody writes into those. A scalar of the user's may do otherwise. */
function isPlainLeaf(inputType: GraphQLInputType): boolean {
  const type = getNullableType(inputType);
  return builtIn.has(type) || isEnumType(type);
}

/** What each object has been copied to. */
export type Copies = WeakMap<object, unknown>;

/** A copy of a coerced value, as deep as an input type goes: also of the defaults in it, which graphql-js hands out in every request. */
export function ownValue(inputType: GraphQLInputType, value: unknown, copies: Copies = new WeakMap<object, unknown>()): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const type = getNullableType(inputType);
  // The values of an enum are the schema's own, and code may compare them.
  if (isPlainLeaf(type)) return value;
  const known = copies.get(value);
  if (known !== undefined) return known;
  if (isListType(type)) return Array.isArray(value) ? ownList(type.ofType as GraphQLInputType, value, copies) : value;
  if (!isInputObjectType(type)) return noted(copies, value, deepCopyOf(value));
  const copy = noted(copies, value, Object.create(Object.getPrototypeOf(value) as object | null) as Record<string, unknown>);
  const fields = type.getFields();
  for (const [name, part] of Object.entries(value))
    copy[name] = fields[name] === undefined ? part : ownValue(fields[name].type, part, copies);
  return copy;
}

function ownList(type: GraphQLInputType, list: readonly unknown[], copies: Copies): unknown[] {
  const copy = noted(copies, list, [] as unknown[]);
  for (const item of list) copy.push(ownValue(type, item, copies));
  return copy;
}

/** What is a copy is not copied again. */
function noted<T>(copies: Copies, original: object, copy: T): T {
  copies.set(original, copy);
  if (typeof copy === 'object' && copy !== null) copies.set(copy, copy);
  return copy;
}
