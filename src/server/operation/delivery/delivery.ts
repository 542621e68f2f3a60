import type { ExecutionResult, GraphQLDirective, ValidationRule } from 'graphql';

import type { PartSettings, PartsFormat } from '../../../executor/index.ts';
import type { OperationInvocation } from '../../../shared/index.ts';
import type { ErrorSettings } from '../format-errors.ts';
import type { Execution, ExecutionSettings } from '../execute.ts';
import type { OperationHooks } from '../apollo-hooks.ts';
import type { ErrorAllowance } from '../limits/error-allowance.ts';
import type { PayloadStream } from '../types.ts';

/** How the answers of one operation can be delivered: what the client accepts and the platform supports. */
export interface Delivery {
  /** True when a subscription may run. */
  readonly subscriptions: boolean;
  /** The format for `@defer` and `@stream`: graphql 17's or the one before it. Undefined: everything is in one answer. */
  readonly incremental: PartsFormat | undefined;
  /** Replaces `executeOperation`. Returns the first or only result, and opens a stream if more results follow. */
  readonly execute: (input: DeliveryInput) => ExecutionResult | Promise<ExecutionResult>;
}

/** What executes `@defer` and `@stream`: an option, so that other bundles do not contain it. */
export interface IncrementalExecution {
  /** Added to the schema unless it defines directives with these names. */
  readonly directives: readonly GraphQLDirective[];
  /** Added to the specified rules. */
  readonly validationRules: readonly ValidationRule[];
  /** How operations are divided into parts of a format. */
  readonly partsOf: (format: PartsFormat) => PartSettings;
  /** Only called for executions with `parts`. */
  readonly execute: Delivery['execute'];
}

export interface IncrementalSettings {
  /** Undefined: operations with `@defer` and `@stream` get one answer. */
  readonly incrementalDelivery: IncrementalExecution | undefined;
}

/** One execution that may have several answers. */
export interface DeliveryInput {
  readonly settings: ExecutionSettings & ErrorSettings & IncrementalSettings;
  readonly execution: Execution;
  readonly delivery: Delivery;
  readonly invocation: OperationInvocation;
  readonly hooks: OperationHooks | undefined;
  /** Creates the data sources of an event. Undefined: there are none. */
  readonly renewDataSources: (() => Promise<unknown>) | undefined;
  /** Shared by all parts of an incremental answer. Each event of a subscription has a separate one. */
  readonly allowance: ErrorAllowance;
  /** Called at most once, before the result is returned. */
  readonly open: (stream: PayloadStream) => void;
}
