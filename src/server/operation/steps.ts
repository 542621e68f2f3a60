/** The steps of one operation. A step that sets the result is the last one; what a step throws becomes an error of the answer. */
import { GraphQLError } from 'graphql';
import type { ExecutionResult } from 'graphql';

import { coercedVariables, prepareExecution } from '../../executor/index.ts';
import type { PartSettings } from '../../executor/index.ts';
import { rescued, whenReady } from '../../shared/index.ts';
import type { Eventual } from '../../shared/index.ts';
import { createContextValue } from './context.ts';
import type { Delivery } from './delivery/delivery.ts';
import { aliasesOf, loadDocument } from './documents/document.ts';
import type { KnownDocument } from './documents/document-cache.ts';
import type { PersistedQuery } from './documents/persisted-queries.ts';
import { isPlainSource, resolveSource } from './documents/source.ts';
import { errorHandlingOf } from './error-behavior.ts';
import { codeOf, deadlineExceeded, toErrors, unfinishedAtDeadline } from './errors.ts';
import { createExecution, executeOperation } from './execute.ts';
import type { Execution } from './execute.ts';
import { startHooks } from './hooks.ts';
import type { OperationHooks } from './hooks.ts';
import { AnswerLimit } from './limits/answer-limit.ts';
import { assertCost } from './limits/cost.ts';
import { ErrorAllowance } from './limits/error-allowance.ts';
import { outcomeInTime } from './around.ts';
import { outcomeOfFailure, toOutcome } from './outcome.ts';
import type { CoercedExecution, OperationExecution } from './plugin.ts';
import { operationToRun } from './resolve.ts';
import type { ChosenOptions, OperationState, WrapExecution } from './state.ts';
import type { OperationOutcome, PayloadStream } from './types.ts';

/** Throws when the call has been answered already: the start of the server, or a body, came too late. */
export function assertInTime({ input }: OperationState): void {
  if (input.invocation.isAnswered) throw deadlineExceeded();
}

/** True when no further step is run. Throws when the time is up. */
export function isExecuted({ timeIsUp, result }: OperationState): boolean {
  if (timeIsUp !== undefined) throw timeIsUp;
  return result !== undefined;
}

export function makeContext(state: OperationState): Eventual<void> {
  return whenReady(createContextValue(state.settings, state.input), setContext, state);
}

function setContext(contextValue: unknown, state: OperationState): void {
  state.contextValue = contextValue;
  state.contextFailed = false;
}

/** Calls `requestDidStart` of every plugin. */
export function startPlugins(state: OperationState): Eventual<void> {
  const { settings, input, contextValue } = state;
  const { plugins, schema, cache, logger } = settings;
  if (plugins.length === 0) return undefined;
  const context = {
    request: { ...input.request, http: input.http },
    response: { http: input.head },
    requestIsBatched: input.budget !== undefined,
    schema,
    contextValue,
    cache,
    logger,
  };
  return whenReady(startHooks(plugins, context), setHooks, state);
}

function setHooks(hooks: OperationHooks | undefined, state: OperationState): void {
  state.hooks = hooks;
}

/** The text of the document: from the request, or by its hash or id. Then `didResolveSource` of the plugins. */
export function findSource(state: OperationState): Eventual<void> {
  const { settings, input, hooks } = state;
  // Most requests bring their text, and nothing else has to be looked up.
  if (!isPlainSource(settings, input.request)) return whenReady(resolveSource(settings, input.request), setSource, state);
  state.source = input.request.query!;
  return hooks?.didResolveSource(state.source);
}

function setSource({ source, keep, onError, isRefusedInProduction }: PersistedQuery, state: OperationState): Eventual<void> {
  state.source = source;
  state.keep = keep;
  state.onError ??= onError;
  if (isRefusedInProduction === true)
    state.input.head.headers.set('graphql-functions-notice', 'Production refuses this operation: it is not in trustedDocuments.');
  return state.hooks?.didResolveSource(source);
}

export function parseAndValidate(state: OperationState): Eventual<void> {
  const { settings, input, source = '', hooks } = state;
  return whenReady(loadDocument(settings, source, hooks, input.budget), setDocument, state);
}

function setDocument(known: KnownDocument | GraphQLError, state: OperationState): void {
  if (known instanceof GraphQLError) state.result = { errors: [known] };
  else state.known = known;
}

/** The operation to run. Its document is registered now, if it came with a hash. */
export function chooseOperation(state: OperationState): void {
  const { settings, input, known, keep } = state;
  state.operation = operationToRun(settings.schema, known!, { name: input.request.operationName, refuse: input.refuse });
  if (keep !== undefined) input.invocation.waitUntil(keep());
}

