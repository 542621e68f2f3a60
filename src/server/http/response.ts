import type { FormattedExecutionResult } from 'graphql';

import { HeaderMap, addVary, excessOf, isHeaderField, removeLifetimes } from '../../shared/index.ts';
import type { AnswerSize, HTTPRequest, HTTPResponse, StreamedResponse } from '../../shared/index.ts';
import { bodiless } from '../operation/around.ts';
import type { Delivery } from '../operation/operation.ts';
import { httpExtensionOf } from '../operation/errors.ts';
import { formatFailure } from '../operation/format-errors.ts';
import type { ErrorSettings } from '../operation/format-errors.ts';
import { resultTooLarge } from '../../executor/index.ts';
import type { Logger, OperationOutcome } from '../operation/types.ts';
import { acceptOf, negotiateMediaType } from './accept.ts';
import type { ResponseMediaType } from './accept.ts';
import type { StreamFormat } from './streams/payload-chunks.ts';
import { httpOf, labelOf, statusOf, toFinalStatus } from './status.ts';
import type { HTTPStatusProfile } from './status.ts';

/** The settings for a response. */
export interface ResponseSettings {
  readonly httpStatusProfile: HTTPStatusProfile;
  readonly operation: { readonly logger: Logger };
}

/**
 * Writes streamed answers. A value that entries of platforms that can stream pass in, so that bundles for others do not contain it.
 */
export interface Streaming {
  /** `accept` → the forms of answers that the client accepts. Throws 406 if none is supported. */
  negotiate(accept: string, multipart: StreamFormat | undefined): Negotiation;
}

/** The forms of the answer to one request. */
export interface Negotiation {
  /** The media type of an answer that is not streamed. Undefined: the client accepts only streams. */
  readonly mediaType: ResponseMediaType | undefined;
  /** Undefined: the operation has one answer. */
  readonly delivery: Delivery | undefined;
  /** The outcome of an operation → its response, which is streamed if it has more payloads. */
  readonly write: (outcome: OperationOutcome, call: AnsweredCall) => HTTPResponse | StreamedResponse;
}

export interface StreamSettings extends ResponseSettings {
  readonly operation: ErrorSettings;
  /** Bytes of an answer, and of each event of a subscription. */
  readonly maxResultBytes: number;
  /** Undefined: answers have no parts. */
  readonly multipart: StreamFormat | undefined;
}

/** The call that an answer, or a stream, belongs to. */
export interface AnsweredCall {
  readonly settings: StreamSettings;
  /** Called when the last byte of the answer has been passed on. */
  answered(): void;
  /** Called when the client disconnects before that. */
  left(): void;
}

/** The form of the answer, from Accept. Platforms that can stream have more forms. Throws 406 if the client accepts none. */
export function negotiate({ settings, request, streaming }: NegotiatingCall): Negotiation {
  const accept = acceptOf(request);
  return streaming === undefined ? wholeAnswers[negotiateMediaType(accept)] : streaming.negotiate(accept, settings.multipart);
}

interface NegotiatingCall {
  readonly settings: Pick<StreamSettings, 'multipart'>;
  readonly request: HTTPRequest;
  readonly streaming: Streaming | undefined;
}

const wholeAnswers: Readonly<Record<ResponseMediaType, Negotiation>> = {
  'application/json': wholeAnswer('application/json'),
  'application/graphql-response+json': wholeAnswer('application/graphql-response+json'),
};

function wholeAnswer(mediaType: ResponseMediaType): Negotiation {
  return { mediaType, delivery: undefined, write: (outcome, { settings }) => toSingleResponse(settings, outcome, mediaType) };
}

