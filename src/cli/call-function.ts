import { randomUUID } from 'node:crypto';

import { fromNetlifyV1Result, toNetlifyV1Context, toNetlifyV1Event } from './netlify-v1-event.ts';
import type { WireRequest, WireResponse } from './wire.ts';

/** A function of any of the platform's generations, called in one way. */
export type Callable = (request: WireRequest) => Promise<WireResponse>;

/**
 * What a module exports → how it is called. As on Netlify, an export named `handler` wins over the default export.
 * Throws for a module that exports no function.
 */
export function toCallable(name: string, exports: Readonly<Record<string, unknown>>): Callable {
  const main = exports['default'];
  // `module.exports = { handler }` arrives as the default export.
  const handler = exports['handler'] ?? propertyOf(main, 'handler');
  if (typeof handler === 'function') return callEventHandler(name, handler as EventHandler);
  const fetch = typeof main === 'function' ? main : propertyOf(main, 'fetch');
  if (typeof fetch === 'function') return callFetch((request, context) => (fetch as FetchFunction).call(main, request, context));
  throw new TypeError(
    `Expected the function ${name} to export default (request) => Response, or handler = (event) => result; ` +
      `it exports ${Object.keys(exports).join(', ') || 'nothing'}.`,
  );
}

type FetchFunction = (request: Request, context: object) => unknown;
type EventHandler = (event: object, context: object) => unknown;

function propertyOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined;
}

function callFetch(fetch: FetchFunction): Callable {
  return async (request) => {
    const response = await fetch(toWebRequest(request), contextFor(request));
    // Netlify takes undefined for "no content".
    if (response === undefined) return { status: 204, headers: [], body: null };
    if (!(response instanceof Response)) throw new TypeError(`Expected the function to return a Response, got ${describe(response)}.`);
    return { status: response.status, headers: [...response.headers], body: response.body as WireResponse['body'] };
  };
}

function toWebRequest({ method, url, headers, body }: WireRequest): Request {
  return new Request(url, {
    method,
    headers: headers.map(([name, value]) => [name, value] as [string, string]),
    ...(body === undefined ? {} : { body }),
  });
}

/** The parts of Netlify's context that make sense on a machine with one user. */
function contextFor({ url }: WireRequest): object {
  return {
    requestId: randomUUID(),
    url: new URL(url),
    ip: '127.0.0.1',
    params: {},
    geo: {},
    site: { url: new URL(url).origin },
    deploy: { context: 'dev', id: '0', published: false },
    waitUntil: (work: Promise<unknown>) => {
      Promise.resolve(work).catch((error: unknown) => console.error('Work handed to waitUntil failed.', error));
    },
  };
}

function callEventHandler(name: string, handler: EventHandler): Callable {
  return async (request) => {
    const result = await handler(toNetlifyV1Event(request), toNetlifyV1Context(name));
    return fromNetlifyV1Result(result);
  };
}

function describe(value: unknown): string {
  if (value === null) return 'null';
  return typeof value === 'object' ? `an object with the keys ${Object.keys(value).join(', ') || '(none)'}` : typeof value;
}
