import type { DuplicateCalls } from './report.ts';
import type { WatchedCall } from './watched-call.ts';

/** Finds identical GETs, and in a query identical calls of any method, that were sent to the origin more than once. */
export function findDuplicates(calls: readonly WatchedCall[], isQuery: boolean): DuplicateCalls[] {
  const groups = new Map<string, WatchedCall[]>();
  for (const call of calls) {
    const { method, url, body } = call.request;
    // In a mutation, two identical calls may be intended.
    const isComparable = method === 'GET' || (isQuery && (body === undefined || typeof body === 'string'));
    if (call.tries === 0 || !isComparable) continue;
    const key = JSON.stringify([method, url, body]);
    groups.set(key, [...(groups.get(key) ?? []), call]);
  }
  return [...groups.values()].filter((group) => group.length > 1).map((group) => toDuplicate(calls, group));
}

function toDuplicate(calls: readonly WatchedCall[], group: readonly WatchedCall[]): DuplicateCalls {
  const { method, url } = group[0]!.request;
  const call = `${method} ${shownURL(url)}`;
  return {
    calls: group.map((one) => calls.indexOf(one)),
    call,
    advice: `${call} was sent ${group.length} times. ${remedyFor(calls, group)}`,
  };
}

function remedyFor(calls: readonly WatchedCall[], group: readonly WatchedCall[]): string {
  const [first, ...others] = group as [WatchedCall, ...WatchedCall[]];
  const { method, url } = first.request;
  if (method !== 'GET') return `A ${method} is not memoized: store its promise in the data source, or send it once through a loader.`;
  if (others.some(({ source }) => source !== first.source))
    return 'Each data source memoizes only its own calls: make this call through one data source.';
  if ((first.source as { memoizeGetRequests?: boolean }).memoizeGetRequests === false)
    return `memoizeGetRequests of ${first.source.constructor.name} is false; if it were true, the memo would have answered the second call.`;
  const uncached = group.find(({ request }) => ['no-store', 'reload', 'no-cache'].includes(request.cache ?? ''));
  if (uncached !== undefined) return `It was requested with cache: '${uncached.request.cache}', which never uses a stored response.`;
  const names = differingHeaders(first, others);
  if (names.length > 0) return `The memo treats the requests as different, because these headers differ: ${names.join(', ')}.`;
  const between = calls.find(
    ({ request, start }) => request.method !== 'GET' && request.url === url && start > first.start && start < others.at(-1)!.start,
  );
  if (between !== undefined) return `A ${between.request.method} to the same URL was sent in between, so the data had to be loaded again.`;
  if (group.some(({ error }) => error !== undefined)) return 'Failed calls are not memoized.';
  return 'Their cache keys differ (cacheKeyFor).';
}

/** Only names, because values may be secrets. */
function differingHeaders(first: WatchedCall, others: readonly WatchedCall[]): string[] {
  const expected = headersOf(first);
  const names = new Set<string>();
  for (const headers of others.map(headersOf))
    for (const name of [...expected.keys(), ...headers.keys()]) if (headers.get(name) !== expected.get(name)) names.add(name);
  return [...names];
}

function headersOf({ request }: WatchedCall): Map<string, string> {
  return new Map(request.headersIfAny ?? []);
}

/** Parameters that may contain secrets. A false match hides a harmless value; a missing one shows a secret. */
const secretive = /key|token|secret|pass|pwd|auth|credential|session|signature|^sig$|jwt|access|^code$/i;

/** A URL without user name, password, and values of parameters that may be secrets. */
export function shownURL(text: string): string {
  if (!URL.canParse(text)) return shownPath(text);
  const url = new URL(text);
  url.username = '';
  url.password = '';
  url.hash = '';
  for (const name of new Set(url.searchParams.keys())) if (secretive.test(name)) url.searchParams.set(name, '***');
  return url.href;
}

/** The path of a call that failed before its URL was known. */
function shownPath(text: string): string {
  const [path = ''] = text.split(/[?#]/, 1);
  return path === text ? text : `${path}?***`;
}
