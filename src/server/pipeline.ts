/**
 * The way of a call: `serve` → `answer` → `arrive`, which calls `respond` → `operate` → `runSteps` and then `depart`. Each function fills in
 * fields of the call or of the operation, and its caller waits only for promises. So without stages of plugins, an operation in which
 * nothing is asynchronous runs synchronously from event to response.
 */
import { HeaderMap, excessOf, isGraphQLError } from '../shared/index.ts';
import type { HTTPResponse, Milliseconds, PromiseOrValue, StreamedResponse } from '../shared/index.ts';
import {
  Call,
  OperationLife,
  invocationOf,
  isStreamed,
  answerSizeOf,
  createBatch,
  createOperation,
  createOperationOfPlugin,
} from './call.ts';
import type { ArrivedCall, CallArguments, Serving } from './call.ts';
import { assertNotForged } from './http/csrf.ts';
import { acceptedTypes, methods, notAcceptable, webSocketNotSupported } from './http/errors.ts';
import { revalidate, negotiate, normalizeHead, toBatchResponse } from './http/response.ts';
import { healthResponse, isHealthCheck, landingPage } from './http/get-requests.ts';
import { parseGraphQLRequest } from './http/params.ts';
import { statusOf } from './http/status.ts';
import { resultTooLarge } from '../executor/index.ts';
import type { Stages, Wrapped } from './operation/around.ts';
import { codeOf } from './operation/errors.ts';
import { runOperation } from './operation/run-operation.ts';
import type { Operation } from './operation/operation.ts';
import type { OperationCall, RequestCall } from './operation/plugin.ts';
import type { GraphQLRequest, OperationOutcome } from './operation/types.ts';
import { clientAddress, findAdapter } from './platform/adapter.ts';
import { addCommonHeaders, answerInTime, mayBeLate, refuse, refusedOutcome } from './refuse.ts';

type Response = HTTPResponse | StreamedResponse;

/** Handles one event, from its arrival to the platform's result. What fails is refused. */
export async function serve(serving: Serving, given: CallArguments): Promise<unknown> {
  const { starter, adapters } = serving;
  const adapter = findAdapter(adapters, given.event);
  const call = new Call(adapter, serving, adapter.unwrap === undefined ? given : adapter.unwrap(given));
  const { event } = call;
  starter.calls.begin();
  try {
    const answering = answer(call);
    const response = answering instanceof Promise ? await answering : answering;
    if (isStreamed(response)) {
      call.answerIn(response);
      return adapter.toStreamResult?.(response, event);
    }
    call.answered();
    if (call.work !== undefined) await call.settled();
    const losses = adapter.losses?.(response, event);
    if (losses !== undefined) starter.logger().warn(losses);
    return adapter.toResult(response, event);
  } finally {
    starter.calls.end();
  }
}

/** Handles one event, from its arrival to the response, which may be there synchronously. */
export function answer(call: Call): PromiseOrValue<Response> {
  const answering = arrive(call);
  if (call.departed !== undefined) return call.departed;
  return mayBeLate(call) ? answerInTime(answering, call, graceOutside) : answering;
}

/** Milliseconds after the last moment that operations inside of plugins around the request have to make partial answers. */
const graceInside: Milliseconds = 10;
/** Milliseconds after the last moment that a call has: plugins around the request get the answer only when the operations have ended. */
const graceOutside: Milliseconds = 20;

/**
 * Reads the event, answers health checks, and starts the server. Then responds, inside the plugins that wrap requests. Never rejects: what
 * fails is refused.
 */
async function arrive(call: Call): Promise<Response> {
  let response: Response;
  try {
    const { starter, adapter } = call;
    call.request = adapter.toRequest(call.event);
    if (isHealthCheck(call.request)) response = healthResponse(starter.calls.isClosed ? 'fail' : 'pass');
    else {
      const starting = starter.server(call);
      call.settings = (starting instanceof Promise ? await starting : starting).http;
      if (starting instanceof Promise) call.optionsAreKnown();
      const { stages } = call.settings.operation;
      if (stages === undefined) {
        const responding = respond(call as ArrivedCall);
        response = call.responded ?? (await responding);
      } else response = await respondInStages(call as ArrivedCall, stages);
    }
  } catch (failure) {
    response = await refuse(failure, call);
  }
  try {
    const departing = depart(call, response);
    return (call.departed = departing instanceof Promise ? await departing : departing);
  } catch (failure) {
    return refuse(failure, call);
  }
}

/** From the HTTP request to the response. Throws what refuses it. */
async function respond(call: ArrivedCall): Promise<Response> {
  const { settings, request } = call;
  if (request.method === 'OPTIONS') {
    // `depart` adds the CORS fields of a preflight.
    const headers = new HeaderMap({ allow: [...methods, 'OPTIONS'].join(', '), ...acceptedTypes });
    return (call.responded = { status: 204, headers, body: null });
  }
  if (request.method === 'GET') {
    if (request.headers.get('upgrade')?.toLowerCase() === 'websocket') throw webSocketNotSupported();
    const rendering = landingPage(call);
    const page = rendering && (await rendering);
    if (page !== undefined) return page;
  }
  assertNotForged(settings, request);
  const negotiation = negotiate(call);
  const parsing = parseGraphQLRequest(settings, request);
  const parsed = parsing instanceof Promise ? await parsing : parsing;
  call.mayHaveRun = true;
  if (parsed.kind === 'batch') {
    // A batch has one answer, an array.
    if (negotiation.mediaType === undefined) throw notAcceptable();
    const outcomes = await Promise.all(createBatch(call, parsed.elements).map((element) => operate(call, element)));
    return toBatchResponse({ errors: settings.operation, size: answerSizeOf(call) }, outcomes);
  }
  const running = operate(call, createOperation(call, parsed.request, negotiation));
  const outcome = running instanceof Promise ? await running : running;
  return (call.responded = negotiation.toResponse(settings, outcome, call));
}

