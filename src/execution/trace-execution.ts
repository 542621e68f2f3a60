import type { DocumentNode, GraphQLSchema, OperationDefinitionNode } from 'graphql';

import { isExecutionListened, listenedChannel, traceMixed } from '../tracing/channels.ts';
import type { TracingChannel } from '../tracing/channels.ts';

/** The channels of one execution that somebody listens to. */
export interface ExecutionChannels {
  readonly execute: TracingChannel | undefined;
  readonly variableCoercion: TracingChannel | undefined;
  readonly rootSelectionSet: TracingChannel | undefined;
  readonly resolve: TracingChannel | undefined;
}

/** What events tell of an execution. */
interface TracedExecution {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly variableValues: Readonly<Record<string, unknown>> | undefined;
  /** The execution is that of an event of a subscription, of which graphql-js tells only what its root does. */
  readonly isEvent?: boolean | undefined;
}

/** Undefined where nobody listens. */
export function executionChannels({ isEvent = false }: TracedExecution): ExecutionChannels | undefined {
  if (!isExecutionListened()) return undefined;
  const execute = isEvent ? undefined : listenedChannel('execute');
  const variableCoercion = isEvent ? undefined : listenedChannel('variableCoercion');
  const rootSelectionSet = listenedChannel('rootSelectionSet');
  const resolve = listenedChannel('resolve');
  return (execute ?? variableCoercion ?? rootSelectionSet ?? resolve) && { execute, variableCoercion, rootSelectionSet, resolve };
}

/** Tells of the whole of an execution. */
export function traceExecute<T>({ execute }: ExecutionChannels, execution: TracedExecution, run: () => T): T {
  return execute === undefined ? run() : traceMixed(execute, executeContext(execution), run);
}

/** Tells of the coercion of its variables, or of its root. */
export function traceStage<T>(channel: TracingChannel | undefined, execution: TracedExecution, run: () => T): T {
  if (channel === undefined) return run();
  const { schema, document, operation, variableValues: rawVariableValues } = execution;
  const context = {
    schema,
    document,
    operation,
    rawVariableValues,
    operationName: operation.name?.value,
    operationType: operation.operation,
  };
  return traceMixed(channel, context, run);
}

/** The context object of the channels `execute` and `subscribe`. */
export function executeContext({ schema, document, operation, variableValues: rawVariableValues }: TracedExecution): object {
  return { schema, document, rawVariableValues, operationName: operation.name?.value, operationType: operation.operation };
}
