import { GraphQLError, Kind, execute as executeWithGraphQLJS, getOperationAST } from 'graphql';
import type { DocumentNode, ExecutionArgs, ExecutionResult, FormattedExecutionResult, GraphQLFormattedError } from 'graphql';

import type { KeptPlans } from '../../executor/index.ts';
import { ErrorAllowance, assertFresh, createExecution, executeOperation } from '../../server/index.ts';
import {
  HeaderMap,
  copyErrorForOperation,
  copyErrorsForOperation,
  copyMutableParts,
  deepCopyOf,
  isObjectLike,
} from '../../shared/index.ts';
import type { Capacity, OperationInvocation } from '../../shared/index.ts';
import {
  ApolloError,
  HttpQueryError,
  PersistedQueryNotFoundError,
  PersistedQueryNotSupportedError,
  UserInputError,
} from '../errors/apollo-error.ts';
import { formatApolloErrors, fromGraphQLError } from '../errors/format-errors.ts';
import type { QueryOptions } from '../options.ts';
import type {
  GraphQLRequest,
  GraphQLRequestContext,
  GraphQLRequestExecutionListener,
  GraphQLRequestListener,
  GraphQLResponse,
} from '../types.ts';
import { readDocument, readSource } from './document.ts';
import { fieldObserverOf } from './field-observer.ts';
import { RefusedOperation, callHooks } from './hooks.ts';
import { createRequestContext, setFields } from './request-context.ts';

/** The part of a call that an operation needs. */
export interface OperationCall {
  /** The platform's call; undefined in `executeOperation`, which no platform calls. */
  readonly invocation?: OperationInvocation;
  /** The limit of the answer. Undefined: none. */
  readonly capacity?: Capacity;
  /** Number of operations in the batch, each with an equal share of the limits. 1 for a single operation. */
  readonly operations: number;
  readonly isBatched: boolean;
}

/** A running operation. */
interface Operation extends OperationCall {
  readonly options: QueryOptions;
  readonly context: GraphQLRequestContext<any>;
  readonly listeners: readonly GraphQLRequestListener<any>[];
}

/** Runs one operation, from its request to the answer that is to be sent. Rejects when a hook or a data source fails. */
export async function runOperation(options: QueryOptions, request: GraphQLRequest, call: OperationCall): Promise<GraphQLResponse> {
  const context = createRequestContext(options, request, call.isBatched);
  const listeners: GraphQLRequestListener<any>[] = [];
  for (const plugin of options.plugins) {
    const listener = await plugin.requestDidStart?.(context);
    if (listener) listeners.push(listener);
  }
  const operation: Operation = { ...call, options, context, listeners };
  try {
    await initializeDataSources(operation);
    const register = await readSource(operation);
    await callHooks(listeners, 'didResolveSource', context);
    const plans = await readDocument(operation);
    await chooseOperation(operation);
    register?.();
    const response = await respond(operation, plans);
    return await send(operation, options.formatResponse?.(response, context) ?? response);
  } catch (thrown) {
    if (!(thrown instanceof RefusedOperation)) throw thrown;
    return sendErrors(operation, thrown);
  }
}

async function initializeDataSources({ options, context, invocation }: Operation): Promise<void> {
  if (options.dataSources === undefined) return;
  // A copy, because `dataSources` may return the same object for each operation.
  const dataSources = { ...options.dataSources() };
  const { context: contextValue, cache, logger } = context;
  const settings = { context: contextValue as unknown, cache, ...(invocation && { operation: invocation }) };
  for (const [name, source] of Object.entries(dataSources))
    if (typeof source.initialize === 'function') assertFresh({ development: false, logger }, name, source);
  // `async`, so that a synchronous error does not leave the rejection of another unhandled.
  await Promise.all(Object.values(dataSources).map(async (dataSource) => dataSource.initialize?.(settings)));
  if ('dataSources' in contextValue)
    throw new Error('Please use the dataSources config option instead of putting dataSources on the context yourself.');
  contextValue.dataSources = dataSources;
}

async function chooseOperation({ context, listeners }: Operation): Promise<void> {
  const found = getOperationAST(context.document!, context.request.operationName);
  if (found) context.operation = found;
  context.operationName = found?.name?.value ?? null;
  try {
    await callHooks(listeners, 'didResolveOperation', context);
  } catch (error) {
    throw new RefusedOperation([error as Error]);
  }
}

