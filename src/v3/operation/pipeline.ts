import { execute as executeWithoutOperation, getOperationAST, GraphQLError, Kind } from 'graphql';
import type { DocumentNode, ExecutionArgs, ExecutionResult, GraphQLFormattedError } from 'graphql';

import { HeaderMap, deepCopyOf, copyErrorForOperation, copyErrorsForOperation, copyFormattedError } from '../../shared/index.ts';
import { assertFresh, createExecution, ErrorAllowance, executeOperation } from '../../server/for-v3.ts';
import {
  ApolloError,
  PersistedQueryNotFoundError,
  PersistedQueryNotSupportedError,
  UserInputError,
  HttpQueryError,
} from '../errors/apollo-error.ts';
import { formatApolloErrors, fromGraphQLError } from '../errors/format-errors.ts';
import type { GraphQLRequestContext, GraphQLRequestExecutionListener, GraphQLRequestListener, GraphQLResponse } from '../types.ts';
import { fieldObserverOf } from './field-observer.ts';
import { callUntilAnswered, callHooks } from './listeners.ts';
import { RefusedOperation } from './operation.ts';
import type { Operation, OperationCall, PipelineConfig } from './operation.ts';
import { resolveSource } from './persisted-query.ts';
import { readDocument } from './read-document.ts';
import { setFields } from './request-context.ts';

/** Runs one operation, from its request to the answer that is to be sent. Rejects when a hook or a data source fails. */
export async function processGraphQLRequest(
  config: PipelineConfig,
  context: GraphQLRequestContext<any>,
  call: OperationCall,
): Promise<GraphQLResponse> {
  const operation: Operation = { ...call, config, context, listeners: await startListeners(config, context) };
  try {
    await initializeDataSources(operation);
    const register = await readSource(operation);
    await callHooks(operation.listeners, 'didResolveSource', context);
    await readDocument(operation);
    await chooseOperation(operation);
    register?.();
    return await send(operation, formatted(operation, await respond(operation)));
  } catch (thrown) {
    if (!(thrown instanceof RefusedOperation)) throw thrown;
    return sendErrors(operation, thrown);
  }
}

async function startListeners(config: PipelineConfig, context: GraphQLRequestContext<any>): Promise<GraphQLRequestListener<any>[]> {
  const listeners: GraphQLRequestListener<any>[] = [];
  for (const plugin of config.plugins) {
    const listener = await plugin.requestDidStart?.(context);
    if (listener) listeners.push(listener);
  }
  return listeners;
}

async function initializeDataSources({ config, context, invocation }: Operation): Promise<void> {
  if (config.dataSources === undefined) return;
  // A copy, because `dataSources` may return the same object for each operation.
  const dataSources = { ...config.dataSources() };
  const settings = {
    context: context.context as unknown,
    cache: context.cache,
    ...(invocation !== undefined && { operation: invocation }),
  };
  for (const [name, source] of Object.entries(dataSources))
    if (typeof source.initialize === 'function') assertFresh({ development: false, logger: config.logger }, name, source);
  // `async`, so that a synchronous error does not leave the rejection of another unhandled.
  await Promise.all(Object.values(dataSources).map(async (dataSource) => dataSource.initialize?.(settings)));
  if ('dataSources' in context.context)
    throw new Error('Please use the dataSources config option instead of putting dataSources on the context yourself.');
  context.context.dataSources = dataSources;
}

