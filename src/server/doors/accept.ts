import type { HTTPRequest } from '../../shared/index.ts';
import { notAcceptable } from './errors.ts';

/** The media types in which this server answers. */
export type ResponseMediaType = 'application/graphql-response+json' | 'application/json';

/** Accept values of common clients. They need no parsing, which saves a cold process 0.3 ms of CPU, a warm request 1 µs. */
export const wellKnownAccepts: ReadonlyMap<string, ResponseMediaType> = /* @__PURE__ */ new Map<string, ResponseMediaType>([
  ['*/*', 'application/json'],
  ['application/json', 'application/json'],
  ['application/json, text/plain, */*', 'application/json'],
  ['application/graphql-response+json,application/json;q=0.9', 'application/graphql-response+json'],
  ['application/graphql-response+json, application/json', 'application/graphql-response+json'],
]);

/** The most ranges of one Accept value that are read. Browsers send eight. */
const maxRanges = 100;
/** The most parts of one range that are read: the type, its parameters, its weight. */
const maxParts = 20;

/** The value of Accept. Without one, the client accepts anything (RFC 9110 section 12.5.1). */
export function acceptOf({ headers }: Pick<HTTPRequest, 'headers'>): string {
  const accept = headers.get('accept');
  return accept === null || accept.trim() === '' ? '*/*' : accept;
}

/** `accept` → media type of the answer. Throws 406 if the client accepts neither. */
export function negotiateMediaType(accept: string): ResponseMediaType {
  if (accept === last.accept) return last.mediaType;
  const mediaType = wellKnownAccepts.get(accept) ?? chooseFrom(parseAccept(accept));
  if (mediaType === undefined) throw notAcceptable();
  last = { accept, mediaType };
  return mediaType;
}

/** The last value and its media type. Most clients of a process send the same value, and reading it takes a third of the smallest request. */
let last: { readonly accept: string; readonly mediaType: ResponseMediaType } = { accept: '*/*', mediaType: 'application/json' };

/** True if the client accepts an answer of this media type. */
export function accepts(request: HTTPRequest, mediaType: string): boolean {
  return preference(parseAccept(acceptOf(request)), mediaType).quality > 0;
}

/** True if the client names the media type itself, not a wildcard, and does not refuse it. */
export function names(request: HTTPRequest, mediaType: string): boolean {
  const accept = acceptOf(request);
  if (wellKnownAccepts.has(accept)) return false;
  const { quality, named } = preference(parseAccept(accept), mediaType);
  return named !== Infinity && quality > 0;
}

/** One element of an Accept value (RFC 9110 section 12.5.1). */
export interface MediaRange {
  readonly range: string;
  readonly quality: number;
  /** The parameters in lower case, without quotes, as `name=value`. */
  readonly parameters: readonly string[];
}

export function parseAccept(accept: string): readonly MediaRange[] {
  return accept.split(',', maxRanges).map(parseRange);
}

/**
 * Chooses the type with the higher quality. Of equal types, the one that is named first wins, and application/json if only wildcards match.
 */
export function chooseFrom(ranges: readonly MediaRange[]): ResponseMediaType | undefined {
  const json = preference(ranges, 'application/json');
  const graphql = preference(ranges, 'application/graphql-response+json');
  if (json.quality === 0 && graphql.quality === 0) return undefined;
  const isGraphQL = json.quality === graphql.quality ? graphql.named < json.named : graphql.quality > json.quality;
  return isGraphQL ? 'application/graphql-response+json' : 'application/json';
}

export interface Preference {
  readonly quality: number;
  /** The position of the type in the header; Infinity if only a wildcard matches it. */
  readonly named: number;
}

/** The most specific range decides the quality of a type. */
export function preference(ranges: readonly MediaRange[], type: string): Preference {
  const named = ranges.findIndex(({ range }) => range === type);
  const family = `${type.slice(0, type.indexOf('/'))}/*`;
  const match = ranges[named] ?? ranges.find(({ range }) => range === family) ?? ranges.find(({ range }) => range === '*/*');
  return { quality: match?.quality ?? 0, named: named < 0 ? Infinity : named };
}

function parseRange(element: string): MediaRange {
  const [range = '', ...parameters] = element.split(';', maxParts).map((text) => text.trim().toLowerCase());
  const weight = parameters.find((text) => text.startsWith('q='))?.slice(2) ?? '';
  // An invalid weight (RFC 9110 section 12.4.2) counts as 1.
  const quality = /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(weight) ? Number(weight) : 1;
  return { range, quality, parameters: parameters.map((text) => text.replaceAll('"', '')) };
}

/** A parsed media type. */
export interface MediaType {
  /** Type and subtype in lower case, for example "application/json". */
  readonly essence: string;
  /** The charset parameter in lower case; undefined when there is none. */
  readonly charset: string | undefined;
}

/**
 * Parses a whole Content-Type value (WHATWG MIME Sniffing, section 4.4), so that neither "application/jsonp" nor
 * "application/json, text/plain" passes for JSON. Undefined: invalid.
 */
export function parseMediaType(text: string): MediaType | undefined {
  const end = text.indexOf(';');
  const type = (end < 0 ? text : text.slice(0, end)).trim();
  if (!essence.test(type)) return undefined;
  return { essence: type.toLowerCase(), charset: end < 0 ? undefined : charsetOf(text.slice(end)) };
}

const essence = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+\/[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** A parameter: its name, then a quoted string or everything up to the next semicolon. */
const parameter = /;[\t\n\r ]*([^;=]*)(?:=(?:"((?:[^"\\]|\\.)*)"?[^;]*|([^;]*)))?/gy;

/** The value of the first charset parameter that has one. */
function charsetOf(parameters: string): string | undefined {
  for (const [, name, quoted, plain] of parameters.matchAll(parameter)) {
    if (name?.toLowerCase() !== 'charset') continue;
    const value = quoted?.replaceAll(/\\(.)/g, '$1') ?? plain?.trim();
    // An empty value without quotes is ignored (section 4.4, step 11.9).
    if (value !== undefined && (value !== '' || quoted !== undefined)) return value.toLowerCase();
  }
  return undefined;
}
