import { isStream } from './body.ts';
import { RedirectError } from './errors.ts';
import { isImpersonal } from './http-cache/request-identity.ts';

/** Sends one request to one URL. */
export type Dispatch = (url: string, init: RequestInit) => Promise<Response>;

const redirects = [301, 302, 303, 307, 308];

/** The limit of the Fetch standard. */
const maxRedirects = 20;

/**
 * Sends a request and follows its redirects like fetch, with one difference: when a redirect leads to another origin, fetch removes only
 * Authorization and Cookie. This function removes every header field that could contain credentials.
 */
export async function followRedirects(dispatch: Dispatch, url: string, init: RequestInit): Promise<Response> {
  let [at, next] = [url, init];
  for (let count = 0; count <= maxRedirects; count++) {
    const response = await dispatch(at, { ...next, redirect: 'manual' });
    const location = redirects.includes(response.status) ? response.headers.get('location') : null;
    if (location === null) return response;

    await response.body?.cancel();
    const target = new URL(decodeLocation(location), at);
    if (!/^https?:$/.test(target.protocol)) throw new RedirectError('redirected to a URL that is not http(s)');
    if (target.username !== '' || target.password !== '') throw new RedirectError('redirected to a URL with a user name or password');
    next = toNextInit(next, { status: response.status, leaves: target.origin !== new URL(at).origin });
    at = target.href;
  }
  throw new RedirectError(`redirected more than ${maxRedirects} times`);
}

/** Some servers send Location as UTF-8, but fetch decodes header values as one character per byte. */
function decodeLocation(location: string): string {
  if (!/[\x80-\xff]/.test(location)) return location;
  return new TextDecoder().decode(Uint8Array.from(location, (byte) => byte.charCodeAt(0)));
}

function toNextInit(init: RequestInit, { status, leaves }: { status: number; leaves: boolean }): RequestInit {
  const { method = 'GET' } = init;
  const dropsBody = status === 303 ? method !== 'GET' && method !== 'HEAD' : status < 303 && method === 'POST';
  const goesAlong = (name: string): boolean => (!leaves || isImpersonal(name)) && !(dropsBody && name.startsWith('content-'));
  const headers = new Headers([...new Headers(init.headers)].filter(([name]) => goesAlong(name)));
  if (!dropsBody && isStream(init.body)) throw new RedirectError(`redirected with status ${status}, and a stream cannot be sent twice`);

  const { body, ...rest } = init;
  const again = { ...rest, headers };
  return dropsBody ? { ...again, method: 'GET' } : { ...again, ...(body !== undefined && { body }) };
}
