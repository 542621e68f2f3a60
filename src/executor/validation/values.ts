import { isEnumType, isInputObjectType, isListType, isNonNullType, isRequiredInputField, isTypeSubTypeOf, Kind } from 'graphql';
import type { GraphQLInputObjectType, GraphQLInputType, GraphQLScalarType, ObjectValueNode, ValueNode, VariableNode } from 'graphql';

import { isPlainLiteral, plainKindOf } from '../built-in-scalars.ts';
import { coerceLiteral } from '../graphql-version.ts';
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
  return isPlainLiteral(plainKindOf(type as GraphQLScalarType, coerceLiteral), node);
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
