import type {
  ExecutionResult,
  GraphQLDirective,
  GraphQLError,
  GraphQLFieldResolver,
  GraphQLSchema,
  OperationDefinitionNode,
  ValidationRule,
} from 'graphql';

import type { Capacity, PromiseOrValue, HTTPRequest, OperationInvocation, ResponseHead } from '../../shared/index.ts';
import type { ContextInput, ContextSettings } from './context.ts';
import type { KnownDocument, DocumentSettings } from './documents/document.ts';
import type { GraphQLRequest, OperationOutcome, PayloadStream } from './types.ts';
import type {
  BudgetLimits,
  ErrorHandling,
  ExecutionObserver,
  ExplainMismatch,
  GraphQLJSExecutor,
  PageDefaults,
  PartSettings,
  PartsFormat,
  PlannedExecution,
} from '../../executor/index.ts';
import type { ErrorSettings } from './format-errors.ts';
import type { OperationHooks } from './apollo-hooks.ts';
import type { Asked } from './door.ts';
import type { FoundSource, SourceSettings } from './documents/sources.ts';
import type { OperationCall, ServerPlugin } from './plugin.ts';
import type { Stages } from './around.ts';
import type { ErrorAllowance } from './limits/error-allowance.ts';

/** Everything that an operation needs from the server. Created once, at cold start. */
export interface OperationSettings extends ContextSettings, SourceSettings, DocumentSettings, ExecutionSettings, ErrorSettings {
  readonly plugins: readonly ServerPlugin[];
  /** How errors of requests without `onError` are handled. Undefined: they propagate. */
  readonly errorHandling?: ErrorHandling | undefined;
  /** Undefined if no plugin has a stage. */
  readonly stages: Stages | undefined;
  /** Undefined if operations with `@defer` and `@stream` get one answer. */
  readonly incrementalDelivery: PartsDelivery | undefined;
}

/** The settings for running an operation. */
export interface ExecutionSettings {
  readonly schema: GraphQLSchema;
  readonly rootValue: unknown;
  readonly fieldResolver: GraphQLFieldResolver<unknown, unknown> | undefined;
  /** False: leave "Did you mean …?" out of errors. */
  readonly introspection: boolean;
  /** Runs operations in place of plans; undefined if each operation has a plan. */
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

/** Executes `@defer` and `@stream`: an option, so that other bundles do not contain the code. */
export interface PartsDelivery {
  /** Added to the schema unless it defines directives with these names. */
  readonly directives: readonly GraphQLDirective[];
  /** Added to the specified rules. */
  readonly validationRules: readonly ValidationRule[];
  /** How operations are divided into parts of a format. */
  readonly partsOf: (format: PartsFormat) => PartSettings;
  /** Only called for executions with `parts`. */
  readonly execute: Delivery['execute'];
}

/** How the answers of one operation can be delivered: what the client accepts and the platform supports. */
export interface Delivery {
  /** True when a subscription may run. */
  readonly subscriptions: boolean;
  /** The format for `@defer` and `@stream`: graphql 17's or the one before it. Undefined: everything is in one answer. */
  readonly incremental: PartsFormat | undefined;
  /** Replaces `executeOperation`. Returns the first or only result, and opens a stream if more results follow. */
  readonly execute: (operation: ReadyOperation) => PromiseOrValue<ExecutionResult>;
}

/** Returns the reason why an operation may not run; undefined lets it run. */
export type RefuseOperation = (operation: OperationDefinitionNode) => GraphQLError | undefined;

/** One operation on its way through the pipeline, which fills in its fields. */
export interface Operation extends ContextInput {
  readonly settings: OperationSettings;
  readonly request: GraphQLRequest;
  /** The error of a malformed request: then nothing runs. */
  readonly problem: GraphQLError | undefined;
  /** Passed to hooks; the server does not read it. */
  readonly http: HTTPRequest | undefined;
  /** The operation as plugins see it. Undefined: no plugin has a stage. */
  readonly seen: OperationCall | undefined;
  readonly head: ResponseHead;
  /** Returns the reason why an operation may not run here; undefined lets it run. */
  readonly refuse: RefuseOperation | undefined;
  /** The size limit of the answer. */
  readonly capacity: Capacity;
  /** The operations of its batch, which have equal shares of the limits on amounts. 1: it is not in a batch, or alone. */
  readonly operations: number;
  /** The position in the batch. */
  readonly batchIndex: number | undefined;
  /** Undefined if the operation has a single answer, which a plugin may also choose. */
  delivery: Delivery | undefined;
  /** True: the text of the request runs even if only trusted documents may. */
  readonly isTrusted: boolean;
  /** Adds the variables that clients cannot send. */
  readonly fill: Asked<never>['fill'];
  /** Undefined until `context` and `dataSources` have succeeded. */
  contextValue: unknown;
  hooks: OperationHooks | undefined;
  source: FoundSource | undefined;
  document: KnownDocument | undefined;
  node: OperationDefinitionNode | undefined;
  /** Observes resolvers, called inside the observers of plugins. Undefined in production. */
  readonly observer: ExecutionObserver | undefined;
  execution: Execution | undefined;
  step: OperationStep;
  /** The error if the time was over before the execution. Then nothing is awaited, and no further step runs. */
  timeIsUp: Error | undefined;
  /** The payloads after the result. */
  stream: PayloadStream | undefined;
  /** The error allowance that all parts of an answer share. Undefined: the answer has no parts. */
  allowance: ErrorAllowance | undefined;
  /** The result of the execution, or the errors of the step that failed, before hooks and plugins see them. */
  result: ExecutionResult | undefined;
  /** The outcome, when no step is left. */
  outcome: OperationOutcome | undefined;
}

/**
 * How far an operation is:
 * - context: `context`, data sources and the start of the hooks
 * - document: finding, parsing and validating the document, and choosing the operation
 * - admission: `admit` of the plugins
 * - execution: its variables are coerced
 * - stages: a plugin that wraps the execution has called `next` or failed. From here on, the plugins keep the deadline
 * - resolvers: resolvers may have run. From here on, the executor keeps the deadline
 */
export type OperationStep = 'context' | 'document' | 'admission' | 'execution' | 'stages' | 'resolvers';

/** An operation whose document is valid. */
export type ReadOperation = Operation &
  Pick<{ [TName in keyof Operation]-?: NonNullable<Operation[TName]> }, 'source' | 'document' | 'node'>;
/** An operation with its plan and its coerced variables. */
export type ReadyOperation = ReadOperation & { readonly execution: Execution };
/** An operation whose execution, or a step before it, has ended. */
export type EndedOperation = Operation & { readonly result: ExecutionResult };
