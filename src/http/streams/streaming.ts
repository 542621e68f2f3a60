import type { GraphQLError } from 'graphql';

import { capacityOf, excessOf } from '../../message/answer-size.ts';
import type { AnswerSize } from '../../message/answer-size.ts';
import { HeaderMap } from '../../message/header-map.ts';
import type { HTTPResponse, StreamedResponse } from '../../message/http-messages.ts';
import type { Invocation } from '../../message/invocation.ts';
import type { Delivery } from '../../operation/delivery/delivery.ts';
import type { PayloadStream, SubsequentPayload, OperationOutcome } from '../../operation/types.ts';
import { createError, formatFailure, httpExtensionOf } from '../../operation/errors.ts';
import type { ErrorSettings } from '../../operation/errors.ts';
import { executeDelivery } from '../../operation/delivery/subscribe.ts';
import { resultTooLarge } from '../../operation/limits/answer-limit.ts';
import { parseAccept } from '../accept.ts';
import type { ResponseMediaType } from '../accept.ts';
import { removeLifetimes, toHTTPResponse } from '../response.ts';
import { notAcceptable } from '../errors.ts';
import { completeEvent, EventStream, nextEvent } from './event-stream.ts';
import type { Multipart } from './multipart.ts';
import type { ResponseSettings } from '../response.ts';
import { chooseForms } from './stream-forms.ts';
import type { Forms } from './stream-forms.ts';

/**
 * The writers of answers in several parts. A value, handed in by the entries whose platforms carry streams: bundles for
 * the others contain none of it.
 */
export interface Streaming {
  /** `accept` → which forms of an answer the client reads. Throws 406 when it is none of ours. */
  negotiate(accept: string | null, multipart: Multipart | undefined): Negotiation;
}

/** The forms in which one request may be answered. */
export interface Negotiation {
  /** Of an answer in one piece. Undefined: the client reads streams only. */
  readonly mediaType: ResponseMediaType | undefined;
  readonly delivery: Delivery;
  /** The outcome of an operation → its response, a streamed one when there is more to come. */
  toResponse(settings: StreamSettings, outcome: OperationOutcome, invocation: StreamInvocation): HTTPResponse | StreamedResponse;
}

export interface StreamSettings extends ResponseSettings {
  readonly operation: ErrorSettings;
  /** Bytes of an answer, and of each event of a subscription. */
  readonly maxResultBytes: number;
  /** Undefined: answers are not divided into parts. */
  readonly multipart: Multipart | undefined;
}

/** The call that a stream belongs to: it is told when the last byte is out, or the client has left. */
type StreamInvocation = Pick<Invocation, 'answered' | 'left'>;

/** Everything that streams: what the entries hand in. */
export const streaming: Streaming = { negotiate };

/**
 * Clients send one of a few Accept values, again and again: each is parsed once. Bounded in number and length. A map for those that
 * write multipart and one for the others: no header value can be taken for the key of the other kind.
 */
const negotiated = { withMultipart: new Map<string, Negotiation | undefined>(), without: new Map<string, Negotiation | undefined>() };
const maxNegotiated = 64;
const maxRemembered = 256;

function negotiate(accept: string | null, multipart: Multipart | undefined): Negotiation {
  const value = accept === null || accept.trim() === '' ? '*/*' : accept;
  const known = multipart === undefined ? negotiated.without : negotiated.withMultipart;
  let negotiation = known.get(value);
  if (negotiation === undefined) {
    negotiation = toNegotiation(chooseForms(parseAccept(value), multipart !== undefined));
    if (known.size < maxNegotiated && value.length <= maxRemembered) known.set(value, negotiation);
  }
  if (negotiation === undefined) throw notAcceptable();
  return negotiation;
}

function toNegotiation(forms: Forms | undefined): Negotiation | undefined {
  return (
    forms && {
      mediaType: forms.mediaType,
      delivery: { subscriptions: forms.events, incremental: forms.parts?.format, execute: executeDelivery },
      toResponse: responderFor(forms),
    }
  );
}

function responderFor(forms: Forms): Negotiation['toResponse'] {
  return (settings, outcome, invocation) => {
    const { stream } = outcome;
    try {
      const response = toHTTPResponse(settings, outcome, forms.mediaType ?? 'application/json');
      if (stream === undefined) return forms.single === undefined ? response : toSingle(settings, { outcome, response }, forms.single);
      const { body: first, ...head } = response;
      if (first !== null) return toStreamed(settings, { outcome, stream, head, first, parts: forms.parts }, invocation);
      // The user has set a status that has no body.
      void stream.return();
      return response;
    } catch (error) {
      // JSON cannot carry the first result, and so the others are not sent either.
      void stream?.return();
      throw error;
    }
  };
}

