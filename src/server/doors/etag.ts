import { HeaderMap } from '../../shared/index.ts';
import type { HTTPRequest, HTTPResponse } from '../../shared/index.ts';

/**
 * Adds an `ETag` to the answer to a GET or QUERY that a cache may store, or makes it a 304 if the client already has that answer
 * (RFC 9110 section 13.1.2).
 */
export function revalidate({ method, headers: requested }: HTTPRequest, response: HTTPResponse): HTTPResponse {
  const { status, headers, body } = response;
  if ((method !== 'GET' && method !== 'QUERY') || status !== 200 || body === null || !isStorable(headers)) return response;
  const sent = HeaderMap.copyOf(headers);
  const etag = sent.get('etag') ?? etagOf(body, sent.get('content-type') ?? '');
  sent.set('etag', etag);
  if (!matches(requested.get('if-none-match'), etag)) return { ...response, headers: sent };
  // All other fields are sent, because a cache updates its stored fields with them.
  sent.delete('content-type');
  return { ...response, status: 304, headers: sent, body: null };
}

function isStorable(headers: HeaderMap): boolean {
  const control = headers.get('cache-control');
  return control === null ? headers.has('expires') : !/\bno-store\b/i.test(control);
}

/**
 * Weak, because a platform or a proxy may compress the body afterwards, and a strong one would differ for each encoding (RFC 9110
 * section 8.8.1). Includes the media type, because a cache may store the answer in both types.
 *
 * Two multiplicative hashes with 64 bits in all take 4 ns for each character, SHA-256 without node:crypto 29.
 */
function etagOf(body: string, mediaType: string): string {
  let [one, other] = [0x9e3779b9, 0x85ebca6b];
  for (const text of [mediaType, body]) {
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      one = Math.imul(one ^ code, 0x5bd1e995);
      one ^= one >>> 15;
      other = Math.imul(other ^ code, 0x1b873593);
      other ^= other >>> 13;
    }
  }
  return `W/"${(one >>> 0).toString(36)}-${(other >>> 0).toString(36)}-${body.length.toString(36)}"`;
}

/** Compares weakly. `*` matches any answer. */
function matches(condition: string | null, etag: string): boolean {
  if (condition === null) return false;
  if (condition.trim() === '*') return true;
  const opaque = etag.replace(/^W\//, '');
  return condition.match(/"[^"]*"/g)?.includes(opaque) === true;
}
