import { deepEqual } from 'node:assert/strict';

import { buildSchema, execute, Kind, parse } from 'graphql';
import type { ExecutionResult, GraphQLObjectType, GraphQLSchema, OperationDefinitionNode } from 'graphql';

import { executePlanned } from '../../../src/executor/execute.ts';
import type { PlannedExecution } from '../../../src/executor/execute.ts';

type Resolver = (...values: never[]) => unknown;

/** Functions by type and field; `resolveType`, `isTypeOf` and `serialize` belong to the type. */
export type TypeFunctions = Readonly<Record<string, Readonly<Record<string, Resolver>>>>;

/** An operation, its schema and its root value. */
export interface Example {
  readonly typeDefs: string;
  readonly functions?: TypeFunctions;
  readonly text: string;
  readonly variables?: Readonly<Record<string, unknown>>;
  readonly rootValue?: unknown;
  readonly options?: Partial<PlannedExecution>;
}

/** Runs the operation by its plan, asserts that graphql-js answers the same, and returns the answer as a client gets it. */
export async function runBoth(example: Example): Promise<ExecutionResult> {
  const execution = executionOf(example);
  const ours = asClient(await executePlanned(execution));
  deepEqual(ours, asClient(await execute(execution as Parameters<typeof execute>[0])));
  return ours;
}

/** The arguments of the planned executor for an example. */
export function executionOf({ typeDefs, functions = {}, text, variables, rootValue, options }: Example): PlannedExecution {
  const schema = schemaWith(typeDefs, functions);
  const document = parse(text);
  const operation = document.definitions.find(
    (definition): definition is OperationDefinitionNode => definition.kind === Kind.OPERATION_DEFINITION,
  )!;
  const kept = { byOperation: new Map() };
  return { schema, document, operation, rootValue, contextValue: {}, variableValues: variables, hideSuggestions: false, kept, ...options };
}

/** Builds a schema from text and assigns the functions to its types and fields. */
export function schemaWith(typeDefs: string, functions: TypeFunctions): GraphQLSchema {
  const schema = buildSchema(typeDefs);
  for (const [typeName, own] of Object.entries(functions)) {
    const type = schema.getType(typeName) as GraphQLObjectType;
    const fields = 'getFields' in type ? type.getFields() : {};
    for (const [name, run] of Object.entries(own)) {
      if (name in fields) fields[name]!.resolve = run as never;
      else Object.assign(type, { [name]: run }, name === 'serialize' && { coerceOutputValue: run });
    }
  }
  return schema;
}

function asClient(result: ExecutionResult): ExecutionResult {
  return JSON.parse(JSON.stringify(result)) as ExecutionResult;
}
