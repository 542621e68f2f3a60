import type { ExecutionResult } from 'graphql';

import { allReady, isGraphQLError, rescued, whenArrived, whenReady } from '../shared/index.ts';
import type { PromiseOrValue, HTTPResponse, Milliseconds, StreamedResponse } from '../shared/index.ts';
import {
  addCommonHeaders,
  answerHealthCheck,
  answerInTime,
  checkSize,
  encodeBody,
  mayBeLate,
  refuse,
  revalidateAnswer,
  startServer,
  timeForOperations,
  timeForPlugins,
  toRequest,
} from './call/steps.ts';
import { isStreamed } from './call/call.ts';
import type { ArrivedCall, Call } from './call/call.ts';
import { toPlatformResult } from './call/result.ts';
import type { HTTPCall } from './http/http-call.ts';
import { batchInputs, createInput, inputOfPlugin } from './http/operations.ts';
import type { BatchElements } from './http/operations.ts';
import { refusedOutcome } from './http/refusals.ts';
import { normalizeHead } from './http/response.ts';
import { answerOptions, negotiateMediaType, parseRequest, preventCSRF, showLandingPage, toHTTPResponse } from './http/steps.ts';
import { codeOf, deadlineExceeded, toErrors } from './operation/errors.ts';
import { toOutcome } from './operation/outcome.ts';
import type { WrapRequest } from './operation/around.ts';
import type { RequestCall } from './operation/plugin.ts';
import { createState } from './operation/state.ts';
import type { OperationInput, OperationSettings, OperationState, Wrapped } from './operation/state.ts';
import {
  callPlugins,
  checkLimits,
  chooseOperation,
  chooseOptions,
  coerceVariables,
  execute,
  findSource,
  makeContext,
  parseAndValidate,
  resultInTime,
  startPlugins,
} from './operation/steps.ts';
import type { GraphQLRequest, OperationOutcome } from './operation/types.ts';

type Response = HTTPResponse | StreamedResponse;

/** The steps of a pipeline, in order. Each has the field of the state that its result fills. */
export type Steps<TState> = readonly StepFor<TState>[];

type StepFor<TState> = {
  [TField in keyof TState]: readonly [fills: TField, step: (state: TState) => PromiseOrValue<TState[TField] | undefined>];
}[keyof TState];

/** From the platform's event to an HTTP request and a started server. Ends with the response. */
export const arrival: Steps<Call> = [
  ['request', toRequest],
  ['response', answerHealthCheck],
  ['settings', startServer],
  ['response', aroundRequest],
];

/** From the HTTP request to the response. */
export const request: Steps<HTTPCall> = [
  ['response', answerOptions],
  ['response', showLandingPage],
  ['response', preventCSRF],
  ['negotiation', negotiateMediaType],
  ['parsed', parseRequest],
  ['outcome', runOperations],
  ['response', toHTTPResponse],
];

/** For each operation of the request, from its context to its result. */
export const operation: Steps<OperationState> = [
  ['contextValue', makeContext],
  ['hooks', startPlugins],
  ['found', findSource],
  ['known', parseAndValidate],
  ['operation', chooseOperation],
  ['result', checkLimits],
  ['result', callPlugins],
  ['options', chooseOptions],
  ['execution', coerceVariables],
  ['result', execute],
];

/** Runs once for every response, including refusals, after all plugins. All its steps run. */
export const departure: Steps<Call> = [
  ['response', revalidateAnswer],
  ['response', encodeBody],
  ['response', checkSize],
  ['response', addCommonHeaders],
];

/**
 * Creates a function that runs steps in order, and stores what they return; a result for the last field ends them. Only promises are
 * awaited, so an operation in which nothing is asynchronous runs synchronously from event to result. V8 optimizes a separate function for
 * each array better (0.3 µs).
 */
function inOrder<TState>(steps: Steps<TState>, last?: keyof TState): (state: TState) => PromiseOrValue<void> {
  return (state) => {
    for (let at = 0; at < steps.length; at++) {
      const [field, step] = steps[at]!;
      const value = step(state);
      if (value === undefined) continue;
      if (value instanceof Promise) return runAfter(value, { field, rest: steps.slice(at + 1), last }, state);
      state[field] = value;
      if (field === last) return undefined;
    }
    return undefined;
  };
}