export function checkLimits({ settings, input, known, operation }: OperationState): void {
  const { schema, maxAliases, maxCost } = settings;
  const { budget } = input;
  const { variables } = input.request;
  if (budget !== undefined && maxAliases !== undefined) budget.spend('maxAliases', aliasesOf(operation!), operation!);
  if (maxCost !== undefined) assertCost(maxCost, { schema, document: known!.document, operation: operation!, variables }, budget);
}

/** `didResolveOperation`, then `responseForOperation`: a plugin may answer in place of the execution. */
export function callPlugins(state: OperationState): Eventual<void> {
  return state.hooks === undefined ? undefined : callOperationHooks(state, state.hooks);
}

async function callOperationHooks(state: OperationState, hooks: OperationHooks): Promise<void> {
  await hooks.didResolveOperation(state.known!.document, state.operation!);
  state.result = await hooks.responseForOperation();
}

/**
 * Calls `executionWillStart` of the plugins, plans the operation at its first runs, and coerces its variables. Variables with errors
 * are the result of the execution, and its hooks are called.
 */
export function coerceVariables(state: OperationState): Eventual<void> {
  return whenReady(state.settings.notifyExecution?.(describeExecution(state)) ?? noChoices, prepareAsChosen, state);
}

function prepareAsChosen({ objects, runToEnd = false, inOneAnswer, wrap, observer }: Partial<ChosenOptions>, state: OperationState): void {
  const { settings, input, known, operation, contextValue } = state;
  const { capacity, budget, invocation, request } = input;
  state.runsToEnd = runToEnd;
  state.wrapExecution = wrap;
  if (runToEnd) invocation.until = 'deadline';
  if (inOneAnswer === true) input.delivery = undefined;
  const { document, plan } = known!;
  state.objects = objects?.begin();
  const execution = createExecution(settings, {
    document,
    operation: operation!,
    contextValue,
    variableValues: request.variables,
    invocation,
    answerLimit: new AnswerLimit(capacity, operation!.operation, budget),
    kept: plan,
    objects: state.objects,
    errorHandling: errorHandlingOf(state.onError, settings.partial),
    observer,
    parts: partsOf(state),
  });
  if (isPlanned(state)) execution.prepared = prepareExecution(execution);
  state.execution = execution;
}

const noChoices: Partial<ChosenOptions> = {};

/** How the answer is divided. Undefined: the client reads one answer, or the operation has none of its own. */
function partsOf({ settings, input, operation }: OperationState): PartSettings | undefined {
  const format = input.delivery?.incremental;
  if (format === undefined || operation!.operation === 'subscription') return undefined;
  return settings.incrementalDelivery?.partsOf(format);
}

/** False where graphql-js runs the operation, which coerces variables itself. */
function isPlanned({ settings, operation }: OperationState): boolean {
  return settings.executor === undefined && operation!.operation !== 'subscription';
}

/** Runs the resolvers, inside the plugins that wrap executions. */
export function execute(state: OperationState): Eventual<unknown> {
  const wrapExecution = wrapperOf(state);
  const executing = wrapExecution === undefined ? executeWithHooks(state) : executeWrapped(wrapExecution, state);
  if (state.runsToEnd && executing instanceof Promise) state.input.invocation.waitUntil(executing.catch(() => {}));
  return executing;
}

/**
 * The plugins that wrap this execution, around those that wrap all: what the former store is what the client gets, even if a plugin fails
 * after the execution, for example when it commits a transaction.
 */
function wrapperOf(state: OperationState): WrapExecution | undefined {
  const { wrapExecution: outer, settings } = state;
  const { wrapExecution: inner } = settings;
  if (outer === undefined || inner === undefined) return outer ?? inner;
  const wrap = (execution: CoercedExecution, next: () => Eventual<OperationOutcome>): Eventual<OperationOutcome> =>
    outer(execution, () => rescued(() => inTime(inner(execution, next), inner), failWrapped, state));
  const inTime = (wrapping: Eventual<OperationOutcome>, { mustEnd }: WrapExecution): Eventual<OperationOutcome> =>
    outcomeInTime(wrapping, state.input.invocation, { inner: () => state.wrapped, mustEnd });
  return Object.assign(wrap, { mustEnd: outer.mustEnd || inner.mustEnd });
}

