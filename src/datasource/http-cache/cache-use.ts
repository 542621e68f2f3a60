import { parseCacheControl, secondsOf } from './cache-control.ts';
import type { CacheDirectives } from './cache-control.ts';
import type { CacheEntry, EntryHead } from './cache-entry.ts';
import type { EntryUse } from '../call-watch.ts';
import type { DataSourceRequest } from '../request.ts';
import type { Milliseconds } from '../../cache/key-value-cache.ts';

/** Header fields that ask for a part of the resource, or for conditions of the caller's own: the cache leaves such requests alone. */
const bypassHeaders = ['range', 'if-range', 'if-match', 'if-none-match', 'if-modified-since', 'if-unmodified-since'];

/** True when a GET neither reads nor feeds the cache. */
export function isBypass(request: DataSourceRequest): boolean {
  const { cache, fetchOptions } = request;
  // A request for redirects themselves asks for another response than one that follows them.
  if (cache === 'no-store' || (fetchOptions?.['redirect'] ?? 'follow') !== 'follow') return true;
  const headers = request.headersIfAny;
  return headers !== undefined && (bypassHeaders.some((name) => headers.has(name)) || directivesOf(request).has('no-store'));
}

/** True when the origin may be asked at all. */
export function mayAskOrigin(request: DataSourceRequest): boolean {
  return request.cache !== 'only-if-cached' && !directivesOf(request).has('only-if-cached');
}

/** The most milliseconds by which the clocks of two instances over one store may differ. */
const maxSkew: Milliseconds = 5000;

/** True when an entry's age is known. It is not when the entry is from the future: a clock has been set back. */
function hasAge(head: EntryHead, now: Milliseconds): boolean {
  return head.storedAt <= now + maxSkew;
}

/** True when an entry may be served in place of an answer that the origin fails to give. */
export function mayStandIn(head: EntryHead, now: Milliseconds): boolean {
  return hasAge(head, now) && now < head.staleIfErrorUntil;
}

/** The permitted use of an entry, by fetch's cache mode, the request's Cache-Control, and its age. */
export function judgeEntry({ head }: CacheEntry, request: DataSourceRequest, now: Milliseconds): EntryUse {
  const isFresh = now < head.freshUntil && hasAge(head, now);
  if (request.cache === 'force-cache' || request.cache === 'only-if-cached') return isFresh ? 'fresh' : 'stale';
  if (request.cache === 'no-cache' || !hasAge(head, now)) return 'revalidate';

  const directives = directivesOf(request);
  if (directives.size > 0) return judgeByRequest(head, directives, now);
  if (isFresh) return 'fresh';
  return now < head.staleWhileRevalidateUntil ? 'stale-while-revalidate' : 'revalidate';
}

/** RFC 9111 section 5.2.1: the request may ask for less than the response allows, and sometimes for more. */
function judgeByRequest(head: EntryHead, directives: CacheDirectives, now: Milliseconds): EntryUse {
  const age = head.age + (now - head.storedAt) / 1000;
  const left = (head.freshUntil - now) / 1000;
  if (directives.has('no-cache') || age > (secondsOf(directives, 'max-age') ?? Infinity)) return 'revalidate';
  if (left > 0) return left >= (secondsOf(directives, 'min-fresh') ?? 0) ? 'fresh' : 'revalidate';
  if (!directives.has('max-stale') || head.strict) return 'revalidate';

  const accepted = directives.get('max-stale') === true ? Infinity : (secondsOf(directives, 'max-stale') ?? 0);
  return -left <= accepted ? 'stale' : 'revalidate';
}

/** Pragma counts where Cache-Control is not there. */
function directivesOf(request: DataSourceRequest): CacheDirectives {
  const headers = request.headersIfAny;
  return parseCacheControl(headers?.get('cache-control') ?? (headers?.get('pragma')?.includes('no-cache') ? 'no-cache' : undefined));
}