interface Remaining<TState> {
  /** The field that the awaited value fills. */
  readonly field: keyof TState;
  readonly rest: Steps<TState>;
  readonly last: keyof TState | undefined;
}

/** Throws when the time is up: then no further step runs. */
async function runAfter<TState>(
  waiting: Promise<TState[keyof TState] | undefined>,
  { field, rest, last }: Remaining<TState>,
  state: TState,
): Promise<void> {
  const value = await waiting;
  if (value !== undefined) state[field] = value;
  if (rest.length === 0 || (value !== undefined && field === last)) return;
  const { timeIsUp } = state as Partial<OperationState>;
  if (timeIsUp !== undefined) throw timeIsUp;
  await inOrder(rest, last)(state);
}

const runArrival = inOrder(arrival, 'response');
const runRequest = inOrder(request, 'response');
const runOperationSteps = inOrder(operation, 'result');
const runDeparture = inOrder(departure);
const addHeaders = inOrder<Call>([['response', addCommonHeaders]]);

/** Handles one event, from arrival to the platform's result. Rejects only for an event that is known not to be HTTP. */
export function serve(call: Call): PromiseOrValue<unknown> {
  const responding = respond(call);
  return responding instanceof Promise ? whenArrived(responding, toPlatformResult, call) : toPlatformResult(responding, call);
}

/** Handles one event, from arrival to the response. */
export function respond(call: Call): PromiseOrValue<Response> {
  return guarded(arriveAndDepart, call, timeForPlugins);
}

function arriveAndDepart(call: Call): PromiseOrValue<void> {
  const arriving = rescued(runArrival, refuse, call);
  return arriving instanceof Promise ? whenArrived(arriving, departAfter, call) : runDeparture(call);
}

function departAfter(_arrived: void, call: Call): PromiseOrValue<void> {
  return runDeparture(call);
}

function responseOf(_answered: void, { response }: Pick<HTTPCall, 'response'>): Response {
  return response!;
}

/** Waits for a response. An error becomes a refusal, and the deadline limits the time. */
function guarded<TCall extends Call>(
  work: (call: TCall) => PromiseOrValue<void>,
  call: TCall,
  extraTime: Milliseconds,
): PromiseOrValue<Response> {
  const working = rescued(work, refuse, call);
  if (!(working instanceof Promise)) return call.response!;
  const responding = whenArrived(working, responseOf, call);
  return mayBeLate(call) ? answerInTime(responding, call, extraTime) : responding;
}

/** The last step of `arrival`: runs the request steps inside the plugins that wrap requests, which also see refusals and late answers. */
function aroundRequest(call: Call): PromiseOrValue<Response | undefined> {
  const { viewRequest, wrapRequest, wrapOperation, chooseEncoding } = call.settings!;
  if (viewRequest !== undefined || wrapRequest !== undefined || wrapOperation !== undefined || chooseEncoding !== undefined) {
    const seen = requestCall(call as ArrivedCall);
    call.view = viewRequest === undefined ? seen : viewRequest(seen);
    if (call.adapter.decodesBase64 === true) call.encode = chooseEncoding?.(seen);
  }
  if (wrapRequest !== undefined) return runWrapped(wrapRequest, call as ArrivedCall);
  const running = runRequest(call as ArrivedCall);
  return running instanceof Promise ? whenArrived(running, responseOf, call) : call.response;
}

function runWrapped(wrapRequest: WrapRequest, call: ArrivedCall): PromiseOrValue<Response> {
  const wrapped = {
    run: () => guarded(respondToPlugins, call, timeForOperations),
    invocation: call.invocation.clock.view({ until: 'deadline' }),
    fail: (thrown: unknown, _inner: unknown, running: PromiseOrValue<Response> | undefined) => {
      void closeBody(running);
      return guarded(() => failForPlugins(thrown, call), call, timeForOperations);
    },
  };
  return whenReady(wrapRequest(call.view!, wrapped), normalizeHead, call.starter.logger());
}

