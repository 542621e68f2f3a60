import { getNamedType, getNullableType, isEnumType, isInputObjectType, isListType, Kind, specifiedScalarTypes } from 'graphql';
import type { ArgumentNode, GraphQLArgument, GraphQLInputField, GraphQLInputType, ObjectFieldNode, ValueNode } from 'graphql';

import { deepCopyOf } from '../../message/plain-object.ts';

type Coerced = Readonly<Record<string, unknown>>;

/** Gives a resolver a default value of its own, where graphql-js hands out the same object in every request. Gets the coerced variables. */
export type OwnDefaults = (value: unknown, coerced: Coerced) => unknown;
export type OwnDefaultsByName = readonly (readonly [name: string, own: OwnDefaults])[];

/**
 * Copies the defaults in the value of an argument or input field. Undefined: there is none that a resolver could write into.
 *
 * graphql-js makes a default once. A resolver that sorts or extends a list which it was given would change it for the next user.
 * Only what the literal leaves to defaults is looked at, which is what graphql-js looks at too: types are made when they are used.
 */
function ownDefaultsOf(input: GraphQLArgument | GraphQLInputField, literal: ValueNode | undefined): OwnDefaults | undefined {
  if (isPlainLeaf(input.type)) return undefined;
  const inLiteral = literal && defaultsInLiteral(input.type, literal);
  if (!hasDefault(input)) return inLiteral;
  if (literal === undefined) return (value) => ownValue(input.type, value);
  if (literal.kind !== Kind.VARIABLE) return inLiteral;
  // Where the variable is absent the default stands in its place. One that is there may be large, and is this run's already.
  const variable = literal.name.value;
  return (value, coerced) => (Object.hasOwn(coerced, variable) ? value : ownValue(input.type, value));
}

/** The same for a literal that stands for a value of the type. */
export function defaultsInLiteral(inputType: GraphQLInputType, literal: ValueNode): OwnDefaults | undefined {
  const type = getNullableType(inputType);
  if (isListType(type)) {
    if (!isInputObjectType(getNamedType(type))) return undefined;
    const values = literal.kind === Kind.LIST ? literal.values : [literal];
    const items = values.map((value) => defaultsInLiteral(type.ofType, value));
    return items.some((own) => own !== undefined) ? (list, coerced) => mapList(list, items, coerced) : undefined;
  }
  if (!isInputObjectType(type) || literal.kind !== Kind.OBJECT) return undefined;
  const fields = ownDefaultsAmong(Object.values(type.getFields()), literal.fields);
  return fields === undefined ? undefined : (object, coerced) => mapFields(object, fields, coerced);
}

/** Those of arguments or input fields. Most have none: this is asked of every document that is new, and makes nothing for them. */
export function ownDefaultsAmong(
  inputs: readonly (GraphQLArgument | GraphQLInputField)[],
  given: readonly (ArgumentNode | ObjectFieldNode)[],
): OwnDefaultsByName | undefined {
  let found: [string, OwnDefaults][] | undefined;
  for (let at = 0; at < inputs.length; at++) {
    const input = inputs[at]!;
    if (isPlainLeaf(input.type)) continue;
    const own = ownDefaultsOf(input, given.find(({ name }) => name.value === input.name)?.value);
    if (own !== undefined) (found ??= []).push([input.name, own]);
  }
  return found;
}

const builtIn: ReadonlySet<unknown> = new Set(specifiedScalarTypes);

/** Numbers, texts and the values of an enum: the same for the same literal, and nobody writes into those. A scalar of the user's may do otherwise. */
export function isPlainLeaf(inputType: GraphQLInputType): boolean {
  const type = getNullableType(inputType);
  return builtIn.has(type) || isEnumType(type);
}

/** The list and the object around defaults are of this run already: graphql-js makes them for each. */
function mapList(list: unknown, items: readonly (OwnDefaults | undefined)[], coerced: Coerced): unknown {
  if (!Array.isArray(list)) return list;
  return list.map((item, at) => items[at]?.(item, coerced) ?? item);
}

export function mapFields(object: unknown, fields: OwnDefaultsByName, coerced: Coerced): unknown {
  if (typeof object !== 'object' || object === null) return object;
  const values = object as Record<string, unknown>;
  for (const [name, own] of fields) if (Object.hasOwn(values, name)) values[name] = own(values[name], coerced);
  return values;
}

/** graphql 17 knows a default as `default`, and in the older form as `defaultValue`. */
export function hasDefault(input: GraphQLArgument | GraphQLInputField): boolean {
  return input.defaultValue !== undefined || (input as { default?: unknown }).default !== undefined;
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
