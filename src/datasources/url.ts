import { createURLError } from './errors.ts';

/**
 * The URL of a call: the base URL, then the path.
 *
 * The path is appended to "origin/base/" as text, so it cannot become a scheme, a host or a user name ("//evil.example",
 * "\\evil.example", "/<tab>/evil.example", "urn:x"). Dot segments are refused in every spelling, even if they would stay under the
 * base: `encodeURIComponent('..')` is "..", so an id of ".." would turn `users/${id}/keys` into `keys`.
 */
export function resolveCallURL(baseURL: string | undefined, path: string): URL {
  if (typeof path !== 'string') throw new TypeError(`The path of a call must be a string, not ${path === null ? 'null' : typeof path}`);
  if (baseURL === undefined || baseURL === '') return parseAbsolute(path);

  const base = parseBase(baseURL);
  if (/^https?:\/\//i.test(path)) return assertSameOrigin(path, base);

  assertNoDotSegments(path);
  const url = new URL(base.origin + base.pathname + path.replace(/^[/\\]+/, ''));
  // We know of no path that gets here, but the check above only imitates the URL parser.
  if (url.origin !== base.origin || !url.pathname.startsWith(base.pathname))
    throw createURLError('The path of the call leaves the baseURL', path);
  return url;
}

/** Appends query parameters and drops the fragment, as text: `url.searchParams` would change the spelling of the existing parameters. */
export function toRequestURL(url: URL | string, search: string): string {
  const whole = String(url);
  const end = whole.indexOf('#');
  const href = end === -1 ? whole : whole.slice(0, end);
  if (search === '') return href;
  if (!href.includes('?')) return `${href}?${search}`;
  return /[?&]$/.test(href) ? href + search : `${href}&${search}`;
}

/** The URLs that a successful write invalidates in addition: Location and Content-Location, in its origin (RFC 9111 section 4.4). */
export function locationsOf({ status, headers, url }: Response, requested: string): string[] {
  if (status >= 400) return [];
  const fields = [headers.get('location'), headers.get('content-location')];
  // Not every replacement of fetch sets the response's URL.
  const base = url === '' ? requested : url;
  const urls = fields.flatMap((field) => (field !== null && URL.canParse(field, base) ? [new URL(field, base)] : []));
  const { origin } = new URL(requested);
  return urls.filter((each) => each.origin === origin).map((each) => toRequestURL(each, ''));
}

function parseAbsolute(path: string): URL {
  const url = URL.canParse(path) ? new URL(path) : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw createURLError('The path of the call is not an absolute http(s) URL, and there is no baseURL to put before it', path);
}

/** The pathname always ends with "/". */
function parseBase(baseURL: string): Pick<URL, 'origin' | 'pathname'> {
  const url = URL.canParse(baseURL) ? new URL(baseURL) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw createURLError('baseURL must be an absolute http(s) URL', baseURL);
  }
  if (url.username !== '' || url.password !== '') {
    throw new Error('baseURL must not contain a user name or password: fetch refuses it. Set an Authorization header in willSendRequest');
  }
  if (url.search !== '' || url.hash !== '') {
    throw new Error('baseURL must not contain a query or fragment: add query parameters in willSendRequest with request.params.set');
  }

  return { origin: url.origin, pathname: url.pathname.endsWith('/') ? url.pathname : `${url.pathname}/` };
}

function assertSameOrigin(path: string, base: Pick<URL, 'origin'>): URL {
  const url = parseAbsolute(path);
  if (url.origin === base.origin) return url;
  throw createURLError("The URL of the call leaves the baseURL's origin. Override resolveURL if that is meant", path);
}

/**
 * Matches "." and ".." as segments, also as %2e, between encoded slashes and before ";", and with control characters or spaces around
 * them: servers decode, cut off or trim all of these.
 */
function assertNoDotSegments(path: string): void {
  if (!/(?:^|\/|%2f|%5c)[\0-\x20]*(?:\.|%2e){1,2}[\0-\x20]*(?:[/;]|%2f|%5c|%3b|$)/i.test(toParsedPath(path))) return;
  throw createURLError('The path of the call contains a "." or ".." segment, which would change where the call goes', path);
}

/**
 * The path as URL parsers read it (URL Standard, section 4.4): without control characters and spaces at its end, without tabs and
 * newlines, up to "?" or "#", and with "/" for "\".
 */
function toParsedPath(path: string): string {
  let last = path.length;
  while (last > 0 && path.charCodeAt(last - 1) <= 0x20) last--;
  const read = path.slice(0, last).replaceAll(/[\t\n\r]/g, '');
  const end = read.search(/[?#]/);
  return (end === -1 ? read : read.slice(0, end)).replaceAll('\\', '/');
}
