import { isStream } from './body.ts';
import { RedirectError } from './errors.ts';
import { isImpersonal } from './http-cache/request-identity.ts';
import type { OriginResponse } from './origin/origin-response.ts';

/** Sends one request to one URL. */
export type Dispatch<TResponse extends OriginResponse> = (url: string, init: RequestInit) => Promise<TResponse>;

const redirects = [301, 302, 303, 307, 308];

/** As many as the Fetch standard allows. */
const maxRedirects = 20;

/**
 * Sends a request and follows its redirects as fetch would, but for one thing: fetch takes away Authorization and Cookie
 * when a redirect leads to another origin, and sends every other key along. Here nothing personal goes there.
 */
export async function followRedirects<TResponse extends OriginResponse>(
  dispatch: Dispatch<TResponse>,
  url: string,
  init: RequestInit,
): Promise<TResponse> {
  let [at, next] = [url, init];
  for (let count = 0; count <= maxRedirects; count++) {
    const response = await dispatch(at, { ...next, redirect: 'manual' });
    const location = redirects.includes(response.status) ? response.headers.get('location') : null;
    if (location === null) return response;

    await response.body?.cancel();
    const target = new URL(location, at);
    if (!/^https?:$/.test(target.protocol)) throw new RedirectError('redirected to a URL that is not http(s)');
    next = toNextInit(next, { status: response.status, leaves: target.origin !== new URL(at).origin });
    at = target.href;
  }
  throw new RedirectError(`redirected more than ${maxRedirects} times`);
}

function toNextInit(init: RequestInit, { status, leaves }: { status: number; leaves: boolean }): RequestInit {
  const dropsBody = status === 303 || (status < 303 && init.method === 'POST');
  const goesAlong = (name: string): boolean => (!leaves || isImpersonal(name)) && !(dropsBody && name.startsWith('content-'));
  const headers = new Headers([...new Headers(init.headers)].filter(([name]) => goesAlong(name)));
  if (!dropsBody && isStream(init.body)) throw new RedirectError(`redirected with status ${status}, and a stream cannot be sent twice`);

  const { body, ...rest } = init;
  const again = { ...rest, headers };
  return dropsBody ? { ...again, method: 'GET' } : { ...again, ...(body !== undefined && { body }) };
}
