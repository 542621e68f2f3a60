import { execute, getVariableValues } from 'graphql';
import type { ExecutionArgs, ExecutionResult } from 'graphql';

import type { GraphQLJSExecutor, PlannedExecution } from '../planned-executor.ts';
import { executionChannels, traceExecute } from '../trace-execution.ts';
import { executeWithDeadline } from './execute-with-deadline.ts';
import { isGraphQL17 } from './version.ts';
import { withoutIncrementalDirectives } from './without-incremental-directives.ts';

/**
 * The value of the option `executor`: lets graphql-js run every operation. A plan gives the same results, faster; this is for those
 * who compare the two, or watch graphql-js itself.
 *
 * @example
 * ```ts
 * import { graphqlJSExecutor } from 'graphql-functions/graphql-js';
 *
 * export default createHandler({ typeDefs, resolvers, executor: graphqlJSExecutor() });
 * ```
 */
export function graphqlJSExecutor(): GraphQLJSExecutor {
  return { executeWithGraphQLJS };
}

/** Runs an operation as graphql-js does, and answers once. */
export function executeWithGraphQLJS(execution: PlannedExecution): ExecutionResult | Promise<ExecutionResult> {
  const refusal = refuseVariables(execution);
  if (refusal !== undefined) return refusal;
  const { schema, document, operation, rootValue, contextValue, variableValues, fieldResolver, typeResolver, hideSuggestions } =
    withoutIncrementalDirectives(execution);
  const operationName = operation.name?.value;
  const args = {
    schema,
    document,
    operationName,
    rootValue,
    contextValue,
    variableValues,
    fieldResolver,
    typeResolver,
    hideSuggestions,
  };
  // Undefined means the same as absent.
  const { invocation, answerLimit } = execution;
  const run = (): ReturnType<typeof execute> =>
    invocation === undefined
      ? execute(args as ExecutionArgs)
      : executeWithDeadline(execute, args as ExecutionArgs, { invocation, answerLimit });
  // graphql 17 tells of itself; of what 16 runs there is the whole, and no more.
  const channels = isGraphQL17 ? undefined : executionChannels(execution);
  return channels === undefined ? run() : traceExecute(channels, execution, run);
}

/** The result of variables that are wrong in more places than they may be: graphql-js's `execute` cannot be told that number. */
export function refuseVariables(
  execution: Pick<PlannedExecution, 'schema' | 'operation' | 'variableValues' | 'hideSuggestions' | 'maxInputErrors'>,
): ExecutionResult | undefined {
  const { schema, operation, variableValues, hideSuggestions, maxInputErrors } = execution;
  if (maxInputErrors === undefined) return undefined;
  const options = { maxErrors: maxInputErrors, hideSuggestions };
  const { errors } = getVariableValues(schema, operation.variableDefinitions ?? [], variableValues ?? {}, options);
  return errors && { errors };
}
