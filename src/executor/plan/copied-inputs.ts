import { getNullableType, isEnumType, isInputObjectType, isInputType, isListType, specifiedScalarTypes, typeFromAST } from 'graphql';
import type { GraphQLInputType, GraphQLResolveInfo } from 'graphql';

import { deepCopyOf } from '../../shared/index.ts';

const builtIn: ReadonlySet<unknown> = new Set(specifiedScalarTypes);

/** The copy of each object. */
type Copies = Map<object, unknown>;

/** Deeply copies a coerced value, with the defaults in it, which graphql-js shares between requests. */
export function copyInput(inputType: GraphQLInputType, value: unknown, copies: Copies = new Map<object, unknown>()): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const type = getNullableType(inputType);
  // Enum values may be compared by identity.
  if (builtIn.has(type) || isEnumType(type)) return value;
  const known = copies.get(value);
  if (known !== undefined) return known;
  if (isListType(type)) return Array.isArray(value) ? copyList(type.ofType as GraphQLInputType, value, copies) : value;
  if (!isInputObjectType(type)) return remember(copies, value, deepCopyOf(value));
  const copy = remember(copies, value, Object.create(Object.getPrototypeOf(value) as object | null) as Record<string, unknown>);
  const fields = type.getFields();
  for (const [name, part] of Object.entries(value))
    copy[name] = fields[name] === undefined ? part : copyInput(fields[name].type, part, copies);
  return copy;
}

function copyList(type: GraphQLInputType, list: readonly unknown[], copies: Copies): unknown[] {
  const copy = remember(copies, list, [] as unknown[]);
  for (const item of list) copy.push(copyInput(type, item, copies));
  return copy;
}

/** A copy is not copied again. */
function remember<T>(copies: Copies, original: object, copy: T): T {
  copies.set(original, copy);
  if (typeof copy === 'object' && copy !== null) copies.set(copy, copy);
  return copy;
}

/** Replaces coerced variables with copies. */
export function copyVariables({ schema, operation }: Pick<GraphQLResolveInfo, 'schema' | 'operation'>, coerced: object): void {
  const copies: Copies = new Map<object, unknown>();
  const values = coerced as Record<string, unknown>;
  for (const definition of operation.variableDefinitions ?? []) {
    const name = definition.variable.name.value;
    if (!Object.hasOwn(values, name)) continue;
    const type = typeFromAST(schema, definition.type as never);
    if (isInputType(type)) values[name] = copyInput(type, values[name], copies);
  }
}
