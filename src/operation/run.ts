import { GraphQLError } from 'graphql';
import type { ExecutionResult } from 'graphql';

import { whenReady } from '../message/eventual.ts';
import type { Eventual } from '../message/eventual.ts';
import { createContextValue } from './context.ts';
import { assertCost } from './limits/cost.ts';
import { ErrorAllowance } from './limits/error-allowance.ts';
import { answerLimitOf } from './limits/answer-limit.ts';
import { assertKnownKeys } from './limits/heavy-variables.ts';
import { aliasesOf, loadDocument } from './documents/document.ts';
import type { KnownDocument } from './documents/document-cache.ts';
import type { Delivery } from './delivery/delivery.ts';
import type { PayloadStream, OperationOutcome } from './types.ts';
import { deadlineExceeded, DocumentError, toGraphQLError } from './errors.ts';
import { executeOperation } from './execute.ts';
import type { Execution } from './execute.ts';
import { withDeadline } from './with-deadline.ts';
import { startHooks } from './hooks.ts';
import type { OperationHooks } from './hooks.ts';
import type { ServerPlugin } from './plugin.ts';
import type { PersistedQuery } from './documents/persisted-queries.ts';
import { operationToRun } from './resolve.ts';
import { isPlainSource, resolveSource } from './documents/source.ts';
import { finish } from './finish.ts';
import { createState, nothingYet } from './state.ts';
import type { OperationInput, OperationSettings, OperationState } from './state.ts';

/** Leaves its outcome in the state. A result, or whatever is thrown, ends the line. */
type Stage = (state: OperationState) => Eventual<ExecutionResult | undefined>;

/** From the text of an operation to its result. */
const stages: readonly Stage[] = [
  makeContext,
  startPlugins,
  findSource,
  tellSource,
  readDocument,
  chooseOperation,
  checkLimits,
  tellOperation,
  askForResponse,
  execute,
];

/** Runs the stages in order: at once, until one of them returns a promise. Then one loop waits for that, and for all that follow. */
function runStages(state: OperationState): Eventual<ExecutionResult> {
  if (state.settings.plugins.length === 0) return runWithoutPlugins(state);
  for (let at = 0; at < stages.length; at++) {
    if (state.timeIsUp !== undefined) throw state.timeIsUp;
    const result = stages[at]!(state);
    if (result === undefined) continue;
    if (!(result instanceof Promise)) return result;
    return at === stages.length - 1 ? (result as Promise<ExecutionResult>) : runRest(result, state, stages.slice(at + 1));
  }
  throw new Error('The execution came to no result.');
}

/**
 * The same, without those in which only plugins do anything, and written out: called by their list, they took an eighth of the smallest
 * operation. Without plugins, only the context and the text may have to be waited for before the execution.
 */
function runWithoutPlugins(state: OperationState): Eventual<ExecutionResult> {
  const making = makeContext(state);
  if (making !== undefined) return runRest(making, state, afterContext);
  const finding = findSource(state);
  if (finding !== undefined) return runRest(finding, state, afterSource);
  const refusal = readDocument(state);
  if (refusal !== undefined) return refusal as ExecutionResult;
  chooseOperation(state);
  checkLimits(state);
  return execute(state);
}

const afterSource: readonly Stage[] = [readDocument, chooseOperation, checkLimits, execute];
const afterContext: readonly Stage[] = [findSource, ...afterSource];

async function runRest(
  waitedFor: Promise<ExecutionResult | undefined>,
  state: OperationState,
  rest: readonly Stage[],
): Promise<ExecutionResult> {
  let result = await waitedFor;
  for (const stage of rest) {
    if (result !== undefined) return result;
    if (state.timeIsUp !== undefined) throw state.timeIsUp;
    const next = stage(state);
    result = next instanceof Promise ? await next : next;
  }
  return result!;
}

/** Runs one operation from its text to its answer. Never fails: whatever is thrown becomes the errors of the answer. */
export function runOperation(settings: OperationSettings, input: OperationInput): Eventual<OperationOutcome> {
  const state = createState(settings, input);
  let result: Eventual<ExecutionResult>;
  try {
    result = runInTime(state);
  } catch (thrown) {
    return finish(toErrors(thrown), state);
  }
  return result instanceof Promise ? finishLater(result, state) : finish(result, state);
}

async function finishLater(running: Promise<ExecutionResult>, state: OperationState): Promise<OperationOutcome> {
  let result: ExecutionResult;
  try {
    result = await running;
  } catch (thrown) {
    result = toErrors(thrown);
  }
  return finish(result, state);
}

function runInTime(state: OperationState): Eventual<ExecutionResult> {
  // The start of the server, or a body, that came too late.
  if (state.input.invocation.isOver) throw deadlineExceeded();
  const result = runStages(state);
  if (!(result instanceof Promise)) return result;
  return state.isExecuting && state.hooks === undefined ? result : stagesInTime(result, state);
}

/** A context, a data source or a hook that hangs must not take the answer with it, nor those of a batch's neighbours. */
function stagesInTime(result: Promise<ExecutionResult>, state: OperationState): Promise<ExecutionResult> {
  return withDeadline(result, state.input.invocation, {
    onCancel: (reason) => {
      state.timeIsUp = reason;
      if (!state.isExecuting) throw reason;
      return undefined;
    },
    onLastMoment: () => {
      if (state.result === nothingYet) throw deadlineExceeded();
      return state.result;
    },
  });
}

