import type { GraphQLError } from 'graphql';

import { HeaderMap } from '../message/header-map.ts';
import type { HTTPResponse, StreamedResponse } from '../message/http-response.ts';
import type { Delivery, PayloadStream } from '../operation/delivery.ts';
import { createError, formatResult, httpExtensionOf, toGraphQLError } from '../operation/errors.ts';
import type { ErrorSettings } from '../operation/errors.ts';
import { executeInParts } from '../operation/parts.ts';
import type { OperationOutcome } from '../operation/run.ts';
import { chooseFrom, parseAccept, preference } from './accept.ts';
import type { MediaRange, ResponseMediaType } from './accept.ts';
import { notAcceptable } from './errors.ts';
import { completeEvent, EventStream, nextEvent } from './event-stream.ts';
import { toHTTPResponse } from './response.ts';
import type { ResponseSettings } from './response.ts';

/**
 * What answering in several parts takes. A value, handed in by the entries whose platforms carry streams: bundles for
 * the others contain none of it.
 */
export interface Streaming {
  /** `accept` → which forms of an answer the client reads. Throws 406 when it is none of ours. */
  negotiate(accept: string | null): Negotiation;
}

/** The forms in which one request may be answered. */
export interface Negotiation {
  /** Of an answer in one piece. Undefined: the client reads streams only. */
  readonly mediaType: ResponseMediaType | undefined;
  readonly delivery: Delivery;
  /** The outcome of an operation → its response, a streamed one when there is more to come. */
  toResponse(settings: StreamSettings, outcome: OperationOutcome, life: StreamLife): HTTPResponse | StreamedResponse;
}

export interface StreamSettings extends ResponseSettings {
  readonly operation: ErrorSettings;
}

/** The call that a stream belongs to. */
export interface StreamLife {
  /** The last byte has been handed over. */
  answered(): void;
  /** The client has left before that. */
  left(): void;
}

/** Everything that streams: what the entries hand in. */
export const streaming: Streaming = { negotiate };

/** Clients send one of a few Accept values, again and again: each is parsed once. Bounded in number and length. */
const negotiated = new Map<string, Negotiation | undefined>();
const maxNegotiated = 64;
const maxRemembered = 256;

function negotiate(accept: string | null): Negotiation {
  const key = accept === null || accept.trim() === '' ? '*/*' : accept;
  let negotiation = negotiated.get(key);
  if (negotiation === undefined) {
    negotiation = choose(parseAccept(key));
    if (negotiated.size < maxNegotiated && key.length <= maxRemembered) negotiated.set(key, negotiation);
  }
  if (negotiation === undefined) throw notAcceptable();
  return negotiation;
}

/** A client reads streams when it names their type: a wildcard is what is sent by those that do not think of it. */
function choose(ranges: readonly MediaRange[]): Negotiation | undefined {
  const mediaType = chooseFrom(ranges);
  const events = ranges.find(({ range }) => range === 'text/event-stream');
  const subscriptions = events !== undefined && events.quality > 0;
  if (mediaType === undefined && !subscriptions) return undefined;
  const forms = { mediaType: mediaType ?? 'application/json', prefersEvents: subscriptions && isPreferred(events, ranges) } as const;
  return {
    mediaType,
    delivery: { subscriptions, incremental: undefined, execute: executeInParts },
    toResponse: (settings, outcome, life) => toResponse(settings, outcome, forms, life),
  };
}

/** By its weight; of the same weight whichever the client names first, and by name before any wildcard. */
function isPreferred(events: MediaRange, ranges: readonly MediaRange[]): boolean {
  const whole = [preference(ranges, 'application/json'), preference(ranges, 'application/graphql-response+json')];
  const index = ranges.indexOf(events);
  return whole.every(({ quality, named }) => quality < events.quality || (quality === events.quality && index < named));
}

interface Forms {
  /** Of an answer in one piece. */
  readonly mediaType: ResponseMediaType;
  /** Whether an operation with one answer is answered by events all the same, because the client prefers them. */
  readonly prefersEvents: boolean;
}

function toResponse(
  settings: StreamSettings,
  outcome: OperationOutcome,
  { mediaType, prefersEvents }: Forms,
  life: StreamLife,
): HTTPResponse | StreamedResponse {
  const response = toHTTPResponse(settings, outcome, mediaType);
  const { stream } = outcome;
  if (stream === undefined) {
    if (!prefersEvents || isRefusal(outcome) || response.body === null) return response;
    return { status: 200, headers: eventHeaders(response.headers), body: nextEvent(response.body) + completeEvent };
  }
  return { status: 200, headers: eventHeaders(response.headers), body: toEvents(settings.operation, stream, undefined, life) };
}

/**
 * Who cannot be served at all is told by the status: credentials, the method. What is wrong with the document is an
 * event like any other, as the protocol asks: clients made for streams read nothing of an answer with status 400.
 */
function isRefusal({ contextFailed, head, errors }: OperationOutcome): boolean {
  return contextFailed === true || (head.status ?? 200) >= 400 || errors.some((error) => httpExtensionOf(error)?.status !== undefined);
}

function eventHeaders(headers: HeaderMap): HeaderMap {
  const fields = new HeaderMap(headers);
  fields.set('content-type', 'text/event-stream; charset=utf-8');
  // A proxy that compresses a stream holds back its events until a block is full; nginx buffers it unless told not to.
  fields.set('cache-control', 'no-store, no-transform');
  fields.set('x-accel-buffering', 'no');
  return fields;
}

function toEvents(settings: ErrorSettings, stream: PayloadStream, first: string | undefined, life: StreamLife): EventStream {
  return new EventStream(stream, {
    first,
    toJSON: (payload) => toJSON(settings, payload),
    onEnd: () => life.answered(),
    onLeave: () => life.left(),
    onStop: () => stream.finish(serverStopping()),
  });
}

/** A BigInt or a cycle that a custom scalar let through. */
function toJSON(settings: ErrorSettings, payload: object): string {
  try {
    return JSON.stringify(payload);
  } catch (error) {
    return JSON.stringify(formatResult({ ...settings, formatError: undefined }, { errors: [toGraphQLError(error)] }));
  }
}

function serverStopping(): GraphQLError {
  return createError('SERVICE_UNAVAILABLE', 'The server is stopping. Send the operation again.');
}
