/** Refusals: the responses to requests that fail outside of an operation, or take too long; and the header fields that every response has. */
import { HeaderMap, isGraphQLError, waitAtMost } from '../shared/index.ts';
import type { HTTPRequest, HTTPResponse, Milliseconds, PromiseOrValue, StreamedResponse } from '../shared/index.ts';
import { OperationLife } from './call.ts';
import type { Call } from './call.ts';
import { negotiateMediaType } from './http/accept.ts';
import type { ResponseMediaType } from './http/accept.ts';
import { addCORSHeaders } from './http/cors.ts';
import { defaultStatusProfile } from './http/status.ts';
import { toSingleResponse, uncacheable } from './http/response.ts';
import type { ResponseSettings } from './http/response.ts';
import { copyThrown, deadlineExceeded, httpExtensionOf, toGraphQLError, unfinishedAtDeadline, report } from './operation/errors.ts';
import { formatResult } from './operation/format-errors.ts';
import type { ErrorSettings } from './operation/format-errors.ts';
import { callFailureHook } from './operation/apollo-hooks.ts';
import type { OperationSettings } from './operation/operation.ts';
import type { OperationOutcome } from './operation/types.ts';

type Response = HTTPResponse | StreamedResponse;

/** Creates the response to a request that was refused, or that failed outside of its operations. */
export async function refuse(failure: unknown, call: Call): Promise<HTTPResponse> {
  const thrown = copyThrown(failure);
  if (isGraphQLError(thrown) && httpExtensionOf(thrown)?.status === 500) report(call.starter.logger(), thrown.message, undefined);
  if (call.settings !== undefined) await reportRefusal(call.settings.operation, thrown);
  return toErrorResponse(settingsOf(call), call.request, thrown);
}

/** Calls `invalidRequestWasReceived` of every plugin. A hook that fails is logged. */
async function reportRefusal({ plugins, logger }: OperationSettings, thrown: unknown): Promise<void> {
  // Anything else is a failure of the server, not an invalid request.
  if (!isGraphQLError(thrown) || thrown.extensions['code'] === 'INTERNAL_SERVER_ERROR') return;
  const calls = plugins.map((plugin) =>
    callFailureHook(logger, 'invalidRequestWasReceived', () => plugin.invalidRequestWasReceived?.({ error: thrown, logger })),
  );
  await Promise.all(calls);
}

/** The settings for an error response, which may be needed before the server has started. */
interface RefusalSettings extends ResponseSettings {
  readonly operation: ErrorSettings;
}

/** Until the server has started, errors are masked. */
function settingsOf({ settings, starter }: Call): RefusalSettings {
  if (settings !== undefined) return settings;
  return {
    httpStatusProfile: starter.prepared?.http.httpStatusProfile ?? defaultStatusProfile,
    operation: { maskErrors: true, includeStacktrace: false, exposeUpstreamErrors: false, logger: starter.logger() },
  };
}

/** The response to a request that was refused, or failed outside of an operation. */
function toErrorResponse(settings: RefusalSettings, request: HTTPRequest | undefined, thrown: unknown): HTTPResponse {
  const mediaType = mediaTypeOfError(request);
  try {
    return toSingleResponse(settings, refusedOutcome(settings.operation, thrown), mediaType);
  } catch (failure) {
    // What formatError returned cannot be written as JSON, a BigInt for example. It is not called again.
    return toSingleResponse(settings, refusedOutcome({ ...settings.operation, formatError: undefined }, failure), mediaType);
  }
}

/** The outcome of an operation that was refused before it ran. */
export function refusedOutcome(settings: ErrorSettings, failure: unknown): OperationOutcome {
  const error = toGraphQLError(failure);
  const head = { headers: new HeaderMap() };
  try {
    return {
      result: formatResult(settings, { errors: [error] }),
      errors: [error],
      head,
      operation: undefined,
      document: undefined,
      source: undefined,
    };
  } catch (thrown) {
    // formatError failed. It is not called again.
    return refusedOutcome({ ...settings, formatError: undefined }, thrown);
  }
}

/** Errors follow Accept, but are JSON if it allows neither type. */
function mediaTypeOfError(request: HTTPRequest | undefined): ResponseMediaType {
  try {
    return negotiateMediaType(request?.headers.get('accept') ?? null);
  } catch {
    return 'application/json';
  }
}

/** Adds `cache-control` and CORS, unless they were added before plugins saw the response, and removes the body for HEAD. */
export function addCommonHeaders(call: Call, response: Response): PromiseOrValue<Response> {
  const { request, settings, starter } = call;
  const { headers } = response;
  if (request === undefined || call.finished === headers) return response;
  call.finished = headers;
  const hasLifetime = headers.get('cache-control') !== null || headers.get('expires') !== null;
  if (!hasLifetime && !('defaultCacheControl' in response)) headers.set('cache-control', uncacheable);
  const finished = request.method === 'HEAD' ? { ...response, body: null } : response;
  const cors = settings === undefined ? starter.prepared?.http.cors : settings.cors;
  if (cors === undefined) return finished;
  const adding = addCORSHeaders({ cors, request, headers, logger: starter.logger() });
  return adding instanceof Promise ? adding.then(() => finished) : finished;
}

/**
 * True if something other than the operations may wait beyond the deadline: operations end in time by themselves. A web `Request` usually
 * has no deadline. Until the server has started, its options, which may set a deadline, are not known.
 */
export function mayBeLate(call: Call): boolean {
  const { settings, request } = call;
  if (settings === undefined) return true;
  if (settings.waitsInOperationsOnly && request?.body.kind !== 'stream') return false;
  return call.deadlineLeft() !== undefined;
}

/** Waits for a response until the last moment. The start of the server, a request body or a hook may hang. */
export function answerInTime(responding: Promise<Response>, call: Call, extraTime: Milliseconds): Promise<Response> {
  return new OperationLife(call, 'deadline').untilLate(responding, async () => {
    const response = await waitAtMost(extraTime, responding);
    return response === 'late' ? tooLate(call) : response;
  });
}

/** Adds only the common headers that are available synchronously: the origin function of `cors` may be what hangs. */
function tooLate(call: Call): Response {
  call.starter.logger().warn('The deadline passed before there was an answer.');
  // Operations may be running, also those that a plugin around the request has started.
  const mayHaveRun = call.mayHaveRun || call.settings?.operation.stages?.request !== undefined;
  const error = mayHaveRun ? unfinishedAtDeadline() : deadlineExceeded();
  const response = toErrorResponse(settingsOf(call), call.request, error);
  const finished = addCommonHeaders(call, response);
  return finished instanceof Promise ? response : finished;
}