function executeWrapped(wrapExecution: WrapExecution, state: OperationState): Eventual<unknown> {
  const isSubscription = state.operation!.operation === 'subscription';
  const variableValues = isSubscription ? undefined : coercedVariables(state.execution!);
  if (variableValues === undefined) return executeWithHooks(state);
  const execution = { ...describeExecution(state), response: state.input.head, variableValues };
  const wrapping = rescued(() => wrapExecution(execution, () => (state.wrapped = executeToOutcome(state))), failWrapped, state);
  return whenReady(
    outcomeInTime(wrapping, state.input.invocation, { inner: () => state.wrapped, mustEnd: wrapExecution.mustEnd }),
    setOutcome,
    state,
  );
}

/** What `next` returns. A plugin that calls it when the operation has been answered starts nothing. */
function executeToOutcome(state: OperationState): Eventual<OperationOutcome> {
  if (state.timeIsUp !== undefined) return outcomeOfFailure(state.timeIsUp, state);
  return whenReady(rescued(executeWrappedInTime, toErrors, state), toOutcome, state);
}

function executeWrappedInTime(state: OperationState): Eventual<ExecutionResult> {
  const running = executeWithHooks(state);
  return running instanceof Promise ? waitInTime(running, state, () => false) : running;
}

/** A plugin that fails fails the operation. The last hooks are not called twice. */
function failWrapped(thrown: unknown, state: OperationState): OperationOutcome {
  if (state.wrapped === undefined) throw thrown;
  return outcomeOfFailure(thrown, state);
}

function setOutcome(outcome: OperationOutcome, state: OperationState): void {
  state.outcome = outcome;
}

/** The execution as plugins see it. */
function describeExecution({ settings, input, contextValue, source = '', known, operation }: OperationState): OperationExecution {
  const { request, http, batchIndex, invocation } = input;
  const { document } = known!;
  return { request, http, schema: settings.schema, contextValue, source, document, operation: operation!, batchIndex, invocation };
}

function executeWithHooks(state: OperationState): Eventual<ExecutionResult> {
  return state.hooks === undefined ? executeAndKeep(state) : state.hooks.aroundExecution(() => executeAndKeep(state));
}

/** Keeps the result before `executionDidEnd` is called, which may take longer than the call has. */
function executeAndKeep(state: OperationState): Eventual<ExecutionResult> {
  return whenReady(executeNow(state), keepResult, state);
}

function keepResult(result: ExecutionResult, state: OperationState): ExecutionResult {
  return (state.result = result);
}

function executeNow(state: OperationState): Eventual<ExecutionResult> {
  if (state.timeIsUp !== undefined) throw state.timeIsUp;
  state.isExecuting = true;
  const { settings, input, execution } = state;
  return input.delivery === undefined ? executeOperation(settings, execution!) : executeDelivery(state, input.delivery, execution!);
}

function executeDelivery(state: OperationState, delivery: Delivery, execution: Execution): Eventual<ExecutionResult> {
  const { settings, hooks } = state;
  const open = (stream: PayloadStream): void => {
    state.stream = stream;
  };
  const allowance = (state.allowance = new ErrorAllowance());
  return delivery.execute({ settings, execution, delivery, invocation: execution.invocation, hooks, open, allowance });
}

/**
 * The result of running steps. A context, a data source or a hook that hangs must not take the answer with it, nor those of the
 * other elements of a batch. An execution without hooks ends in time by itself, and so does one that plugins wrap.
 */
export function resultInTime(running: Eventual<void>, state: OperationState): Eventual<ExecutionResult> {
  return running instanceof Promise ? waitInTime(running, state, () => state.wrapped !== undefined) : state.result!;
}

function waitInTime(running: Promise<unknown>, state: OperationState, endsByItself: () => boolean): Promise<ExecutionResult> {
  const result = running.then(() => state.result!);
  if (state.isExecuting && state.hooks === undefined) return result;
  return state.input.invocation.inTime(result, {
    onCancel: (reason) => {
      if (endsByItself()) return undefined;
      state.timeIsUp = reason;
      // Nothing has run.
      if (!state.isExecuting) throw codeOf(reason as GraphQLError) === 'DEADLINE_EXCEEDED' ? deadlineExceeded() : reason;
      return undefined;
    },
    onLastMoment: () => {
      if (endsByItself()) return undefined;
      if (state.result === undefined) throw state.isExecuting ? unfinishedAtDeadline() : deadlineExceeded();
      if (state.hooks?.mustEnd === true) throw unfinishedAtDeadline();
      return state.result;
    },
  });
}
