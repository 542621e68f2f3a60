import type { GraphQLError } from 'graphql';

import { HeaderMap, byteLength, capacityOf, excessOf } from '../../../shared/index.ts';
import type { AnswerSize, HTTPResponse, StreamedResponse } from '../../../shared/index.ts';
import type { Delivery } from '../../operation/delivery/delivery.ts';
import type { PayloadStream, SubsequentPayload, OperationOutcome } from '../../operation/types.ts';
import { createError, httpExtensionOf } from '../../operation/errors.ts';
import { formatFailure } from '../../operation/format-errors.ts';
import type { ErrorSettings } from '../../operation/format-errors.ts';
import { executeDelivery } from '../../operation/delivery/subscribe.ts';
import { resultTooLarge } from '../../../executor/index.ts';
import { parseAccept, wellKnownAccepts } from '../accept.ts';
import type { ResponseMediaType } from '../accept.ts';
import { removeLifetimes, uncacheable } from '../cache-control.ts';
import { toSingleResponse } from '../response.ts';
import { notAcceptable } from '../errors.ts';
import { completeEvent, EventStream, nextEvent } from './event-stream.ts';
import type { Multipart } from './multipart.ts';
import type { ResponseSettings } from '../response.ts';
import { chooseForms } from './stream-forms.ts';
import type { Forms } from './stream-forms.ts';

/**
 * Writes streamed answers. A value that entries of platforms that can stream pass in, so that bundles for others do not contain it.
 */
export interface Streaming {
  /** `accept` → the forms of answers that the client accepts. Throws 406 if none is supported. */
  negotiate(accept: string | null, multipart: Multipart | undefined): Negotiation;
}

/** The forms of the answer to one request. */
export interface Negotiation {
  /** The media type of an answer that is not streamed. Undefined: the client accepts only streams. */
  readonly mediaType: ResponseMediaType | undefined;
  /** Undefined: the operation has one answer. */
  readonly delivery: Delivery | undefined;
  /** The outcome of an operation → its response, which is streamed if it has more payloads. */
  toResponse(settings: StreamSettings, outcome: OperationOutcome, call: StreamedCall): HTTPResponse | StreamedResponse;
}

export interface StreamSettings extends ResponseSettings {
  readonly operation: ErrorSettings;
  /** Bytes of an answer, and of each event of a subscription. */
  readonly maxResultBytes: number;
  /** Undefined: answers have no parts. */
  readonly multipart: Multipart | undefined;
}

/** The call that a stream belongs to. */
interface StreamedCall {
  /** Called when the last byte of the answer has been passed on. */
  answered(): void;
  /** Called when the client disconnects before that. */
  left(): void;
}

export const streaming: Streaming = { negotiate };

/** Negotiations of well-known Accept values, with and without multipart answers. */
const negotiated = { withMultipart: new Map<string, Negotiation>(), without: new Map<string, Negotiation>() };

function negotiate(accept: string | null, multipart: Multipart | undefined): Negotiation {
  const value = accept === null || accept.trim() === '' ? '*/*' : accept;
  const known = multipart === undefined ? negotiated.without : negotiated.withMultipart;
  const negotiation = known.get(value) ?? toNegotiation(chooseForms(parseAccept(value), multipart !== undefined));
  if (negotiation === undefined) throw notAcceptable();
  if (wellKnownAccepts.has(value)) known.set(value, negotiation);
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
  return (settings, outcome, call) => {
    const { stream } = outcome;
    try {
      const response = toSingleResponse(settings, outcome, typeForStatus(forms, outcome));
      if (stream === undefined) return forms.single === undefined ? response : toSingle(settings, { outcome, response }, forms.single);
      const { body: first, ...head } = response;
      if (first !== null) return toStreamed(settings, { outcome, stream, head, first, parts: forms.parts }, call);
      // The user has set a status that has no body.
      void stream.return();
      return response;
    } catch (error) {
      // The first result cannot be written as JSON.
      void stream?.return();
      throw error;
    }
  };
}

/** A stream is a success whatever its parts contain: only a whole answer may have the status of a partial success. */
function typeForStatus({ mediaType = 'application/json', single }: Forms, { stream, result }: OperationOutcome): ResponseMediaType {
  return stream === undefined && (single === undefined || result.data === undefined) ? mediaType : 'application/json';
}

/** An operation with one answer, as a stream. */
function toSingle({ multipart }: StreamSettings, { outcome, response }: Single, form: NonNullable<Forms['single']>): HTTPResponse {
  const { status, body, headers } = response;
  if (isRefusal(outcome) || body === null) return response;
  if (form === 'events') return { status: 200, headers: streamHeaders(headers, eventType), body: nextEvent(body) + completeEvent };
  if (multipart === undefined || outcome.result.data === undefined) return response;
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
  /** The JSON of the result, which is empty for a subscription. */
  readonly first: string;
  readonly parts: Forms['parts'];
}

function toStreamed(
  settings: StreamSettings,
  { outcome, stream, head: { status, headers }, first, parts }: Beginning,
  call: StreamedCall,
): StreamedResponse {
  const { multipart } = settings;
  const excess = excessOf(answerSizeOf(settings), first);
  if (excess !== undefined) throw resultTooLarge(excess.bytes, excess.capacity);
  const kind = outcome.operation?.operation;
  const isSubscription = kind === 'subscription';
  const toPart = partWriter(settings, stream, isSubscription ? undefined : first);
  const ends = { onEnd: () => call.answered(), onLeave: () => call.left(), onStop: () => stream.finish(serverStopping(kind)) };
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
 * True for errors that are sent with a status, such as wrong credentials. A wrong document is sent as an event, because clients of the
 * protocol do not read an answer with status 400.
 */
function isRefusal({ contextFailed, head, errors }: OperationOutcome): boolean {
  return contextFailed === true || (head.status ?? 200) >= 400 || errors.some((error) => httpExtensionOf(error)?.status !== undefined);
}

const eventType = 'text/event-stream; charset=utf-8';

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

/** Payloads → JSON within the size limit, which applies to all parts together, but to each event of a subscription. */
function partWriter(settings: StreamSettings, stream: PayloadStream, first: string | undefined): (payload: SubsequentPayload) => string {
  const { operation, maxResultBytes } = settings;
  let left = maxResultBytes - (first === undefined ? 0 : byteLength(first));
  return (payload: SubsequentPayload): string => {
    const json = toJSON(operation, payload);
    const bytes = byteLength(json);
    if (bytes <= left) {
      if (first !== undefined) left -= bytes;
      return json;
    }
    const error = resultTooLarge(maxResultBytes - left + bytes, capacityOf(answerSizeOf(settings)));
    operation.logger.warn(error.message);
    stream.finish(error);
    return failedJSON(operation, payload, error);
  };
}

/** A BigInt or a cycle, as from a custom scalar, ends its part; the stream continues. */
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

function serverStopping(kind: string | undefined): GraphQLError {
  const advice = kind === 'mutation' ? 'The mutation has run: do not send it again.' : 'Send the operation again.';
  return createError('SERVICE_UNAVAILABLE', `The server is stopping. ${advice}`);
}
