import {
  GraphQLBoolean,
  GraphQLFloat,
  GraphQLID,
  GraphQLInt,
  GraphQLString,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredInputField,
  isTypeSubTypeOf,
  Kind,
} from 'graphql';
import type { GraphQLInputObjectType, GraphQLInputType, GraphQLScalarType, ObjectValueNode, ValueNode, VariableNode } from 'graphql';

import type { Scope } from './scope.ts';

/** True if the value is valid for the type. Variables in it count as used. */
export function isValueKnownValid(scope: Scope, type: GraphQLInputType, node: ValueNode): boolean {
  if (!scope.hasStepsLeft()) return false;
  if (node.kind === Kind.VARIABLE) return isVariableKnownValid(scope, type, node);
  if (isNonNullType(type)) return node.kind !== Kind.NULL && isValueKnownValid(scope, type.ofType, node);
  if (node.kind === Kind.NULL) return true;
  if (isListType(type)) {
    // A single value counts as a list of one.
    const items = node.kind === Kind.LIST ? node.values : [node];
    return items.every((item) => isValueKnownValid(scope, type.ofType, item));
  }
  if (isInputObjectType(type)) return node.kind === Kind.OBJECT && isObjectKnownValid(scope, type, node);
  if (isEnumType(type)) return node.kind === Kind.ENUM && type.getValue(node.value) !== undefined && type.getValue(node.value) !== null;
  return isScalarKnownValid(type as GraphQLScalarType, node);
}

/** A nullable variable with a default is valid in a non-null position. Defaults of positions are left to graphql-js. */
function isVariableKnownValid(scope: Scope, type: GraphQLInputType, node: VariableNode): boolean {
  const variable = scope.variables.get(node.name.value);
  if (variable === undefined) return false;
  variable.isUsed = true;
  const isCovered = isNonNullType(type) && !isNonNullType(variable.type) && variable.hasNonNullDefault;
  return isTypeSubTypeOf(scope.schema, variable.type, isCovered ? type.ofType : type);
}

function isObjectKnownValid(scope: Scope, type: GraphQLInputObjectType, node: ObjectValueNode): boolean {
  if (type.isOneOf) return false;
  const definitions = type.getFields();
  const given = new Set<string>();
  for (const { name, value } of node.fields) {
    const definition = Object.hasOwn(definitions, name.value) ? definitions[name.value] : undefined;
    if (definition === undefined || given.has(name.value) || !isValueKnownValid(scope, definition.type, value)) return false;
    given.add(name.value);
  }
  return Object.values(definitions).every((definition) => given.has(definition.name) || !isRequiredInputField(definition));
}

/** The functions of the built-in scalars for literals, to detect replaced ones. */
const readers = new Map(
  [GraphQLString, GraphQLBoolean, GraphQLID, GraphQLInt, GraphQLFloat].map((type) => [type, readerOf(type)] as const),
);

function readerOf(type: GraphQLScalarType): unknown {
  // graphql 17 has two such functions, and calls the new one first.
  return (type as { coerceInputLiteral?: unknown }).coerceInputLiteral ?? type.parseLiteral;
}

function isScalarKnownValid(type: GraphQLScalarType, node: ValueNode): boolean {
  if (readers.get(type as typeof GraphQLString) !== readerOf(type)) return false;
  switch (type) {
    case GraphQLString:
      return node.kind === Kind.STRING;
    case GraphQLBoolean:
      return node.kind === Kind.BOOLEAN;
    case GraphQLID:
      return node.kind === Kind.STRING || node.kind === Kind.INT;
    case GraphQLFloat:
      return node.kind === Kind.INT || node.kind === Kind.FLOAT;
    case GraphQLInt:
      return node.kind === Kind.INT && Math.abs(Number(node.value) + 0.5) < 2 ** 31;
    default:
      return false;
  }
}
