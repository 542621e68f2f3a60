import { execute as executeWithoutOperation, getOperationAST, Kind } from 'graphql';
import type { DocumentNode, ExecutionArgs, ExecutionResult, GraphQLError, GraphQLFormattedError } from 'graphql';

import { executeWithGraphQLJS } from '../../../execution/graphql-js/execute-with-graphql-js.ts';
import { executePlanned } from '../../../execution/planned-executor.ts';
import { HeaderMap } from '../../../message/header-map.ts';
import { assertFresh } from '../../../operation/context.ts';
import { ownError, ownErrors, ownForm } from '../../../message/own-errors.ts';
import { deepCopyOf, isPlainObject } from '../../../message/plain-object.ts';
import { AnswerLimit } from '../../../operation/limits/answer-limit.ts';
import { ErrorAllowance } from '../../../operation/limits/error-allowance.ts';
import { assertKnownKeys, maxInputErrors } from '../../../operation/limits/heavy-variables.ts';
import {
  ApolloError,
  PersistedQueryNotFoundError,
  PersistedQueryNotSupportedError,
  UserInputError,
  HttpQueryError,
} from '../errors/apollo-error.ts';
import { formatApolloErrors, fromGraphQLError } from '../errors/format-errors.ts';
import { watchFields, wrapSelectedFields } from '../../watched-fields.ts';
import { isWatchedByCacheControl } from '../plugins/cache-control.ts';
import { cacheControlId } from '../plugins/cache-control.ts';
import type { GraphQLRequestContext, GraphQLRequestExecutionListener, GraphQLRequestListener, GraphQLResponse } from '../types.ts';
import { askInTurn, fieldHookOf, tellAll } from './listeners.ts';
import { Refusal } from './operation.ts';
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
    const keep = await readSource(operation);
    await tellAll(operation.listeners, 'didResolveSource', context);
    await readDocument(operation);
    await chooseOperation(operation);
    keep?.();
    return await send(operation, formatted(operation, await respond(operation)));
  } catch (thrown) {
    if (!(thrown instanceof Refusal)) throw thrown;
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
  // A copy: one object that is filled in anew each time would hold those of the operation that came last.
  const dataSources = { ...config.dataSources() };
  const settings = {
    context: context.context as unknown,
    cache: context.cache,
    ...(invocation !== undefined && { operation: invocation }),
  };
  for (const [name, source] of Object.entries(dataSources))
    if (typeof source.initialize === 'function') assertFresh({ development: false, logger: config.logger }, name, source);
  // `async`, so that one that throws at once does not leave another's rejection unhandled.
  await Promise.all(Object.values(dataSources).map(async (dataSource) => dataSource.initialize?.(settings)));
  if ('dataSources' in context.context)
    throw new Error('Please use the dataSources config option instead of putting dataSources on the context yourself.');
  context.context.dataSources = dataSources;
}

/** Sets the source. Returns the function that registers it as a persisted query, if it is to be one. */
async function readSource(operation: Operation): Promise<(() => void) | undefined> {
  const { config, context, invocation } = operation;
  const found = await resolveSource(config.persistedQueries, context.request, context.metrics);
  if (found instanceof Error) throw new Refusal([found]);
  context.source = found.source;
  const { keep } = found;
  if (keep === undefined) return undefined;
  return () => {
    const kept = keep().catch((error: unknown) => context.logger.warn(error));
    invocation?.waitUntil(kept);
  };
}

async function chooseOperation({ context, listeners }: Operation): Promise<void> {
  const found = getOperationAST(context.document!, context.request.operationName);
  if (found) context.operation = found;
  context.operationName = found?.name?.value ?? null;
  try {
    await tellAll(listeners, 'didResolveOperation', context);
  } catch (error) {
    throw new Refusal([error as Error]);
  }
}

/** A plugin's answer, or that of the execution. */
async function respond(operation: Operation): Promise<GraphQLResponse> {
  const { context, listeners } = operation;
  const given = await askInTurn(listeners, 'responseForOperation', context);
  // A plugin may give the same answer to all.
  if (given !== undefined) return ownResponse(given as GraphQLResponse);

  const executing = (await tellAll(listeners, 'executionDidStart', context)).map(toExecutionListener).filter((one) => one !== undefined);
  executing.reverse();
  try {
    const result = await execute(operation, executing);
    const own = result.errors && ownErrors(result.errors);
    const errors = own?.map((error) => (isBadInput(error) ? fromGraphQLError(error, { errorClass: UserInputError }) : error));
    if (errors !== undefined) await tellErrors(operation, errors as Error[]);
    const response = { ...result, errors: errors && format(operation, errors as Error[]) } as GraphQLResponse;
    await tellAll(executing, 'executionDidEnd');
    return response;
  } catch (error) {
    await tellAll(executing, 'executionDidEnd', error);
    throw new Refusal([error as Error]);
  }
}

function ownResponse(response: GraphQLResponse): GraphQLResponse {
  const { data, errors, extensions } = response;
  return {
    ...response,
    ...(data && { data: deepCopyOf(data) }),
    ...(errors && { errors: errors.map(ownForm) }),
    ...(extensions && { extensions: deepCopyOf(extensions) }),
  };
}

