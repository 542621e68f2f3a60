import { BoundedMemo, ownCopy } from '../cache/bounded-memo.ts';
import { createURLError } from './errors.ts';

/** A base URL, parsed: where calls go, and the path they may not leave. */
interface Base {
  readonly origin: string;
  /** Always ends with "/". */
  readonly path: string;
}

/**
 * The URL of a call: the base URL, then the path, whatever that path looks like.
 *
 * The path is joined as text behind "origin/base/", so it can never be read as a scheme, a host or a user
 * name ("//evil.example", "\\evil.example", "/<tab>/evil.example", "urn:x"). What is left is climbing out with
 * dot segments. Those are refused in every spelling, also where they would stay under the base:
 * `encodeURIComponent('..')` is "..", so an id of ".." would otherwise turn `users/${id}/keys` into `keys`.
 */
export function resolveCallURL(baseURL: string | undefined, path: string): URL {
  if (typeof path !== 'string') throw new TypeError(`The path of a call must be a string, not ${path === null ? 'null' : typeof path}`);
  if (baseURL === undefined || baseURL === '') return parseAbsolute(path);

  const base = parseBase(baseURL);
  if (/^https?:\/\//i.test(path)) return assertSameOrigin(path, base);

  assertNoDotSegments(path);
  const relative = path.replace(/^[/\\]+/, '');
  const url = new URL(base.origin + base.path + relative);
  // Unreachable as far as we know; stays because everything above is reasoning about a parser we do not own.
  const stays = url.origin === base.origin && url.pathname.startsWith(base.path);
  if (!stays || countSegments(url.pathname.slice(base.path.length)) !== countSegments(toParsedPath(relative)))
    throw createURLError('The path of the call leaves the baseURL, or another path in it', path);
  return url;
}

/** The same as text, parsed once for each path: that takes longer than everything else in a memoised call. */
export function resolveCallHref(baseURL: string | undefined, path: string): string {
  // Two maps and no joined key: joining and hashing the two texts would be a tenth of a memoised call.
  const known = typeof path === 'string' ? hrefs.get(baseURL)?.get(path) : undefined;
  if (known !== undefined) return known;

  const href = joinPlain(baseURL, path) ?? toRequestURL(resolveCallURL(baseURL, path), '');
  remember(baseURL, path, href);
  return href;
}

/**
 * The same for a path of letters, digits, "-", "_", "~" and "." between single slashes, of which a URL parser changes nothing and in which no
 * segment begins with a dot: most paths are such ones, and to parse and compare takes a twentieth of a call that is sent.
 */
function joinPlain(baseURL: string | undefined, path: string): string | undefined {
  if (baseURL === undefined || baseURL === '' || typeof path !== 'string' || !plainPath.test(path)) return undefined;
  const base = parseBase(baseURL);
  return base.origin + base.path + path;
}

const plainPath = /^[\w~-][\w.~-]*(?:\/[\w~-][\w.~-]*)*$/;

const hrefs = new Map<string | undefined, Map<string, string>>();
let remembered = 0;
const maxRemembered = 1000;
const maxRememberedLength = 500;

/** All of it is dropped when it is full: paths are made out of requests, and some come only once. */
function remember(baseURL: string | undefined, path: string, href: string): void {
  // The path may be longer than its URL: of a fragment, of tabs and of slashes in front nothing is left.
  if (href.length + path.length + (baseURL?.length ?? 0) > 2 * maxRememberedLength) return;
  if (remembered >= maxRemembered) {
    hrefs.clear();
    remembered = 0;
  }
  const paths = hrefs.get(baseURL) ?? new Map<string, string>();
  hrefs.set(baseURL, paths.set(ownCopy(path), ownCopy(href)));
  remembered++;
}

/**
 * A URL's text with more query parameters behind those it has; without a fragment, which is never sent. Joined as text,
 * because appending to url.searchParams would rewrite the spelling of the parameters that are there.
 */
export function toRequestURL(url: URL | string, search: string): string {
  const whole = String(url);
  const end = whole.indexOf('#');
  const href = end === -1 ? whole : whole.slice(0, end);
  if (search === '') return href;
  if (!href.includes('?')) return `${href}?${search}`;
  return /[?&]$/.test(href) ? href + search : `${href}&${search}`;
}

function parseAbsolute(path: string): URL {
  const url = URL.canParse(path) ? new URL(path) : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw createURLError('The path of the call is not an absolute http(s) URL, and there is no baseURL to put before it', path);
}

// A base URL is the same for thousands of calls, unless it is made out of requests.
const bases = new BoundedMemo<Base>({ maxEntries: 100, maxLength: maxRememberedLength });

function parseBase(baseURL: string): Base {
  const known = bases.get(baseURL);
  if (known !== undefined) return known;

  const url = URL.canParse(baseURL) ? new URL(baseURL) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw createURLError('baseURL must be an absolute http(s) URL', baseURL);
  }
  if (url.username !== '' || url.password !== '') {
    throw new Error('baseURL must not hold a user name or password: fetch refuses it. Set an Authorization header in willSendRequest');
  }
  if (url.search !== '' || url.hash !== '') {
    throw new Error('baseURL must not hold a query or fragment: add query parameters in willSendRequest with request.params.set');
  }

  const base = { origin: url.origin, path: url.pathname.endsWith('/') ? url.pathname : `${url.pathname}/` };
  bases.set(baseURL, base);
  return base;
}

function assertSameOrigin(path: string, base: Base): URL {
  const url = parseAbsolute(path);
  if (url.origin === base.origin) return url;
  throw createURLError("The URL of the call leaves the baseURL's origin. Override resolveURL if that is meant", path);
}

/** "." and ".." as a whole segment, also as %2e, and with control characters or spaces around it, which some servers trim. */
function assertNoDotSegments(path: string): void {
  // oxlint-disable-next-line no-control-regex
  if (!/(?:^|\/)[\0-\x20]*(?:\.|%2e){1,2}[\0-\x20]*(?:\/|$)/i.test(toParsedPath(path))) return;
  throw createURLError('The path of the call holds a "." or ".." segment, which would change where the call goes', path);
}

/**
 * The path as the URL parser reads it (URL Standard, section 4.4): it cuts control characters and spaces off the end of the whole,
 * drops tabs and newlines everywhere, ends the path at "?" and "#", and takes "\" for "/".
 */
function toParsedPath(path: string): string {
  let last = path.length;
  while (last > 0 && path.charCodeAt(last - 1) <= 0x20) last--;
  const read = path.slice(0, last).replaceAll(/[\t\n\r]/g, '');
  const end = read.search(/[?#]/);
  return (end === -1 ? read : read.slice(0, end)).replaceAll('\\', '/');
}

function countSegments(path: string): number {
  return path.split('/').length;
}
