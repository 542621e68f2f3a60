import { textOfBody } from './http-cache/cache-entry.ts';
import type { CacheEntry } from './http-cache/cache-entry.ts';
import { boundStream, readBody } from './bounded-body.ts';
import { callOf, createJSONError } from './errors.ts';
import type { DataSourceRequest } from './request.ts';
import { createResponse } from './response.ts';
import type { HeadersSource } from './response.ts';
import type { Milliseconds } from './cache/key-value-cache.ts';

/** The result of a call, for one more caller. */
export type CallResult = () => unknown;

/** A response from the origin or the cache, with an unread body. It may be read once, by `toResult` or `toResponse`. */
export interface ReceivedResponse {
  readonly ok: boolean;
  /** The body as the result of the call: parsed if its media type is JSON, otherwise text. */
  toResult(request: DataSourceRequest): CallResult | Promise<CallResult>;
  /** A web `Response`, for hooks. */
  toResponse(request: DataSourceRequest): Response;
  /** Status and header fields, as a new object each time. */
  toHead(): FetchedResponse;
}

/** A response without its body. */
export interface FetchedResponse {
  /** The URL after redirects. */
  readonly url: string;
  /** True if the status is 200 to 299. */
  readonly ok: boolean;
  readonly status: number;
  readonly statusText: string;
  readonly headers: Headers;
}

/** A response of the origin. */
export function fromOrigin(response: Response): ReceivedResponse {
  return {
    ok: response.ok,
    async toResult(request) {
      const text = toText(await readBody(request, response));
      return toResult(request, text, isJSON(response.status, response.headers.get('content-type'), text));
    },
    toResponse: (request) => toBounded(request, response),
    toHead: () => toHead(response, [...response.headers]),
  };
}

/** Reads a stored response. Pass `cookies` only for the call that received the response from the API. */
export function fromEntry(
  entry: CacheEntry,
  { url, now, cookies }: { url: string; now: Milliseconds; cookies?: readonly string[] | undefined },
): ReceivedResponse {
  const { status, statusText, contentType } = entry.head;
  const headers = (): HeadersSource => (cookies === undefined ? withAge(entry, now) : withCookies(entry, cookies));
  return {
    ok: status >= 200 && status <= 299,
    toResult: (request) => toResult(request, textOfBody(entry.body), isJSON(status, contentType, entry.body)),
    toResponse: () => createResponse(entry.body, { url, status, statusText, headers: headers() }),
    toHead: () => toHead({ url, ok: status >= 200 && status <= 299, status, statusText }, headers()),
  };
}

/** The body of a response, parsed if its media type is JSON. */
export async function parseBody(response: Response): Promise<unknown> {
  const text = await response.text();
  if (!isJSON(response.status, response.headers.get('content-type'), text)) return text;
  try {
    return JSON.parse(text);
  } catch (error) {
    throw createJSONError(response, error);
  }
}

/** Adds limits to the body of a response. */
function toBounded(request: DataSourceRequest, response: Response): Response {
  if (!response.body || response.bodyUsed) return response;
  const { url, status, statusText, headers, redirected } = response;
  return createResponse(boundStream(request, response), { url, status, statusText, headers, redirected });
}

/**
 * Cancels a body that a hook has not read, because it would keep the connection. Does not cancel it if the hook returned the response, its
 * body, or an object with one of them.
 */
export async function releaseUnread(response: Response, result: unknown): Promise<void> {
  const { body, bodyUsed } = response;
  if (bodyUsed || body?.locked !== false) return;
  const held = typeof result === 'object' && result !== null ? [result, ...Object.values(result)] : [];
  if (!held.includes(response) && !held.includes(body)) await body.cancel().catch(() => {});
}

function toHead({ url, ok, status, statusText }: Omit<FetchedResponse, 'headers'>, headers: HeadersSource): FetchedResponse {
  return { url, ok, status, statusText, headers: new Headers(headers) };
}

let lenient: InstanceType<typeof TextDecoder> | undefined;

/** Decodes like `Response.text`: without a byte order mark, and with replacement characters. */
function toText(bytes: Uint8Array): string {
  return bytes.length === 0 ? '' : (lenient ??= new TextDecoder()).decode(bytes);
}

/** Parses JSON now for the first caller, and again for each further caller, so that no caller sees the changes of another. */
function toResult(request: DataSourceRequest, text: string, isParsed: boolean): CallResult {
  if (!isParsed) return () => text;
  let first: { readonly value: unknown } | undefined;
  try {
    first = { value: JSON.parse(text) };
  } catch (error) {
    throw createJSONError(callOf(request), error);
  }
  return () => {
    const { value } = first ?? { value: JSON.parse(text) as unknown };
    first = undefined;
    return value;
  };
}

function withAge({ head, headers }: CacheEntry, now: Milliseconds): Record<string, string> {
  return { ...headers, age: `${Math.floor(head.age + Math.max(0, now - head.storedAt) / 1000)}` };
}

function withCookies({ headers }: CacheEntry, cookies: readonly string[]): [string, string][] {
  return [...Object.entries(headers), ...cookies.map((cookie): [string, string] => ['set-cookie', cookie])];
}

/** True for application/json and types that end in +json, if there is a body. */
function isJSON(status: number, contentType: string | null, body: string | Uint8Array): boolean {
  return status !== 204 && contentType !== null && body.length > 0 && /^[^;]*[/+]json\s*(?:;|$)/i.test(contentType);
}

/** The result of a call and its response. */
export interface CallAnswer {
  readonly result: CallResult;
  readonly received: ReceivedResponse;
}

/** The result of a data source's `fetch`. Both are undefined if `didEncounterError` did not throw. */
export interface FetchResult<TResult> {
  /** The result of `get` and the other methods. */
  readonly body: TResult;
  readonly response: FetchedResponse;
}

/** Selects the part of an answer that a caller gets. */
export type Take = (answer: CallAnswer) => unknown;

export const takeResult: Take = ({ result }) => result();

export const takeHead: Take = ({ received }) => received.toHead();

export const takeBoth: Take = ({ result, received }) => ({ body: result(), response: received.toHead() });
