import type { Seconds, Milliseconds } from '../cache/key-value-cache.ts';
import type { CacheOutcome, CallWatch } from './call-watch.ts';
import { copyOfPlain } from './copy.ts';
import type { RetryOptions } from './retry.ts';
import { toSearchParams } from './search-params.ts';

/** The methods a RESTDataSource sends. */
export type HTTPMethod = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** The sources of the web's `Headers`. */
export type HeadersSource = NonNullable<RequestInit['headers']>;

/** How long a response may be reused. */
export interface CacheOptions {
  /**
   * Replaces what the response's own header fields say about its life. 0: not stored.
   * Default: the header fields decide.
   */
  readonly ttl?: Seconds | undefined;
}

/** {@link CacheOptions}, or a function that decides on them when the response is there. */
export type CacheOptionsSource =
  | CacheOptions
  | ((response: Response, request: DataSourceRequest) => CacheOptions | undefined | Promise<CacheOptions | undefined>);

/** The options that this library adds to fetch's own. */
interface CallOptions {
  headers?: HeadersSource | Readonly<Record<string, string | null | undefined>> | undefined;
  /** For `delete`, which takes query parameters in its second place. */
  body?: unknown;
  /** Gives this one call up; others that wait for the same response are not touched. */
  signal?: AbortSignal | null | undefined;
  /** How long the call may take in all, retries included; 0: no limit. Default: the class's `timeout`, else no limit. */
  timeout?: Milliseconds | undefined;
  /** How often and when a failed GET is sent again. Default: the class's `retry`, else never. */
  retry?: RetryOptions | number | undefined;
  /** Wins over `cacheOptionsFor`. */
  cacheOptions?: CacheOptionsSource | undefined;
  /** The key that `cacheKeyFor` returns by default, instead of the full URL. */
  cacheKey?: string | undefined;
  /**
   * For a write: other paths of this source whose GETs it invalidates. They are dropped from the memo and the response cache, as that of
   * the write's own path is. Each goes through willSendRequest, resolveURL and cacheKeyFor as a GET that is not sent.
   */
  invalidates?: readonly string[] | undefined;
  /** The most bytes of this response's body. Default: the class's `maxResponseBytes`, else 32 MiB */
  maxResponseBytes?: number | undefined;
}

/** The last argument of `get`, `post` and the others: fetch's own options, and ours. */
export interface DataSourceRequestInit extends Omit<RequestInit, 'method' | keyof CallOptions>, CallOptions {}

/**
 * Query parameters: an object or a Map of names and values, pairs, or a URLSearchParams. What belongs in the next argument is
 * refused: `get(path, { params, headers })` is how other versions take it, and would write a token into the URL.
 */
export type QueryParams = (Readonly<Record<string, unknown>> & NoInit) | (object & NoInit);

type NoInit = Readonly<Partial<Record<'params' | 'headers' | 'body' | 'signal' | 'cacheOptions', QueryValue>>>;

/** The value of a query parameter that has a name that belongs in `init`. */
export type QueryValue = string | number | bigint | boolean | Date | null | undefined | readonly QueryValue[];

/** The argument of a data source's `fetch`: the last argument of the others, method and parameters. */
export interface FetchInit extends DataSourceRequestInit {
  /** Default: GET */
  readonly method?: HTTPMethod | undefined;
  readonly params?: QueryParams | string | undefined;
}

/** Everything known of a call when it begins. */
export interface CallDescription {
  readonly method: HTTPMethod;
  readonly path: string;
  readonly params?: object | string | undefined;
  readonly body?: unknown;
  readonly init?: DataSourceRequestInit | undefined;
}

const none: readonly string[] = Object.freeze([]);

// Fetch's own options are declared here, and none of them a field, so that those which were set can be told. Without a comment
// of its own: an editor shows one of the two.
// oxlint-disable-next-line typescript/no-unsafe-declaration-merging
export interface DataSourceRequest extends Omit<RequestInit, 'method' | 'headers' | 'body' | 'signal' | 'cache'> {}

/**
 * One outgoing call, as the hooks see and change it.
 *
 * `headers` and `params` are made when they are first read: most calls that a cache answers never need them,
 * and a `Headers` object costs more than all the rest of such a call. Fetch's own options may be set on it too:
 * `request.redirect = 'manual'`.
 */
