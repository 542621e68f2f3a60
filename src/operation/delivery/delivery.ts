import type { ExecutionResult, GraphQLDirective } from 'graphql';

import type { OperationInvocation } from '../../message/invocation.ts';
import type { ErrorSettings } from '../errors.ts';
import type { Execution, ExecutionSettings } from '../execute.ts';
import type { OperationHooks } from '../hooks.ts';
import type { ErrorAllowance } from '../limits/error-allowance.ts';
import type { PayloadStream } from '../types.ts';

/** How the answers of one operation may be delivered: what the client reads, and the platform carries. */
export interface Delivery {
  /** True when a subscription may run. */
  readonly subscriptions: boolean;
  /** The format in which `@defer` and `@stream` are answered: graphql 17's, or the one before. Undefined: the answer comes whole. */
  readonly incremental: 'current' | 'legacy' | undefined;
  /** In place of `executeOperation`. Returns the result, or the first one, and opens a stream when more will come. */
  readonly execute: (input: DeliveryInput) => ExecutionResult | Promise<ExecutionResult>;
}

/** The executor of answers in parts, handed in by the user: bundles without it contain none of graphql-js's executors for them. */
export interface IncrementalExecution {
  /** Part of the schema unless it defines others of their names. */
  readonly directives: readonly GraphQLDirective[];
  /** Only asked where {@link Delivery.incremental} names a format. */
  readonly execute: Delivery['execute'];
}

export interface IncrementalSettings {
  /** Undefined: operations with `@defer` and `@stream` are answered once. */
  readonly incrementalDelivery: IncrementalExecution | undefined;
}

/** One execution that may have several answers. */
export interface DeliveryInput {
  readonly settings: ExecutionSettings & ErrorSettings & IncrementalSettings;
  readonly execution: Execution;
  readonly delivery: Delivery;
  readonly invocation: OperationInvocation;
  readonly hooks: OperationHooks | undefined;
  /** The errors of the first result and of the parts of one answer share it; each event of a subscription is an answer. */
  readonly allowance: ErrorAllowance;
  /** Called at most once, before the result is returned. */
  readonly open: (stream: PayloadStream) => void;
}
