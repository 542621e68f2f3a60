import type { ExecutionResult, FormattedExecutionResult, OperationDefinitionNode } from 'graphql';

import type { ObjectLog } from '../execution/object-log.ts';
import type { Capacity } from '../message/answer-size.ts';
import type { HTTPRequest, ResponseHead } from '../message/http-messages.ts';
import type { ContextInput, ContextSettings } from './context.ts';
import type { CostSettings } from './limits/cost.ts';
import type { KnownDocument } from './documents/document-cache.ts';
import type { DocumentSettings } from './documents/document.ts';
import type { Delivery, IncrementalSettings } from './delivery/delivery.ts';
import type { AnsweredObjects, PayloadStream, GraphQLRequest } from './types.ts';
import type { ErrorSettings } from './errors.ts';
import type { ExecutionSettings } from './execute.ts';
import type { OperationHooks } from './hooks.ts';
import type { PersistedQuery } from './documents/persisted-queries.ts';
import type { ServerPlugin } from './plugin.ts';
import type { RefuseOperation } from './resolve.ts';
import type { SourceSettings } from './documents/source.ts';
import type { BatchBudget } from './limits/batch-budget.ts';
import type { ErrorAllowance } from './limits/error-allowance.ts';

/** All that an operation needs from the server. Made once, at cold start. */
export interface OperationSettings
  extends ContextSettings, SourceSettings, DocumentSettings, ExecutionSettings, ErrorSettings, IncrementalSettings {
  readonly plugins: readonly ServerPlugin[];
  readonly maxCost: CostSettings | undefined;
  /** Tells plugins of an execution, and fills in what they want of it. Undefined: none listens. */
  readonly tellExecution?: ((state: OperationState) => void) | undefined;
}

/** One operation and what it may see of the world. */
export interface OperationInput extends ContextInput {
  readonly request: GraphQLRequest;
  /** Handed on to plugins, unread. */
  readonly http: HTTPRequest | undefined;
  readonly head: ResponseHead;
  /** Says why an operation may not run here; undefined lets it run. */
  readonly refuse: RefuseOperation | undefined;
  /** How large the answer may become. */
  readonly capacity: Capacity;
  /** Shared by the operations of a batch. */
  readonly budget: BatchBudget | undefined;
  /** Undefined: there is one answer, and that is all. */
  readonly delivery?: Delivery | undefined;
}

/** An operation under way: each stage leaves here what the later ones need. */
export interface OperationState {
  readonly settings: OperationSettings;
  readonly input: OperationInput;
  contextValue: unknown;
  /** True until `context` and `dataSources` have come through. */
  contextFailed: boolean;
  hooks: OperationHooks | undefined;
  source: string | undefined;
  keep: PersistedQuery['keep'];
  known: KnownDocument | undefined;
  operation: OperationDefinitionNode | undefined;
  /** Lists the objects that the answer is made of. Undefined: no plugin has asked for it. */
  objects: (AnsweredObjects & ObjectLog) | undefined;
  stream: PayloadStream | undefined;
  /** From then on the execution sees to it that it ends in time. */
  isExecuting: boolean;
  /** Why the answer waits for nothing any more. No further stage is begun then. */
  timeIsUp: Error | undefined;
  result: ExecutionResult;
  /** The share of errors that all parts of an answer have together. Undefined: that of the batch, or the answer's own. */
  allowance: ErrorAllowance | undefined;
  /** The result in the form for the client, as soon as it has one. */
  answer: FormattedExecutionResult | undefined;
}

/** Stands for the result of an operation that has none yet. */
export const nothingYet: ExecutionResult = {};

/** An operation before its first stage. */
export function createState(settings: OperationSettings, input: OperationInput): OperationState {
  return {
    settings,
    input,
    contextValue: undefined,
    contextFailed: true,
    hooks: undefined,
    source: undefined,
    keep: undefined,
    known: undefined,
    operation: undefined,
    objects: undefined,
    stream: undefined,
    isExecuting: false,
    timeIsUp: undefined,
    result: nothingYet,
    allowance: undefined,
    answer: undefined,
  };
}
