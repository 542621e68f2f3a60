import type { NotStored, StorageCase, StoredResponse } from '../../datasources/index.ts';
import type { CacheLayer } from './report.ts';
import type { WatchedCall } from './watched-call.ts';

/** Explains why this layer answered a call. */
export function whyAnswered(call: WatchedCall): string {
  return words[call.layer](call);
}

const words: Readonly<Record<CacheLayer, (call: WatchedCall) => string>> = {
  memo: () => 'This data source had already sent this request in this operation.',
  fresh: ({ entry, foundAt }) => `Stored ${ageOf(entry!, foundAt)} ago, ${lifeOf(entry!, foundAt)}: ${termsOf(entry!)}.`,
  stale: whyStale,
  revalidated: (call) => `${whyNotCached(call)}; the origin answered 304 Not Modified. ${whatBecame(call)}`,
  miss: (call) => `${whyNotCached(call)}. ${whatBecame(call)}`,
  bypass: whyBypassed,
  none: ({ error }) =>
    error === undefined ? 'It had not been sent when the response was complete.' : 'It failed before it could be sent.',
};

function whyStale({ use, request, tries, originStatus }: WatchedCall): string {
  if (use === 'stale-while-revalidate')
    return 'No longer fresh, but the origin allows stale-while-revalidate: a newer response is fetched in the background.';
  if (tries > 0) {
    const failure = originStatus === undefined ? 'did not answer' : `answered with status ${originStatus}`;
    return `The origin ${failure}, but the stored response allows stale-if-error.`;
  }
  if (request.cache === 'force-cache' || request.cache === 'only-if-cached')
    return `No longer fresh, but requested with cache: '${request.cache}'.`;
  return 'No longer fresh, but the request allows it with max-stale.';
}

/** Explains why the response cache did not answer. */
function whyNotCached({ entry, otherEntry, request, foundAt }: WatchedCall): string {
  if (request.cache === 'reload' || request.cache === 'no-cache') return `Requested with cache: '${request.cache}'`;
  if (entry !== undefined) {
    const past = Math.round((foundAt - entry.head.freshUntil) / 1000);
    return past < 0 ? 'The request requires a newer response than the stored one' : `Stored, but stale for ${past} s`;
  }
  if (otherEntry !== undefined)
    return `A response is stored, but for a request with different ${otherEntry.head.audience === 'headers' ? 'headers' : 'values for the headers in Vary'}`;
  return 'No response was stored';
}

/** Explains whether the response was stored. */
function whatBecame({ judgement, tries, error }: WatchedCall): string {
  if (tries === 0) return "No request was sent because of cache: 'only-if-cached'.";
  if (judgement === undefined) {
    return error === undefined ? 'Not stored: a hook read its body.' : 'There is no response to store.';
  }
  const { storage, terms } = judgement;
  if (typeof terms === 'string') return `Not stored: ${notStored[terms](storage)}.`;
  const seconds = Math.round((terms.freshUntil - storage.now) / 1000);
  const lifetime =
    storage.ttl === undefined ? originSaid(storage.headers) : `a ttl of ${storage.ttl} s replaces the lifetime from the origin`;
  return seconds > 0 ? `Stored for ${seconds} s: ${lifetime}.` : `Stored for revalidation only: ${lifetime}.`;
}

/** Why a response is not stored. */
const notStored: Readonly<Record<NotStored, (storage: StorageCase) => string>> = {
  'no-store': () => 'the origin sent no-store',
  vary: ({ headers }) => `the origin sent Vary: ${headers['vary']}`,
  partial: () => 'it contains only part of the resource',
  'hidden user': () => 'it is not public, and without cacheIdentity the credentials that httpFetch or an agent may add are not known',
  'unnamed user': () => 'the origin sent private, and nothing in the request identifies the user (credentials, cacheIdentity)',
  cookie: () => 'it sets a cookie, and is not public',
  ttl: ({ ttl }) => `a ttl of ${ttl} s was set`,
  'ttl of a failure': ({ status }) => `a ttl applies only to successful responses, and the status is ${status}`,
  redirected: () => 'the request was redirected',
  'unknown end': () => 'the origin sent no Content-Length over HTTPS, so whether the body is complete is not known',
  status: ({ status }) => `the status is ${status}`,
  'no lifetime': () => 'the origin set no lifetime (Cache-Control); set one with cacheOptionsFor',
  stale: ({ headers }) => `${originSaid(headers)}, and it cannot be revalidated without ETag or Last-Modified`,
};

function whyBypassed({ request }: WatchedCall): string {
  const { method, cache, headersIfAny, fetchOptions } = request;
  if (method !== 'GET') return `A ${method} is never stored.`;
  if (cache === 'no-store') return "Requested with cache: 'no-store'.";
  if ((fetchOptions?.['redirect'] ?? 'follow') !== 'follow') return `Requested with redirect: '${String(fetchOptions?.['redirect'])}'.`;
  const conditional = ['range', 'if-range', 'if-match', 'if-none-match', 'if-modified-since', 'if-unmodified-since'];
  const present = conditional.filter((name) => headersIfAny?.has(name));
  if (present.length > 0) return `The request has a conditional header: ${present.join(', ')}.`;
  if (headersIfAny?.get('cache-control')?.includes('no-store') === true) return 'The request has Cache-Control: no-store.';
  return 'The data source has no cache.';
}

function ageOf({ head }: StoredResponse, now: number): string {
  return `${Math.max(0, Math.round((now - head.storedAt) / 1000))} s`;
}

function lifeOf({ head }: StoredResponse, now: number): string {
  const seconds = Math.round((head.freshUntil - now) / 1000);
  return seconds >= 0 ? `fresh for ${seconds} s more` : 'used as if fresh';
}

function termsOf({ head, headers }: StoredResponse): string {
  return head.byTTL ? `a ttl of ${Math.round((head.freshUntil - head.storedAt) / 1000)} s was set` : originSaid(headers);
}

function originSaid(headers: Readonly<Record<string, string>>): string {
  const { 'cache-control': control, expires } = headers;
  if (control !== undefined) return `the origin sent "${control}"`;
  return expires === undefined ? 'the origin set no lifetime' : `the origin sent Expires: ${expires}`;
}