/** One operation's outcome → its response. */
export function toSingleResponse(
  { httpStatusProfile, operation }: ResponseSettings,
  outcome: OperationOutcome,
  mediaType: ResponseMediaType,
): HTTPResponse {
  const { head, errors, result: given } = outcome;
  // Most answers have no errors, and their head and extensions are not set. A context function or a plugin may have replaced the headers.
  const isUnset = head.status === undefined && head.headers instanceof HeaderMap && head.headers.isEmpty;
  if (isUnset && errors.length === 0 && given.errors === undefined && given.extensions === undefined)
    return { status: 200, headers: HeaderMap.over(commonHeaders[mediaType]), body: JSON.stringify(given) };
  const { headers, result } = takeHead(outcome);
  const status = toFinalStatus(statusOf(outcome, httpStatusProfile, mediaType), operation.logger);
  // Only the answer to a query without errors may be stored, if the user has set a lifetime.
  if (result.errors !== undefined || outcome.operation?.operation !== 'query') removeLifetimes(headers);
  return respond({ status, headers, mediaType: labelOf(status, httpStatusProfile, mediaType), text: JSON.stringify(result) });
}

/** The header fields of the head, of `extensions.http` of the result and of the errors, and the result without that extension. */
function takeHead({ head, result, errors }: OperationOutcome): { headers: HeaderMap; result: FormattedExecutionResult } {
  const headers = head.headers instanceof HeaderMap ? head.headers : new HeaderMap(head.headers);
  const http = httpOf(result);
  addHeaders(headers, http?.headers);
  for (const error of errors) addHeaders(headers, httpExtensionOf(error)?.headers);
  if (http === undefined) return { headers, result };
  const { http: _applied, ...extensions } = { ...result.extensions };
  const { extensions: _all, ...rest } = result;
  return { headers, result: Object.keys(extensions).length === 0 ? rest : { ...result, extensions } };
}

/** Skips invalid fields: it is too late to fail. */
export function addHeaders(headers: HeaderMap, added: unknown): void {
  if (typeof added !== 'object' || added === null) return;
  for (const pair of Symbol.iterator in added ? (added as Iterable<unknown>) : Object.entries(added)) {
    if (!Array.isArray(pair) || !isHeaderField(pair[0], pair[1])) continue;
    const [name, value] = pair as [string, string];
    // These fields are lists, in which the values of one element must not replace those of another.
    if (/^vary$/i.test(name)) addVary(headers, value);
    else if (/^set-cookie$/i.test(name)) headers.append(name, value);
    else headers.set(name, value);
  }
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
  if (headers.isEmpty) return { status, headers: HeaderMap.over(commonHeaders[mediaType]), body };
  for (const name of framing) headers.delete(name);
  headers.set('content-type', commonHeaders[mediaType]['content-type']);
  headers.set('x-content-type-options', 'nosniff');
  addVary(headers, 'Accept');
  return { status, headers, body };
}

/**
 * The `cache-control` of responses that no cache may store. Fastly obeys only `private`, others only `no-store`. Without the field,
 * Cloudflare would store a response for two hours, CloudFront for a day, browsers and proxies for any time (RFC 9111 section 4.2.2).
 */
export const uncacheable = 'private, no-store';

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

/**
 * Fields of the connection (RFC 9110 section 7.6.1), which the platform writes. Copied from an upstream answer, they would garble the
 * response, or end a Node process.
 */
