import { textOf } from './http-cache/cache-entry.ts';
import type { CacheEntry } from './http-cache/cache-entry.ts';
import { JSONResult, ValueResult } from './call-result.ts';
import type { CallResult } from './call-result.ts';
import { boundStream, readBody } from './bounded-body.ts';
import { callOf, createJSONError } from './errors.ts';
import type { DataSourceRequest, HeadersSource } from './request.ts';
import type { OriginResponse } from './origin/origin-response.ts';
import type { Milliseconds } from '../cache/key-value-cache.ts';

/** A response from the origin or out of the cache, before anybody has read its body. To be read once, in one of the two ways. */
export interface ReceivedResponse {
  readonly ok: boolean;
  /** The body as the result of the call: JSON is parsed, by its media type, and the rest stays text; no body is "". */
  toResult(request: DataSourceRequest): CallResult | Promise<CallResult>;
  /** As the web's `Response`, for hooks. */
  toResponse(request: DataSourceRequest): Response;
  /** All of it but the body; a new object each time. */
  toHead(): FetchedResponse;
}

/** A response without its body. */
export interface FetchedResponse {
  /** Where it came from, redirects followed. */
  readonly url: string;
  /** True when the status is 200 to 299. */
  readonly ok: boolean;
  readonly status: number;
  readonly statusText: string;
  readonly headers: Headers;
}

/** A response as it came from fetch, its body unread. */
export function fromFetch(response: OriginResponse): ReceivedResponse {
  return {
    ok: response.ok,
    async toResult(request) {
      const text = toText(await readBody(request, response));
      if (!isJSON(response.status, response.headers.get('content-type'), text)) return new ValueResult(text);
      return parseFor(request, () => new JSONResult(text));
    },
    toResponse: (request) => toBounded(request, response),
    toHead: () => toHead(response, response.headers as Headers),
  };
}

/** A stored response; `cookies` are there for the one whose request it answered, just now. */
export function fromEntry(
  entry: CacheEntry,
  { url, now, cookies }: { url: string; now: Milliseconds; cookies?: readonly string[] | undefined },
): ReceivedResponse {
  const { status, statusText, contentType } = entry.head;
  const headers = (): HeadersSource => (cookies === undefined ? withAge(entry, now) : withCookies(entry, cookies));
  return {
    ok: status >= 200 && status <= 299,
    toResult(request) {
      if (!isJSON(status, contentType, entry.body)) return new ValueResult(textOf(entry.body));
      return parseFor(request, () => entry.toJSONResult());
    },
    toResponse: () => rebuildResponse(entry.body, { url, status, statusText, headers: headers() }),
    toHead: () => toHead({ url, ok: status >= 200 && status <= 299, status, statusText }, headers()),
  };
}

let decoder: InstanceType<typeof TextDecoder> | undefined;

/** The body as text when its bytes are UTF-8 and come back the same, else the bytes. */
export function decodeBody(bytes: Uint8Array): string | Uint8Array {
  try {
    return (decoder ??= new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })).decode(bytes);
  } catch {
    return bytes;
  }
}

/** The body of a response, parsed when it says that it is JSON. */
export async function parseBody(response: Response): Promise<unknown> {
  const text = await response.text();
  if (!isJSON(response.status, response.headers.get('content-type'), text)) return text;
  try {
    return JSON.parse(text);
  } catch (error) {
    throw createJSONError(response, error);
  }
}

/** A Response over a body that has been read already; `url` cannot be given to its constructor. */
export function rebuildResponse(
  body: string | Uint8Array | ReadableStream | null,
  { url, ...init }: ResponseInit & { url: string },
): Response {
  // "Null body statuses" of the Fetch standard: their responses are refused any body, an empty one included.
  const bodyless = init.status === 204 || init.status === 205 || init.status === 304;
  // The platforms' types do not agree on which of their byte arrays a body may be.
  const response = new Response(bodyless ? null : (body as string | null), init);
  return Object.defineProperty(response, 'url', { value: url });
}

/** For a hook: a response of fetch as it is, any other as one of the web's, whose body ends where it would go beyond the limits. */
export function toWebResponse(request: DataSourceRequest, response: OriginResponse): Response {
  return response.headers.record === undefined ? (response as Response) : toBounded(request, response);
}

/** The response itself when it has no body, and what a stand-in for fetch has made of its own. */
function toBounded(request: DataSourceRequest, response: OriginResponse): Response {
  const isOwn = response.headers.record !== undefined;
  if (!isOwn && (typeof response.body?.getReader !== 'function' || response.bodyUsed)) return response as Response;
  const { url, status, statusText, headers, redirected } = response;
  const stream = response.body === null ? null : boundStream(request, response);
  const bounded = rebuildResponse(stream, { url, status, statusText, headers: headers as Headers });
  return Object.defineProperty(bounded, 'redirected', { value: redirected });
}

function toHead({ url, ok, status, statusText }: Omit<FetchedResponse, 'headers'>, headers: HeadersSource): FetchedResponse {
  return { url, ok, status, statusText, headers: new Headers(headers) };
}

let lenient: InstanceType<typeof TextDecoder> | undefined;

/** As `Response.text` does: without a byte order mark, and with a sign in place of what is no UTF-8. */
function toText(bytes: Uint8Array): string {
  return bytes.length === 0 ? '' : (lenient ??= new TextDecoder()).decode(bytes);
}

function parseFor(request: DataSourceRequest, parse: () => CallResult): CallResult {
  try {
    return parse();
  } catch (error) {
    throw createJSONError(callOf(request), error);
  }
}

function withAge({ head, headers }: CacheEntry, now: Milliseconds): Record<string, string> {
  return { ...headers, age: `${Math.floor(head.age + Math.max(0, now - head.storedAt) / 1000)}` };
}

function withCookies({ headers }: CacheEntry, cookies: readonly string[]): [string, string][] {
  return [...Object.entries(headers), ...cookies.map((cookie): [string, string] => ['set-cookie', cookie])];
}

/** application/json and everything ending in +json; upper or lower case, with or without parameters; and a body to parse. */
function isJSON(status: number, contentType: string | null, body: string | Uint8Array): boolean {
  return status !== 204 && contentType !== null && body.length > 0 && /^[^;]*[/+]json\s*(?:;|$)/i.test(contentType);
}

/** The result of a call, and the response it came from. */
export interface CallAnswer {
  readonly result: CallResult;
  readonly received: ReceivedResponse;
}

/** The result of a data source's `fetch`. Where didEncounterError has swallowed the error, neither is there. */
export interface FetchResult<TResult> {
  /** The result of `get` and the others. */
  readonly body: TResult;
  readonly response: FetchedResponse;
}

/** One taker's share of an answer. */
export type Take = (answer: CallAnswer, isShared: boolean) => unknown;

export const takeResult: Take = ({ result }, isShared) => result.take(isShared);

export const takeHead: Take = ({ received }) => received.toHead();

export const takeBoth: Take = ({ result, received }, isShared) => ({ body: result.take(isShared), response: received.toHead() });
