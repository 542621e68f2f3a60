import { HeaderMap, isGraphQLError } from '../../shared/index.ts';
import type { PromiseOrValue, HTTPRequest, HTTPResponse, StreamedResponse } from '../../shared/index.ts';
import { toGraphQLError } from '../operation/errors.ts';
import { formatResult } from '../operation/format-errors.ts';
import type { ErrorSettings } from '../operation/format-errors.ts';
import { callFailureHook } from '../operation/hooks.ts';
import type { OperationSettings } from '../operation/state.ts';
import type { OperationOutcome } from '../operation/types.ts';
import { negotiateMediaType } from './accept.ts';
import type { ResponseMediaType } from './accept.ts';
import { setDefaultCacheControl } from './cache-control.ts';
import { addCORSHeaders } from './cors.ts';
import type { CORSOptions } from './cors.ts';
import { toSingleResponse } from './response.ts';
import type { ResponseSettings } from './response.ts';

/** The settings for an error response, which may be needed before the server has started. */
export interface RefusalSettings extends ResponseSettings {
  readonly cors: CORSOptions | undefined;
  readonly operation: ErrorSettings;
}

/** The response to a request that was refused, or failed outside of an operation. */
export function toErrorResponse(settings: RefusalSettings, request: HTTPRequest | undefined, thrown: unknown): HTTPResponse {
  const mediaType = mediaTypeOfError(request);
  try {
    return toSingleResponse(settings, refusedOutcome(settings.operation, thrown), mediaType);
  } catch (failure) {
    // What formatError returned cannot be written as JSON, a BigInt for example. It is not called again.
    return toSingleResponse(settings, refusedOutcome({ ...settings.operation, formatError: undefined }, failure), mediaType);
  }
}

/** Calls `invalidRequestWasReceived` of every plugin. A hook that fails is logged. */
export async function reportRefusal({ plugins, logger }: OperationSettings, thrown: unknown): Promise<void> {
  // Anything else is a failure of the server, not an invalid request.
  if (!isGraphQLError(thrown) || thrown.extensions['code'] === 'INTERNAL_SERVER_ERROR') return;
  const calls = plugins.map((plugin) =>
    callFailureHook(logger, 'invalidRequestWasReceived', () => plugin.invalidRequestWasReceived?.({ error: thrown, logger })),
  );
  await Promise.all(calls);
}

/** The last step for every response: `cache-control`, CORS, and no body for HEAD. */
export function finishResponse<T extends HTTPResponse | StreamedResponse>(
  { cors, operation }: RefusalSettings,
  request: HTTPRequest,
  response: T,
): PromiseOrValue<T | HTTPResponse> {
  if (!('defaultCacheControl' in response)) setDefaultCacheControl(response.headers);
  const finished = request.method === 'HEAD' ? { ...response, body: null } : response;
  if (cors === undefined) return finished;
  const adding = addCORSHeaders({ cors, request, headers: response.headers, logger: operation.logger });
  return adding instanceof Promise ? adding.then(() => finished) : finished;
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
