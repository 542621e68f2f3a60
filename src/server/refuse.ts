/** Refusals: the responses to requests that fail outside of an operation. */
import { HeaderMap, isGraphQLError } from '../shared/index.ts';
import type { HTTPRequest, HTTPResponse, StreamedResponse } from '../shared/index.ts';
import type { Call } from './call.ts';
import { acceptOf, negotiateMediaType } from './doors/accept.ts';
import type { ResponseMediaType } from './doors/accept.ts';
import { defaultStatusProfile, statusOf } from './doors/graphql/status.ts';
import { addHeaders, normalizeHead } from './doors/response-head.ts';
import { toSingleResponse } from './doors/graphql/response.ts';
import type { ResponseSettings } from './doors/graphql/response.ts';
import { copyThrown, httpExtensionOf, toGraphQLError, report } from './operation/errors.ts';
import { formatResult } from './operation/format-errors.ts';
import type { ErrorSettings } from './operation/format-errors.ts';
import { callFailureHooks } from './operation/apollo-hooks.ts';
import type { Door } from './operation/door.ts';
import type { OperationSettings } from './operation/operation.ts';
import { assertOutcome } from './operation/around.ts';
import type { Logger, OperationOutcome } from './operation/types.ts';

/** Creates the response to a request that was refused, or that failed outside of its operations. */
export async function refuse(failure: unknown, call: Call): Promise<HTTPResponse> {
  const thrown = copyThrown(failure);
  if (isGraphQLError(thrown) && httpExtensionOf(thrown)?.status === 500) report(call.starter.logger(), thrown.message, undefined);
  if (call.settings !== undefined) await reportRefusal(call.settings.operation, thrown);
  return toErrorResponse(call, thrown);
}

/** Calls `invalidRequestWasReceived` of every plugin. A hook that fails is logged. */
async function reportRefusal({ plugins, logger }: OperationSettings, thrown: unknown): Promise<void> {
  // Anything else is a failure of the server, not an invalid request.
  if (!isGraphQLError(thrown) || thrown.extensions['code'] === 'INTERNAL_SERVER_ERROR') return;
  await callFailureHooks(plugins, 'invalidRequestWasReceived', { error: thrown, logger });
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
export function toErrorResponse(call: Call, thrown: unknown): HTTPResponse {
  const settings = settingsOf(call);
  const mediaType = mediaTypeOfError(call.request);
  try {
    const outcome = refusedOutcome(settings.operation, thrown);
    const { door, view } = call;
    if (door === undefined) return toSingleResponse(settings, outcome, mediaType);
    const status = statusOf(outcome, settings.httpStatusProfile, 'application/json');
    const response = answerOf(door, door.refuse({ status, error: outcome.result.errors![0]! }, view!), settings.operation.logger);
    addHeaders(response.headers, httpExtensionOf(outcome.errors[0]!)?.headers);
    return response;
  } catch (failure) {
    // The door failed, or formatError returned something that JSON cannot hold, such as a BigInt. Neither is called again.
    return toSingleResponse(settings, refusedOutcome({ ...settings.operation, formatError: undefined }, failure), mediaType);
  }
}

/** The response of a plugin's door, which can return anything. */
export function answerOf<T extends HTTPResponse | StreamedResponse>({ name }: Door, response: T, logger: Logger): T {
  assertOutcome(response, 'request', `the door ${name}`);
  return normalizeHead(response, logger);
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
    return request === undefined ? 'application/json' : negotiateMediaType(acceptOf(request));
  } catch {
    return 'application/json';
  }
}
