import { HeaderMap } from '../../shared/index.ts';
import type { HTTPRequest, HTTPResponse, StreamedResponse } from '../../shared/index.ts';
import type { PlatformAdapter, UnknownEvent } from './adapter.ts';
import { bodyOf, hasOwnServer, streamOf } from './fetch-body.ts';
import { netlifyTimeLimitOf } from './netlify.ts';
import { isNetlifySchedule, pingRequest } from './ping.ts';
import { runtime } from './runtime.ts';
import { splitURL } from './event-query.ts';

/** The web's `Request` and `Response`, for Netlify Functions 2.0, Cloudflare Workers, Deno, Bun and Vercel. */
export const fetchAPI: PlatformAdapter<Request, Response> = {
  name: 'web Request',
  recognizes: isWebRequest,
  toRequest,
  toResult,
  toStreamResult,
  keepAlive,
  onLeave,
  timeLimit: netlifyTimeLimitOf,
};

/** Checks the members: `instanceof Request` would load Node's whole fetch implementation (27 ms), even for a Lambda event. */
function isWebRequest(event: UnknownEvent): boolean {
  return (
    typeof event['arrayBuffer'] === 'function' &&
    typeof event['url'] === 'string' &&
    typeof (event['headers'] as Headers | null)?.get === 'function'
  );
}

function toRequest(request: Request): HTTPRequest {
  const headers = HeaderMap.over(request.headers);
  // Netlify's scheduled functions run on Node.
  if (!hasOwnServer() && isNetlifySchedule(headers)) return pingRequest();
  const { path, queryString } = splitURL(request.url);
  const method = request.method.toUpperCase();
  return { method, path, queryString, headers, body: bodyOf(request, method) };
}

function toResult({ status, headers, body }: HTTPResponse): Response {
  return new Response(body, { status, headers: webHeaders(headers) });
}

/** The `Headers` of records that many answers share, which saves 2 µs of a response on Node, 18 on workerd. */
const prepared = new WeakMap<Readonly<Record<string, string>>, Headers>();

type WebHeaders = Headers | [string, string][] | Readonly<Record<string, string>>;

/** The fields for the constructor of a `Response`, which copies them. Deno sorts a `Headers` each time: a record saves 1.6 µs there. */
function webHeaders(headers: HeaderMap): WebHeaders {
  const record = headers.sharedRecord;
  if (record === undefined) return headers.record ?? [...headers];
  if (runtime() === 'Deno') return record;
  let ready = prepared.get(record);
  if (ready === undefined) prepared.set(record, (ready = new Headers(record)));
  return ready;
}

function toStreamResult({ status, headers, body }: StreamedResponse): Response {
  return new Response(streamOf(body), { status, headers: webHeaders(headers) });
}

/** Azure's requests have no signal. An aborted signal does not fire again for a new listener. */
function onLeave({ signal }: { readonly signal?: AbortSignal }, leave: () => void): void {
  if (signal?.aborted === true) leave();
  else signal?.addEventListener('abort', leave, { once: true });
}

type WaitUntil = (work: Promise<unknown>) => void;

interface WaitingContext {
  readonly waitUntil?: WaitUntil;
}

/**
 * Workers and Netlify have `waitUntil` in the context of the call; Next.js and Vercel publish it for the current request. Without either,
 * the process of a server, as on Deno, Bun and Node, continues anyway.
 */
function keepAlive(context: unknown): WaitUntil | undefined {
  const owner = [context as WaitingContext | null | undefined, ...publishedContexts()].find((one) => typeof one?.waitUntil === 'function');
  if (owner !== undefined) return (work) => owner!.waitUntil!(work);
  return freezesAfterAnswer() ? undefined : () => {};
}

/** Both are documented for libraries (Next.js, "Self-hosting: after"; `@vercel/functions`). */
const published = ['@next/request-context', '@vercel/request-context'].map((name) => Symbol.for(name));

function publishedContexts(): readonly (WaitingContext | undefined)[] {
  const all = globalThis as unknown as Readonly<Record<symbol, { get?(): WaitingContext | undefined } | undefined>>;
  return published.map((name) => all[name]?.get?.());
}

/** True where the process freezes after the answer unless the platform keeps it alive. */
function freezesAfterAnswer(): boolean {
  if (runtime() === 'Cloudflare-Workers' || 'EdgeRuntime' in globalThis) return true;
  // Functions of Vercel and Next.js run on Lambda, or like it. Deno throws if it may not read the environment.
  const { AWS_LAMBDA_FUNCTION_NAME, VERCEL } = runtime() === 'Node.js' ? globalThis.process.env : {};
  return AWS_LAMBDA_FUNCTION_NAME !== undefined || VERCEL !== undefined;
}
