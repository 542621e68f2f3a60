import type { FormattedExecutionResult, GraphQLError } from 'graphql';

import { isHeaderField } from '../message/header-fields.ts';
import { HeaderMap, addVary } from '../message/header-map.ts';
import type { HTTPResponse } from '../message/http-messages.ts';
import { formatFailure, httpExtensionOf } from '../operation/errors.ts';
import type { ErrorSettings, HTTPExtension } from '../operation/errors.ts';
import type { OperationOutcome } from '../operation/types.ts';
import type { ResponseMediaType } from './accept.ts';
import { fitBatch } from './fit-batch.ts';
import type { BatchResponseSettings } from './fit-batch.ts';
import { statusOf } from './status.ts';
import type { HTTPStatusProfile } from './status.ts';

/** How an outcome becomes a response. */
export interface ResponseSettings {
  readonly httpStatusProfile: HTTPStatusProfile;
}

/** One operation's outcome → its response. */
export function toHTTPResponse(
  { httpStatusProfile }: ResponseSettings,
  outcome: OperationOutcome,
  mediaType: ResponseMediaType,
): HTTPResponse {
  const { headers } = outcome.head;
  const result = takeHTTPExtension(outcome);
  addErrorHeaders(headers, outcome.errors);
  const status = statusOf(outcome, httpStatusProfile);
  const label = httpStatusProfile === 'draft' ? labelInDraft(status, mediaType) : mediaType;
  const own = isCacheable(outcome) ? ownHeadersOf(label) : headersOfUnstorable(headers, label);
  return respond(status, headers, own, JSON.stringify(result));
}

/** In the draft a client of application/json gets its successes under that name, and all else under the newer one, which no proxy uses. */
function labelInDraft(status: number, mediaType: ResponseMediaType): ResponseMediaType {
  return status < 300 ? mediaType : 'application/graphql-response+json';
}

/** The outcomes of a batch → one response: an array in the same order, whatever became of the elements. */
export function toBatchResponse(
  settings: BatchResponseSettings,
  outcomes: readonly OperationOutcome[],
  mediaType: ResponseMediaType,
): HTTPResponse {
  const headers = new HeaderMap();
  const results = outcomes.map((outcome) => takeResult(settings.errors, outcome, headers));
  // One element's cache-control says nothing about its neighbours.
  return respond(200, headers, headersOfUnstorable(headers, mediaType), fitBatch(settings, outcomes, results));
}

function respond(status: number, headers: HeaderMap, own: OwnHeaders, text: string): HTTPResponse {
  const body = status !== 200 && bodiless.has(status) ? null : text;
  // Most answers have no others. Put together field by field, those of an error took 2 µs.
  if (headers.isEmpty) return { status, headers: HeaderMap.over(own, true), body };
  for (const name of framing) headers.delete(name);
  for (const [name, value] of Object.entries(own)) {
    if (name === 'vary') addVary(headers, value);
    else if (value !== unmarked || !isMarked(headers)) headers.set(name, value);
  }
  return { status, headers, body };
}

/**
 * Fields that frame the message and belong to the connection (RFC 9110 section 7.6.1): the carrier of the response writes them.
 * A user copies such fields from an upstream answer; beside the carrier's own they garble the response, or end a Node process.
 */
