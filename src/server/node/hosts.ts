import type { IncomingMessage, ServerResponse } from 'node:http';

import { uncacheable } from '../http/response.ts';
import type { Starter } from '../startup/start.ts';

/** True for a Host header that names this machine. */
export function isLocalHost(header: string): boolean {
  const name = nameIn(header);
  return name === 'localhost' || name.endsWith('.localhost') || name === '127.0.0.1' || name === '[::1]';
}

/** The name in a URL for a browser. The address of all interfaces is not one. */
export function browsableHost(host = 'localhost'): string {
  if (host === '0.0.0.0' || host === '::' || host === '') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}

function nameIn(header: string): string {
  return header.replace(/:\d*$/, '').toLowerCase();
}

/**
 * Prevents DNS rebinding in development: any page can point its host name to this machine, and would then have the same origin as this
 * server, which has a playground and shows every error. Browsers always send a Host.
 */
export async function isRebound(starter: Starter, { headers }: IncomingMessage, allowedHosts: readonly string[]): Promise<boolean> {
  const host = headers.host ?? headers[':authority'];
  if (typeof host !== 'string' || isLocalHost(host) || allowedHosts.some((name) => name.toLowerCase() === nameIn(host))) return false;
  // Undefined until the options are known. If they cannot be known, the error that says why is not for other sites either.
  if (starter.prepared === undefined) await Promise.allSettled([starter.server()]);
  return starter.prepared?.development ?? true;
}

/** The answer to such a request. */
export function refuseHost({ method }: IncomingMessage, response: ServerResponse): void {
  const message =
    'In development, this server answers only requests for localhost. For other names, such as that of a container, ' +
    'set the option allowedHosts of serve() or createListener().';
  const body = JSON.stringify({ errors: [{ message, extensions: { code: 'FORBIDDEN' } }] });
  response.writeHead(403, { 'content-type': 'application/json; charset=utf-8', 'cache-control': uncacheable });
  response.end(method === 'HEAD' ? undefined : body);
}
