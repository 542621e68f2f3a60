import type { GraphQLError } from 'graphql';

import type { Eventual } from '../message/eventual.ts';
import { HeaderMap } from '../message/header-map.ts';
import type { HTTPRequest, HTTPResponse, StreamedResponse } from '../message/http-messages.ts';
import { deadlineExceeded, formatResult, isGraphQLError, toGraphQLError } from '../operation/errors.ts';
import type { ErrorSettings } from '../operation/errors.ts';
import { tellOfFailure } from '../operation/hooks.ts';
import type { OperationSettings } from '../operation/state.ts';
import type { OperationOutcome } from '../operation/types.ts';
import { negotiateMediaType } from './accept.ts';
import type { ResponseMediaType } from './accept.ts';
import { addCORSHeaders } from './cors.ts';
import type { CORSOptions } from './cors.ts';
import { toHTTPResponse } from './response.ts';
import type { ResponseSettings } from './response.ts';

/** The settings needed to answer when there may be no server yet. */
export interface RefusalSettings extends ResponseSettings {
  readonly cors: CORSOptions | undefined;
  readonly operation: ErrorSettings;
}

/** The answer to a request that was refused or failed outside of any operation. */
export function toErrorResponse(settings: RefusalSettings, request: HTTPRequest | undefined, thrown: unknown): HTTPResponse {
  const mediaType = mediaTypeOfError(request);
  try {
    return toHTTPResponse(settings, refused(settings.operation, toGraphQLError(thrown)), mediaType);
  } catch (failure) {
    // JSON cannot carry what formatError made of it, a BigInt for one: it is not asked again.
    return toHTTPResponse(settings, refused({ ...settings.operation, formatError: undefined }, toGraphQLError(failure)), mediaType);
  }
}

/** The answer of a request whose time is up. */
export function toLateResponse(settings: RefusalSettings, request: HTTPRequest | undefined): HTTPResponse {
  return toErrorResponse(settings, request, deadlineExceeded());
}

/** `invalidRequestWasReceived` of every plugin. A hook that fails is logged: the request has its answer already. */
export async function reportRefusal({ plugins, logger }: OperationSettings, thrown: unknown): Promise<void> {
  // Anything else that was thrown is the server's own failure, not an invalid request.
  if (!isGraphQLError(thrown) || thrown.extensions['code'] === 'INTERNAL_SERVER_ERROR') return;
  const told = plugins.map((plugin) =>
    tellOfFailure(logger, 'invalidRequestWasReceived', () => plugin.invalidRequestWasReceived?.({ error: thrown, logger })),
  );
  await Promise.all(told);
}

/** The last touch, for answers and refusals alike: CORS, and no body where the method has none. */
export function finishResponse<T extends HTTPResponse | StreamedResponse>(
  { cors, operation }: RefusalSettings,
  request: HTTPRequest,
  response: T,
): Eventual<T | HTTPResponse> {
  const finished = request.method === 'HEAD' ? { ...response, body: null } : response;
  if (cors === undefined) return finished;
  const adding = addCORSHeaders({ cors, request, headers: response.headers, logger: operation.logger });
  return adding instanceof Promise ? adding.then(() => finished) : finished;
}

/** The outcome of an operation that was refused before it ran. */
export function refused(settings: ErrorSettings, error: GraphQLError): OperationOutcome {
  const head = { headers: new HeaderMap() };
  try {
    return { result: formatResult(settings, { errors: [error] }), errors: [error], head, operation: undefined, source: undefined };
  } catch (thrown) {
    // formatError failed. It is not asked about that, and in a batch the neighbours are not taken along.
    return refused({ ...settings, formatError: undefined }, toGraphQLError(thrown));
  }
}

/** Errors follow Accept like answers do; where it allows neither type, JSON is the kinder choice. */
function mediaTypeOfError(request: HTTPRequest | undefined): ResponseMediaType {
  try {
    return negotiateMediaType(request?.headers.get('accept') ?? null);
  } catch {
    return 'application/json';
  }
}
