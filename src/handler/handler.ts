import { handleHTTPRequest } from '../http/handle.ts';
import { finishResponse, reportRefusal, toErrorResponse, toLateResponse } from '../http/refusals.ts';
import type { RefusalSettings } from '../http/refusals.ts';
import type { RequestCall } from '../operation/plugin.ts';
import { healthResponse, isHealthCheck } from '../http/health.ts';
import { PlatformInvocation } from './invocation.ts';
import { excessOf } from '../message/answer-size.ts';
import { resultTooLarge } from '../operation/limits/answer-limit.ts';
import { rescued, whenReady } from '../message/eventual.ts';
import type { Eventual } from '../message/eventual.ts';
import type { HeaderMap } from '../message/header-map.ts';
import type { HTTPRequest } from '../message/http-request.ts';
import { httpExtensionOf, isGraphQLError } from '../operation/errors.ts';
import type { Streaming } from '../http/streams/streaming.ts';
import type { HTTPResponse, StreamedResponse } from '../message/http-response.ts';
import type { ServerOptions } from '../server/options.ts';
import type { PlatformAdapter } from '../platform/adapter.ts';
import { findAdapter } from '../platform/detect.ts';
import { noteCreation } from '../server/recreation.ts';
import type { StartedServer } from '../server/server.ts';
import { createStarter } from '../server/start.ts';
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
  const made = noteCreation(options);
  const serveCall = (call: Call): Promise<unknown> => {
    made.calls++;
    return serveEvent(adapters, starter, call, streaming);
  };
  const handler = (event: unknown, context?: unknown): Promise<unknown> => serveCall({ event, context, env: undefined });
  // Workers call fetch(request, env, context), Deno and Bun fetch(request, info).
  const fetch = (request: Request, env?: unknown, context?: unknown): Promise<Response> =>
    serveCall({ event: request, context: context ?? env, env }) as Promise<Response>;
  return Object.assign(handler, { fetch });
}

/** What a platform calls with. */
export interface Call {
  readonly event: unknown;
  readonly context: unknown;
  readonly env: unknown;
}

/**
 * The whole line for one event: event → request → response → result. Rejects only for an event that is known not to be
 * HTTP. Without `streaming` every operation has one answer.
 */
export async function serveEvent(
  adapters: readonly PlatformAdapter<never>[],
  starter: Starter,
  call: Call,
  streaming?: Streaming,
): Promise<unknown> {
  const adapter = findAdapter(adapters, call.event);
  doNotWaitForEventLoop(call.context);
  const exchange: Exchange = {
    adapter,
    starter,
    invocation: new PlatformInvocation(call, adapter, starter),
    streaming: adapter.toStreamResult && streaming,
    request: undefined,
    server: undefined,
    finished: undefined,
  };
  return whenReady(answer(exchange), conclude, exchange);
}

function conclude(response: HTTPResponse | StreamedResponse, exchange: Exchange): unknown {
  const { adapter, invocation } = exchange;
  // The rest of the call belongs to the stream, which says when it has ended.
  if (isStreamed(response)) return adapter.toStreamResult?.(response, invocation.event);
  invocation.answered();
  return invocation.hasWork ? settle(response, exchange) : toResult(response, exchange);
}

async function settle(response: HTTPResponse, exchange: Exchange): Promise<unknown> {
  await exchange.invocation.settled();
  return toResult(response, exchange);
}

function toResult(response: HTTPResponse, { adapter, starter, invocation }: Exchange): unknown {
  const losses = adapter.losses?.(response, invocation.event);
  if (losses !== undefined) starter.logger().warn(losses);
  return adapter.toResult(response, invocation.event);
}

/** Whether its body comes in pieces. */
function isStreamed(response: HTTPResponse | StreamedResponse): response is StreamedResponse {
  return typeof response.body === 'object' && response.body !== null;
}

/** One call, and what is known of it so far. */
export interface Exchange {
  readonly adapter: PlatformAdapter<unknown>;
  readonly starter: Starter;
  readonly invocation: PlatformInvocation;
  /** Undefined: the platform carries no streams. */
  readonly streaming: Streaming | undefined;
  request: HTTPRequest | undefined;
  server: StartedServer | undefined;
  /** The headers of the response that has all of its fields: undefined until there is one. */
  finished: HeaderMap | undefined;
}

/** Event → response. Here, beside `runOperation`, is where errors are caught. */
export function answer(exchange: Exchange): Eventual<HTTPResponse | StreamedResponse> {
  return bounded(whenReady(rescued(respond, refuse, exchange), finish, exchange), exchange);
}

function bounded(answering: Eventual<HTTPResponse | StreamedResponse>, exchange: Exchange): Eventual<HTTPResponse | StreamedResponse> {
  return answering instanceof Promise ? answerInTime(answering, exchange) : answering;
}

