import { HeaderMap } from '../message/header-map.ts';
import type { HTTPRequest, HTTPResponse, StreamedResponse } from '../message/http-messages.ts';
import type { PlatformAdapter, UnknownEvent } from './adapter.ts';
import { bodyOf, contentOf, streamOf } from './fetch-body.ts';
import { netlifyTimeLimitOf } from './netlify.ts';
import { isNetlifySchedule, pingRequest } from './ping.ts';
import { splitURL } from './event-query.ts';

/** The web's `Request` and `Response`: Netlify Functions 2.0, Cloudflare Workers, Deno, Bun, Vercel. */
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

/** By its shape: `instanceof Request` would load Node's whole fetch implementation (27 ms) to ask a Lambda event a question. */
function isWebRequest(event: UnknownEvent): boolean {
  return (
    typeof event['url'] === 'string' &&
    typeof event['arrayBuffer'] === 'function' &&
    typeof (event['headers'] as Headers | null)?.get === 'function'
  );
}

function toRequest(request: Request): HTTPRequest {
  const headers = HeaderMap.of(request.headers);
  if (isNetlifySchedule(headers)) return pingRequest();
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

/** Most answers have one of four records of fields, which are ready then: 2 µs of a response on Node, 18 on workerd. */
const prepared = new WeakMap<Readonly<Record<string, string>>, Headers>();

/** For the constructor of a `Response`, which copies them. */
function webHeaders(headers: HeaderMap): Headers | [string, string][] {
  const record = headers.trustedRecord;
  if (record === undefined) return [...headers];
  let ready = prepared.get(record);
  if (ready === undefined) prepared.set(record, (ready = new Headers(record)));
  return ready;
}

function toStreamResult({ status, headers, body }: StreamedResponse): Response {
  return new Response(streamOf(body), { status, headers: webHeaders(headers) });
}

/** Azure's requests have no signal. One that has fired does not fire again for a late listener. */
function onLeave({ signal }: { readonly signal?: AbortSignal }, leave: () => void): void {
  if (signal?.aborted === true) leave();
  else signal?.addEventListener('abort', leave, { once: true });
}

/** Workers and Netlify have `waitUntil` on the context. Deno and Bun have none: their process simply goes on. */
function keepAlive(context: unknown): (work: Promise<unknown>) => void {
  const platform = context as { waitUntil?: (work: Promise<unknown>) => void } | null | undefined;
  return typeof platform?.waitUntil === 'function' ? (work) => platform.waitUntil?.(work) : () => {};
}