function makeContext(state: OperationState): Eventual<undefined> {
  const value = createContextValue(state.settings, state.input);
  if (value instanceof Promise) return whenReady(value, keepContext, state);
  keepContext(value, state);
  return undefined;
}

function keepContext(contextValue: unknown, state: OperationState): undefined {
  state.contextValue = contextValue;
  state.contextFailed = false;
}

function startPlugins(state: OperationState): Eventual<undefined> {
  if (!state.settings.plugins.some(listens)) return undefined;
  return whenReady(startHooks(state.settings.plugins, requestContext(state)), keepHooks, state);
}

function listens({ requestDidStart }: ServerPlugin): boolean {
  return requestDidStart !== undefined;
}

function keepHooks(hooks: OperationHooks | undefined, state: OperationState): undefined {
  state.hooks = hooks;
}

function requestContext({ settings, input, contextValue }: OperationState): Parameters<typeof startHooks>[1] {
  const { schema, cache, logger } = settings;
  return {
    request: { ...input.request, http: input.http },
    response: { http: input.head },
    requestIsBatched: input.budget !== undefined,
    schema,
    contextValue,
    cache,
    logger,
  };
}

function findSource(state: OperationState): Eventual<undefined> {
  const { settings, input } = state;
  // Most requests bring their text, and no other place need be looked at.
  if (isPlainSource(settings, input.request)) {
    state.source = input.request.query;
    return undefined;
  }
  return whenReady(resolveSource(settings, input.request), keepSource, state);
}

function keepSource({ source, keep }: PersistedQuery, state: OperationState): undefined {
  state.source = source;
  state.keep = keep;
}

function tellSource({ hooks, source = '' }: OperationState): Eventual<undefined> {
  return hooks?.didResolveSource(source) as Eventual<undefined>;
}

function readDocument(state: OperationState): Eventual<ExecutionResult | undefined> {
  const { settings, input, source = '', hooks } = state;
  const known = loadDocument(settings, source, hooks, input.budget);
  return known instanceof Promise ? whenReady(known, keepDocument, state) : keepDocument(known, state);
}

function keepDocument(known: KnownDocument | GraphQLError, state: OperationState): ExecutionResult | undefined {
  if (known instanceof GraphQLError) return { errors: [known] };
  state.known = known;
  return undefined;
}

function chooseOperation(state: OperationState): undefined {
  const { settings, input, keep } = state;
  const asked = { name: input.request.operationName, refuse: input.refuse };
  state.operation = operationToRun(settings.schema, state.known!, asked);
  if (keep !== undefined) input.invocation.waitUntil(keep());
}

function checkLimits(state: OperationState): undefined {
  const { settings, input } = state;
  const { schema, maxCost } = settings;
  const { variables } = input.request;
  const { document } = state.known!;
  const operation = state.operation!;
  if (input.budget !== undefined && settings.maxAliases !== undefined) input.budget.spend('maxAliases', aliasesOf(operation), operation);
  if (variables !== undefined) assertKnownKeys({ schema, operation, variables });
  if (maxCost !== undefined) assertCost(maxCost, { schema, document, operation, variables }, input.budget);
}

function tellOperation({ hooks, known, operation }: OperationState): Eventual<undefined> {
  return hooks?.didResolveOperation(known!.document, operation!) as Eventual<undefined>;
}

function askForResponse({ hooks }: OperationState): Eventual<ExecutionResult | undefined> {
  return hooks?.responseForOperation();
}

function execute(state: OperationState): Eventual<ExecutionResult> {
  return state.hooks === undefined ? executeNow(state) : executeAmongHooks(state, state.hooks);
}

function executeAmongHooks(state: OperationState, hooks: OperationHooks): Promise<ExecutionResult> {
  return hooks.aroundExecution(() => whenReady(executeNow(state), keepResult, state));
}

/** For when a hook takes too long over the end of the execution. */
function keepResult(result: ExecutionResult, state: OperationState): ExecutionResult {
  state.result = result;
  return result;
}

function executeNow(state: OperationState): Eventual<ExecutionResult> {
  if (state.timeIsUp !== undefined) throw state.timeIsUp;
  state.isExecuting = true;
  const { settings, input } = state;
  settings.tellExecution?.(state);
  const execution = executionOf(state);
  return input.delivery === undefined ? executeOperation(settings, execution) : executeDelivery(state, input.delivery, execution);
}

/** All that executing the operation takes. */
function executionOf({ known, operation, contextValue, input, objects }: OperationState): Execution {
  const { capacity, budget, invocation, request } = input;
  return {
    document: known!.document,
    operation: operation!,
    contextValue,
    variables: request.variables,
    invocation,
    answerLimit: answerLimitOf(capacity, operation!.operation, budget),
    kept: known!.plan,
    objects,
  };
}

function executeDelivery(state: OperationState, delivery: Delivery, execution: Execution): Eventual<ExecutionResult> {
  const { settings, input, hooks } = state;
  const allowance = (state.allowance = new ErrorAllowance());
  const open = (stream: PayloadStream): void => {
    state.stream = stream;
  };
  return delivery.execute({
    settings,
    execution,
    delivery,
    invocation: input.invocation,
    hooks,
    open,
    allowance,
  });
}

function toErrors(thrown: unknown): ExecutionResult {
  return { errors: thrown instanceof DocumentError ? thrown.errors : [toGraphQLError(thrown)] };
}