/** The refusal if a plugin around the request throws or hangs. The plugins around that one see it. */
async function failForPlugins(thrown: unknown, call: Call): Promise<void> {
  if (isGraphQLError(thrown) && codeOf(thrown) === 'DEADLINE_EXCEEDED')
    call.starter.logger().warn('A plugin around the request had not ended at the deadline.');
  await refuse(thrown, call);
  await addHeaders(call);
}

/** Plugins see the common headers: whether caches may store an answer depends on them. */
function respondToPlugins(call: ArrivedCall): PromiseOrValue<void> {
  return whenReady(rescued(runRequest, refuse, call), addHeadersForPlugins, call as Call);
}

function addHeadersForPlugins(_answered: void, call: Call): PromiseOrValue<void> {
  return addHeaders(call);
}

/** One HTTP request as plugins see it. */
function requestCall(call: ArrivedCall): RequestCall {
  const { adapter, invocation, settings } = call;
  const { cache, logger } = settings.operation;
  const runGiven = async (given: GraphQLRequest): Promise<OperationOutcome> => aroundOperation(call, inputOfPlugin(call, given));
  return { request: call.request, platform: adapter.name, invocation, cache, logger, runOperation: runGiven };
}

/** A step of `request`: runs its operations, those of a batch concurrently. */
function runOperations(call: HTTPCall): PromiseOrValue<NonNullable<HTTPCall['outcome']>> {
  const parsed = call.parsed!;
  if (parsed.kind === 'batch') return runBatch(call, parsed.elements);
  return aroundOperation(call, createInput(call, parsed.request, call.negotiation!.delivery));
}

function runBatch(call: HTTPCall, elements: BatchElements): PromiseOrValue<readonly OperationOutcome[]> {
  return allReady(batchInputs(call, elements).map((input) => aroundOperation(call, input)));
}

/** Runs one operation inside the plugins that wrap operations, or explains it on request. One that was refused already has its outcome. */
function aroundOperation(call: HTTPCall, input: OperationInput | OperationOutcome): PromiseOrValue<OperationOutcome> {
  if ('result' in input) return input;
  const { explain, wrapOperation, operation: settings } = call.settings;
  if (explain === undefined && wrapOperation === undefined) return runOperation(settings, input);
  return runWithPlugins(call, input);
}

/** If a plugin fails, so does the operation. */
function runWithPlugins(call: HTTPCall, input: OperationInput): PromiseOrValue<OperationOutcome> {
  const { explain, wrapOperation, operation: settings } = call.settings;
  const runInput = (given: OperationInput): PromiseOrValue<OperationOutcome> =>
    explain?.({ call, input: given, run: runOperation }) ?? runOperation(settings, given);
  if (wrapOperation === undefined) return runInput(input);
  const fail: Wrapped<OperationOutcome>['fail'] = (thrown, inner, running) => {
    void closeStream(running);
    const refused = refusedOutcome(settings, thrown);
    return { ...refused, ...inner, result: refused.result, errors: refused.errors, head: input.head, stream: undefined };
  };
  return wrapOperation({ input, http: call.view!, run: runInput, fail });
}

// A plugin that fails after the operation does not leave its stream open.

async function closeBody(running: PromiseOrValue<Response> | undefined): Promise<void> {
  const response = await running;
  if (response !== undefined && isStreamed(response)) await response.body.return();
}

async function closeStream(running: PromiseOrValue<OperationOutcome> | undefined): Promise<void> {
  await (await running)?.stream?.return();
}

/** Runs one operation, from its context to its formatted answer. Never fails: everything thrown becomes an error in the answer. */
export function runOperation(settings: OperationSettings, input: OperationInput): PromiseOrValue<OperationOutcome> {
  const state = createState(settings, input);
  const running = rescued(runSteps, toErrors, state);
  return running instanceof Promise ? whenArrived(running, toOutcome, state) : toOutcome(running, state);
}

function runSteps(state: OperationState): PromiseOrValue<ExecutionResult> {
  // The start of the server, or a body, came too late.
  if (state.input.invocation.isAnswered) throw deadlineExceeded();
  const running = runOperationSteps(state);
  return running instanceof Promise ? resultInTime(running, state) : state.result!;
}