const framing = ['connection', 'content-length', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade'];

/** A response that plugins may have changed, with a valid status and a HeaderMap. */
export function normalizeHead<T extends HTTPResponse | StreamedResponse>(response: T, logger: Logger): T {
  const status = toFinalStatus(response.status, logger);
  const headers = response.headers instanceof HeaderMap ? response.headers : new HeaderMap(response.headers);
  for (const name of framing) if (headers.has(name)) headers.delete(name);
  const isEmpty = response.body === '' && bodiless.has(status);
  if (status === response.status && headers === response.headers && !isEmpty) return response;
  return { ...response, status, headers, ...(isEmpty && { body: null }) };
}

/** How errors of a batch are formatted, and the size limits of the whole answer. */
interface BatchSettings {
  readonly errors: ErrorSettings;
  readonly size: AnswerSize;
}

/** The outcomes of a batch → one response with an array in the same order, which is no GraphQL response and so not labeled as one. */
export function toBatchResponse(settings: BatchSettings, outcomes: readonly OperationOutcome[]): HTTPResponse {
  const headers = new HeaderMap();
  const results = outcomes.map((outcome) => {
    try {
      const taken = takeHead(outcome);
      addHeaders(headers, taken.headers);
      return taken.result;
    } catch (error) {
      // Only this element fails.
      return formatFailure(settings.errors, error);
    }
  });
  // The cache-control of one element does not apply to the others.
  removeLifetimes(headers);
  return respond({ status: 200, headers, mediaType: 'application/json', text: textOfBatch(settings, results) });
}

/**
 * The JSON of a batch's answers, written at once if possible: ten small ones written separately take twice as long. If they are too large
 * together, each that exceeds its share becomes an error.
 */
function textOfBatch({ errors, size }: BatchSettings, results: readonly FormattedExecutionResult[]): string {
  try {
    const text = JSON.stringify(results);
    if (excessOf(size, text) === undefined) return text;
  } catch {
    // A BigInt or a cycle, as from a custom scalar, fails only its element.
  }
  const { platform, maxBytes } = size;
  const maxResultBytes = (platform.maxResultBytes ?? Infinity) / results.length;
  const share = { platform: { ...platform, maxResultBytes }, maxBytes: maxBytes / results.length };
  const elements = results.map((result) => {
    try {
      const text = JSON.stringify(result);
      const excess = excessOf(share, text);
      if (excess === undefined) return text;
      throw resultTooLarge(excess.bytes, excess.capacity);
    } catch (error) {
      return JSON.stringify(formatFailure(errors, error));
    }
  });
  return `[${elements.join(',')}]`;
}

/**
 * Adds an `ETag` to the answer to a GET or QUERY that a cache may store, or makes it a 304 if the client already has that answer
 * (RFC 9110 section 13.1.2).
 */
export function revalidate({ method, headers: requested }: HTTPRequest, response: HTTPResponse): HTTPResponse {
  const { status, headers, body } = response;
  if ((method !== 'GET' && method !== 'QUERY') || status !== 200 || body === null || !isStorable(headers)) return response;
  const sent = HeaderMap.copyOf(headers);
  const etag = sent.get('etag') ?? etagOf(body, sent.get('content-type') ?? '');
  sent.set('etag', etag);
  if (!matches(requested.get('if-none-match'), etag)) return { ...response, headers: sent };
  // The other fields are sent, because a cache updates its stored fields with them.
  sent.delete('content-type');
  return { ...response, status: 304, headers: sent, body: null };
}

function isStorable(headers: HeaderMap): boolean {
  const control = headers.get('cache-control');
  return control === null ? headers.has('expires') : !/\bno-store\b/i.test(control);
}

/**
 * Weak, because a platform or a proxy may compress the body afterwards, and a strong one would differ for each encoding (RFC 9110
 * section 8.8.1). Includes the media type, because a cache may store the answer in both types.
 *
 * Two multiplicative hashes with 64 bits in all take 4 ns for each character, SHA-256 without node:crypto 29.
 */
function etagOf(body: string, mediaType: string): string {
  let [one, other] = [0x9e3779b9, 0x85ebca6b];
  for (const text of [mediaType, body]) {
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      one = Math.imul(one ^ code, 0x5bd1e995);
      one ^= one >>> 15;
      other = Math.imul(other ^ code, 0x1b873593);
      other ^= other >>> 13;
    }
  }
  return `W/"${(one >>> 0).toString(36)}-${(other >>> 0).toString(36)}-${body.length.toString(36)}"`;
}

/** Compares weakly. `*` matches any answer. */
function matches(condition: string | null, etag: string): boolean {
  if (condition === null) return false;
  if (condition.trim() === '*') return true;
  const opaque = etag.replace(/^W\//, '');
  return condition.match(/"[^"]*"/g)?.includes(opaque) === true;
}
