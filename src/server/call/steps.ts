/** The first and last steps of the pipeline: an event arrives, a response departs. */
import type { GraphQLError } from 'graphql';

import { HeaderMap, excessOf, isGraphQLError, waitAtMost, whenArrived } from '../../shared/index.ts';
import type { PromiseOrValue, HTTPRequest, HTTPResponse, Milliseconds, StreamedResponse } from '../../shared/index.ts';
import { revalidate } from '../http/etag.ts';
import { answerSizeOf } from '../http/operations.ts';
import { reportRefusal, toErrorResponse } from '../http/refusals.ts';
import type { RefusalSettings } from '../http/refusals.ts';
import { finishResponse } from '../http/response.ts';
import { copyThrown, deadlineExceeded, httpExtensionOf, unfinishedAtDeadline } from '../operation/errors.ts';
import { report } from '../operation/log-errors.ts';
import type { HTTPSettings } from '../http/http-call.ts';
import { normalizeHead } from '../http/response.ts';
import { resultTooLarge } from '../operation/limits/answer-limit.ts';
import type { StartedServer } from '../startup/server.ts';
import { isStreamed } from './call.ts';
import type { ArrivedCall, Call } from './call.ts';

type Response = HTTPResponse | StreamedResponse;

export function toRequest({ adapter, invocation }: Call): HTTPRequest {
  return adapter.toRequest(invocation.event);
}

/** Answers health checks, which do not wait for the start of the server. */
export function answerHealthCheck({ request, starter }: Call): HTTPResponse | undefined {
  return isHealthCheck(request!) ? healthResponse(starter.calls.isClosed ? 'fail' : 'pass') : undefined;
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
export function healthResponse(status: 'pass' | 'fail'): HTTPResponse {
  const headers = new HeaderMap({ 'content-type': 'application/health+json' });
  return { status: status === 'pass' ? 200 : 503, headers, body: JSON.stringify({ status }) };
}

export function startServer({ starter, invocation }: Call): PromiseOrValue<HTTPSettings> {
  const started = starter.server(invocation);
  return started instanceof Promise ? whenArrived(started, afterStart, invocation.clock) : started.http;
}

/** The deadline depends on the options, which were not known when the call began to wait. */
function afterStart({ http }: StartedServer, clock: Call['invocation']['clock']): HTTPSettings {
  clock.optionsAreKnown();
  return http;
}

/** Creates the response to a request that was refused, or that failed outside of its operations. */
export async function refuse(failure: unknown, call: Call): Promise<void> {
  const thrown = copyThrown(failure);
  if (isGraphQLError(thrown) && httpExtensionOf(thrown)?.status === 500) report(call.starter.logger(), thrown.message, undefined);
  if (call.settings !== undefined) await reportRefusal(call.settings.operation, thrown);
  call.response = toErrorResponse(call.settings ?? settingsBeforeStart(call.starter), call.request, thrown);
}

/** The settings for refusals before the server has started: details are hidden and logged, and CORS is as far as it is known. */
function settingsBeforeStart(starter: Call['starter']): RefusalSettings {
  return {
    cors: starter.cors(),
    httpStatusProfile: starter.httpStatusProfile(),
    operation: { maskErrors: true, includeStacktrace: false, exposeUpstreamErrors: false, logger: starter.logger() },
  };
}

/** Adds an ETag to an answer that caches may store; a 304 if the client already has it. */
export function revalidateAnswer({ request, response }: Call): HTTPResponse | undefined {
  // A mutation, and most queries, are sent by POST.
  if (request === undefined || request.method === 'POST' || isStreamed(response!) || 'defaultCacheControl' in response!) return undefined;
  return revalidate(request, response!);
}

/** Encodes the body for {@link Call.encode}. A function that fails is a refusal, which is not encoded. */
export function encodeBody(call: Call): PromiseOrValue<Response | undefined> {
  const { encode, request, response } = call;
  call.encode = undefined;
  if (encode === undefined || isStreamed(response!) || response!.body === null || request!.method === 'HEAD') return undefined;
  return encodeOrRefuse(call, encode, response!);
}

async function encodeOrRefuse(call: Call, encode: NonNullable<Call['encode']>, response: HTTPResponse): Promise<Response> {
  try {
    return normalizeHead(await encode(response), call.starter.logger());
  } catch (failure) {
    await refuse(failure, call);
    return call.response!;
  }
}

/** Refuses a response that is too large for the platform. Also logs it, because a plugin may have created it. */
export function checkSize(call: Call): PromiseOrValue<Response | undefined> {
  const { settings, starter } = call;
  const response = call.response!;
  if (settings === undefined || response.body === null || isStreamed(response)) return undefined;
  const excess = excessOf(answerSizeOf(call as ArrivedCall), response.body);
  if (excess === undefined) return undefined;
  const error = resultTooLarge(excess.bytes, excess.capacity);
  starter.logger().warn(error.message);
  return refuseInstead(error, call);
}

async function refuseInstead(error: GraphQLError, call: Call): Promise<Response | undefined> {
  await refuse(error, call);
  return call.response;
}

/** Adds the headers that every response has, unless they were added before plugins saw it. */
export function addCommonHeaders(call: Call): PromiseOrValue<Response | undefined> {
  const { settings, starter, request } = call;
  const response = call.response!;
  if (request === undefined || call.finished === response.headers) return undefined;
  call.finished = response.headers;
  return finishResponse(settings ?? settingsBeforeStart(starter), request, response);
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
export function answerInTime(responding: Promise<Response>, call: Call, extraTime: Milliseconds): Promise<Response> {
  const onLastMoment = async (): Promise<Response> => {
    const response = await waitAtMost(extraTime, responding);
    return response === 'late' ? tooLate(call) : response;
  };
  return call.invocation.clock.view({ until: 'deadline' }).inTime(responding, { onLastMoment });
}

/** Milliseconds after the last moment that operations have to make partial answers. */
export const timeForOperations = 10;
/** Milliseconds after the last moment that plugins around the request have: they may get the answer only when the operations have ended. */
export const timeForPlugins = 20;

/** Adds only the common headers that are available synchronously: the origin function of `cors` may be what hangs. */
function tooLate(call: Call): Response {
  call.starter.logger().warn('The deadline passed before there was an answer.');
  // Operations may be running, also those that a plugin around the request has started.
  const mayHaveRun = call.parsed !== undefined || call.settings?.wrapRequest !== undefined;
  const error = mayHaveRun ? unfinishedAtDeadline() : deadlineExceeded();
  call.response = toErrorResponse(call.settings ?? settingsBeforeStart(call.starter), call.request, error);
  const finished = addCommonHeaders(call);
  return finished === undefined || finished instanceof Promise ? call.response : finished;
}
