import { getNamedType, isInputObjectType, typeFromAST } from 'graphql';
import type { GraphQLSchema, OperationDefinitionNode, TypeNode } from 'graphql';

import { createError } from '../errors.ts';

/**
 * Variables that weigh more than this may fail in a few places only: graphql-js prints the object around each wrong value,
 * 50 times over. 80,000 unknown keys were 4 s of CPU and 400 MB, and 19,000 half a second. Counted are the characters of texts and keys,
 * and 20 for each value: a thousand values, or 20,000 characters.
 */
export const lightWeight = 20_000;
/** Errors of heavy variables; of others 50, as in graphql-js. */
const maxErrorsOfHeavy = 3;

const heavy = new WeakSet<object>();

/** Set by the reader of the request for variables that are heavy. */
export function markHeavy(variables: object): void {
  heavy.add(variables);
}

/** After how many errors the coercion of variables is given up; undefined for graphql-js's own number. */
export function maxInputErrors(variables: Readonly<Record<string, unknown>> | undefined): number | undefined {
  return variables !== undefined && heavy.has(variables) ? maxErrorsOfHeavy : undefined;
}

interface Input {
  readonly schema: GraphQLSchema;
  readonly operation: OperationDefinitionNode;
  readonly variables: Readonly<Record<string, unknown>> | undefined;
}

/** Throws when heavy variables have a key that their input type does not know. Coercion would list all of them. */
export function assertKnownKeys({ schema, operation, variables }: Input): void {
  if (variables === undefined || !heavy.has(variables)) return;
  for (const { variable, type } of operation.variableDefinitions ?? []) {
    const { value: name } = variable.name;
    if (Object.hasOwn(variables, name)) assertKeys(name, getNamedType(typeFromAST(schema, type as TypeNode)), variables[name]);
  }
}

/** Calls itself for every level, which variables have only so many of. */
function assertKeys(variable: string, type: unknown, value: unknown): void {
  if (typeof value !== 'object' || value === null || !isInputObjectType(type)) return;
  if (Array.isArray(value)) {
    for (const item of value) assertKeys(variable, type, item);
    return;
  }
  const fields = type.getFields();
  for (const key of Object.keys(value)) {
    const field = Object.hasOwn(fields, key) ? fields[key] : undefined;
    if (field === undefined) {
      throw createError('BAD_USER_INPUT', `Variable "$${variable}" has a key that "${type.name}" does not define: "${key.slice(0, 100)}".`);
    }
    assertKeys(variable, getNamedType(field.type), (value as Readonly<Record<string, unknown>>)[key]);
  }
}
