import { getNullableType, isEnumType, isInputObjectType, isListType, isInputType, specifiedScalarTypes, typeFromAST } from 'graphql';
import type { GraphQLInputType, GraphQLResolveInfo } from 'graphql';

import { deepCopyOf, isObjectLike } from '../../shared/index.ts';

/** Deeply copies a coerced value, with the defaults in it, which graphql-js shares between requests. */
export function copyInput(inputType: GraphQLInputType, value: unknown): unknown {
  if (!isObjectLike(value)) return value;
  const type = getNullableType(inputType);
  // Enum values may be compared by identity.
  if (specifiedScalarTypes.includes(type as never) || isEnumType(type)) return value;
  if (isListType(type)) return Array.isArray(value) ? value.map((item) => copyInput(type.ofType as GraphQLInputType, item)) : value;
  if (!isInputObjectType(type)) return deepCopyOf(value);
  const copy = Object.create(Object.getPrototypeOf(value) as object | null) as Record<string, unknown>;
  const fields = type.getFields();
  for (const name of Object.keys(value)) {
    const part = (value as Record<string, unknown>)[name];
    copy[name] = fields[name] === undefined ? part : copyInput(fields[name].type, part);
  }
  return copy;
}

/** Replaces coerced variables with copies. */
export function copyVariables({ schema, operation }: Pick<GraphQLResolveInfo, 'schema' | 'operation'>, coerced: object): void {
  const values = coerced as Record<string, unknown>;
  for (const { variable, type: node } of operation.variableDefinitions ?? []) {
    const type = typeFromAST(schema, node as never);
    const name = variable.name.value;
    if (isInputType(type) && Object.hasOwn(values, name)) values[name] = copyInput(type, values[name]);
  }
}
