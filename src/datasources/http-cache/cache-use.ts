import { parseCacheControl, secondsOf } from './cache-control.ts';
import type { CacheDirectives } from './cache-control.ts';
import type { CacheEntry, EntryHead } from './cache-entry.ts';
import type { EntryUse } from '../call-watch.ts';
import type { DataSourceRequest } from '../request.ts';
import type { Milliseconds } from '../cache/key-value-cache.ts';

/** Range and conditional requests bypass the cache. */
const bypassHeaders = ['range', 'if-range', 'if-match', 'if-none-match', 'if-modified-since', 'if-unmodified-since'];

/** True if a GET neither reads nor writes the cache. */
export function isBypass(request: DataSourceRequest): boolean {
  const { cache, fetchOptions } = request;
  // If redirects are not followed, the response is another one.
  if (cache === 'no-store' || (fetchOptions?.['redirect'] ?? 'follow') !== 'follow') return true;
  const headers = request.headersIfAny;
  return headers !== undefined && (bypassHeaders.some((name) => headers.has(name)) || directivesOf(request).has('no-store'));
}

/** True if a request may be sent: false for only-if-cached. */
export function mayUseNetwork(request: DataSourceRequest): boolean {
  return request.cache !== 'only-if-cached' && !directivesOf(request).has('only-if-cached');
}

/** Limit of the difference between the clocks of two instances with one store. */
const maxSkew: Milliseconds = 5000;

/** False for entries from the future, after a clock was set back. */
function hasKnownAge(head: EntryHead, now: Milliseconds): boolean {
  return head.storedAt <= now + maxSkew;
}

/** True if an entry may be used when the origin fails. */
export function isUsableOnError(head: EntryHead, now: Milliseconds): boolean {
  return hasKnownAge(head, now) && now < head.staleIfErrorUntil;
}

/** How an entry may be used, by cache mode, the request's Cache-Control and its age. */
export function judgeEntry({ head }: CacheEntry, request: DataSourceRequest, now: Milliseconds): EntryUse {
  const isFresh = now < head.freshUntil && hasKnownAge(head, now);
  if (request.cache === 'force-cache' || request.cache === 'only-if-cached') return isFresh ? 'fresh' : 'stale';
  if (request.cache === 'no-cache' || !hasKnownAge(head, now)) return 'revalidate';

  const directives = directivesOf(request);
  if (accepting.some((name) => directives.has(name))) return judgeByRequest(head, directives, now);
  if (isFresh) return 'fresh';
  return now < head.staleWhileRevalidateUntil ? 'stale-while-revalidate' : 'revalidate';
}

/** The request directives that say which stored responses are accepted (RFC 9111 section 5.2.1). Any other is ignored (section 5.2.3). */
const accepting = ['max-age', 'max-stale', 'min-fresh', 'no-cache', 'only-if-cached'];

/** RFC 9111 section 5.2.1. */
function judgeByRequest(head: EntryHead, directives: CacheDirectives, now: Milliseconds): EntryUse {
  const age = head.age + (now - head.storedAt) / 1000;
  const left = (head.freshUntil - now) / 1000;
  if (directives.has('no-cache') || age > (secondsOf(directives, 'max-age') ?? Infinity)) return 'revalidate';
  if (left > 0) return left >= (secondsOf(directives, 'min-fresh') ?? 0) ? 'fresh' : 'revalidate';
  if (!directives.has('max-stale') || head.strict) return 'revalidate';

  const accepted = directives.get('max-stale') === true ? Infinity : (secondsOf(directives, 'max-stale') ?? 0);
  return -left <= accepted ? 'stale' : 'revalidate';
}

/** Pragma counts only without Cache-Control. */
function directivesOf(request: DataSourceRequest): CacheDirectives {
  const headers = request.headersIfAny;
  return parseCacheControl(headers?.get('cache-control') ?? (headers?.get('pragma')?.includes('no-cache') ? 'no-cache' : undefined));
}
