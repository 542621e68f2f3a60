/** The steps of one operation. A step that sets the result is the last one; what a step throws becomes an error of the answer. */
import { GraphQLError } from 'graphql';
import type { ExecutionResult, OperationDefinitionNode } from 'graphql';

import { coercedVariables, prepareExecution } from '../../executor/index.ts';
import type { PartSettings } from '../../executor/index.ts';
import { rescued, whenReady } from '../../shared/index.ts';
import type { PromiseOrValue } from '../../shared/index.ts';
import { createContextValue } from './context.ts';
import type { Delivery } from './delivery/delivery.ts';
import { loadDocument } from './documents/document.ts';
import type { KnownDocument } from './documents/document-cache.ts';
import type { FoundSource } from './documents/persisted-queries.ts';
import { isPlainSource, resolveSource } from './documents/source.ts';
import { errorHandling } from './error-behavior.ts';
import { codeOf, deadlineExceeded, toErrors, unfinishedAtDeadline } from './errors.ts';
import { createExecution, executeOperation } from './execute.ts';
import type { Execution } from './execute.ts';
import { startHooks } from './hooks.ts';
import type { OperationHooks } from './hooks.ts';
import { AnswerLimit } from './limits/answer-limit.ts';
import { assertCost } from './limits/cost.ts';
import { ErrorAllowance } from './limits/error-allowance.ts';
import { errorBehaviorOf, outcomeOfFailure, toOutcome } from './outcome.ts';
import type { OperationExecution } from './plugin.ts';
import { operationToRun } from './choose-operation.ts';
import type { ChosenOptions, OperationState } from './state.ts';
import type { OperationOutcome, PayloadStream } from './types.ts';

export function makeContext({ settings, input }: OperationState): PromiseOrValue<unknown> {
  return createContextValue(settings, input);
}

/** Calls `requestDidStart` of every plugin. */
export function startPlugins({ settings, input, contextValue }: OperationState): PromiseOrValue<OperationHooks | undefined> {
  const { plugins, schema, cache, logger } = settings;
  if (plugins.length === 0) return undefined;
  return startHooks(plugins, {
    request: { ...input.request, http: input.http },
    response: { http: input.head },
    requestIsBatched: input.budget !== undefined,
    schema,
    contextValue,
    cache,
    logger,
  });
}

/** The text of the document: from the request, or by its hash or id. Then `didResolveSource` of the plugins. */
export function findSource({ settings, input, hooks }: OperationState): PromiseOrValue<FoundSource> {
  const { request, head } = input;
  // Most requests bring their text, and nothing else has to be looked up.
  const found = isPlainSource(settings, request) ? { source: request.query!, keep: undefined } : resolveSource(settings, request);
  return found instanceof Promise || hooks !== undefined || found.isRefusedInProduction === true ? announce(found, head, hooks) : found;
}

async function announce(
  finding: PromiseOrValue<FoundSource>,
  head: OperationState['input']['head'],
  hooks: OperationHooks | undefined,
): Promise<FoundSource> {
  const found = await finding;
  if (found.isRefusedInProduction === true)
    head.headers.set('graphql-functions-notice', 'Production refuses this operation: it is not in trustedDocuments.');
  await hooks?.didResolveSource(found.source);
  return found;
}

/** Throws the errors of a document that is not valid. */
export function parseAndValidate({ settings, input, found, hooks }: OperationState): PromiseOrValue<KnownDocument> {
  const known = loadDocument(settings, found!.source, hooks, input.budget);
  if (known instanceof GraphQLError) throw known;
  return known;
}

/** The operation to run. Its document is registered now, if it came with a hash. */
export function chooseOperation({ settings, input, known, found }: OperationState): OperationDefinitionNode {
  const operation = operationToRun(settings.schema, known!.document, { name: input.request.operationName, refuse: input.refuse });
  const { keep } = found!;
  if (keep !== undefined) input.invocation.waitUntil(keep());
  return operation;
}

/** Throws for an operation that exceeds a limit. */
export function checkLimits({ settings, input, known, operation }: OperationState): undefined {
  const { schema, maxAliases, maxCost, pageLimits } = settings;
  const { budget } = input;
  const asked = { schema, document: known!.document, operation: operation!, variables: input.request.variables, pageLimits };
  if (budget !== undefined && maxAliases !== undefined)
    budget.spend('maxAliases', known!.operations?.get(operation!)?.aliases ?? 0, operation!);
  pageLimits?.assert(asked);
  if (maxCost !== undefined) assertCost(maxCost, asked, budget);
}

/** `didResolveOperation`, then `responseForOperation`: a plugin may answer in place of the execution. */
export function callPlugins(state: OperationState): PromiseOrValue<ExecutionResult | undefined> {
  return state.hooks === undefined ? undefined : callOperationHooks(state, state.hooks);
}

async function callOperationHooks(state: OperationState, hooks: OperationHooks): Promise<ExecutionResult | undefined> {
  await hooks.didResolveOperation(state.known!.document, state.operation!);
  return hooks.responseForOperation();
}

/** Calls `executionWillStart` of the plugins. */
export function chooseOptions(state: OperationState): PromiseOrValue<ChosenOptions | undefined> {
  return state.settings.notifyExecution?.(describeExecution(state));
}

/**
 * Plans the operation at its first runs, and coerces its variables. Variables with errors are the result of the execution, and its hooks
 * are called.
 */
