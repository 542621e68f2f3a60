/** The first and last steps of the pipeline: an event arrives, a response departs. */
import { HeaderMap, excessOf, waitAtMost, whenReady } from '../../shared/index.ts';
import type { Eventual, HTTPRequest, HTTPResponse, StreamedResponse } from '../../shared/index.ts';
import { revalidate } from '../http/etag.ts';
import { sizeOf } from '../http/operations.ts';
import { finishResponse, reportRefusal, toErrorResponse, toLateResponse } from '../http/refusals.ts';
import type { RefusalSettings } from '../http/refusals.ts';
import { httpExtensionOf, isGraphQLError, copyThrown, report } from '../operation/errors.ts';
import { normalizeHead } from '../http/response.ts';
import { resultTooLarge } from '../operation/limits/answer-limit.ts';
import type { StartedServer } from '../startup/server.ts';
import { isStreamed } from './call.ts';
import type { ArrivedCall, Call } from './call.ts';

type Response = HTTPResponse | StreamedResponse;

export function toRequest(call: Call): void {
  call.request = call.adapter.toRequest(call.invocation.event);
}

/** Answers health checks, which do not wait for the start of the server. */
export function answerHealthCheck(call: Call): void {
  if (isHealthCheck(call.request!)) call.response = healthResponse();
}

/**
 * True for a health check: the path ends with `/health`, or the user agent is that of an AWS load balancer, which cannot send the headers
 * that CSRF prevention requires. No other code reads the path.
 */
function isHealthCheck(request: HTTPRequest): boolean {
  if (request.method !== 'GET' && request.method !== 'HEAD') return false;
  if (/\/health\/?$/.test(request.path)) return true;
  return request.queryString === '' && (request.headers.get('user-agent')?.startsWith('ELB-HealthChecker/') ?? false);
}

/** The answer to a health check, in the format of the Internet draft "Health Check Response Format for HTTP APIs". */
export function healthResponse(status: 'pass' | 'fail' = 'pass'): HTTPResponse {
  const headers = new HeaderMap({ 'content-type': 'application/health+json' });
  return { status: status === 'pass' ? 200 : 503, headers, body: JSON.stringify({ status }) };
}

export function startServer(call: Call): Eventual<void> {
  return whenReady(call.starter.server(call.invocation), setServer, call);
}

function setServer({ http }: StartedServer, call: Call): void {
  call.settings = http;
  call.invocation.clock.optionsAreKnown();
}

/** Creates the response to a request that was refused, or that failed outside of its operations. */
export async function refuse(failure: unknown, call: Call): Promise<void> {
  const thrown = copyThrown(failure);
  if (isGraphQLError(thrown) && httpExtensionOf(thrown)?.status === 500) report(call.starter.logger(), thrown.message, undefined);
  if (call.settings !== undefined) await reportRefusal(call.settings.operation, thrown);
  call.response = toErrorResponse(refusalSettings(call), call.request, thrown);
}

/** The server's settings. Before it has started: details are hidden and logged, and CORS is as far as it is known. */
function refusalSettings({ settings, starter }: Call): RefusalSettings {
  if (settings !== undefined) return settings;
  return {
    cors: starter.cors(),
    httpStatusProfile: starter.httpStatusProfile(),
    operation: { maskErrors: true, includeStacktrace: false, exposeUpstreamErrors: false, logger: starter.logger() },
  };
}

/** Normalizes status and headers that plugins have set. */
export function normalizeResponse(call: Call): void {
  call.response = normalizeHead(call.response!, call.starter.logger());
}

/** Encodes the body for {@link Call.encode}, unless the client already has it. Then the platform's limit applies. */
export function encodeBody(_answered: void, call: Call): Eventual<void> {
  const { encode, request } = call;
  call.encode = undefined;
  normalizeResponse(call);
  const response = call.response!;
  if (isStreamed(response) || request!.method === 'HEAD') return undefined;
  const whole = 'defaultCacheControl' in response ? response : revalidate(request!, response);
  call.response = whole;
  return whole.body === null ? undefined : whenReady(encode!(whole), setResponse, call);
}

/** Refuses a response that is too large for the platform. Also logs it, because a plugin may have created it. */
export function checkSize(call: Call): Eventual<void> {
  const { settings, starter } = call;
  const response = call.response!;
  if (settings === undefined || response.body === null || isStreamed(response)) return undefined;
  const excess = excessOf(sizeOf(call as ArrivedCall), response.body);
  if (excess === undefined) return undefined;
  const error = resultTooLarge(excess.bytes, excess.capacity);
  starter.logger().warn(error.message);
  return refuse(error, call);
}

/** Adds the headers that every response has, unless they were added before plugins around the request saw it. */
export function addCommonHeaders(call: Call): Eventual<void> {
  const response = call.response!;
  if (call.request === undefined || call.departed === response.headers) return undefined;
  call.departed = response.headers;
  return whenReady(finishResponse(refusalSettings(call), call.request, response), setResponse, call);
}

export function setResponse(response: Response, call: Call): void {
  call.response = response;
}

export function responseOf(_departed: void, { response }: Call): Response {
  return response!;
}

/**
 * True if something other than the operations may wait beyond the deadline: operations end in time by themselves. A web `Request` usually
 * has no deadline. Until the server has started, its options, which may set a deadline, are not known.
 */
export function mayBeLate({ settings, request, invocation }: Call): boolean {
  if (settings === undefined) return true;
  if (settings.waitsInOperationsOnly && request?.body.kind !== 'stream') return false;
  return invocation.deadlineLeft() !== undefined;
}

/** Waits for a response until the last moment. The start of the server, a request body or a hook may hang. */
export function answerInTime(responding: Promise<Response>, call: Call): Promise<Response> {
  const onLastMoment = async (): Promise<Response> => {
    const response = await waitAtMost(timeForOperations, responding);
    return response === 'late' ? tooLate(call) : response;
  };
  return call.invocation.clock.view({ until: 'deadline' }).inTime(responding, { onLastMoment });
}

/** Milliseconds after the last moment that operations have to make partial answers. */
const timeForOperations = 10;

/** Adds only the common headers that are available synchronously: the origin function of `cors` may be what hangs. */
function tooLate(call: Call): Response {
  call.starter.logger().warn('The deadline passed before there was an answer.');
  call.response = toLateResponse(refusalSettings(call), call.request);
  void addCommonHeaders(call);
  return call.response;
}