/** The response of a plugin, or of the execution. */
async function respond(operation: Operation, plans: KeptPlans | undefined): Promise<GraphQLResponse> {
  const { context, listeners } = operation;
  for (const listener of listeners) {
    const [given] = (await callHooks([listener], 'responseForOperation', context)) as [GraphQLResponse | null | undefined];
    // A plugin may return the same object for each operation.
    if (given !== null && given !== undefined) return { ...copyMutableParts(given), ...(given.data && { data: deepCopyOf(given.data) }) };
  }
  const started = await callHooks(listeners, 'executionDidStart', context);
  const executing = (started.filter(isObjectLike) as GraphQLRequestExecutionListener<any>[]).toReversed();
  try {
    const result = await execute(operation, executing, plans);
    const copies = result.errors && copyErrorsForOperation(result.errors);
    const errors = copies?.map((error) => (isBadInput(error) ? fromGraphQLError(error, { errorClass: UserInputError }) : error));
    const formatted = errors && (await toFormatted(operation, errors));
    await callHooks(executing, 'executionDidEnd');
    return { ...result, errors: formatted } as GraphQLResponse;
  } catch (error) {
    await callHooks(executing, 'executionDidEnd', error);
    throw new RefusedOperation([error as Error]);
  }
}

async function execute(
  { options, context, invocation, operations, capacity }: Operation,
  executing: readonly GraphQLRequestExecutionListener<any>[],
  kept: KeptPlans | undefined,
): Promise<ExecutionResult> {
  const { executor, schema, rootValue, fieldResolver } = options;
  if (executor !== undefined) return copyMutableParts((await executor(context as never)) as FormattedExecutionResult) as ExecutionResult;
  const { operation, context: contextValue } = context;
  const { variables: variableValues, operationName } = context.request;
  const document = context.document!;
  // graphql-js has the error for a document without an operation to run.
  if (operation === undefined) return executeWithGraphQLJS({ schema, document, operationName } as ExecutionArgs);
  assertNoFragmentVariables(document);
  const answerLimit = capacity && { capacity, operations };
  const observer = fieldObserverOf(executing, contextValue);
  const settings = { schema, rootValue: rootValue as unknown, fieldResolver, introspection: true, executor };
  const parts = { document, operation, contextValue: contextValue as unknown, variableValues, invocation, answerLimit, kept, observer };
  return executeOperation(settings, createExecution(settings, parts));
}

/** Only a document store returns such a document: graphql-js parses it with an experimental option. */
function assertNoFragmentVariables({ definitions }: DocumentNode): void {
  for (const definition of definitions) {
    if (definition.kind !== Kind.FRAGMENT_DEFINITION || (definition.variableDefinitions ?? []).length === 0) continue;
    throw new GraphQLError(
      `Variables of fragments are not supported, and the fragment "${definition.name.value}" has some. Use variables of the operation.`,
      { nodes: definition },
    );
  }
}

/** True for errors of graphql-js about variables of the wrong type. */
function isBadInput({ nodes, message }: GraphQLError): boolean {
  const [node] = nodes ?? [];
  return nodes?.length === 1 && node?.kind === Kind.VARIABLE_DEFINITION && message.startsWith(`Variable "$${node.variable.name.value}" `);
}

async function sendErrors(operation: Operation, { errors: thrown, errorClass }: RefusedOperation): Promise<GraphQLResponse> {
  const errors = thrown.map(copyErrorForOperation);
  const classed = (error: Error): Error => (error instanceof ApolloError && !errorClass ? error : fromGraphQLError(error, { errorClass }));
  return send(operation, { errors: await toFormatted(operation, errors, classed), ...httpOf(errors) });
}

/** Status and header fields for errors. A client that sends an unknown hash tries again at once, so the answer has status 200 and is not cached. */
function httpOf(errors: readonly Error[]): Pick<GraphQLResponse, 'http'> {
  const [first] = errors;
  if (errors.every((error) => error instanceof PersistedQueryNotFoundError || error instanceof PersistedQueryNotSupportedError))
    return { http: { status: 200, headers: new HeaderMap({ 'cache-control': 'private, no-cache, must-revalidate' }) } };
  if (errors.length > 1 || !(first instanceof HttpQueryError)) return {};
  return { http: { status: first.statusCode, headers: new HeaderMap(first.headers) } };
}

async function send({ context, listeners }: Operation, response: GraphQLResponse): Promise<GraphQLResponse> {
  const { data, errors, extensions, http: given } = response;
  context.response = { ...context.response, errors, data, extensions } as GraphQLResponse;
  if (given !== undefined) {
    const http = (context.response.http ??= { headers: new HeaderMap() });
    if (given.status) http.status = given.status;
    setFields(http.headers, given.headers);
  }
  await callHooks(listeners, 'willSendResponse', context);
  return context.response;
}

/**
 * Calls `didEncounterErrors`, as reporting plugins expect before every answer with errors. Then formats as many as an answer may have; the
 * last one says how many were left out.
 */
async function toFormatted(
  { options, context, listeners, operations }: Operation,
  errors: readonly Error[],
  classed: (error: Error) => Error = (error) => error,
): Promise<readonly GraphQLFormattedError[]> {
  context.errors = errors as readonly GraphQLError[];
  await callHooks(listeners, 'didEncounterErrors', context);
  const settings = { ...options, debug: context.debug, formatter: options.formatError };
  // If the formatter returns nothing, the error becomes null, as in version 3.
  return new ErrorAllowance(operations).fitAll(errors, (error) => formatApolloErrors([classed(error)], settings)[0] ?? (null as never));
}
