import { HeaderMap, isGraphQLError } from '../../shared/index.ts';
import type { HTTPRequest, HTTPResponse } from '../../shared/index.ts';
import { toGraphQLError } from '../operation/errors.ts';
import { formatResult } from '../operation/format-errors.ts';
import type { ErrorSettings } from '../operation/format-errors.ts';
import { callFailureHook } from '../operation/hooks.ts';
import type { OperationSettings } from '../operation/state.ts';
import type { OperationOutcome } from '../operation/types.ts';
import { negotiateMediaType } from './accept.ts';
import type { ResponseMediaType } from './accept.ts';
import { toSingleResponse } from './response.ts';
import type { FinishSettings, ResponseSettings } from './response.ts';

/** The settings for an error response, which may be needed before the server has started. */
export interface RefusalSettings extends ResponseSettings, FinishSettings {
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
