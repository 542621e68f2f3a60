import { isRecord } from '../../shared/index.ts';
import { malformedEvent } from './event-fields.ts';

/** A query string as the platform received it. Some platforms pass it with its "?". Undefined: the event has no query string. */
export function rawQuery(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  return value.startsWith('?') ? value.slice(1) : value;
}

/** A query string from maps of values that the platform has decoded. The map of lists takes precedence, because it has all values. */
export function encodeQuery(single: unknown, multiple?: unknown): string {
  return pairsOf(single, multiple)
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .join('&');
}

/** A query string from maps whose names and values are still encoded, as an Application Load Balancer sends them. */
export function joinQuery(single: unknown, multiple?: unknown): string {
  return pairsOf(single, multiple)
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
}

function pairsOf(single: unknown, multiple: unknown): readonly [name: string, value: string][] {
  const map = isRecord(multiple) ? multiple : isRecord(single) ? single : {};
  return Object.entries(map).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value])
      .filter((one): one is string => typeof one === 'string')
      .map((one): [string, string] => [name, one]),
  );
}

function encode(text: string): string {
  try {
    return encodeURIComponent(text);
  } catch {
    throw malformedEvent('Expected the query parameters of the event to be Unicode text, but one has half a surrogate pair.');
  }
}

/**
 * Path and query string of a URL, or of a request target. Not parsed as a URL, because an invalid Host, or a target like "//", must not
 * fail the request.
 */
export function splitURL(url: string): { path: string; queryString: string } {
  const hash = url.indexOf('#');
  const end = hash < 0 ? url.length : hash;
  const mark = url.indexOf('?');
  const pathEnd = mark < 0 || mark > end ? end : mark;
  const pathStart = url.startsWith('/') ? 0 : url.indexOf('/', url.indexOf('://') + 3);
  return { path: pathStart < 0 || pathStart > pathEnd ? '/' : url.slice(pathStart, pathEnd), queryString: url.slice(pathEnd + 1, end) };
}