/** What an executor of the user's says beside the data, as this operation's own. */
function withOwnParts(result: ExecutionResult): ExecutionResult {
  const { errors, extensions } = result;
  return { ...result, ...(errors && { errors: errors.map(ownError) }), ...(extensions && { extensions: deepCopyOf(extensions) }) };
}

/** Version 2 took a function here, called at the end. */
function toExecutionListener(given: unknown): GraphQLRequestExecutionListener<any> | undefined {
  if (typeof given === 'function') return { executionDidEnd: given as (error?: Error) => void };
  return typeof given === 'object' && given !== null ? (given as GraphQLRequestExecutionListener<any>) : undefined;
}

async function execute(operation: Operation, executing: readonly GraphQLRequestExecutionListener<any>[]): Promise<ExecutionResult> {
  const { config, context, invocation, budget, capacity } = operation;
  if (config.executor !== undefined) return withOwnParts((await config.executor(context as never)) as ExecutionResult);

  const isWatchedByUsers = watch(operation, executing);
  const { schema, fieldResolver } = config;
  const document = context.document!;
  const variables = context.request.variables;
  const execution = {
    schema,
    document,
    rootValue: rootValueOf(config, document),
    contextValue: context.context as unknown,
    variableValues: variables,
    fieldResolver,
  };
  const chosen = context.operation;
  // graphql-js has the words for a document in which there is nothing to run.
  if (chosen === undefined) return executeWithoutOperation({ ...execution, operationName: context.request.operationName } as ExecutionArgs);
  const run = isWatchedByUsers || hasFragmentVariables(document) ? executeWithGraphQLJS : executePlanned;
  assertKnownKeys({ schema, operation: chosen, variables });
  const answerLimit = capacity && new AnswerLimit(capacity, chosen.operation, budget);
  const bounds = { invocation, answerLimit, maxInputErrors: maxInputErrors(variables) };
  return run({ ...execution, ...bounds, operation: chosen, hideSuggestions: false });
}

/** Only a document store can give such a document: graphql-js parses it when it is asked to, and a plan knows nothing of it. */
function hasFragmentVariables({ definitions }: DocumentNode): boolean {
  return definitions.some((one) => one.kind === Kind.FRAGMENT_DEFINITION && (one.variableDefinitions?.length ?? 0) > 0);
}

/** A plain object is copied, as in the line: a loader that somebody keeps by it would serve the next user. */
function rootValueOf({ rootValue }: PipelineConfig, document: DocumentNode): unknown {
  const value = typeof rootValue === 'function' ? (rootValue as (document: DocumentNode) => unknown)(document) : rootValue;
  return isPlainObject(value) ? { ...value } : value;
}

/** Puts `willResolveField` around the fields of the document. True when all fields are watched: a plan may be older than that. */
function watch({ config, context }: Operation, executing: readonly GraphQLRequestExecutionListener<any>[]): boolean {
  const willResolveField = fieldHookOf(executing);
  const { fieldResolver, schema } = config;
  if (willResolveField === undefined) return false;
  watchFields(context.context as object, { willResolveField, fieldResolver });
  const isWatchedByUsers = executing.some((one) => one.willResolveField !== undefined && !(cacheControlId in one));
  wrapSelectedFields(schema, context.document!, isWatchedByUsers ? () => true : isWatchedByCacheControl);
  return isWatchedByUsers;
}

/** True for graphql-js's errors of variables that do not fit their types, before anything runs. */
function isBadInput({ nodes, message }: GraphQLError): boolean {
  const [node] = nodes ?? [];
  return nodes?.length === 1 && node?.kind === Kind.VARIABLE_DEFINITION && message.startsWith(`Variable "$${node.variable.name.value}" `);
}

function formatted({ config, context }: Operation, response: GraphQLResponse): GraphQLResponse {
  return config.formatResponse?.(response, context) ?? response;
}

async function sendErrors(operation: Operation, { errors: thrown, errorClass }: Refusal): Promise<GraphQLResponse> {
  const errors = thrown.map(ownError);
  await tellErrors(operation, errors);
  const classed = errors.map((error) => (error instanceof ApolloError && !errorClass ? error : fromGraphQLError(error, { errorClass })));
  return send(operation, { errors: format(operation, classed), ...httpOf(errors) });
}

/** Status and header fields that errors ask for. A client that sends a hash nobody knows tries again at once: 200, and never kept. */
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
  await tellAll(listeners, 'willSendResponse', context);
  return context.response;
}

/** Every answer with errors is preceded by this hook: reporting plug-ins count on it. */
async function tellErrors({ context, listeners }: Operation, errors: readonly Error[]): Promise<void> {
  context.errors = errors as readonly GraphQLError[];
  await tellAll(listeners, 'didEncounterErrors', context);
}

/** As many as an answer may have; the last says how many more there are. */
function format({ config, context, budget }: Operation, errors: readonly Error[]): readonly GraphQLFormattedError[] {
  const allowance = budget?.errors ?? new ErrorAllowance();
  return allowance.fitAll(
    errors,
    // A formatter that returns nothing makes null of the error, as in version 3.
    (error) =>
      formatApolloErrors([error], { formatter: config.formatError, debug: context.debug, showStacks: config.showStacks })[0] ??
      (null as never),
  );
}
