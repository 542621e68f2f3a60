import type { Seconds, Milliseconds } from './cache/key-value-cache.ts';
import type { CacheOutcome, CallWatch } from './call-watch.ts';
import type { HeadersSource } from './response.ts';
import type { RetryOptions } from './retry.ts';
import { deepCopyOf } from '../shared/index.ts';

/** The methods a RESTDataSource sends. */
export type HTTPMethod = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** How long a response may be reused. */
export interface CacheOptions {
  /** Replaces the lifetime in the response's header fields. 0: not stored. Default: the header fields decide */
  readonly ttl?: Seconds | undefined;
}

/** {@link CacheOptions}, or a function of the response that returns them. */
export type CacheOptionsSource =
  | CacheOptions
  | ((response: Response, request: DataSourceRequest) => CacheOptions | undefined | Promise<CacheOptions | undefined>);

/** The options in addition to those of fetch. */
interface CallOptions {
  headers?: HeadersSource | Readonly<Record<string, string | null | undefined>> | undefined;
  /** The body of a `delete`, whose second argument is the query parameters. */
  body?: unknown;
  /** Aborts this call, but not others that wait for the same response. */
  signal?: AbortSignal | null | undefined;
  /** Limit of the call, retries included. 0: none. Default: the class's `timeout` */
  timeout?: Milliseconds | undefined;
  /** Retries of a failed GET. Default: the class's `retry` */
  retry?: RetryOptions | number | undefined;
  /** Overrides `cacheOptionsFor`. */
  cacheOptions?: CacheOptionsSource | undefined;
  /** The cache key, unless `cacheKeyFor` is overridden. Default: the URL */
  cacheKey?: string | undefined;
  /**
   * For a write: other paths of this source whose GETs it invalidates, in the memo and the response cache. willSendRequest, resolveURL and
   * cacheKeyFor are called for each of them.
   */
  invalidates?: readonly string[] | undefined;
  /** Limit of the response's decoded body. Default: the class's `maxResponseBytes`, or 32 MiB */
  maxResponseBytes?: number | undefined;
}

/** The last argument of `get`, `post` and the others: options of fetch, and ours. */
export interface DataSourceRequestInit extends Omit<RequestInit, 'method' | keyof CallOptions>, CallOptions {}

/**
 * Query parameters: an object or a Map of names and values, pairs, or a URLSearchParams. `get(path, { params, headers })`, the form of
 * other versions, is refused, because it would write a token into the URL.
 */
export type QueryParams = (Readonly<Record<string, unknown>> & NoInit) | (object & NoInit);

type NoInit = Readonly<Partial<Record<'params' | 'headers' | 'body' | 'signal' | 'cacheOptions', QueryValue | OptionsAreTheThirdArgument>>>;

/** Nothing has this type: TypeScript's error for options in place of parameters names it. */
interface OptionsAreTheThirdArgument {
  readonly optionsAreTheThirdArgument: never;
}

/** The value of a query parameter with the name of an option. */
export type QueryValue = string | number | bigint | boolean | Date | null | undefined | readonly QueryValue[];

/** The options of a data source's `fetch`: those of the other methods, method and parameters. */
export interface FetchInit extends DataSourceRequestInit {
  /** Default: GET */
  readonly method?: HTTPMethod | undefined;
  readonly params?: QueryParams | string | undefined;
}

/** The arguments of a call. */
export interface CallDescription {
  readonly method: HTTPMethod;
  readonly path: string;
  readonly params?: object | string | undefined;
  readonly body?: unknown;
  readonly init?: DataSourceRequestInit | undefined;
}

// Options of fetch are not fields, so that those that were set are known.
// oxlint-disable-next-line typescript/no-unsafe-declaration-merging
export interface DataSourceRequest extends Omit<RequestInit, 'method' | 'headers' | 'body' | 'signal' | 'cache'> {}

/**
 * One outgoing call, which hooks can change. Options of fetch may be set on it, too: `request.redirect = 'manual'`.
 *
 * `headers` and `params` are created when they are first read: a `Headers` object costs more than the rest of a cache hit.
 */
export class DataSourceRequest {
  /** The method in upper case: "GET". */
  readonly method: HTTPMethod;
  /** The argument of `get`, `post` and the others; `resolveURL` turns it into the URL. */
  path: string;
  /** The URL with its query parameters; empty until `resolveURL` has run. */
  url = '';
  /** The body; a plain object or array is serialized as JSON after `willSendRequest`. */
  body: unknown;
  /** Aborts this call. */
  signal: AbortSignal | null | undefined;
  /** Limit of the call. 0: none. Undefined: the class's `timeout` */
  timeout: Milliseconds | undefined;
  /** Retries of a failed GET. Undefined: the class's `retry` */
  retry: RetryOptions | number | undefined;
  /** The cache mode of `fetch`. */
  cache: RequestInit['cache'];
  /** How long the response may be reused. Undefined: `cacheOptionsFor` decides */
  cacheOptions: CacheOptionsSource | undefined;
  /** The cache key, unless `cacheKeyFor` is overridden. Undefined: the URL */
  cacheKey: string | undefined;
  /** Other paths whose GETs this write invalidates. */
  readonly invalidates: readonly string[] | undefined;
  /** Limit of the response's decoded body. Undefined: the class's `maxResponseBytes` */
  maxResponseBytes: number | undefined;
  /** The caller's options for fetch. */
  fetchOptions: Readonly<Record<string, unknown>> | undefined;
  /** Where the response came from, when it is known. */
  outcome: CacheOutcome | undefined;
  /** True after a redirect, which not every response shows. */
  redirected = false;
  /** Follows the call, for plugins and `explain`. */
  watch: CallWatch | undefined;