export class DataSourceRequest {
  /** In upper case: "GET". */
  readonly method: HTTPMethod;
  /** As given to `get`, `post` and the others; `resolveURL` makes the URL of it. */
  path: string;
  /** The full URL, parameters included; empty until `resolveURL` has run. */
  url = '';
  /** The body to send; a plain object or array becomes JSON after `willSendRequest`. */
  body: unknown;
  /** Gives this one call up. */
  signal: AbortSignal | null | undefined;
  /** Milliseconds that the call may take in all; 0: no limit. Undefined: the class's `timeout`. */
  timeout: Milliseconds | undefined;
  /** How often and when a failed GET is sent again. Undefined: the class's `retry`. */
  retry: RetryOptions | number | undefined;
  /** One of fetch's cache modes. */
  cache: RequestInit['cache'];
  /** How long the response may be reused. Undefined: as `cacheOptionsFor` says. */
  cacheOptions: CacheOptionsSource | undefined;
  /** The key that `cacheKeyFor` returns by default. Undefined: the full URL. */
  cacheKey: string | undefined;
  /** Of a write: other paths of this source whose GETs it invalidates. */
  readonly invalidates: readonly string[] | undefined;
  /** The most bytes of the response's body. Undefined: the class's `maxResponseBytes`. */
  maxResponseBytes: number | undefined;
  /** How much of the body is read, and for how long. */
  bodyLimits: BodyLimits = defaultBodyLimits;
  /** The rest of the caller's init, handed to fetch as it is. */
  fetchOptions: Readonly<Record<string, unknown>> | undefined;
  /** The layer that answered; set when it is known. */
  outcome: CacheOutcome | undefined;
  /** The names of header fields that `httpFetch` has set on the request it was given. */
  addedFields: readonly string[] = none;
  /** True when the response is that of another URL, to which we have followed a redirect. Not every response says so itself. */
  redirected = false;
  /** Follows the call, where it is explained. */
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

  /** The header fields to send; always the request's own copy. */
  get headers(): Headers {
    return (this.#headers ??= toHeaders(this.#headersSource));
  }

  set headers(source: HeadersSource) {
    this.#headers = new Headers(source);
  }

  /** The header fields, or undefined while none has been set or looked at. */
  get headersIfAny(): Headers | undefined {
    return this.#headers !== undefined || this.#headersSource !== undefined ? this.headers : undefined;
  }

  /** The query parameters to add to the URL; always the request's own copy. */
  get params(): URLSearchParams {
    return (this.#params ??= toSearchParams(this.#paramsSource));
  }

  set params(source: object | string) {
    this.#params = toSearchParams(source);
  }

  /**
   * Takes what the caller has given as it is now: until the call is sent, which may take a hook's time, another operation may write into
   * the same objects. `isHooked`: a hook is about to see the body, and may write into it, too.
   */
  takeGiven(isHooked: boolean): void {
    if (this.#headersSource !== undefined) this.#headers ??= toHeaders(this.#headersSource);
    if (this.#paramsSource !== undefined) this.#params ??= toSearchParams(this.#paramsSource);
    if (isHooked) this.body = copyOfPlain(this.body);
  }

  /** The query parameters as URL text, without "?". */
  get search(): string {
    return this.#params !== undefined || this.#paramsSource !== undefined ? this.params.toString() : '';
  }
}

/** Fetch's own, and those of the platforms. Not whatever a hook writes there: a time, for its log, would make each request another one. */
const fetchOptionNames =
  'credentials mode redirect referrer referrerPolicy integrity keepalive priority duplex dispatcher agent client proxy tls cf next'.split(
    ' ',
  ) as (keyof DataSourceRequest)[];

/** Moves the options for fetch that a hook has set on a request to the others: they take part in who shares a response. */
export function takeFetchOptions(request: DataSourceRequest): void {
  for (const name of fetchOptionNames) if (name in request) request.fetchOptions = { ...request.fetchOptions, [name]: request[name] };
  assertHeadersWereSet(request);
}

/** In other versions `headers` is a plain object. A field that is written into ours as into one would not be sent. */
function assertHeadersWereSet({ headersIfAny: headers }: DataSourceRequest): void {
  const name = headers === undefined ? undefined : Object.keys(headers)[0];
  // Some stand-ins for Headers have fields of their own.
  if (name === undefined || name in new Headers()) return;
  throw new TypeError(
    `The field "${name}" was assigned to request.headers, and would not be sent: write request.headers.set('${name}', …)`,
  );
}

/** `{ authorization: undefined }` means "no such field", not the text "undefined" that `Headers` would make of it. */
function toHeaders(source: CallOptions['headers']): Headers {
  if (source === undefined || Symbol.iterator in source) return new Headers(source as HeadersSource);
  const present = Object.entries(source).filter((field): field is [string, string] => field[1] !== undefined && field[1] !== null);
  return new Headers(present);
}

/** How much of a response's body is read, and for how long. */
export interface BodyLimits {
  readonly maxBytes: number;
  /** From the header fields to the end of the body; undefined where the call's own `timeout` counts. */
  readonly maxTime: Milliseconds | undefined;
}

/** 32 MiB, and a minute: an API that drips must not keep a call without a `timeout` for ever. */
const defaultBodyLimits: BodyLimits = Object.freeze({ maxBytes: 32 * 1024 * 1024, maxTime: 60_000 });

/** The limits that class and call have set, undefined for those they have not. */
export function bodyLimitsFor(maxBytes: number | undefined, timeout: Milliseconds | undefined): BodyLimits {
  if (maxBytes === undefined && timeout === undefined) return defaultBodyLimits;
  return { maxBytes: maxBytes ?? defaultBodyLimits.maxBytes, maxTime: timeout === undefined ? defaultBodyLimits.maxTime : undefined };
}
