import { HeaderMap } from '../message/header-map.ts';
import type { HTTPRequest, HTTPResponse, StreamedResponse } from '../message/http-messages.ts';
import type { PlatformAdapter, UnknownEvent } from './adapter.ts';
import { bodyOf, contentOf, hasOwnServer, runtime, streamOf } from './fetch-body.ts';
import { netlifyTimeLimitOf } from './netlify.ts';
import { isNetlifySchedule, pingRequest } from './ping.ts';
import { splitURL } from './event-query.ts';

/** The web's `Request` and `Response`, for Netlify Functions 2.0, Cloudflare Workers, Deno, Bun and Vercel. */
export const fetchAPI: PlatformAdapter<Request, Response> = {
  name: 'web Request',
  recognises: isWebRequest,
  toRequest,
  toResult,
  toStreamResult,
  keepAlive,
  onLeave,
  timeLimit: netlifyTimeLimitOf,
};

/** Looks at the shape: `instanceof Request` would load Node's whole fetch implementation (27 ms), even for a Lambda event. */
function isWebRequest(event: UnknownEvent): boolean {
  const prototype: unknown = Object.getPrototypeOf(event);
  if (prototype === known) return true;
  const isRequest =
    typeof event['url'] === 'string' &&
    typeof event['arrayBuffer'] === 'function' &&
    typeof (event['headers'] as Headers | null)?.get === 'function';
  if (isRequest && isRequestClass(prototype)) known = prototype;
  return isRequest;
}

/** The prototype of the last Request, which spares a second reading of its URL: 0.3 µs on Bun. */
let known: object | undefined;

/** True if all objects of a class have this shape, not only a single object literal. */
function isRequestClass(prototype: unknown): prototype is object {
  return typeof prototype === 'object' && prototype !== null && 'url' in prototype && 'arrayBuffer' in prototype && 'headers' in prototype;
}

function toRequest(request: Request): HTTPRequest {
  const headers = HeaderMap.of(request.headers);
  // Netlify's scheduled functions run on Node.
  if (!hasOwnServer() && isNetlifySchedule(headers)) return pingRequest();
  const { path, queryString } = splitURL(request.url);
  const method = request.method.toUpperCase();
  return {
    method,
    path,
    queryString,
    headers,
    body: bodyOf(request, method),
  };
}

function toResult({ status, headers, body }: HTTPResponse): Response {
  return new Response(body === null ? null : contentOf(body), { status, headers: webHeaders(headers) });
}

/** Most answers have one of four records of fields. Keeping their `Headers` saves 2 µs of a response on Node, 18 on workerd. */
const prepared = new WeakMap<Readonly<Record<string, string>>, Headers>();

type WebHeaders = Headers | [string, string][] | Readonly<Record<string, string>>;

/** The header fields for the constructor of a `Response`, which copies them. Deno sorts a `Headers` each time: there a record takes 1.6 µs less. */
function webHeaders(headers: HeaderMap): WebHeaders {
  const record = headers.sharedRecord;
  if (record === undefined) return headers.trustedRecord ?? [...headers];
  if (runtime() === 'Deno') return record;
  let ready = prepared.get(record);
  if (ready === undefined) prepared.set(record, (ready = new Headers(record)));
  return ready;
}

function toStreamResult({ status, headers, body }: StreamedResponse): Response {
  return new Response(streamOf(body), { status, headers: webHeaders(headers) });
}

/** Azure's requests have no signal. A signal that has already fired does not fire again for a new listener. */
function onLeave({ signal }: { readonly signal?: AbortSignal }, leave: () => void): void {
  if (signal?.aborted === true) leave();
  else signal?.addEventListener('abort', leave, { once: true });
}

/** Workers and Netlify have `waitUntil` on the context. Deno and Bun have none: their process simply continues. */
function keepAlive(context: unknown): (work: Promise<unknown>) => void {
  const platform = context as { waitUntil?: (work: Promise<unknown>) => void } | null | undefined;
  return typeof platform?.waitUntil === 'function' ? (work) => platform.waitUntil?.(work) : () => {};
}