/** Runs one operation inside the plugins that wrap operations. */
function operate(call: ArrivedCall, operation: Operation): PromiseOrValue<OperationOutcome> {
  const { explain, operation: settings } = call.settings;
  return settings.stages === undefined && explain === undefined ? runOperation(operation) : operateInStage(call, operation);
}

async function operateInStage(call: ArrivedCall, operation: Operation): Promise<OperationOutcome> {
  const { explain, operation: settings } = call.settings;
  const { stages } = settings;
  const run = (): PromiseOrValue<OperationOutcome> => explain?.({ call, operation, run: runOperation }) ?? runOperation(operation);
  if (stages?.sourceCall !== undefined) operation.watchCall = stages.sourceCall(operation.seen!);
  if (stages?.operation === undefined) return run();
  // If a plugin fails, so does the operation.
  const fail: Wrapped<OperationCall, OperationOutcome>['fail'] = (thrown, inner, running) => {
    void closeStream(running);
    const { result, errors, ...refused } = refusedOutcome(settings, thrown);
    return { ...refused, ...inner, result, errors, head: operation.head, stream: undefined };
  };
  return stages.operation(operation.seen!, { run, invocation: operation.invocation, fail });
}

/** The way out of every response, refusals too, after all plugins: `etag`, encoding, size, and the header fields that all have. */
function depart(call: Call, given: Response): PromiseOrValue<Response> {
  const { request, encode } = call;
  let response = given;
  // A mutation, and most queries, are sent by POST.
  if (request !== undefined && request.method !== 'POST' && !isStreamed(response) && !('defaultCacheControl' in response)) {
    const { headers } = response;
    response = revalidate(request, response);
    if (call.finished === headers) call.finished = response.headers;
  }
  call.encode = undefined;
  if (encode !== undefined && !isStreamed(response) && response.body !== null && request!.method !== 'HEAD')
    return encodeOrRefuse(call, encode, response).then((encoded) => depart(call, encoded));
  if (call.settings !== undefined && typeof response.body === 'string') {
    const excess = excessOf(answerSizeOf(call as ArrivedCall), response.body);
    if (excess !== undefined) {
      // Also logged, because a plugin may have created it.
      const error = resultTooLarge(excess.bytes, excess.capacity);
      call.starter.logger().warn(error.message);
      return refuse(error, call).then((refused) => addCommonHeaders(call, refused));
    }
  }
  return addCommonHeaders(call, response);
}

/** If the encoder fails, the response is a refusal, which is not encoded. */
async function encodeOrRefuse(call: Call, encode: NonNullable<Call['encode']>, response: HTTPResponse): Promise<HTTPResponse> {
  try {
    return normalizeHead(await encode(response), call.starter.logger());
  } catch (failure) {
    return refuse(failure, call);
  }
}

/** Runs `respond` inside the plugins that wrap requests, which also see refusals and late answers. */
async function respondInStages(call: ArrivedCall, { request: stage, encode }: Stages): Promise<Response> {
  const seen = (call.view = requestCall(call));
  if (call.adapter.decodesBase64 === true) call.encode = encode?.(seen);
  if (stage === undefined) return respond(call);
  const response = await stage(seen, {
    run: (view) => {
      call.view = view;
      return respondInTime(call, () => respond(call));
    },
    invocation: new OperationLife(call, 'deadline'),
    fail: (thrown, _inner, running) => {
      void closeBody(running);
      if (isGraphQLError(thrown) && codeOf(thrown) === 'DEADLINE_EXCEEDED')
        call.starter.logger().warn('A plugin around the request had not ended at the deadline.');
      return respondInTime(call, () => Promise.reject(thrown as Error));
    },
    pass: (same, view?: RequestCall) => view ?? same,
  });
  return normalizeHead(response, call.starter.logger());
}

/**
 * The response as plugins around the request see it: a refusal if `run` fails, with the common header fields, because whether caches may
 * store an answer depends on them; in time.
 */
function respondInTime(call: ArrivedCall, run: () => Promise<Response>): Promise<Response> {
  const respondOrRefuse = async (): Promise<Response> => {
    try {
      return await addCommonHeaders(call, await run().catch((failure: unknown) => refuse(failure, call)));
    } catch (failure) {
      return refuse(failure, call);
    }
  };
  const responding = respondOrRefuse();
  return mayBeLate(call) ? answerInTime(responding, call, graceInside) : responding;
}

/** One HTTP request as plugins see it. */
function requestCall(call: ArrivedCall): RequestCall {
  const { adapter, request, settings } = call;
  const { cache, logger } = settings.operation;
  const run = async (given: GraphQLRequest): Promise<OperationOutcome> => operate(call, createOperationOfPlugin(call, given));
  const invocation = invocationOf(call);
  return {
    request,
    platform: adapter.name,
    invocation,
    cache,
    logger,
    facts: new Map(),
    runOperation: run,
    statusOf: (outcome) => statusOf(outcome, settings.httpStatusProfile, 'application/json'),
    get clientAddress() {
      return clientAddress(invocation, request.headers);
    },
  };
}

// A plugin that fails after the operation does not leave its stream open.

async function closeBody(running: PromiseOrValue<Response> | undefined): Promise<void> {
  const response = await running;
  if (response !== undefined && isStreamed(response)) await response.body.return();
}

async function closeStream(running: PromiseOrValue<OperationOutcome> | undefined): Promise<void> {
  await (await running)?.stream?.return();
}
