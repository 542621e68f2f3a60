import type { DocumentNode, ExecutionResult, GraphQLFieldResolver, GraphQLSchema } from 'graphql';

import { isPlainObject, shallowCopyOf } from '../../shared/index.ts';
import type { OperationInvocation } from '../../shared/index.ts';
import { executePlanned } from '../../executor/index.ts';
import type { BudgetLimits, ExplainMismatch, GraphQLJSExecutor, PageDefaults, PlannedExecution } from '../../executor/index.ts';
import { withoutSuggestion } from './documents/document.ts';
import { withCode } from './errors.ts';

export type { GraphQLJSExecutor } from '../../executor/index.ts';

/** The settings for running an operation. */
export interface ExecutionSettings {
  readonly schema: GraphQLSchema;
  readonly rootValue: unknown;
  readonly fieldResolver: GraphQLFieldResolver<unknown, unknown> | undefined;
  /** False: leave "Did you mean …?" out of errors. */
  readonly introspection: boolean;
  /** Runs operations in place of plans. Undefined: each has a plan. */
  readonly executor: GraphQLJSExecutor | undefined;
  /** Lists may be asynchronous iterables, with graphql 16 too. Default: false */
  readonly takesAsyncIterables?: boolean;
  /** Undefined in production. */
  readonly explainMismatch?: ExplainMismatch | undefined;
  /** Default: arguments have the defaults of the schema. */
  readonly pageDefaults?: PageDefaults | undefined;
}

/** One operation, ready to run. */
export interface Execution extends PlannedExecution {
  /** Ends the execution at the deadline, and when the client has left. */
  readonly invocation: OperationInvocation;
  readonly answerLimit: BudgetLimits;
}

/** The parts of an execution that are not settings of the server. */
type ExecutionParts = Omit<PlannedExecution, keyof ExecutionSettings | 'hideSuggestions' | 'prepared' | 'pageDefaults'>;

/** One operation with the settings of the server. Version 3 runs some operations without a platform's call: they have no deadline and no size limit. */
export function createExecution<TParts extends ExecutionParts>(settings: ExecutionSettings, given: TParts): PlannedExecution & TParts {
  const { document, operation, contextValue, variableValues, invocation, answerLimit, kept, errorHandling, observer, parts } = given;
  // All members are listed, so that all executions have the same hidden class in V8.
  const execution: PlannedExecution = {
    schema: settings.schema,
    document,
    operation,
    pageDefaults: settings.pageDefaults,
    rootValue: settings.rootValue === undefined ? undefined : rootValueOf(settings, document),
    contextValue,
    variableValues,
    fieldResolver: settings.fieldResolver,
    hideSuggestions: !settings.introspection,
    invocation,
    answerLimit,
    kept,
    errorHandling,
    observer,
    explainMismatch: settings.explainMismatch,
    takesAsyncIterables: settings.takesAsyncIterables,
    parts,
    prepared: undefined,
  };
  return execution as PlannedExecution & TParts;
}

/** Runs the operation. A promise only when a resolver was asynchronous. */
export function executeOperation({ executor }: ExecutionSettings, execution: PlannedExecution): ExecutionResult | Promise<ExecutionResult> {
  const result = executor === undefined ? executePlanned(execution) : executor.executeWithGraphQLJS(execution);
  // A plan and graphql-js coerce variables before they wait for anything.
  return result instanceof Promise || result.errors === undefined ? result : withCoercionCode(execution, result);
}

/**
 * The parent of the root fields. A function is called once for each operation. A plain object is copied, like the context: code that uses
 * it as the key of a cache, as @graphql-tools/batch-delegate 10 does for its loaders, must not find data of another user.
 */
function rootValueOf(settings: ExecutionSettings, document: DocumentNode): unknown {
  const { rootValue } = settings;
  const value = typeof rootValue === 'function' ? (rootValue as (document: DocumentNode) => unknown)(document) : rootValue;
  return isPlainObject(value) ? shallowCopyOf(value) : value;
}

/** A result without a data entry was refused before execution: its variables could not be coerced (specification, section 6.1.2). */
export function withCoercionCode({ hideSuggestions }: Pick<PlannedExecution, 'hideSuggestions'>, result: ExecutionResult): ExecutionResult {
  if ('data' in result || result.errors === undefined) return result;
  const refused = { errors: result.errors.map((error) => withCode(hideSuggestions ? withoutSuggestion(error) : error, 'BAD_USER_INPUT')) };
  wrongVariables.add(refused);
  return refused;
}

const wrongVariables = new WeakSet<ExecutionResult>();

/** True for the result of an operation whose variables could not be coerced. */
export function haveWrongVariables(result: ExecutionResult): boolean {
  return wrongVariables.has(result);
}
