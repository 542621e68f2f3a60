import type { FormattedExecutionResult, GraphQLError } from 'graphql';

import { HeaderMap, addVary, describe, isHeaderField } from '../../shared/index.ts';
import type { ChunkStream, HTTPResponse, StreamedResponse } from '../../shared/index.ts';
import { httpExtensionOf } from '../operation/errors.ts';
import { formatFailure } from '../operation/format-errors.ts';
import type { HTTPExtension } from '../operation/errors.ts';
import type { ErrorSettings } from '../operation/format-errors.ts';
import type { Logger, OperationOutcome } from '../operation/types.ts';
import type { ResponseMediaType } from './accept.ts';
import { removeLifetimes, setDefaultCacheControl, uncacheable } from './cache-control.ts';
import { textOfBatch } from './batch-text.ts';
import type { BatchResponseSettings } from './batch-text.ts';
import { labelOf, statusOf, toFinalStatus } from './status.ts';
import type { HTTPStatusProfile } from './status.ts';

/** The settings for a response. */
export interface ResponseSettings {
  readonly httpStatusProfile: HTTPStatusProfile;
  readonly operation: { readonly logger: Logger };
}

/** One operation's outcome → its response. */
export function toSingleResponse(
  { httpStatusProfile, operation }: ResponseSettings,
  outcome: OperationOutcome,
  mediaType: ResponseMediaType,
): HTTPResponse {
  const { head, errors, result: given } = outcome;
  // Most answers have no errors, and their head and extensions are not set.
  if (
    errors.length === 0 &&
    given.errors === undefined &&
    given.extensions === undefined &&
    head.status === undefined &&
    head.headers instanceof HeaderMap &&
    head.headers.isEmpty
  )
    return { status: 200, headers: HeaderMap.sharing(commonHeaders[mediaType]), body: JSON.stringify(given) };
  const headers = takeHeaders(head);
  const result = takeHTTPExtension(outcome);
  addErrorHeaders(headers, errors);
  const status = toFinalStatus(statusOf(outcome, httpStatusProfile, mediaType), operation.logger);
  const label = labelOf(status, httpStatusProfile, mediaType);
  if (!isCacheable(outcome)) removeLifetimes(headers);
  return respond({ status, headers, mediaType: label, text: JSON.stringify(result) });
}

/** A context function or a plugin may have replaced them with the web's `Headers`, or a record. */
function takeHeaders(head: { headers: HeaderMap }): HeaderMap {
  const headers = HeaderMap.from(head.headers);
  if (headers !== head.headers) head.headers = headers;
  return headers;
}

/** A response that plugins may have changed, with a valid status and a HeaderMap. Throws for what is not a response. */
export function normalizeHead<T extends HTTPResponse | StreamedResponse>(response: T, logger: Logger): T {
  assertResponse(response);
  const status = toFinalStatus(response.status, logger);
  const headers = HeaderMap.from(response.headers);
  for (const name of framing) if (headers.has(name)) headers.delete(name);
  const isEmpty = response.body === '' && bodiless.has(status);
  if (status === response.status && headers === response.headers && !isEmpty) return response;
  return { ...response, status, headers, ...(isEmpty && { body: null }) };
}

/** Plugins can return anything, also what a platform could not send. */
function assertResponse(response: unknown): void {
  if (typeof response !== 'object' || response === null || 'arrayBuffer' in response) throw wrongResponse(describe(response));
  const { status, headers, body } = response as Partial<HTTPResponse>;
  if (typeof headers !== 'object' || headers === null) throw wrongResponse(`one whose headers are ${describe(headers)}`);
  if (!isBody(body)) throw wrongResponse(`one whose body is ${describe(body)}`);
  if (bodiless.has(status!) && body) throw wrongResponse(`one with status ${status}, which has no body, and a body`);
}

function isBody(body: unknown): boolean {
  if (typeof body === 'string' || body === null) return true;
  return typeof body === 'object' && typeof (body as Partial<ChunkStream>).next === 'function';
}

function wrongResponse(found: string): TypeError {
  return new TypeError(
    `Expected plugins to return a response { status, headers, body } whose body is a string, a stream or null, got ${found}.`,
  );
}

