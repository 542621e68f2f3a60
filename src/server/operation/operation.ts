import type { ExecutionResult, FormattedExecutionResult, GraphQLError, OperationDefinitionNode } from 'graphql';

import type { Capacity, PromiseOrValue, HTTPRequest, OperationInvocation, ResponseHead } from '../../shared/index.ts';
import type { ContextInput, ContextSettings } from './context.ts';
import type { KnownDocument } from './documents/document-cache.ts';
import type { DocumentSettings } from './documents/document.ts';
import type { Delivery, IncrementalSettings } from './delivery/delivery.ts';
import type { GraphQLRequest, OperationOutcome, PayloadStream } from './types.ts';
import type { ErrorHandling } from '../../executor/index.ts';
import type { ErrorSettings } from './format-errors.ts';
import type { Execution, ExecutionSettings } from './execute.ts';
import type { OperationHooks } from './hooks.ts';
import type { FoundSource } from './documents/sources.ts';
import type { CoercedExecution, ExecutionOptions, OperationExecution, RequestCall, ServerPlugin } from './plugin.ts';
import type { RefuseOperation } from './choose-operation.ts';
import type { SourceSettings } from './documents/sources.ts';
import type { BatchBudget } from './limits/batch-budget.ts';
import type { ErrorAllowance } from './limits/error-allowance.ts';

/** Calls the plugins before an execution, and returns what they choose for it. */
export type NotifyExecution = (execution: OperationExecution) => PromiseOrValue<ChosenOptions>;

/** The choices of all plugins for an execution. */
export interface ChosenOptions extends Omit<ExecutionOptions, 'around'> {
  /** Undefined: no plugin wraps the execution. */
  readonly wrap: WrapExecution | undefined;
}

/** What plugins wrap. */
export interface Wrapped<TResult> {
  readonly run: () => PromiseOrValue<TResult>;
  readonly invocation: Pick<OperationInvocation, 'inTime'>;
  /**
   * The result in place of a hook that has failed. `running` is what the hook has called with `next`, and `inner` its result if there was
   * one by then.
   */
  readonly fail: (thrown: unknown, inner: TResult | undefined, running: PromiseOrValue<TResult> | undefined) => PromiseOrValue<TResult>;
}

/** Runs an execution inside the plugins that wrap it. */
export type WrapExecution = (execution: CoercedExecution, wrapped: Wrapped<OperationOutcome>) => PromiseOrValue<OperationOutcome>;

/** Everything that an operation needs from the server. Created once, at cold start. */
export interface OperationSettings
  extends ContextSettings, SourceSettings, DocumentSettings, ExecutionSettings, ErrorSettings, IncrementalSettings {
  readonly plugins: readonly ServerPlugin[];
  /** How errors of requests without `onError` are handled. Undefined: they propagate. */
  readonly errorHandling?: ErrorHandling | undefined;
  /** Calls `executionWillStart` of the plugins. Undefined: no plugin has this hook. */
  readonly notifyExecution?: NotifyExecution | undefined;
  /** Undefined: no plugin wraps executions. */
  readonly wrapExecution?: WrapExecution | undefined;
}

/** One operation on its way through the pipeline, which fills in its fields. */
export interface Operation extends ContextInput {
  readonly settings: OperationSettings;
  readonly request: GraphQLRequest;
  /** What is wrong with the request: then nothing runs. */
  readonly problem: GraphQLError | undefined;
  /** Passed to plugins; the server does not read it. */
  readonly http: HTTPRequest | undefined;
  /** The same, with the platform's objects. Undefined: no plugin has a hook of requests or operations. */
  readonly call: RequestCall | undefined;
  readonly head: ResponseHead;
  /** Returns the reason why an operation may not run here; undefined lets it run. */
  readonly refuse: RefuseOperation | undefined;
  /** The size limit of the answer. */
  readonly capacity: Capacity;
  /** Shared by the operations of a batch. */
  readonly budget: BatchBudget | undefined;
  /** Its position in the batch. */
  readonly batchIndex: number | undefined;
  /** Undefined for a single answer, which a plugin may also choose. */
  delivery: Delivery | undefined;
  /** Undefined until `context` and `dataSources` have succeeded. */
  contextValue: unknown;
  hooks: OperationHooks | undefined;
  source: FoundSource | undefined;
  document: KnownDocument | undefined;
  node: OperationDefinitionNode | undefined;
  /** The choices of plugins for this execution. Undefined: no plugin has `executionWillStart`. */
  options: ChosenOptions | undefined;
  execution: Execution | undefined;
  /** True once resolvers may have run. From then on the executor keeps the deadline. */
  isExecuting: boolean;
  /** The error if the time is over. Then nothing is awaited, and no further step runs. */
  timeIsUp: Error | undefined;
  /** The result of the execution. It may still be replaced by the error of a hook after it. */
  result: ExecutionResult | undefined;
  /** The result, or the errors of the step that failed, when no step is left. */
  ended: ExecutionResult | undefined;
  stream: PayloadStream | undefined;
  /** The outcome of the execution, once a plugin that wraps it has called `next` or failed. */
  wrapped: PromiseOrValue<OperationOutcome> | undefined;
  /** The outcome from the plugins that wrap the execution. Undefined: the outcome is created from the result. */
  outcome: OperationOutcome | undefined;
  /** The error allowance that all parts of an answer share. Undefined: the answer uses that of the batch, or a new one. */
  allowance: ErrorAllowance | undefined;
  /** The result as the client gets it, before `willSendResponse`. */
  formatted: FormattedExecutionResult | undefined;
  /** The formatted outcome, when everything has ended. */
  answer: OperationOutcome | undefined;
}