  #headers: Headers | undefined;
  #headersSource: CallOptions['headers'];
  #params: URLSearchParams | undefined;
  #paramsSource: object | string | undefined;

  constructor({ method, path, params, body, init }: CallDescription) {
    this.method = method;
    this.path = path;
    this.body = body;
    this.#paramsSource = params;
    if (init === undefined) return;

    const { headers, body: initBody, signal, timeout, retry, cache, cacheOptions, ...others } = init;
    const { cacheKey, invalidates, maxResponseBytes, ...fetchOptions } = others;
    this.#headersSource = headers;
    this.body ??= initBody;
    this.signal = signal;
    this.timeout = timeout;
    this.retry = retry;
    this.cache = cache;
    this.cacheOptions = cacheOptions;
    this.cacheKey = cacheKey;
    this.invalidates = invalidates;
    this.maxResponseBytes = maxResponseBytes;
    this.fetchOptions = fetchOptions;
  }

  /** The header fields, as a copy for this request. */
  get headers(): Headers {
    return (this.#headers ??= toHeaders(this.#headersSource));
  }

  set headers(source: HeadersSource) {
    this.#headers = new Headers(source);
  }

  /** The header fields, or undefined if none was set. */
  get headersIfAny(): Headers | undefined {
    return this.#headers !== undefined || this.#headersSource !== undefined ? this.headers : undefined;
  }

  /** The query parameters, as a copy for this request. */
  get params(): URLSearchParams {
    return (this.#params ??= toSearchParams(this.#paramsSource));
  }

  set params(source: object | string) {
    this.#params = toSearchParams(source);
  }

  /** Copies the caller's objects, which other operations may change before the call is sent. `hasHook`: a hook may change the body. */
  copyInputs(hasHook: boolean): void {
    if (this.#headersSource !== undefined) this.#headers ??= toHeaders(this.#headersSource);
    if (this.#paramsSource !== undefined) this.#params ??= toSearchParams(this.#paramsSource);
    if (hasHook) this.body = deepCopyOf(this.body);
  }

  /** The query string without "?". */
  get search(): string {
    return this.#params !== undefined || this.#paramsSource !== undefined ? this.params.toString() : '';
  }
}

/** Options of fetch on several platforms. Other properties that hooks set, such as a time for a log, do not distinguish requests. */
const fetchOptionNames =
  'credentials mode redirect referrer referrerPolicy integrity keepalive priority duplex dispatcher agent client proxy tls cf next'.split(
    ' ',
  ) as (keyof DataSourceRequest)[];

/** Adds options that a hook has set on a request to `fetchOptions`, because they decide who shares a response. */
export function takeFetchOptions(request: DataSourceRequest): void {
  for (const name of fetchOptionNames) if (name in request) request.fetchOptions = { ...request.fetchOptions, [name]: request[name] };
  assertHeadersWereSet(request);
}

/** Throws for a hook that treats `headers` as a plain object, as in other versions of data sources. */
function assertHeadersWereSet({ headersIfAny: headers }: DataSourceRequest): void {
  const name = headers === undefined ? undefined : Object.keys(headers)[0];
  // Some replacements of Headers have enumerable fields.
  if (name === undefined || name in new Headers()) return;
  throw new TypeError(`"${name}" was assigned to request.headers and would not be sent: write request.headers.set('${name}', …)`);
}

/** `{ authorization: undefined }` means no such field; `Headers` would set the text "undefined". */
function toHeaders(source: CallOptions['headers']): Headers {
  if (source === undefined || Symbol.iterator in source) return new Headers(source as HeadersSource);
  const present = Object.entries(source).filter((field): field is [string, string] => field[1] !== undefined && field[1] !== null);
  return new Headers(present);
}

/** New query parameters from an object, pairs, text or a URLSearchParams. Undefined and null are omitted, arrays repeat the parameter. */
function toSearchParams(source: object | string | undefined): URLSearchParams {
  if (source === undefined || source === null) return new URLSearchParams();
  if (typeof source === 'string') return new URLSearchParams(source);

  const params = new URLSearchParams();
  const pairs = Symbol.iterator in source ? (source as Iterable<[string, unknown]>) : Object.entries(source);
  for (const [name, value] of pairs) appendParam(params, name, value);
  return params;
}

function appendParam(params: URLSearchParams, name: string, value: unknown): void {
  if (value === undefined || value === null) return;
  if (typeof value === 'object' && initNames.has(name)) assertNoInit(name, value);
  if (!Array.isArray(value)) {
    params.append(name, toText(name, value));
    return;
  }
  for (const item of value) {
    if (item !== undefined && item !== null) params.append(name, toText(name, item));
  }
}

const initNames = new Set(['params', 'headers', 'body', 'signal', 'cacheOptions']);

/** Refuses options in place of parameters, in production, too: this keeps tokens out of URLs, and so out of logs. */
function assertNoInit(name: string, value: object): void {
  if (value instanceof Date || (Array.isArray(value) && value.every((item) => typeof item !== 'object' || item instanceof Date))) return;
  throw new TypeError(
    `"${name}" contains an object and would be written into the URL: the second argument of get, head and delete is the query parameters alone. ` +
      'Write get(path, params, { headers, … })',
  );
}

/** The text of a value: dates as ISO text, other objects if they have a `toString` method. */
function toText(name: string, value: unknown): string {
  if (value instanceof Date) return value.toISOString();
  const text = String(value);
  if (text !== '[object Object]') return text;
  throw new TypeError(
    `The query parameter "${name}" is an object, which has no form in a URL. Pass its fields as separate parameters, or JSON.stringify(value).`,
  );
}
