import { handleHTTPRequest } from '../http/handle.ts';
import { finishResponse, reportRefusal, toErrorResponse, toLateResponse } from '../http/refusals.ts';
import type { RefusalSettings } from '../http/refusals.ts';
import type { RequestCall } from '../operation/plugin.ts';
import { PlatformInvocation } from './invocation.ts';
import { excessOf } from '../message/answer-size.ts';
import { resultTooLarge } from '../operation/limits/answer-limit.ts';
import { runGuarded, whenReady } from '../message/eventual.ts';
import type { Eventual, GuardedStep } from '../message/eventual.ts';
import { HeaderMap } from '../message/header-map.ts';
import type { HTTPRequest, HTTPResponse, StreamedResponse } from '../message/http-messages.ts';
import { httpExtensionOf, isGraphQLError, ownThrown } from '../operation/errors.ts';
import type { Streaming } from '../http/streams/streaming.ts';
import type { ServerOptions } from '../server/options.ts';
import type { PlatformAdapter } from '../platform/adapter.ts';
import { findAdapter } from '../platform/detect.ts';
import { warnIfRecreated, createStarter } from '../server/start.ts';
import type { StartedServer } from '../server/server.ts';
import type { OptionsSource, Starter } from '../server/start.ts';

/** Takes an event of any of its platforms, or a web `Request`, and returns what that platform wants back. */
export interface UntypedHandler {
  // Two declared parameters at most: AWS's runtime client refuses a handler with three, the form that took a callback.
  (event: unknown, context?: unknown): Promise<unknown>;
  fetch(request: Request, env?: unknown, context?: unknown): Promise<Response>;
}

/** Options in, handler out, for the platforms of the given adapters. Throws for wrong options and wrong schema text. */
export function createHandlerFor(
  adapters: readonly PlatformAdapter<never>[],
  options: OptionsSource<ServerOptions>,
  streaming?: Streaming,
): UntypedHandler {
  const starter = createStarter(options);
  const made = warnIfRecreated(options);
  const serving = { adapters, starter, streaming };
  const serveCall = (call: Call): Promise<unknown> => {
    made.calls++;
    return serveEvent(serving, call);
  };
  const handler = (event: unknown, context?: unknown): Promise<unknown> => serveCall({ event, context, env: undefined });
  // Workers call fetch(request, env, context), Deno and Bun fetch(request, info).
  const fetch = (request: Request, env?: unknown, context?: unknown): Promise<Response> =>
    serveCall({ event: request, context: context ?? env, env }) as Promise<Response>;
  return Object.assign(handler, { fetch });
}

/** The arguments that a platform calls with. */
export interface Call {
  readonly event: unknown;
  readonly context: unknown;
  readonly env: unknown;
}

/** The parts that serve the calls of one handler. */
export interface Serving {
  readonly adapters: readonly PlatformAdapter<never>[];
  readonly starter: Starter;
  /** Undefined: every operation has one answer. */
  readonly streaming: Streaming | undefined;
}

/**
 * The whole line for one event: event → request → response → result. Rejects only for an event that is known not to be
 * HTTP.
 */
export function serveEvent(serving: Serving, call: Call): Promise<unknown> {
  // Not `async`: to return a promise from such a function takes three turns of the microtask queue.
  try {
    return Promise.resolve(toPlatformResult(serving, call));
  } catch (error) {
    return Promise.reject(error);
  }
}

function toPlatformResult({ adapters, starter, streaming }: Serving, call: Call): Eventual<unknown> {
  const adapter = findAdapter(adapters, call.event);
  doNotWaitForEventLoop(call.context);
  const state: InvocationState = {
    adapter,
    starter,
    invocation: new PlatformInvocation(call, adapter, starter),
    streaming: adapter.toStreamResult && streaming,
    request: undefined,
    server: undefined,
    call: undefined,
    finished: undefined,
  };
  const answering = answer(state);
  return answering instanceof Promise ? whenReady(answering, conclude, state) : conclude(answering, state);
}

function conclude(response: HTTPResponse | StreamedResponse, state: InvocationState): unknown {
  const { adapter, invocation } = state;
  // The rest of the call belongs to the stream, which says when it has ended.
  if (isStreamed(response)) return adapter.toStreamResult?.(response, invocation.event);
  invocation.answered();
  return invocation.hasWork ? settle(response, state) : toResult(response, state);
}

