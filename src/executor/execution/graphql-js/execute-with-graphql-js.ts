import { execute, GraphQLError } from 'graphql';
import type { ExecutionArgs, ExecutionResult } from 'graphql';

import { firstInputError } from '../plan/wrong-input.ts';
import type { GraphQLJSExecutor, PlannedExecution } from '../planned-executor.ts';
import { executionChannels, traceExecute } from '../trace-execution.ts';
import { executeWithDeadline } from './execute-with-deadline.ts';
import { isGraphQL17 } from '../../graphql-version.ts';
import { withoutIncrementalDirectives } from './without-incremental-directives.ts';

/**
 * The value of the option `executor`: lets graphql-js run every operation, for comparisons and for tools that observe graphql-js.
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

/** Runs an operation with graphql-js. */
export function executeWithGraphQLJS(execution: PlannedExecution): ExecutionResult | Promise<ExecutionResult> {
  const refusal = refuseVariables(execution) ?? refuseErrorHandling(execution);
  if (refusal !== undefined) return refusal;
  const { schema, document, operation, rootValue, contextValue, variableValues, fieldResolver, typeResolver, hideSuggestions } =
    withoutIncrementalDirectives(execution);
  const operationName = operation.name?.value;
  const resolvers = { fieldResolver, typeResolver };
  const args = { schema, document, operationName, rootValue, contextValue, variableValues, hideSuggestions, ...resolvers } as ExecutionArgs;
  const { invocation, answerLimit, errorHandling, observer } = execution;
  const run = (): ReturnType<typeof execute> =>
    invocation === undefined ? execute(args) : executeWithDeadline(execute, args, { invocation, answerLimit, errorHandling, observer });
  // graphql 17 publishes its events itself; for 16 only `execute` is published.
  const channels = isGraphQL17 ? undefined : executionChannels(execution);
  return channels === undefined ? run() : traceExecute(channels, execution, run);
}

function refuseErrorHandling({ errorHandling }: PlannedExecution): ExecutionResult | undefined {
  if (isGraphQL17 || errorHandling?.propagates !== false) return undefined;
  return { errors: [new GraphQLError('With graphqlJSExecutor(), onError: "NULL" requires graphql 17, and this server has graphql 16.')] };
}

/** The result for very large variables that are invalid, or that graphql-js would take too long to coerce. */
export function refuseVariables(
  execution: Pick<PlannedExecution, 'schema' | 'operation' | 'variableValues' | 'hasHeavyVariables'>,
): ExecutionResult | undefined {
  const error = execution.hasHeavyVariables === true ? firstInputError(execution, maxFieldsOfInput) : undefined;
  return error && { errors: [error] };
}

/** Limit for objects in variables: each one counts all fields of its type, because graphql-js takes 0.1 µs for every field. */
const maxFieldsOfInput = 500_000;