/** The outcomes of a batch → one response with an array in the same order, which is no GraphQL response and so not labeled as one. */
export function toBatchResponse(settings: BatchResponseSettings, outcomes: readonly OperationOutcome[]): HTTPResponse {
  const headers = new HeaderMap();
  const results = outcomes.map((outcome) => takeResult(settings.errors, outcome, headers));
  // The cache-control of one element does not apply to the others.
  removeLifetimes(headers);
  return respond({ status: 200, headers, mediaType: 'application/json', text: textOfBatch(settings, outcomes, results) });
}

interface ResponseParts {
  readonly status: number;
  /** The fields set by the user. */
  readonly headers: HeaderMap;
  readonly mediaType: ResponseMediaType;
  readonly text: string;
}

function respond({ status, headers, mediaType, text }: ResponseParts): HTTPResponse {
  const body = status !== 200 && bodiless.has(status) ? null : text;
  // Most users set none. Adding them one by one took 2 µs.
  if (headers.isEmpty) return { status, headers: HeaderMap.sharing(commonHeaders[mediaType]), body };
  for (const name of framing) headers.delete(name);
  headers.set('content-type', commonHeaders[mediaType]['content-type']);
  headers.set('x-content-type-options', 'nosniff');
  addVary(headers, 'Accept');
  setDefaultCacheControl(headers);
  return { status, headers, body };
}

/**
 * Fields of the connection (RFC 9110 section 7.6.1), which the platform writes. Copied from an upstream answer, they would garble the
 * response, or end a Node process.
 */
const framing = ['connection', 'content-length', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade'];

/** Statuses without a body (Fetch standard, "null body status"): the web's `Response` would throw for one. */
const bodiless = new Set([204, 205, 304]);

/** The fields of an answer, if the user has set none. */
const commonHeaders = {
  'application/json': prepareHeaders('application/json'),
  'application/graphql-response+json': prepareHeaders('application/graphql-response+json'),
};

function prepareHeaders(mediaType: ResponseMediaType): Readonly<Record<'content-type', string>> {
  return Object.freeze({
    'cache-control': uncacheable,
    'content-type': `${mediaType}; charset=utf-8`,
    // Prevents pages from loading an answer as a script (Fetch standard, "nosniff").
    'x-content-type-options': 'nosniff',
    vary: 'Accept',
  });
}

/** The result of an element, whose header fields are added. If that fails, only this element fails. */
function takeResult(settings: ErrorSettings, outcome: OperationOutcome, headers: HeaderMap): FormattedExecutionResult {
  const { head, errors } = outcome;
  try {
    const elementHeaders = takeHeaders(head);
    const result = takeHTTPExtension(outcome);
    addErrorHeaders(elementHeaders, errors);
    if (!elementHeaders.isEmpty) addFields(headers, [...elementHeaders]);
    return result;
  } catch (error) {
    return formatFailure(settings, error);
  }
}

/** Applies and removes `extensions.http`, which a plugin may have set; the head's status takes precedence. */
function takeHTTPExtension({ head, result }: OperationOutcome): FormattedExecutionResult {
  const http = result.extensions?.['http'];
  if (typeof http !== 'object' || http === null) return result;
  const { status, headers } = http as HTTPExtension;
  head.status ??= status;
  addHeaders(head.headers, headers);
  const { http: _applied, ...extensions } = { ...result.extensions };
  const { extensions: _all, ...rest } = result;
  return Object.keys(extensions).length === 0 ? rest : { ...rest, extensions };
}

/** `extensions.http.headers` of errors. */
function addErrorHeaders(headers: HeaderMap, errors: readonly GraphQLError[]): void {
  for (const error of errors) addHeaders(headers, httpExtensionOf(error)?.headers);
}

/** Skips invalid fields: it is too late to fail. */
function addHeaders(headers: HeaderMap, added: unknown): void {
  if (typeof added !== 'object' || added === null) return;
  addFields(headers, Symbol.iterator in added ? [...(added as Iterable<unknown>)] : Object.entries(added));
}

function addFields(headers: HeaderMap, pairs: readonly unknown[]): void {
  for (const pair of pairs) {
    if (!Array.isArray(pair) || !isHeaderField(pair[0], pair[1])) continue;
    const [name, value] = pair as [string, string];
    // These fields are lists, in which the values of one element must not replace those of another.
    if (/^vary$/i.test(name)) addVary(headers, value);
    else if (/^set-cookie$/i.test(name)) headers.append(name, value);
    else headers.set(name, value);
  }
}

/** Only the answer to a query without errors may be stored, if the user has set a lifetime. */
function isCacheable({ result, operation }: OperationOutcome): boolean {
  return result.errors === undefined && operation?.operation === 'query';
}
