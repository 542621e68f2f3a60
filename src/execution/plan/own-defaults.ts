import { getNullableType, isInputObjectType, isListType, Kind } from 'graphql';
import type { GraphQLArgument, GraphQLInputField, GraphQLInputType, ValueNode } from 'graphql';

import { deepCopyOf } from '../../message/plain-object.ts';

/** Gives a resolver a default value of its own, where graphql-js hands out the same object in every request. */
export type OwnDefaults = (value: unknown) => unknown;

/**
 * Copies the defaults in the value of an argument or input field. Undefined: there is none that a resolver could write into.
 *
 * graphql-js makes a default once. A resolver that sorts or extends a list which it was given would change it for the next user.
 * Only what the literal leaves to defaults is looked at, which is what graphql-js looks at too: types are made when they are used.
 */
export function ownDefaultsOf(input: GraphQLArgument | GraphQLInputField, literal: ValueNode | undefined): OwnDefaults | undefined {
  const inLiteral = literal && defaultsInLiteral(input.type, literal);
  // A variable may be absent: then the default stands in its place.
  const isLeftOut = literal === undefined || literal.kind === Kind.VARIABLE;
  return isLeftOut && hasDefault(input) ? (value) => deepCopyOf(value) : inLiteral;
}

/** The same for a literal that stands for a value of the type. */
export function defaultsInLiteral(inputType: GraphQLInputType, literal: ValueNode): OwnDefaults | undefined {
  const type = getNullableType(inputType);
  if (isListType(type)) {
    const values = literal.kind === Kind.LIST ? literal.values : [literal];
    const items = values.map((value) => defaultsInLiteral(type.ofType, value));
    return items.some((own) => own !== undefined) ? (list) => mapList(list, items) : undefined;
  }
  if (!isInputObjectType(type) || literal.kind !== Kind.OBJECT) return undefined;
  const given = new Map(literal.fields.map(({ name, value }) => [name.value, value]));
  const fields = Object.values(type.getFields()).flatMap((field): [string, OwnDefaults][] => {
    const own = ownDefaultsOf(field, given.get(field.name));
    return own === undefined ? [] : [[field.name, own]];
  });
  return fields.length > 0 ? (object) => mapFields(object, fields) : undefined;
}

/** The list and the object around defaults are of this run already: graphql-js makes them for each. */
function mapList(list: unknown, items: readonly (OwnDefaults | undefined)[]): unknown {
  if (!Array.isArray(list)) return list;
  return list.map((item, at) => items[at]?.(item) ?? item);
}

function mapFields(object: unknown, fields: readonly (readonly [string, OwnDefaults])[]): unknown {
  if (typeof object !== 'object' || object === null) return object;
  const values = object as Record<string, unknown>;
  for (const [name, own] of fields) if (Object.hasOwn(values, name)) values[name] = own(values[name]);
  return values;
}

/** graphql 17 knows a default as `default`, and in the older form as `defaultValue`. */
export function hasDefault(input: GraphQLArgument | GraphQLInputField): boolean {
  return input.defaultValue !== undefined || (input as { default?: unknown }).default !== undefined;
}