async function settle(response: HTTPResponse, state: InvocationState): Promise<unknown> {
  await state.invocation.settled();
  return toResult(response, state);
}

function toResult(response: HTTPResponse, { adapter, starter, invocation }: InvocationState): unknown {
  const losses = adapter.losses?.(response, invocation.event);
  if (losses !== undefined) starter.logger().warn(losses);
  return adapter.toResult(response, invocation.event);
}

/** True when its body comes in pieces. */
function isStreamed(response: HTTPResponse | StreamedResponse): response is StreamedResponse {
  return typeof response.body === 'object' && response.body !== null;
}

/** One call, and what is known of it so far. */
export interface InvocationState {
  readonly adapter: PlatformAdapter<unknown>;
  readonly starter: Starter;
  readonly invocation: PlatformInvocation;
  /** Undefined: the platform carries no streams. */
  readonly streaming: Streaming | undefined;
  request: HTTPRequest | undefined;
  server: StartedServer | undefined;
  /** The view that plugins and `context` have of the request. Undefined: no plugin needs one. */
  call: RequestCall | undefined;
  /** The headers of the response that has all of its fields: undefined until there is one. */
  finished: HeaderMap | undefined;
}

/** Event → response. Here, beside `runOperation`, is where errors are caught. */
export function answer(state: InvocationState): Eventual<HTTPResponse | StreamedResponse> {
  return bounded(runGuarded(wholeRequest, state), state);
}

const wholeRequest: GuardedStep<HTTPResponse | StreamedResponse, InvocationState, HTTPResponse | StreamedResponse> = {
  run: respond,
  rescue: refuse,
  next: finish,
};

function bounded(answering: Eventual<HTTPResponse | StreamedResponse>, state: InvocationState): Eventual<HTTPResponse | StreamedResponse> {
  return answering instanceof Promise && mayBeLate(state) ? answerWithDeadline(answering, state) : answering;
}

/**
 * A web `Request` mostly has no deadline, and operations end in time by themselves. Until the server has started, its options are not known,
 * which may set a deadline.
 */
function mayBeLate({ server, request, invocation }: InvocationState): boolean {
  if (server === undefined) return true;
  if (server.http.waitsInOperationsOnly && request?.body.kind !== 'stream') return false;
  return invocation.deadlineLeft() !== undefined;
}

/** Work outside of any operation that hangs, as the start of the server, reading a body or a hook, is not waited for beyond the last moment. */
function answerWithDeadline(
  answering: Promise<HTTPResponse | StreamedResponse>,
  state: InvocationState,
): Promise<HTTPResponse | StreamedResponse> {
  const { invocation } = state;
  return new Promise((resolve, reject) => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = invocation.onLastMoment(() => {
      timer = setTimeout(() => resolve(tooLate(state)), operationsTime);
    });
    const settling =
      <T>(resolveOrReject: (outcome: T) => void) =>
      (outcome: T): void => {
        stop();
        if (timer !== undefined) clearTimeout(timer);
        resolveOrReject(outcome);
      };
    answering.then(settling(resolve), settling(reject));
  });
}

/** Milliseconds after the last moment that operations have to make their answers of what they have. */
const operationsTime = 10;

function tooLate(state: InvocationState): HTTPResponse {
  state.starter.logger().warn('The deadline came before there was anything to answer with: the request was given up.');
  return toLateResponse(refusalSettings(state), state.request);
}

function respond(state: InvocationState): Eventual<HTTPResponse | StreamedResponse> {
  const { adapter, starter, invocation } = state;
  state.request = adapter.toRequest(invocation.event);
  if (isHealthCheck(state.request)) return healthResponse();
  const server = starter.server(invocation);
  return server instanceof Promise ? whenReady(server, serveFirst, state) : serve(server, state);
}

/** A request that has waited for the start of the server. */
function serveFirst(server: StartedServer, state: InvocationState): Eventual<HTTPResponse | StreamedResponse> {
  state.invocation.optionsAreKnown();
  return serve(server, state);
}

function serve(server: StartedServer, state: InvocationState): Eventual<HTTPResponse | StreamedResponse> {
  state.server = server;
  const { viewRequest, wrapRequest, wrapOperation } = server.http;
  if (viewRequest === undefined && wrapRequest === undefined && wrapOperation === undefined) return handle(state);
  const arrived = requestCall(server, state);
  state.call = viewRequest === undefined ? arrived : viewRequest(arrived);
  // Refusals and late answers are made inside: a plugin that wraps the request sees what is sent.
  return wrapRequest === undefined ? handle(state) : wrapRequest(state.call, answerWrapped, state);
}

