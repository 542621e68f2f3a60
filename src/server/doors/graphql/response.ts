import type { FormattedExecutionResult } from 'graphql';

import { HeaderMap, addVary, removeLifetimes } from '../../../shared/index.ts';
import type { HTTPRequest, HTTPResponse, StreamedResponse } from '../../../shared/index.ts';
import { bodiless } from '../../operation/around.ts';
import { httpExtensionOf } from '../../operation/errors.ts';
import type { ErrorSettings } from '../../operation/format-errors.ts';
import type { Delivery } from '../../operation/operation.ts';
import type { Logger, OperationOutcome } from '../../operation/types.ts';
import { acceptOf, negotiateMediaType } from '../accept.ts';
import type { ResponseMediaType } from '../accept.ts';
import { addHeaders, framing, uncacheable } from '../response-head.ts';
import { httpOf, labelOf, statusOf, toFinalStatus } from './status.ts';
import type { HTTPStatusProfile } from './status.ts';
import type { StreamFormat } from './streams/payload-chunks.ts';

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
  /** The media type of an answer that is not streamed; undefined if the client accepts only streams. */
  readonly mediaType: ResponseMediaType | undefined;
  /** The way in which a client gets several payloads; undefined if the operation has one answer. */
  readonly delivery: Delivery | undefined;
  /** The outcome of an operation → its response, which is streamed if it has more payloads. */
  readonly write: (outcome: OperationOutcome, call: AnsweredCall) => HTTPResponse | StreamedResponse;
}

export interface StreamSettings extends ResponseSettings {
  readonly operation: ErrorSettings;
  /** Bytes of an answer, and of each event of a subscription. */
  readonly maxResultBytes: number;
  /** The format of answers in parts; undefined if answers have no parts. */
  readonly multipart: StreamFormat | undefined;
}

/** The call that an answer, or a stream, belongs to. */
export interface AnsweredCall {
  readonly settings: StreamSettings;
  /** Called when the last byte of the answer has been passed on. */
  answered(): void;
  /** Called when the client disconnects before the last byte. */
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
  return respond({ status, headers, mediaType: labelOf(status, httpStatusProfile, mediaType), text: JSON.stringify(result) });
}

/** The header fields of the head, of `extensions.http` of the result and of the errors, and the result without that extension. */
export function takeHead({ head, result, errors, operation }: OperationOutcome): { headers: HeaderMap; result: FormattedExecutionResult } {
  const headers = head.headers instanceof HeaderMap ? head.headers : new HeaderMap(head.headers);
  const http = httpOf(result);
  addHeaders(headers, http?.headers);
  for (const error of errors) addHeaders(headers, httpExtensionOf(error)?.headers);
  // Only the answer to a query without errors may be stored, if the user has set a lifetime.
  if (result.errors !== undefined || operation?.operation !== 'query') removeLifetimes(headers);
  if (http === undefined) return { headers, result };
  const { http: _applied, ...extensions } = { ...result.extensions };
  const { extensions: _all, ...rest } = result;
  return { headers, result: Object.keys(extensions).length === 0 ? rest : { ...result, extensions } };
}

interface ResponseParts {
  readonly status: number;
  /** The fields set by the user. */
  readonly headers: HeaderMap;
  readonly mediaType: ResponseMediaType;
  readonly text: string;
}

export function respond({ status, headers, mediaType, text }: ResponseParts): HTTPResponse {
  const body = status !== 200 && bodiless.has(status) ? null : text;
  // Most users set none. Adding them one by one took 2 µs.
  if (headers.isEmpty) return { status, headers: HeaderMap.over(commonHeaders[mediaType]), body };
  for (const name of framing) headers.delete(name);
  headers.set('content-type', commonHeaders[mediaType]['content-type']);
  headers.set('x-content-type-options', 'nosniff');
  addVary(headers, 'Accept');
  return { status, headers, body };
}

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
