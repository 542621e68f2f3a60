import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';

import {
  callStreamingHandler,
  createEvent,
  createFunctionContext,
  createLambdaContext,
  isStreamingHandler,
  readResult,
  workerEnvironment,
} from '../../testing/index.ts';
import { describe } from '../../../shared/index.ts';
import type { RequestFields } from '../../testing/index.ts';
import type { DevPlatform, PlatformSettings } from './messages.ts';
import { noFunctionMessage } from '../project/no-function.ts';

export interface FunctionRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array<ArrayBuffer> | undefined;
}

/** Calls a function of any platform with the same arguments and result. */
export type Callable = (request: FunctionRequest) => Promise<Response>;

/**
 * Wraps the exports of a module as a `Callable`. As on Netlify, an export named `handler` takes precedence over the default export. On Lambda
 * the name of the export is a setting; here it is `handler`, then `lambda`, then the default export, then any function. Throws for a module that exports no function.
 */
export function toCallable(name: string, exports: Readonly<Record<string, unknown>>, settings: PlatformSettings = asOnNetlify): Callable {
  const { platform, timeout } = settings;
  const main = exports['default'];
  // `module.exports = { handler }` arrives as the default export.
  const handler = exports['handler'] ?? propertyOf(main, 'handler');
  if ([main, handler].some((one) => typeof one === 'function' && one.name === 'createHandler'))
    throw new TypeError(`The function ${name} exports createHandler itself. Call it: export default createHandler({ … }).`);
  if (platform === 'netlify' || platform === 'fetch') {
    if (platform === 'netlify' && typeof handler === 'function')
      return callWithEvents(name, handler as EventHandler, 'netlify-v1', timeout);
    if (isStreamingHandler(main)) return () => Promise.reject(new TypeError(streamsOnLambda(name)));
    if (typeof main === 'function') return callFetch(main as FetchFunction);
    const fetch = propertyOf(main, 'fetch');
    if (typeof fetch === 'function') {
      const env = workerEnvironment(process.cwd());
      return callFetch((request, context) => (fetch as WorkerFetch).call(main, request, env, context));
    }
    throw new TypeError(noFunctionMessage(name, Object.keys(exports), main));
  }
  const named = isLambda(settings) ? Object.values(exports).find((value) => typeof value === 'function') : undefined;
  const chosen = handler ?? (isLambda(settings) ? exports['lambda'] : undefined) ?? main ?? named;
  if (typeof chosen === 'function') return callWithEvents(name, chosen as EventHandler, platform, timeout);
  const found = Object.keys(exports).join(', ') || 'nothing';
  throw new TypeError(`Expected the function ${name} to export an event handler as handler, lambda or default; it exports ${found}.`);
}

/** True where the settings of a function name its export. */
export function isLambda({ platform }: PlatformSettings): boolean {
  return platform !== 'netlify' && platform !== 'netlify-v1' && platform !== 'fetch';
}

const asOnNetlify: PlatformSettings = { platform: 'netlify' };

type FetchFunction = (request: Request, context: object) => unknown;
type WorkerFetch = (request: Request, env: object, context: object) => unknown;
type EventHandler = (event: object, context: object) => unknown;

function propertyOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined;
}

function callFetch(fetch: FetchFunction): Callable {
  return async (request) => {
    const response = await fetch(toWebRequest(request), contextFor(request));
    // Netlify treats undefined as "no content".
    if (response === undefined) return new Response(null, { status: 204 });
    if (!(response instanceof Response)) throw new TypeError(wrongResult(response));
    return response;
  };
}

function streamsOnLambda(name: string): string {
  return `The function ${name} streams on Lambda (createStreamingHandler). Serve it with --platform function-url or aws-rest.`;
}

/** An AWS handler that was called with a Request returns a statusCode: `--platform` is missing. */
function wrongResult(result: unknown): string {
  const text = `Expected the function to return a Response, got ${describe(result)}.`;
  if (typeof result === 'function') return `${text} If createHandler created it, export it: export default createHandler({ … }).`;
  return propertyOf(result, 'statusCode') === undefined ? text : `${text} ${namePlatform}`;
}

const namePlatform =
  'createHandler of graphql-functions/aws-lambda takes AWS events: serve it with --platform aws-http, aws-rest, function-url or alb.';

function toWebRequest({ method, url, headers, body }: FunctionRequest): Request {
  return new Request(url, {
    method,
    headers: headers.map(([name, value]) => [name, value] as [string, string]),
    ...(body === undefined ? {} : { body }),
  });
}

/** The parts of Netlify's context that make sense in local development. */
function contextFor({ url }: FunctionRequest): object {
  return {
    requestId: randomUUID(),
    url: new URL(url),
    ip: '127.0.0.1',
    params: {},
    geo: {},
    site: { url: new URL(url).origin },
    deploy: { context: 'dev', id: '0', published: false },
    waitUntil: (work: Promise<unknown>) => {
      Promise.resolve(work).catch((error: unknown) => console.error('Work passed to waitUntil failed.', error));
    },
  };
}

/** Milliseconds that a synchronous function may take on Netlify. */
const netlifyTimeout = 60_000;

function callWithEvents(
  name: string,
  handler: EventHandler,
  platform: Exclude<DevPlatform, 'netlify' | 'fetch'>,
  timeout: number | undefined,
): Callable {
  const isNetlify = platform === 'netlify-v1';
  const readHead = (result: unknown): Response => readResult(platform, result);
  return async (request) => {
    // A JSON copy, because the function may modify its event.
    const event = JSON.parse(JSON.stringify(createEvent(platform, toFields(request)))) as object;
    const given = isNetlify ? { body: null, ...event, rawUrl: request.url } : event;
    const context = isNetlify
      ? { ...createFunctionContext(name, timeout ?? netlifyTimeout), clientContext: {} }
      : createLambdaContext(name, timeout);
    return isStreamingHandler(handler)
      ? callStreamingHandler({ handler, event: given, context, readHead })
      : readHead(await handler(given, context));
  };
}

function toFields({ method, url, headers, body }: FunctionRequest): RequestFields {
  const { pathname: path, search } = new URL(url);
  // The platform decides by content type whether text is sent as text or base64. Bytes that are not UTF-8 are always base64.
  return { method, path, query: search.slice(1), headers, body: body && isUtf8(body) ? Buffer.from(body).toString() : body };
}
