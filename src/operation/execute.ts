import { execute } from 'graphql';
import type { DocumentNode, ExecutionResult, GraphQLFieldResolver, GraphQLSchema, OperationDefinitionNode } from 'graphql';

import { withoutSuggestion } from './document.ts';
import { withCode } from './errors.ts';

/** What running an operation needs. */
export interface ExecutionSettings {
  readonly schema: GraphQLSchema;
  readonly rootValue: unknown;
  readonly fieldResolver: GraphQLFieldResolver<unknown, unknown> | undefined;
  readonly hideSuggestions: boolean;
}

/** One operation, ready to run. */
export interface Execution {
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly contextValue: unknown;
  readonly variables: Readonly<Record<string, unknown>> | undefined;
}

/** Runs the operation. A promise only when a resolver was asynchronous. */
export function executeOperation(settings: ExecutionSettings, execution: Execution): ExecutionResult | Promise<ExecutionResult> {
  const { document, operation, contextValue, variables } = execution;
  const result = execute({
    schema: settings.schema,
    document,
    operationName: operation.name?.value,
    rootValue:
      typeof settings.rootValue === 'function' ? (settings.rootValue as (document: DocumentNode) => unknown)(document) : settings.rootValue,
    contextValue,
    variableValues: variables,
    fieldResolver: settings.fieldResolver,
    // Known to graphql 17 alone; 16 ignores it and is repaired below.
    hideSuggestions: settings.hideSuggestions,
  } as Parameters<typeof execute>[0]);
  return result instanceof Promise ? result.then((settled) => withCoercionCode(settings, settled)) : withCoercionCode(settings, result);
}

/** A result without a data entry was refused before execution: its variables could not be coerced (specification, section 6.1.2). */
function withCoercionCode(settings: ExecutionSettings, result: ExecutionResult): ExecutionResult {
  if ('data' in result || result.errors === undefined) return result;
  return { errors: result.errors.map((error) => withCode(settings.hideSuggestions ? withoutSuggestion(error) : error, 'BAD_USER_INPUT')) };
}