export function coerceVariables(state: OperationState): Execution {
  const { settings, input, known, operation, options, contextValue } = state;
  const { capacity, budget, invocation, request } = input;
  const onError = errorBehaviorOf(state);
  if (options?.runToEnd === true) invocation.until = 'deadline';
  if (options?.inOneAnswer === true) input.delivery = undefined;
  const { document, plans } = known!;
  const execution = createExecution(settings, {
    document,
    operation: operation!,
    contextValue,
    variableValues: request.variables,
    invocation,
    answerLimit: new AnswerLimit(capacity, operation!.operation, budget),
    kept: plans,
    objects: options?.objects?.begin(),
    errorHandling: onError === undefined ? settings.errorHandling : errorHandling[onError],
    observer: options?.observer,
    parts: partsOf(state),
  });
  // The option `executor` coerces variables itself.
  if (settings.executor === undefined && operation!.operation !== 'subscription') execution.prepared = prepareExecution(execution);
  return execution;
}

/** How the answer is divided into parts. Undefined: the client reads one answer, or the operation has no parts. */
function partsOf({ settings, input, operation }: OperationState): PartSettings | undefined {
  const format = input.delivery?.incremental;
  if (format === undefined || operation!.operation === 'subscription') return undefined;
  return settings.incrementalDelivery?.partsOf(format);
}

/** Runs the resolvers, inside the plugins that wrap executions. */
export function execute(state: OperationState): PromiseOrValue<ExecutionResult | undefined> {
  const isWrapped = (state.options?.wrap ?? state.settings.wrapExecution) !== undefined;
  const executing = isWrapped ? executeWrapped(state) : executeWithHooks(state);
  if (state.options?.runToEnd === true && executing instanceof Promise) state.input.invocation.waitUntil(executing.catch(() => {}));
  return executing;
}

/**
 * Fills `outcome`. The plugins that wrap only this execution are outside of those that wrap all executions. So they store exactly what the
 * client gets, even if another plugin fails after the execution, for example when it commits a transaction.
 */
function executeWrapped(state: OperationState): PromiseOrValue<ExecutionResult | undefined> {
  const isSubscription = state.operation!.operation === 'subscription';
  const variableValues = isSubscription ? undefined : coercedVariables(state.execution!);
  if (variableValues === undefined) return executeWithHooks(state);
  const execution = { ...describeExecution(state), response: state.input.head, variableValues };
  let run = (): PromiseOrValue<OperationOutcome> => (state.wrapped = executeToOutcome(state));
  for (const wrap of [state.settings.wrapExecution, state.options?.wrap]) {
    if (wrap === undefined) continue;
    const wrapped = { run, invocation: state.input.invocation, fail: (thrown: unknown) => failWrapped(thrown, state) };
    run = () => wrap(execution, wrapped);
  }
  return whenReady(run(), setOutcome, state);
}

/** The result of `next`. If a plugin calls it after the operation was answered, nothing starts. */
function executeToOutcome(state: OperationState): PromiseOrValue<OperationOutcome> {
  if (state.timeIsUp !== undefined) return outcomeOfFailure(state.timeIsUp, state);
  return whenReady(rescued(executeWrappedInTime, toErrors, state), toOutcome, state);
}

function executeWrappedInTime(state: OperationState): PromiseOrValue<ExecutionResult> {
  const running = executeWithHooks(state);
  return running instanceof Promise ? waitInTime(running, state, () => false) : running;
}

/** If a plugin fails, the operation fails. The last hooks are called once. */
function failWrapped(thrown: unknown, state: OperationState): PromiseOrValue<OperationOutcome> {
  if (state.wrapped !== undefined || state.timeIsUp !== undefined) return outcomeOfFailure(thrown, state);
  return (state.wrapped = toOutcome(toErrors(thrown), state));
}

/** The answer may be one that a plugin has stored. */
function setOutcome(outcome: OperationOutcome, state: OperationState): undefined {
  state.outcome = 'onError' in outcome ? outcome : { ...outcome, onError: errorBehaviorOf(state) };
}

/** The execution as plugins see it. */
function describeExecution({ settings, input, contextValue, found, known, operation }: OperationState): OperationExecution {
  const { request, http, call, head: response, batchIndex, invocation } = input;
  const { source } = found!;
  const { document } = known!;
  const { schema } = settings;
  return { request, http, call, response, schema, contextValue, source, document, operation: operation!, batchIndex, invocation };
}

function executeWithHooks(state: OperationState): PromiseOrValue<ExecutionResult> {
  return state.hooks === undefined ? executeNow(state) : executeInHooks(state, state.hooks);
}

function executeInHooks(state: OperationState, hooks: OperationHooks): Promise<ExecutionResult> {
  return hooks.aroundExecution(() => executeAndKeep(state));
}

/** Stores the result before `executionDidEnd` is called, which may take longer than the remaining time. */
async function executeAndKeep(state: OperationState): Promise<ExecutionResult> {
  return (state.result = await executeNow(state));
}

function executeNow(state: OperationState): PromiseOrValue<ExecutionResult> {
  if (state.timeIsUp !== undefined) throw state.timeIsUp;
  const { settings, input, execution, operation } = state;
  // A mutation whose variables are invalid changes nothing: such requests must not empty the CDN of `edge`.
  state.isExecuting = operation!.operation !== 'mutation' || coercedVariables(execution!) !== undefined;
  return input.delivery === undefined ? executeOperation(settings, execution!) : executeDelivery(state, input.delivery, execution!);
}

function executeDelivery(state: OperationState, delivery: Delivery, execution: Execution): PromiseOrValue<ExecutionResult> {
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
export function resultInTime(running: Promise<void>, state: OperationState): Promise<ExecutionResult> {
  return waitInTime(
    running.then(() => state.result!),
    state,
    () => state.wrapped !== undefined,
  );
}

function waitInTime(result: Promise<ExecutionResult>, state: OperationState, endsByItself: () => boolean): Promise<ExecutionResult> {
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
