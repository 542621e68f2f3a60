import type { GraphQLError } from 'graphql';

import { HeaderMap, byteLength, capacityOf, excessOf, messageOf, removeLifetimes } from '../../../../shared/index.ts';
import type { AnswerSize, HTTPResponse, StreamedResponse } from '../../../../shared/index.ts';
import type { PayloadStream, SubsequentPayload, OperationOutcome } from '../../../operation/types.ts';
import { createError, httpExtensionOf, toGraphQLError } from '../../../operation/errors.ts';
import { deliver } from '../../../operation/delivery/subscribe.ts';
import { resultTooLarge } from '../../../../executor/index.ts';
import { parseAccept, wellKnownAccepts, chooseFrom, preference } from '../../accept.ts';
import { toSingleResponse } from '../response.ts';
import { uncacheable } from '../../response-head.ts';
import type { Negotiation, StreamSettings, AnsweredCall, Streaming } from '../response.ts';
import { notAcceptable } from '../../errors.ts';
import { statusSetBy } from '../status.ts';
import { eventFormat, payloadChunks } from './payload-chunks.ts';
import type { StreamFormat } from './payload-chunks.ts';
import type { Delivery } from '../../../operation/operation.ts';
import type { MediaRange, ResponseMediaType } from '../../accept.ts';

export const streaming: Streaming = { negotiate };

/** Negotiations of well-known Accept values, which name no streams. */
const negotiated = new Map<string, Negotiation>();

function negotiate(accept: string, multipart: StreamFormat | undefined): Negotiation {
  const known = negotiated.get(accept);
  if (known !== undefined) return known;
  const forms = chooseForms(parseAccept(accept), multipart !== undefined);
  if (forms === undefined) throw notAcceptable();
  const negotiation: Negotiation = {
    mediaType: forms.mediaType,
    delivery: { subscriptions: forms.events, incremental: forms.parts?.format, execute: deliver },
    write: (outcome, call) => toResponse(forms, { settings: call.settings, outcome, call }),
  };
  if (wellKnownAccepts.has(accept)) negotiated.set(accept, negotiation);
  return negotiation;
}

interface Answer {
  readonly settings: StreamSettings;
  readonly outcome: OperationOutcome;
  readonly call: AnsweredCall;
}

function toResponse(forms: Forms, answer: Answer): HTTPResponse | StreamedResponse {
  const { settings, outcome } = answer;
  const { stream, result } = outcome;
  const { mediaType = 'application/json', single } = forms;
  // A stream is a success whatever its parts contain: only a whole answer may have the status of a partial success.
  const isWhole = stream === undefined && (single === undefined || result.data === undefined);
  try {
    const response = toSingleResponse(settings, outcome, isWhole ? mediaType : 'application/json');
    if (stream === undefined) return single === undefined ? response : toSingle(answer, response, single);
    if (response.body !== null) return toStreamed(forms, answer, { stream, response, first: response.body });
    // The user has set a status that has no body.
    void stream.return();
    return response;
  } catch (error) {
    // The first result cannot be written as JSON.
    void stream?.return();
    throw error;
  }
}

/** An operation with one answer, as a stream. */
function toSingle({ settings, outcome }: Answer, response: HTTPResponse, form: NonNullable<Forms['single']>): HTTPResponse {
  const { status, body, headers } = response;
  const format = form === 'events' ? eventFormat : settings.multipart;
  if (isRefusal(outcome) || body === null || format === undefined) return response;
  if (form === 'multipart' && outcome.result.data === undefined) return response;
  const text = format.opening + format.part(body) + format.closing;
  return { status: form === 'events' ? 200 : status, headers: streamHeaders(headers, format.type), body: text };
}

interface Beginning {
  readonly stream: PayloadStream;
  readonly response: HTTPResponse;
  /** The JSON of the result, which is empty for a subscription. */
  readonly first: string;
}

function toStreamed({ parts }: Forms, { settings, outcome, call }: Answer, { stream, response, first }: Beginning): StreamedResponse {
  const excess = excessOf(answerSizeOf(settings), first);
  if (excess !== undefined) throw resultTooLarge(excess.bytes, excess.capacity);
  const kind = outcome.operation?.operation;
  const isSubscription = kind === 'subscription';
  const format = (!isSubscription && parts?.container === 'multipart' ? settings.multipart : undefined) ?? eventFormat;
  const type = isSubscription || parts?.spec === undefined ? format.type : `${format.type}; ${parts.spec}`;
  const body = payloadChunks(stream, format, {
    first: isSubscription ? undefined : first,
    toJSON: partWriter(settings, stream, isSubscription ? undefined : first),
    onEnd: () => call.answered(),
    onLeave: () => call.left(),
    onStop: () => stream.finish(serverStopping(kind)),
  });
  return { status: response.status, headers: streamHeaders(response.headers, type), body };
}

/**
 * True for errors that are sent with a status, such as wrong credentials. A wrong document is sent as an event, because clients of the
 * protocol do not read an answer with status 400.
 */
function isRefusal(outcome: OperationOutcome): boolean {
  if (outcome.contextFailed === true || (statusSetBy(outcome) ?? 200) >= 400) return true;
  return outcome.errors.some((error) => httpExtensionOf(error)?.status !== undefined);
}

