import { HeaderMap, addVary, isHeaderField, isObjectLike } from '../../shared/index.ts';
import type { HTTPResponse, StreamedResponse } from '../../shared/index.ts';
import { bodiless } from '../operation/around.ts';
import type { Logger } from '../operation/types.ts';
import { toFinalStatus } from './graphql/status.ts';

/**
 * The `cache-control` of responses that no cache may store. Fastly obeys only `private`, others only `no-store`. Without the field,
 * Cloudflare would store a response for two hours, CloudFront for a day, browsers and proxies for any time (RFC 9111 section 4.2.2).
 */
export const uncacheable = 'private, no-store';

/**
 * Fields of the connection (RFC 9110 section 7.6.1), which the platform writes. Copied from an upstream answer, they would garble the
 * response, or end a Node process.
 */
export const framing: readonly string[] = [
  'connection',
  'content-length',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];

/** A response that plugins may have changed, with a valid status and a HeaderMap. */
export function normalizeHead<T extends HTTPResponse | StreamedResponse>(response: T, logger: Logger): T {
  const status = toFinalStatus(response.status, logger);
  const headers = response.headers instanceof HeaderMap ? response.headers : new HeaderMap(response.headers);
  for (const name of framing) if (headers.has(name)) headers.delete(name);
  const isEmpty = response.body === '' && bodiless.has(status);
  if (status === response.status && headers === response.headers && !isEmpty) return response;
  return { ...response, status, headers, ...(isEmpty && { body: null }) };
}

/** Skips invalid fields: it is too late to fail. */
export function addHeaders(headers: HeaderMap, added: unknown): void {
  if (!isObjectLike(added)) return;
  for (const pair of Symbol.iterator in added ? (added as Iterable<unknown>) : Object.entries(added)) {
    if (!Array.isArray(pair) || !isHeaderField(pair[0], pair[1])) continue;
    const [name, value] = pair as [string, string];
    // These fields are lists, in which the values of one element must not replace those of another.
    if (/^vary$/i.test(name)) addVary(headers, value);
    else if (/^set-cookie$/i.test(name)) headers.append(name, value);
    else headers.set(name, value);
  }
}