const framing = ['connection', 'content-length', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade'];

/** Statuses that never have a body (Fetch standard, "null body status"): the web's `Response` throws for one. */
const bodiless = new Set([204, 205, 304]);

/**
 * The cache-control of an answer that was given none. Without it a CDN may keep a personal answer by its own default:
 * two hours on Cloudflare, whose key has no cookies, a day on CloudFront; browsers and proxies guess (RFC 9111 section 4.2.2).
 */
const unmarked = 'private, no-store';

/** The fields of every answer. No page can load one as a script, whatever a client had it echo (Fetch standard, "nosniff"). */
type OwnHeaders = Readonly<Record<string, string>>;

const ownOfJSON = prepare('application/json', unmarked);
const ownOfGraphQL = prepare('application/graphql-response+json', unmarked);
const unstorableOfJSON = prepare('application/json', 'no-store');
const unstorableOfGraphQL = prepare('application/graphql-response+json', 'no-store');

function ownHeadersOf(mediaType: ResponseMediaType): OwnHeaders {
  return mediaType === 'application/json' ? ownOfJSON : ownOfGraphQL;
}

function prepare(mediaType: ResponseMediaType, cacheControl: string): OwnHeaders {
  return Object.freeze({
    'cache-control': cacheControl,
    'content-type': `${mediaType}; charset=utf-8`,
    'x-content-type-options': 'nosniff',
    vary: 'Accept',
  });
}

/** Errors, mutations and batches: also against the user's own fields. A stored one would be the answer for other users. */
function headersOfUnstorable(headers: HeaderMap, mediaType: ResponseMediaType): OwnHeaders {
  removeLifetimes(headers);
  return mediaType === 'application/json' ? unstorableOfJSON : unstorableOfGraphQL;
}

/** The result of an element, whose header fields are added. No result at all fails its own element, not its neighbours: hence a catch of its own. */
function takeResult(settings: ErrorSettings, outcome: OperationOutcome, headers: HeaderMap): FormattedExecutionResult {
  const { head, errors } = outcome;
  try {
    const result = takeHTTPExtension(outcome);
    addErrorHeaders(head.headers, errors);
    if (!head.headers.isEmpty) addFields(headers, [...head.headers]);
    return result;
  } catch (error) {
    return formatFailure(settings, error);
  }
}

/** `extensions.http` of the result, which a plugin may set there: heard unless the head says otherwise, and not sent. */
function takeHTTPExtension({ head, result }: OperationOutcome): FormattedExecutionResult {
  const http = result.extensions?.['http'];
  if (typeof http !== 'object' || http === null) return result;
  const { status, headers } = http as HTTPExtension;
  head.status ??= status;
  addHeaders(head.headers, headers);
  const { http: _heard, ...extensions } = { ...result.extensions };
  const { extensions: _all, ...rest } = result;
  return Object.keys(extensions).length === 0 ? rest : { ...rest, extensions };
}

/** `extensions.http.headers` of errors. */
function addErrorHeaders(headers: HeaderMap, errors: readonly GraphQLError[]): void {
  for (const error of errors) addHeaders(headers, httpExtensionOf(error)?.headers);
}

/** Fields that HTTP does not allow are left out: this is too late to fail. */
function addHeaders(headers: HeaderMap, asked: unknown): void {
  if (typeof asked !== 'object' || asked === null) return;
  addFields(headers, Symbol.iterator in asked ? [...(asked as Iterable<unknown>)] : Object.entries(asked));
}

function addFields(headers: HeaderMap, pairs: readonly unknown[]): void {
  for (const pair of pairs) {
    if (!Array.isArray(pair) || !isHeaderField(pair[0], pair[1])) continue;
    const [name, value] = pair as [string, string];
    // Fields that are lists by nature: one element's must not push out another's.
    if (/^vary$/i.test(name)) addVary(headers, value);
    else if (/^set-cookie$/i.test(name)) headers.append(name, value);
    else headers.set(name, value);
  }
}

/** A store between here and the client may keep the whole answer to a query, if the user says so. */
function isCacheable({ result, operation }: OperationOutcome): boolean {
  return result.errors === undefined && operation?.operation === 'query';
}

/** True when the user has said how long an answer may be kept. What is said to a CDN alone leaves `cache-control` to us: browsers read that. */
function isMarked(headers: HeaderMap): boolean {
  return headers.has('cache-control') || headers.has('expires');
}

/** Fields by which a store keeps an answer whatever `cache-control` says (RFC 9213, and each vendor's own). */
const lifetimes = [
  'cdn-cache-control',
  'netlify-cdn-cache-control',
  'cloudflare-cdn-cache-control',
  'vercel-cdn-cache-control',
  'surrogate-control',
  'edge-control',
  'x-accel-expires',
  'expires',
];

/** Takes them off an answer that no store may keep: the user meant the successful ones. */
export function removeLifetimes(headers: HeaderMap): void {
  if (!headers.isEmpty) for (const name of lifetimes) headers.delete(name);
}