function answerWrapped(state: InvocationState): Eventual<HTTPResponse | StreamedResponse> {
  return bounded(runGuarded(wrappedRequest, state), state);
}

function handle({ server, request, invocation, streaming, call }: InvocationState): Eventual<HTTPResponse | StreamedResponse> {
  return handleHTTPRequest(server!.http, { request: request!, invocation, streaming, call });
}

const wrappedRequest: typeof wholeRequest = { ...wholeRequest, run: handle };

function requestCall({ http }: StartedServer, { adapter, request, invocation }: InvocationState): RequestCall {
  const { cache, logger } = http.operation;
  return { request: request!, platform: adapter.name, invocation, cache, logger };
}

/**
 * The size of an answer may be known only when it is complete, and an answer of a plugin's own is lost on the way, too, if it is too
 * large. That is logged as well, for the owner of the schema. Undefined: the answer fits.
 */
function errorOfSize(
  response: HTTPResponse | StreamedResponse,
  { adapter, server, starter }: InvocationState,
): ReturnType<typeof resultTooLarge> | undefined {
  if (server === undefined || response.body === null || isStreamed(response)) return undefined;
  const excess = excessOf({ platform: adapter, maxBytes: server.http.maxResultBytes }, response.body);
  if (excess === undefined) return undefined;
  const error = resultTooLarge(excess.bytes, excess.capacity);
  starter.logger().warn(error.message);
  return error;
}

async function refuse(failure: unknown, state: InvocationState): Promise<HTTPResponse> {
  const thrown = ownThrown(failure);
  if (isGraphQLError(thrown) && httpExtensionOf(thrown)?.status === 500) state.starter.logger().error(thrown.message);
  if (state.server !== undefined) await reportRefusal(state.server.http.operation, thrown);
  return toErrorResponse(refusalSettings(state), state.request, thrown);
}

function finish(response: HTTPResponse | StreamedResponse, state: InvocationState): Eventual<HTTPResponse | StreamedResponse> {
  const error = errorOfSize(response, state);
  return error === undefined ? finishFitting(response, state) : whenReady(refuse(error, state), finishFitting, state);
}

function finishFitting(response: HTTPResponse | StreamedResponse, state: InvocationState): Eventual<HTTPResponse | StreamedResponse> {
  // A plugin around the request was given the finished response, and may have made another of its own.
  if (state.request === undefined || state.finished === response.headers) return response;
  state.finished = response.headers;
  return finishResponse(refusalSettings(state), state.request, response);
}

/** The server's; before there is any, as for an unreadable event: details hidden, all of it logged, and CORS as far as it is known. */
function refusalSettings({ server, starter }: InvocationState): RefusalSettings {
  if (server !== undefined) return server.http;
  return {
    cors: starter.cors(),
    httpStatusProfile: 'default',
    operation: { maskErrors: true, includeStacktrace: false, exposeUpstreamErrors: false, logger: starter.logger() },
  };
}

/** Older Lambda runtimes keep an invocation open until the event loop is empty: a database connection would hold it to the timeout. */
export function doNotWaitForEventLoop(context: unknown): void {
  if (typeof context !== 'object' || context === null || !('callbackWaitsForEmptyEventLoop' in context)) return;
  Reflect.set(context, 'callbackWaitsForEmptyEventLoop', false);
}

/**
 * True for a health check. Nothing else looks at the path: its end is `/health`. A load balancer's checker is known
 * by its name, because it cannot send the headers that CSRF prevention asks of a GET.
 */
function isHealthCheck(request: HTTPRequest): boolean {
  if (request.method !== 'GET' && request.method !== 'HEAD') return false;
  if (/\/health\/?$/.test(request.path)) return true;
  return request.queryString === '' && (request.headers.get('user-agent')?.startsWith('ELB-HealthChecker/') ?? false);
}

/** The answer to a health check, in the format of the Internet draft "Health Check Response Format for HTTP APIs". */
export function healthResponse(status: 'pass' | 'fail' = 'pass'): HTTPResponse {
  const headers = new HeaderMap({ 'content-type': 'application/health+json', 'cache-control': 'no-store' });
  return { status: status === 'pass' ? 200 : 503, headers, body: JSON.stringify({ status }) };
}
