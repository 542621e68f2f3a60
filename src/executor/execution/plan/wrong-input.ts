import { GraphQLError, isInputObjectType, isListType, isNonNullType, isRequiredInputField, typeFromAST } from 'graphql';
import type {
  GraphQLInputFieldMap,
  GraphQLInputObjectType,
  GraphQLInputType,
  GraphQLLeafType,
  GraphQLSchema,
  OperationDefinitionNode,
} from 'graphql';

import { isGraphQL17 } from '../../graphql-version.ts';

interface Input {
  readonly schema: GraphQLSchema;
  readonly operation: OperationDefinitionNode;
  readonly variableValues: Readonly<Record<string, unknown>> | undefined;
}

/**
 * The first mistake in very large variables. graphql-js reads all of them several times and prints the object around each mistake:
 * 49,000 `{}` before an invalid value took 730 ms. `maxFields`: limit for the fields of the types of all objects together.
 */
export function firstInputError({ schema, operation, variableValues }: Input, maxFields: number = Infinity): GraphQLError | undefined {
  const inputs = variableValues ?? {};
  const check = new InputCheck(maxFields);
  for (const definition of operation.variableDefinitions ?? []) {
    const type = typeFromAST(schema, definition.type as never) as GraphQLInputType;
    const name = definition.variable.name.value;
    const isGiven = Object.hasOwn(inputs, name);
    if (!isGiven && (definition.defaultValue !== undefined || !isNonNullType(type))) continue;
    const problem = check.problemOf(type, isGiven ? inputs[name] : undefined);
    if (problem !== undefined) return new GraphQLError(`Variable "$${name}" ${problem}`, { nodes: definition });
  }
  return undefined;
}

interface KnownType {
  readonly fields: GraphQLInputFieldMap;
  readonly count: number;
  readonly required: readonly string[];
}

class InputCheck {
  readonly #path: (string | number)[] = [];
  readonly #types = new Map<GraphQLInputObjectType, KnownType>();
  #fieldsLeft: number;

  constructor(maxFields: number) {
    this.#fieldsLeft = maxFields;
  }

  /** Recursive: the depth of variables is limited. */
  problemOf(type: GraphQLInputType, value: unknown): string | undefined {
    if (value === null || value === undefined)
      return isNonNullType(type) ? this.#invalid(`Expected a value of type "${type.toString()}".`) : undefined;
    const nullable = isNonNullType(type) ? type.ofType : type;
    if (isListType(nullable)) return this.#problemOfList(nullable.ofType, value);
    return isInputObjectType(nullable) ? this.#problemOfObject(nullable, value) : this.#problemOfLeaf(nullable, value);
  }

  #problemOfList(item: GraphQLInputType, value: unknown): string | undefined {
    if (!Array.isArray(value)) return this.problemOf(item, value);
    for (let at = 0; at < value.length; at++) {
      const problem = this.#problemBelow(at, item, value[at]);
      if (problem !== undefined) return problem;
    }
    return undefined;
  }

  #problemOfObject(type: GraphQLInputObjectType, value: unknown): string | undefined {
    if (typeof value !== 'object' || Array.isArray(value)) return this.#invalid(`Expected value of type "${type.name}" to be an object.`);
    const given = value as Readonly<Record<string, unknown>>;
    const { fields, count, required } = this.#typeOf(type);
    this.#fieldsLeft -= count;
    if (this.#fieldsLeft < 0) return 'has too many objects.';
    const keys = Object.keys(given);
    for (const key of keys) {
      if (!Object.hasOwn(fields, key)) return `has a key that "${type.name}" does not define: "${key.slice(0, 100)}".`;
      const problem = this.#problemBelow(key, fields[key]!.type, given[key]);
      if (problem !== undefined) return problem;
    }
    const missing = required.find((name) => !Object.hasOwn(given, name));
    if (missing !== undefined) return this.#invalid(`Expected value of type "${type.name}" to include required field "${missing}".`);
    if (!type.isOneOf || (keys.length === 1 && given[keys[0]!] !== null)) return undefined;
    return this.#invalid(`Expected value of the OneOf type "${type.name}" to have exactly one key, not null.`);
  }

  #problemOfLeaf(type: GraphQLLeafType, value: unknown): string | undefined {
    try {
      const coerced: unknown = isGraphQL17 ? type.coerceInputValue(value, true) : type.parseValue(value);
      if (coerced !== undefined) return undefined;
    } catch (error) {
      // Other errors may reveal details of the server.
      if (error instanceof GraphQLError) return this.#invalid(error.message);
    }
    return this.#invalid(`Expected value of type "${type.name}".`);
  }

  #problemBelow(key: string | number, type: GraphQLInputType, value: unknown): string | undefined {
    this.#path.push(key);
    const problem = this.problemOf(type, value);
    this.#path.pop();
    return problem;
  }

  #typeOf(type: GraphQLInputObjectType): KnownType {
    let known = this.#types.get(type);
    if (known === undefined) {
      const fields = type.getFields();
      const all = Object.values(fields);
      known = { fields, count: all.length, required: all.filter(isRequiredInputField).map(({ name }) => name) };
      this.#types.set(type, known);
    }
    return known;
  }

  #invalid(words: string): string {
    const path = this.#path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`)).join('');
    return `has an invalid value${path === '' ? '' : ` at ${path.replace(/^\./, '')}`}: ${words}`;
  }
}
