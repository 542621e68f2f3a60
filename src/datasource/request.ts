import type { Seconds } from '../cache/key-value-cache.ts';
import type { CacheOutcome } from './http-cache/cache-outcome.ts';
import type { CallWatch } from './call-watch.ts';
import type { RetryOptions } from './retry.ts';
import { toSearchParams } from './search-params.ts';
import type { Milliseconds } from './units.ts';

/** The methods a RESTDataSource sends. */
export type HTTPMethod = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** What the web's `Headers` are made of. */
export type HeadersSource = NonNullable<RequestInit['headers']>;

/** How long a response may be reused. */
export interface CacheOptions {
  /**
   * Replaces what the response's own header fields say about its life. 0: not stored.
   * Default: the header fields decide.
   */
  readonly ttl?: Seconds | undefined;
}

/** {@link CacheOptions}, or what decides on them when the response is there. */
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
}

/** The last argument of `get`, `post` and the others: fetch's own options, and ours. */
export interface DataSourceRequestInit extends Omit<RequestInit, 'method' | keyof CallOptions>, CallOptions {}

/** What is known of a call when it begins. */
export interface CallDescription {
  readonly method: HTTPMethod;
  readonly path: string;
  readonly params?: object | string | undefined;
  readonly body?: unknown;
  readonly init?: DataSourceRequestInit | undefined;
}

const NONE: readonly string[] = [];

/**
 * One outgoing call, as the hooks see and change it.
 *
 * `headers` and `params` come to life when somebody looks: most calls that a cache answers never need them,
 * and a `Headers` object costs more than all the rest of such a call.
 */
export class DataSourceRequest {
  readonly method: HTTPMethod;
  /** As given to `get`, `post` and the others; `resolveURL` makes the URL of it. */
  path: string;
  /** The full URL, parameters included; empty until `resolveURL` has run. */
  url = '';
  /** What to send; a plain object or array becomes JSON after `willSendRequest`. */
  body: unknown;
  signal: AbortSignal | null | undefined;
  timeout: Milliseconds | undefined;
  retry: RetryOptions | number | undefined;
  /** One of fetch's cache modes. */
  cache: RequestInit['cache'];
  cacheOptions: CacheOptionsSource | undefined;
  /** The rest of the caller's init, handed to fetch as it is. */
  readonly fetchOptions: Readonly<Record<string, unknown>> | undefined;
  /** Who answered; set when it is known. */
  outcome: CacheOutcome | undefined;
  /** The names of header fields that `httpFetch` has set on the request it was given. */
  addedFields: readonly string[] = NONE;
  /** Follows the call, where somebody wants it explained. */
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

    const { headers, body: initBody, signal, timeout, retry, cache, cacheOptions, ...fetchOptions } = init;
    this.#headersSource = headers;
    this.body ??= initBody;
    this.signal = signal;
    this.timeout = timeout;
    this.retry = retry;
    this.cache = cache;
    this.cacheOptions = cacheOptions;
    this.fetchOptions = fetchOptions;
  }

  /** The header fields to send; always the request's own copy. */
  get headers(): Headers {
    return (this.#headers ??= toHeaders(this.#headersSource));
  }

  set headers(source: HeadersSource) {
    this.#headers = new Headers(source);
  }

  /** The header fields, or undefined while nobody has set or looked at any. */
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

  /** The query parameters as URL text, without "?". */
  get search(): string {
    return this.#params !== undefined || this.#paramsSource !== undefined ? this.params.toString() : '';
  }
}

/** `{ authorization: undefined }` means "no such field", not the text "undefined" that `Headers` would make of it. */
function toHeaders(source: CallOptions['headers']): Headers {
  if (source === undefined || Symbol.iterator in source) return new Headers(source as HeadersSource);
  const present = Object.entries(source).filter((field): field is [string, string] => field[1] !== undefined && field[1] !== null);
  return new Headers(present);
}