/** An operation with one answer, which a client may prefer to get as a stream. */
function toSingle({ multipart }: StreamSettings, { outcome, response }: Single, form: NonNullable<Forms['single']>): HTTPResponse {
  const { status, body, headers } = response;
  if (isRefusal(outcome) || body === null) return response;
  if (form === 'events') return { status: 200, headers: streamHeaders(headers, eventType), body: nextEvent(body) + completeEvent };
  if (multipart === undefined || status !== 200) return response;
  return { status, headers: streamHeaders(headers, multipart.type), body: multipart.one(body) };
}

interface Single {
  readonly outcome: OperationOutcome;
  readonly response: HTTPResponse;
}

interface Beginning {
  readonly outcome: OperationOutcome;
  readonly stream: PayloadStream;
  /** Status and headers of the stream. */
  readonly head: Omit<HTTPResponse, 'body'>;
  /** The JSON of the result; of a subscription it is empty. */
  readonly first: string;
  readonly parts: Forms['parts'];
}

function toStreamed(
  settings: StreamSettings,
  { outcome, stream, head: { status, headers }, first, parts }: Beginning,
  invocation: StreamInvocation,
): StreamedResponse {
  const { multipart } = settings;
  const excess = excessOf(sizeOf(settings), first);
  if (excess !== undefined) throw resultTooLarge(excess.bytes, excess.capacity);
  const isSubscription = outcome.operation?.operation === 'subscription';
  const toPart = partWriter(settings, stream, isSubscription ? undefined : first);
  const ends = { onEnd: () => invocation.answered(), onLeave: () => invocation.left(), onStop: () => stream.finish(serverStopping()) };
  if (isSubscription) {
    return { status, headers: streamHeaders(headers, eventType), body: new EventStream(stream, { toJSON: toPart, ...ends }) };
  }
  const parameter = parts?.spec === undefined ? '' : `; ${parts.spec}`;
  if (parts?.container !== 'multipart' || multipart === undefined) {
    const events = new EventStream(stream, { first: nextEvent(first), toJSON: toPart, ...ends });
    return { status, headers: streamHeaders(headers, eventType + parameter), body: events };
  }
  return {
    status,
    headers: streamHeaders(headers, multipart.type + parameter),
    body: multipart.stream(stream, { first, toJSON: toPart, ...ends }),
  };
}

/**
 * A client that cannot be served at all is told by the status: credentials, the method. A wrong document is an
 * event like any other, as the protocol asks: clients made for streams read nothing of an answer with status 400.
 */
function isRefusal({ contextFailed, head, errors }: OperationOutcome): boolean {
  return contextFailed === true || (head.status ?? 200) >= 400 || errors.some((error) => httpExtensionOf(error)?.status !== undefined);
}

const eventType = 'text/event-stream; charset=utf-8';

function streamHeaders(headers: HeaderMap, type: string): HeaderMap {
  const fields = new HeaderMap(headers);
  fields.set('content-type', type);
  fields.set('x-content-type-options', 'nosniff');
  // A proxy that compresses a stream holds back its events until a block is full; nginx buffers it unless told not to.
  fields.set('cache-control', 'no-store, no-transform');
  removeLifetimes(fields);
  fields.set('x-accel-buffering', 'no');
  return fields;
}

/** No platform that carries streams has a limit of its own. */
function sizeOf({ maxResultBytes }: StreamSettings): AnswerSize {
  return { platform: { name: '' }, maxBytes: maxResultBytes };
}

/** Payloads → JSON while there is room: for the parts after `first` together, for each event of a subscription anew. */
function partWriter(settings: StreamSettings, stream: PayloadStream, first: string | undefined): (payload: SubsequentPayload) => string {
  const { operation, maxResultBytes } = settings;
  let left = maxResultBytes - (first?.length ?? 0);
  return (payload: SubsequentPayload): string => {
    const json = toJSON(operation, payload);
    const bytes = json.length * 3 > left ? Buffer.byteLength(json) : json.length;
    if (bytes <= left) {
      if (first !== undefined) left -= bytes;
      return json;
    }
    const error = resultTooLarge(maxResultBytes - left + bytes, capacityOf(sizeOf(settings)));
    operation.logger.warn(error.message);
    stream.finish(error);
    return failedJSON(operation, payload, error);
  };
}

/** A BigInt or a cycle that a custom scalar let through. What it belongs to has then ended, and the stream goes on. */
function toJSON(settings: ErrorSettings, payload: SubsequentPayload): string {
  try {
    return JSON.stringify(payload);
  } catch (error) {
    return failedJSON(settings, payload, error);
  }
}

function failedJSON(settings: ErrorSettings, payload: SubsequentPayload, error: unknown): string {
  const failed = formatFailure(settings, error);
  const { hasNext, pending, completed } = payload;
  const ended = completed?.map((part) => ({ ...(part as object), errors: failed.errors }));
  return JSON.stringify({ ...failed, pending, completed: ended, hasNext });
}

function serverStopping(): GraphQLError {
  return createError('SERVICE_UNAVAILABLE', 'The server is stopping. Send the operation again.');
}