function streamHeaders(headers: HeaderMap, type: string): HeaderMap {
  const fields = new HeaderMap(headers);
  fields.set('content-type', type);
  fields.set('x-content-type-options', 'nosniff');
  removeLifetimes(fields);
  // A proxy that compresses a stream delays its events until a block is full, and nginx buffers it by default.
  fields.set('cache-control', `${uncacheable}, no-transform`);
  fields.set('x-accel-buffering', 'no');
  return fields;
}

/** No platform that can stream has a limit. */
function answerSizeOf({ maxResultBytes }: StreamSettings): AnswerSize {
  return { platform: { name: '' }, maxBytes: maxResultBytes };
}

/**
 * Payloads → JSON within the size limit, which applies to all parts together, but to each event of a subscription. Undefined for a payload
 * that is too large, or has a value without a JSON form: a last payload takes its place.
 */
function partWriter(
  settings: StreamSettings,
  stream: PayloadStream,
  first: string | undefined,
): (payload: SubsequentPayload) => string | undefined {
  const { operation, maxResultBytes } = settings;
  let left = maxResultBytes - (first === undefined ? 0 : byteLength(first));
  return (payload) => {
    try {
      const json = JSON.stringify(payload);
      const bytes = byteLength(json);
      if (bytes > left) throw resultTooLarge(maxResultBytes - left + bytes, capacityOf(answerSizeOf(settings)));
      if (first !== undefined) left -= bytes;
      return json;
    } catch (error) {
      if (left !== Infinity) operation.logger.warn(`A payload cannot be sent. ${messageOf(error)}`);
      // The last payload is sent in any case.
      left = Infinity;
      stream.finish(toGraphQLError(error), payload);
      return undefined;
    }
  };
}

function serverStopping(kind: string | undefined): GraphQLError {
  const advice = kind === 'mutation' ? 'The mutation has run: do not send it again.' : 'Send the operation again.';
  return createError('SERVICE_UNAVAILABLE', `The server is stopping. ${advice}`);
}

/** The forms of answers that a client accepts, on platforms that can stream. */
export interface Forms {
  /** The media type of an answer that is not streamed; undefined if the client accepts only streams. */
  readonly mediaType: ResponseMediaType | undefined;
  /** True if the client accepts server-sent events, which subscriptions need. */
  readonly events: boolean;
  /** The kind of stream that the client prefers even for an operation with one answer. */
  readonly single: Container | undefined;
  /** The kind of stream for `@defer` and `@stream`; undefined if the answer is whole. */
  readonly parts: PartsForm | undefined;
}

/** Server-sent events, or multipart/mixed. */
export type Container = 'events' | 'multipart';

export interface PartsForm {
  readonly container: Container;
  readonly format: NonNullable<Delivery['incremental']>;
  /** The parameter by which the client chose the format, repeated in the answer's media type. */
  readonly spec: string | undefined;
}

/**
 * The forms that an Accept value allows; undefined if none is supported. Wildcards do not include streams. `multipart/mixed` counts if
 * the option `incrementalDelivery` is set.
 */
export function chooseForms(ranges: readonly MediaRange[], writesMultipart: boolean): Forms | undefined {
  const mediaType = chooseFrom(ranges);
  const streams = ranges
    .map((range, index) => streamOf(range, index))
    .filter((stream) => stream !== undefined && (writesMultipart || stream.container === 'events')) as Stream[];
  const [best] = streams.toSorted((one, other) => other.quality - one.quality);
  if (best === undefined) return mediaType && { mediaType, events: false, single: undefined, parts: undefined };
  const whole = (['application/json', 'application/graphql-response+json'] as const).map((type) => preference(ranges, type));
  // A client that names multipart first expects several parts; for one part there is JSON.
  const isForOne = best.container === 'events' || mediaType === undefined;
  return {
    mediaType,
    events: streams.some(({ container }) => container === 'events'),
    single: isForOne && whole.every(({ quality, named }) => isBefore(best, quality, named)) ? best.container : undefined,
    // Of two types with the same weight, the stream is preferred, because clients name it last.
    parts: whole.every(({ quality }) => quality <= best.quality) ? best : undefined,
  };
}

interface Stream extends PartsForm {
  readonly quality: number;
  readonly index: number;
}

/** True if a stream has more weight than another type, or the same weight and is named before it. */
function isBefore(stream: Stream, quality: number, named: number): boolean {
  return stream.quality > quality || (stream.quality === quality && stream.index < named);
}

function streamOf({ range, quality, parameters }: MediaRange, index: number): Stream | undefined {
  // A range may be any string, such as "constructor".
  const container = Object.hasOwn(containers, range) ? containers[range] : undefined;
  if (container === undefined || quality === 0) return undefined;
  const spec = parameters.find((parameter) => parameter.includes('spec='));
  const format = spec === undefined ? plainFormat : formats[spec];
  // Multipart of another protocol, such as Apollo's subscriptions, is not supported.
  return format && { container, ...format, quality, index };
}

const containers: Readonly<Record<string, Container | undefined>> = { 'text/event-stream': 'events', 'multipart/mixed': 'multipart' };

type Format = Pick<PartsForm, 'format' | 'spec'>;

const formats: Readonly<Record<string, Format | undefined>> = {
  'incrementalspec=v0.2': { format: 'current', spec: 'incrementalSpec=v0.2' },
  'deferspec=20220824': { format: 'legacy', spec: 'deferSpec=20220824' },
};

/**
 * The format for clients that name none: urql, Relay and @graphql-tools read the older format. In the newer format, urql 6 misreads
 * @stream, and Relay misses path and label in each part.
 */
const plainFormat: Format = { format: 'legacy', spec: undefined };