/** What hangs outside of any operation, as the start of the server, a request's body or a hook, is not waited for beyond the last moment. */
function answerInTime(answering: Promise<HTTPResponse | StreamedResponse>, exchange: Exchange): Promise<HTTPResponse | StreamedResponse> {
  const { invocation } = exchange;
  return new Promise((resolve, reject) => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = invocation.onLastMoment(() => {
      timer = setTimeout(() => resolve(tooLate(exchange)), operationsTime);
    });
    const end = (): void => {
      stop();
      clearTimeout(timer);
    };
    answering.then(resolve, reject).then(end, end);
  });
}

/** Milliseconds after the last moment that operations have to make their answers of what they have. */
const operationsTime = 10;

function tooLate(exchange: Exchange): HTTPResponse {
  exchange.starter.logger().warn('The deadline came before there was anything to answer with: the request was given up.');
  return toLateResponse(refusalSettings(exchange), exchange.request);
}

function respond(exchange: Exchange): Eventual<HTTPResponse | StreamedResponse> {
  const { adapter, starter, invocation } = exchange;
  exchange.request = adapter.toRequest(invocation.event);
  if (isHealthCheck(exchange.request)) return healthResponse();
  const server = starter.server(invocation);
  return server instanceof Promise ? whenReady(server, serveFirst, exchange) : serve(server, exchange);
}

/** A request that has waited for the start of the server. */
function serveFirst(server: StartedServer, exchange: Exchange): Eventual<HTTPResponse | StreamedResponse> {
  exchange.invocation.optionsAreKnown();
  return serve(server, exchange);
}

function serve(server: StartedServer, exchange: Exchange): Eventual<HTTPResponse | StreamedResponse> {
  exchange.server = server;
  const { viewRequest, wrapRequest, wrapOperation } = server.http;
  if (viewRequest === undefined && wrapRequest === undefined && wrapOperation === undefined) return handle(exchange, undefined);
  const arrived = requestCall(server, exchange);
  const call = viewRequest === undefined ? arrived : viewRequest(arrived);
  if (wrapRequest === undefined) return handle(exchange, call);
  // With the answer to a refusal, and the one for want of time: what wraps the request sees what is sent.
  const wrapped = wrapRequest(call, () =>
    bounded(
      whenReady(
        rescued(() => handle(exchange, call), refuse, exchange),
        finish,
        exchange,
      ),
      exchange,
    ),
  );
  // An answer of a plugin's own is lost on the way, too, if it is too large.
  return whenReady(wrapped, assertFits, exchange);
}

function handle(exchange: Exchange, call: RequestCall | undefined): Eventual<HTTPResponse | StreamedResponse> {
  const { server, request, invocation, streaming } = exchange;
  return whenReady(handleHTTPRequest(server!.http, { request: request!, invocation, streaming, call }), assertFits, exchange);
}

function requestCall({ http }: StartedServer, { adapter, request, invocation }: Exchange): RequestCall {
  const { cache, logger } = http.operation;
  return { request: request!, platform: adapter.name, invocation, cache, logger };
}

/** What is too large, and could not be known to be so before it was there. The log has it too, for whoever answers for the schema. */
function assertFits(response: HTTPResponse | StreamedResponse, { adapter, server, starter }: Exchange): HTTPResponse | StreamedResponse {
  if (isStreamed(response) || response.body === null) return response;
  const excess = excessOf({ platform: adapter, maxBytes: server!.http.maxResultBytes }, response.body);
  if (excess === undefined) return response;
  const error = resultTooLarge(excess.bytes, excess.capacity);
  starter.logger().warn(error.message);
  throw error;
}

async function refuse(thrown: unknown, exchange: Exchange): Promise<HTTPResponse> {
  if (isGraphQLError(thrown) && httpExtensionOf(thrown)?.status === 500) exchange.starter.logger().error(thrown.message);
  if (exchange.server !== undefined) await reportRefusal(exchange.server.http.operation, thrown);
  return toErrorResponse(refusalSettings(exchange), exchange.request, thrown);
}

function finish(response: HTTPResponse | StreamedResponse, exchange: Exchange): Eventual<HTTPResponse | StreamedResponse> {
  // A plugin around the request was given the finished response, and may have made another of its own.
  if (exchange.request === undefined || exchange.finished === response.headers) return response;
  exchange.finished = response.headers;
  return finishResponse(refusalSettings(exchange), exchange.request, response);
}

/** The server's; before there is any, as for an event that nobody can read: nothing shown, all of it logged, and CORS as far as it is known. */
function refusalSettings({ server, starter }: Exchange): RefusalSettings {
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
