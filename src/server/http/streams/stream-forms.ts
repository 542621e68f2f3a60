import type { Delivery } from '../../operation/operation.ts';
import { chooseFrom, preference } from '../accept.ts';
import type { MediaRange, ResponseMediaType } from '../accept.ts';

/** The forms of answers that a client accepts, on platforms that can stream. */
export interface Forms {
  /** The media type of an answer that is not streamed. Undefined: the client accepts only streams. */
  readonly mediaType: ResponseMediaType | undefined;
  /** True if the client accepts server-sent events, which subscriptions need. */
  readonly events: boolean;
  /** The kind of stream that the client prefers even for an operation with one answer. */
  readonly single: Container | undefined;
  /** The kind of stream for `@defer` and `@stream`. Undefined: the answer is whole. */
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
    // A stream of the same weight is preferred wherever it is named: clients name it last.
    parts: whole.every(({ quality }) => quality <= best.quality) ? best : undefined,
  };
}

interface Stream extends PartsForm {
  readonly quality: number;
  readonly index: number;
}

/** True if a stream has more weight than another type, or the same and is named before it. */
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
 * For clients that name no format: urql, Relay and @graphql-tools read the older one. urql 6 misreads @stream in the newer one, and Relay
 * expects path and label in each part.
 */
const plainFormat: Format = { format: 'legacy', spec: undefined };
