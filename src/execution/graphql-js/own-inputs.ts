import { isInputType, typeFromAST } from 'graphql';
import type { GraphQLResolveInfo } from 'graphql';

import { ownValue } from '../plan/own-defaults.ts';
import type { Copies } from '../plan/own-defaults.ts';
import { isGraphQL17 } from './version.ts';

/**
 * The values of arguments and variables, as one execution may have them.
 *
 * graphql-js makes a default value once, and hands out the same object in every request: a resolver that sorts or extends a list
 * which it was given would change it for the next user. Plans make their own defaults (plan/own-defaults.ts); where graphql-js
 * coerces, nobody can tell any more which parts of a value are defaults, so each object is copied, once in an execution.
 */
export class OwnInputs {
  readonly #copies: Copies = new WeakMap<object, unknown>();
  #hasVariables = false;

  /** Replaces the values of a resolver's arguments, and those in `info.variableValues`, by copies. */
  own(values: Record<string, unknown>, info: GraphQLResolveInfo): void {
    const { parentType, fieldName, variableValues } = info;
    if (!this.#hasVariables) {
      this.#hasVariables = true;
      ownVariables(info, isGraphQL17 ? variableValues.coerced : variableValues, this.#copies);
    }
    for (const name in values) {
      if (!isObject(values[name])) continue;
      const argument = parentType.getFields()[fieldName]?.args.find((one) => one.name === name);
      if (argument !== undefined) values[name] = ownValue(argument.type, values[name], this.#copies);
    }
  }
}

/** Replaces coerced variables by copies. */
export function ownVariables(
  { schema, operation }: Pick<GraphQLResolveInfo, 'schema' | 'operation'>,
  coerced: object,
  copies: Copies = new WeakMap<object, unknown>(),
): void {
  const values = coerced as Record<string, unknown>;
  for (const definition of operation.variableDefinitions ?? []) {
    const name = definition.variable.name.value;
    if (!Object.hasOwn(values, name) || !isObject(values[name])) continue;
    const type = typeFromAST(schema, definition.type as never);
    if (isInputType(type)) values[name] = ownValue(type, values[name], copies);
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
