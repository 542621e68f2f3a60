import type { Delivery } from '../../operation/delivery/delivery.ts';
import { chooseFrom, preference } from '../accept.ts';
import type { MediaRange, ResponseMediaType } from '../accept.ts';

/** The forms in which a client reads answers, where streams are carried. */
export interface Forms {
  /** Of an answer in one piece. Undefined: the client reads streams only. */
  readonly mediaType: ResponseMediaType | undefined;
  /** True when a stream of events is read, as subscriptions need it. */
  readonly events: boolean;
  /** The stream in which an operation with one answer is answered all the same, because the client prefers it. */
  readonly single: Container | undefined;
  /** The stream in which `@defer` and `@stream` are answered. Undefined: in one piece. */
  readonly parts: PartsForm | undefined;
}

/** Server-sent events, or multipart/mixed. */
export type Container = 'events' | 'multipart';

export interface PartsForm {
  readonly container: Container;
  readonly format: NonNullable<Delivery['incremental']>;
  /** The parameter by which the client chose the format: said again of the answer. */
  readonly spec: string | undefined;
}

/**
 * The forms that an Accept value allows; undefined when it names none of ours. A client reads streams when it names their
 * type: clients send a wildcard without thinking of streams. `multipart/mixed` counts where something writes it.
 */
export function chooseForms(ranges: readonly MediaRange[], writesMultipart: boolean): Forms | undefined {
  const mediaType = chooseFrom(ranges);
  const streams = ranges
    .map((range, index) => streamOf(range, index))
    .filter((stream) => stream !== undefined && (writesMultipart || stream.container === 'events')) as Stream[];
  // Sorting keeps the order of those with the same weight.
  const [best] = streams.toSorted((one, other) => other.quality - one.quality);
  if (best === undefined) return mediaType && { mediaType, events: false, single: undefined, parts: undefined };
  const whole = (['application/json', 'application/graphql-response+json'] as const).map((type) => preference(ranges, type));
  // A client that names multipart first expects several parts; for one part there is JSON.
  const isForOne = best.container === 'events' || mediaType === undefined;
  return {
    mediaType,
    events: streams.some(({ container }) => container === 'events'),
    single: isForOne && whole.every(({ quality, named }) => isBefore(best, quality, named)) ? best.container : undefined,
    // Of the same weight a stream is preferred, wherever it stands: clients name it last, and mean it.
    parts: whole.every(({ quality }) => quality <= best.quality) ? best : undefined,
  };
}

interface Stream extends PartsForm {
  readonly quality: number;
  readonly index: number;
}

/** True when a stream has more weight than another type, or as much and is named before. */
function isBefore(stream: Stream, quality: number, named: number): boolean {
  return stream.quality > quality || (stream.quality === quality && stream.index < named);
}

function streamOf({ range, quality, parameters }: MediaRange, index: number): Stream | undefined {
  // A range may be any text, "constructor" included.
  const container = Object.hasOwn(containers, range) ? containers[range] : undefined;
  if (container === undefined || quality === 0) return undefined;
  const spec = parameters.find((parameter) => parameter.includes('spec='));
  const format = spec === undefined ? plainFormat : formats[spec];
  // Multipart of another protocol is another type to us: Apollo's subscriptions have one.
  return format && { container, ...format, quality, index };
}

const containers: Readonly<Record<string, Container | undefined>> = { 'text/event-stream': 'events', 'multipart/mixed': 'multipart' };

type Format = Pick<PartsForm, 'format' | 'spec'>;

const formats: Readonly<Record<string, Format | undefined>> = {
  'incrementalspec=v0.2': { format: 'current', spec: 'incrementalSpec=v0.2' },
  'deferspec=20220824': { format: 'legacy', spec: 'deferSpec=20220824' },
};

/**
 * Of a client that does not say. Those are urql, Relay with any reader of multipart, and @graphql-tools: all of them read
 * the older one. The newer one urql 6 reads wrongly where there is @stream (it puts items beside the list), and Relay
 * expects each part to have all of its fields, its path and its label, which the newer one does not repeat.
 */
const plainFormat: Format = { format: 'legacy', spec: undefined };
