import type { DocumentNode, ExecutionArgs, ExecutionResult, GraphQLFieldResolver, GraphQLSchema, OperationDefinitionNode } from 'graphql';

import type { ObjectLog } from '../execution/object-log.ts';
import type { OperationInvocation } from '../message/invocation.ts';
import { copyOfReturned, isPlainObject } from '../message/plain-object.ts';
import { refuseVariables } from '../execution/graphql-js/execute-with-graphql-js.ts';
import { executePlanned } from '../execution/planned-executor.ts';
import { withoutSuggestion } from './documents/document.ts';
import { withCode } from './errors.ts';
import type { GraphQLJSExecutor, KeptPlan } from '../execution/planned-executor.ts';
import type { AnswerLimit } from './limits/answer-limit.ts';
import { maxInputErrors } from './limits/heavy-variables.ts';

export type { GraphQLJSExecutor } from '../execution/planned-executor.ts';

/** The settings for running an operation. */
export interface ExecutionSettings {
  readonly schema: GraphQLSchema;
  readonly rootValue: unknown;
  readonly fieldResolver: GraphQLFieldResolver<unknown, unknown> | undefined;
  readonly hideSuggestions: boolean;
  /** Runs operations in place of plans. Undefined: each has a plan. */
  readonly executor: GraphQLJSExecutor | undefined;
}

/** One operation, ready to run. */
export interface Execution {
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly contextValue: unknown;
  readonly variables: Readonly<Record<string, unknown>> | undefined;
  /** Ends the execution at the deadline, and when the client has left. */
  readonly invocation: OperationInvocation;
  /** How large its answer may become. */
  readonly answerLimit: AnswerLimit;
  /** Where the plan of the document is kept. */
  readonly kept: KeptPlan | undefined;
  /** Lists the objects of the answer. Undefined: they are not listed. */
  objects?: ObjectLog | undefined;
  /** The execution is that of an event of a subscription. Default: false */
  readonly isEvent?: boolean | undefined;
}

/** Runs the operation. A promise only when a resolver was asynchronous. */
export function executeOperation(settings: ExecutionSettings, execution: Execution): ExecutionResult | Promise<ExecutionResult> {
  const { document, operation, contextValue, variables, invocation, answerLimit, kept, isEvent, objects } = execution;
  const { schema, fieldResolver, hideSuggestions, executor } = settings;
  const run = executor === undefined ? executePlanned : executor.executeWithGraphQLJS;
  const result = run({
    schema,
    document,
    operation,
    rootValue: rootValueOf(settings, document),
    contextValue,
    variableValues: variables,
    fieldResolver,
    hideSuggestions,
    invocation,
    answerLimit,
    isEvent,
    kept,
    objects,
    maxInputErrors: maxInputErrors(variables),
  });
  // A plan and graphql-js coerce variables before they wait for anything.
  return result instanceof Promise ? result : withCoercionCode(settings, result);
}

/** The same as graphql-js's own functions take it. */
export function toExecutionArgs(settings: ExecutionSettings, { document, operation, contextValue, variables }: Execution): ExecutionArgs {
  const { schema, fieldResolver, hideSuggestions } = settings;
  return {
    schema,
    document,
    operationName: operation.name?.value,
    rootValue: rootValueOf(settings, document),
    contextValue,
    variableValues: variables,
    fieldResolver,
    hideSuggestions,
  } as ExecutionArgs;
}

/** Reports errors of heavy variables, which graphql-js would take too long to write, before the operation runs. */
export function refuseHeavyVariables({ schema, hideSuggestions }: ExecutionSettings, execution: Execution): ExecutionResult | undefined {
  const { operation, variables } = execution;
  return refuseVariables({ schema, operation, variableValues: variables, hideSuggestions, maxInputErrors: maxInputErrors(variables) });
}

/**
 * The parent of the root fields. A function is asked for it, once for each operation. A plain object is copied, as the context is:
 * code that keeps something by it, as @graphql-tools/batch-delegate 10 keeps its loaders, must not find what another user left.
 */
function rootValueOf(settings: ExecutionSettings, document: DocumentNode): unknown {
  const { rootValue } = settings;
  const value = typeof rootValue === 'function' ? (rootValue as (document: DocumentNode) => unknown)(document) : rootValue;
  return isPlainObject(value) ? copyOfReturned(value, settings) : value;
}

/** A result without a data entry was refused before execution: its variables could not be coerced (specification, section 6.1.2). */
export function withCoercionCode(settings: ExecutionSettings, result: ExecutionResult): ExecutionResult {
  if ('data' in result || result.errors === undefined) return result;
  return { errors: result.errors.map((error) => withCode(settings.hideSuggestions ? withoutSuggestion(error) : error, 'BAD_USER_INPUT')) };
}