/** Sets the source. Returns a function that registers it, if the client asks for that. */
async function readSource(operation: Operation): Promise<(() => void) | undefined> {
  const { config, context, invocation } = operation;
  const found = await resolveSource(config.persistedQueries, context.request, context.metrics);
  if (found instanceof Error) throw new RefusedOperation([found]);
  context.source = found.source;
  const { register } = found;
  if (register === undefined) return undefined;
  return () => {
    const registered = register().catch((error: unknown) => context.logger.warn(error));
    invocation?.waitUntil(registered);
  };
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
async function respond(operation: Operation): Promise<GraphQLResponse> {
  const { context, listeners } = operation;
  const given = await callUntilAnswered(listeners, 'responseForOperation', context);
  // A plugin may return the same object for each operation.
  if (given !== undefined) return copyResponse(given as GraphQLResponse);

  const started = await callHooks(listeners, 'executionDidStart', context);
  const executing = started.filter(isExecutionListener).toReversed();
  try {
    const result = await execute(operation, executing);
    const copies = result.errors && copyErrorsForOperation(result.errors);
    const errors = copies?.map((error) => (isBadInput(error) ? fromGraphQLError(error, { errorClass: UserInputError }) : error));
    if (errors !== undefined) await callDidEncounterErrors(operation, errors as Error[]);
    const response = { ...result, errors: errors && format(operation, errors as Error[]) } as GraphQLResponse;
    await callHooks(executing, 'executionDidEnd');
    return response;
  } catch (error) {
    await callHooks(executing, 'executionDidEnd', error);
    throw new RefusedOperation([error as Error]);
  }
}

function copyResponse(response: GraphQLResponse): GraphQLResponse {
  const { data, errors, extensions } = response;
  return {
    ...response,
    ...(data && { data: deepCopyOf(data) }),
    ...(errors && { errors: errors.map(copyFormattedError) }),
    ...(extensions && { extensions: deepCopyOf(extensions) }),
  };
}

/** Copies errors and extensions, which a custom executor may return for each operation. */
function copyExecutorParts(result: ExecutionResult): ExecutionResult {
  const { errors, extensions } = result;
  return {
    ...result,
    ...(errors && { errors: errors.map(copyErrorForOperation) }),
    ...(extensions && { extensions: deepCopyOf(extensions) }),
  };
}

function isExecutionListener(given: unknown): given is GraphQLRequestExecutionListener<any> {
  return typeof given === 'object' && given !== null;
}

async function execute(operation: Operation, executing: readonly GraphQLRequestExecutionListener<any>[]): Promise<ExecutionResult> {
  const { config, context, invocation, operations, capacity, plans: kept } = operation;
  if (config.executor !== undefined) return copyExecutorParts((await config.executor(context as never)) as ExecutionResult);

  const { schema, rootValue, fieldResolver } = config;
  const { operation: chosen, context: contextValue } = context;
  const { variables, operationName } = context.request;
  const document = context.document!;
  // graphql-js has the error for a document without an operation to run.
  if (chosen === undefined) return executeWithoutOperation({ schema, document, operationName } as ExecutionArgs);
  assertNoFragmentVariables(document);
  const answerLimit = capacity && { capacity, operations };
  const observer = fieldObserverOf(executing, contextValue);
  const settings = { schema, rootValue, fieldResolver, introspection: true, executor: undefined };
  const parts = { document, operation: chosen, contextValue, variableValues: variables, invocation, answerLimit, kept, observer };
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

function formatted({ config, context }: Operation, response: GraphQLResponse): GraphQLResponse {
  return config.formatResponse?.(response, context) ?? response;
}

async function sendErrors(operation: Operation, { errors: thrown, errorClass }: RefusedOperation): Promise<GraphQLResponse> {
  const errors = thrown.map(copyErrorForOperation);
  await callDidEncounterErrors(operation, errors);
  const classed = errors.map((error) => (error instanceof ApolloError && !errorClass ? error : fromGraphQLError(error, { errorClass })));
  return send(operation, { errors: format(operation, classed), ...httpOf(errors) });
}

/** Status and header fields for errors. A client that sends an unknown hash tries again at once, so the answer has status 200 and is not cached. */
function httpOf(errors: readonly Error[]): Pick<GraphQLResponse, 'http'> {
  const [first] = errors;
  const isOfPersistedQuery = errors.every(
    (error) => error instanceof PersistedQueryNotFoundError || error instanceof PersistedQueryNotSupportedError,
  );
  if (isOfPersistedQuery)
    return { http: { status: 200, headers: new HeaderMap({ 'cache-control': 'private, no-cache, must-revalidate' }) } };
  if (errors.length === 1 && first instanceof HttpQueryError)
    return { http: { status: first.statusCode, headers: new HeaderMap(first.headers) } };
  return {};
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

/** Called before every answer with errors, as reporting plugins expect. */
async function callDidEncounterErrors({ context, listeners }: Operation, errors: readonly Error[]): Promise<void> {
  context.errors = errors as readonly GraphQLError[];
  await callHooks(listeners, 'didEncounterErrors', context);
}

/** Formats as many errors as an answer may have; the last one says how many were left out. */
function format({ config, context, operations }: Operation, errors: readonly Error[]): readonly GraphQLFormattedError[] {
  const allowance = new ErrorAllowance(operations);
  return allowance.fitAll(
    errors,
    // If the formatter returns nothing, the error becomes null, as in version 3.
    (error) =>
      formatApolloErrors([error], { formatter: config.formatError, debug: context.debug, showStacks: config.showStacks })[0] ??
      (null as never),
  );
}
