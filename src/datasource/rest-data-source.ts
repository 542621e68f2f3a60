import { serializeBody } from './body.ts';
import { ValueResult, type CallResult } from './call-result.ts';
import { DataSource, type DataSourceConfig, type DataSourceOperation, type WatchCall } from './data-source.ts';
import { createResponseError, createTimeoutError, isNetworkError, isSyntaxError, withoutHeaderValue } from './errors.ts';
import { Flight, type Patience } from './flight.ts';
import { findMemoized, memoize, type MemoizedResults } from './memo.ts';
import { assertCacheKey, toCacheIdentity } from './http-cache/cache-key.ts';
import type { Exchange } from './http-cache/origin-exchange.ts';
import { fromFetch, parseBody, rebuildResponse, type ReceivedResponse } from './received.ts';
import { identityOf } from './http-cache/request-identity.ts';
import { DataSourceRequest, type CacheOptions, type CallDescription, type DataSourceRequestInit } from './request.ts';
import type { Milliseconds } from './units.ts';
import { ResponseCache, type Answered } from './http-cache/response-cache.ts';
import type { RetryOptions } from './retry.ts';
import { sendToOrigin, type HTTPFetch } from './send.ts';
import { resolveCallHref, resolveCallURL, toRequestURL } from './url.ts';

/** The object form of RESTDataSource's constructor argument. */
export interface RESTDataSourceOptions {
  /** Overrides the fetch implementation. Default: the platform's `fetch`. */
  readonly httpFetch?: HTTPFetch | undefined;
  /** The time, in milliseconds since 1970, by which responses grow old. Default: `Date.now` */
  readonly now?: (() => Milliseconds) | undefined;
}

// Declared here and not as fields, so that a subclass may write them as a field or as a getter: TypeScript
// allows that for members of an interface, and no field of ours shadows the getter at run time.
// oxlint-disable-next-line typescript/no-unsafe-declaration-merging, typescript/no-explicit-any
export interface RESTDataSource<TContext = any> {
  /** Prefixes the path of every call. Unset: paths are absolute URLs, used exactly as given. */
  baseURL?: string | undefined;
  /**
   * Whether this instance sends the same GET once only: outgoing GETs are kept by cache key, until a call of another
   * method with the same key. The response cache is another matter and stays on. Default: true
   */
  memoizeGetRequests: boolean;
  /** How long a call may take in all. Default: no limit */
  timeout?: Milliseconds | undefined;
  /** Gives up every call of this instance. Default: none; the operation's own signal counts in any case. */
  signal?: AbortSignal | undefined;
  /** How often and when a failed GET is sent again. Default: never */
  retry?: RetryOptions | number | undefined;
  /**
   * Header fields which do not change the response, although they may look like it: requests that differ
   * in them share stored responses. Default: none beyond accept*, content-type, user-agent, and those for tracing
   */
  shareableHeaders?: readonly string[] | undefined;
  /**
   * Whose the responses are, for credentials that are no header fields of the request because `httpFetch` adds them: stored
   * responses that are not public go to requests with the same identity alone. A field, or a getter that reads the context.
   * It reaches the store as a hash. "": `httpFetch` adds none. Default: none, the header fields alone tell users apart
   */
  cacheIdentity?: string | undefined;
}

/**
 * One REST API. A subclass names its `baseURL` and has a method for each thing it can fetch.
 *
 * @example
 * class Books extends RESTDataSource {
 *   baseURL = 'https://books.example.com/v1/';
 *
 *   byId(id: string) {
 *     return this.get<Book>(`books/${encodeURIComponent(id)}`);
 *   }
 * }
 */
// oxlint-disable-next-line typescript/no-unsafe-declaration-merging, typescript/no-explicit-any
export abstract class RESTDataSource<TContext = any> extends DataSource<TContext> {
  static {
    this.prototype.memoizeGetRequests = true;
  }

  /** What `memoizeGetRequests` keeps, by cache key: `clear()` it or `delete(key)` from it to ask again. */
  memoizedResults: MemoizedResults = new Map();
  readonly #httpFetch: HTTPFetch | undefined;
  readonly #now: () => Milliseconds;
  #operation: DataSourceOperation | undefined;
  #watchCall: WatchCall | undefined;
  #responses: ResponseCache | undefined;
  #warn: ((message: string) => void) | undefined;

  constructor(options: HTTPFetch | RESTDataSourceOptions = {}) {
    super();
    const { httpFetch, now = Date.now } = typeof options === 'function' ? { httpFetch: options } : options;
    this.#httpFetch = httpFetch;
    this.#now = now;
  }

  override initialize(config: DataSourceConfig<TContext>): void | Promise<void> {
    this.#operation = config.operation;
    this.#watchCall = config.watchCall;
    this.#warn = config.warn;
    this.#responses = config.cache && ResponseCache.of(config.cache);
    // Another operation may be another user's: what an instance knows from before is not for this one.
    this.memoizedResults.clear();
    return super.initialize(config);
  }

  // `any` as the default result of the five, so that JavaScript habits carry over: `(await this.get('books')).title`.

  /** Sends a GET. `params` are added to the URL's query. */
  // oxlint-disable-next-line typescript/no-explicit-any
  protected get<TResult = any>(path: string, params?: object | string, init?: DataSourceRequestInit): Promise<TResult> {
    return this.#call({ method: 'GET', path, params, init }) as Promise<TResult>;
  }

  /** Sends a POST. A plain object or array as `body` is sent as JSON. */
  // oxlint-disable-next-line typescript/no-explicit-any
  protected post<TResult = any>(path: string, body?: unknown, init?: DataSourceRequestInit): Promise<TResult> {
    return this.#call({ method: 'POST', path, body, init }) as Promise<TResult>;
  }

  /** Sends a PUT. A plain object or array as `body` is sent as JSON. */
  // oxlint-disable-next-line typescript/no-explicit-any
  protected put<TResult = any>(path: string, body?: unknown, init?: DataSourceRequestInit): Promise<TResult> {
    return this.#call({ method: 'PUT', path, body, init }) as Promise<TResult>;
  }

  /** Sends a PATCH. A plain object or array as `body` is sent as JSON. */
  // oxlint-disable-next-line typescript/no-explicit-any
  protected patch<TResult = any>(path: string, body?: unknown, init?: DataSourceRequestInit): Promise<TResult> {
    return this.#call({ method: 'PATCH', path, body, init }) as Promise<TResult>;
  }

  /** Sends a DELETE. `params` are added to the URL's query; `init.body` is sent. */
  // oxlint-disable-next-line typescript/no-explicit-any
  protected delete<TResult = any>(path: string, params?: object | string, init?: DataSourceRequestInit): Promise<TResult> {
    return this.#call({ method: 'DELETE', path, params, init }) as Promise<TResult>;
  }

  /** Called before every call, memoised or not: the place for `request.headers.set` and `request.params.set`. Waited for. */
  protected willSendRequest(_request: DataSourceRequest): void | Promise<void> {}

  /** The URL of a call, before its parameters. Default: `baseURL` and the path, which cannot leave it. */
  protected resolveURL(request: DataSourceRequest): URL | Promise<URL> {
    return resolveCallURL(this.baseURL, request.path);
  }

  /** What two calls must have in common to share a response. Default: the full URL, `request.url`. */
  protected cacheKeyFor(request: DataSourceRequest): string {
    return request.url;
  }

  /** How long a response may be reused. Default: as long as its own header fields say. */
  protected cacheOptionsFor(
    _response: Response,
    _request: DataSourceRequest,
  ): CacheOptions | undefined | Promise<CacheOptions | undefined> {
    return undefined;
  }

  /** Makes the result of a response. Default: a success is parsed, anything else is thrown as an error. */
  protected async didReceiveResponse<TResult = unknown>(response: Response, request: DataSourceRequest): Promise<TResult> {
    if (response.ok) return (await this.parseBody(response)) as TResult;
    throw await this.errorFromResponse(response, request);
  }

  /** Sees every error of a call. Default: throws it. An override that does not throw makes the result undefined. */
  protected didEncounterError(error: unknown, _request: DataSourceRequest): void | Promise<void> {
    throw error;
  }

  /** The body of a response. Default: parsed if its media type is JSON, else as text. */
  protected parseBody(response: Response): Promise<unknown> {
    return parseBody(response);
  }

  /** The error for a response that is no success. Default: a GraphQLError with a code by the status. */
  protected async errorFromResponse(response: Response, request: DataSourceRequest): Promise<Error> {
    const { status, statusText, headers, url } = response;
    // Read by an override of didReceiveResponse, it cannot be read again.
    if (response.bodyUsed) return createResponseError(request, response, undefined);

    const bytes = new Uint8Array(await response.arrayBuffer());
    const read = (): Response => rebuildResponse(bytes, { status, statusText, headers, url });
    try {
      return createResponseError(request, response, await this.parseBody(read()));
    } catch {
      // A body that says it is JSON and is not must not hide the status.
      return createResponseError(request, response, await read().text());
    }
  }

  async #call(description: CallDescription): Promise<unknown> {
    const request = new DataSourceRequest(description);
    request.watch = this.#watchCall?.(this, request);
    try {
      const ready = this.#prepare(request);
      if (ready !== undefined) await ready;
      request.signal?.throwIfAborted();
      this.signal?.throwIfAborted();
      const key = assertCacheKey(this.cacheKeyFor(request));
      const result = request.method === 'GET' ? this.#read(key, request) : this.#write(key, request);
      // A memoised value is there at once: an await for nothing would be a tenth of such a call.
      const value: unknown = result instanceof Promise ? await result : result;
      request.watch?.ended();
      return value;
    } catch (thrown) {
      const error = withoutHeaderValue(thrown, request);
      request.watch?.ended(error);
      await this.didEncounterError(error, request);
      return undefined;
    }
  }

  /** Everything that comes before the cache key. A promise only where a hook makes one: each await costs a memoised call. */
  #prepare(request: DataSourceRequest): void | Promise<void> {
    const ready = this.willSendRequest(request);
    return isPromise(ready) ? ready.then(() => this.#resolve(request)) : this.#resolve(request);
  }

  #resolve(request: DataSourceRequest): void | Promise<void> {
    const isDefault = this.resolveURL === RESTDataSource.prototype.resolveURL;
    const url = isDefault ? resolveCallHref(this.baseURL, request.path) : this.resolveURL(request);
    if (isPromise(url)) return url.then((later) => address(request, later));
    address(request, url);
  }

  #read(key: string, request: DataSourceRequest): unknown {
    if (!this.memoizeGetRequests || request.cache === 'no-store')
      return this.#start(key, request).join(this.#patience(request)).then(takeAlone);

    const identity = identityOf(request, toCacheIdentity(this.cacheIdentity));
    const asksAnew = request.cache === 'reload' || request.cache === 'no-cache';
    const known = asksAnew ? undefined : findMemoized(this.memoizedResults, key, identity);
    if (known !== undefined) request.outcome = 'memo';
    return (known ?? memoize(this.memoizedResults, key, identity, this.#start(key, request))).take(() => this.#patience(request));
  }

  /** A write makes the memoised GET of its key doubtful when it starts, and one sent meanwhile when it ends. */
  async #write(key: string, request: DataSourceRequest): Promise<unknown> {
    this.memoizedResults.delete(key);
    try {
      return takeAlone(await this.#start(key, request).join(this.#patience(request)));
    } finally {
      this.memoizedResults.delete(key);
    }
  }

  #patience(request: DataSourceRequest): Patience {
    return {
      signals: [request.signal, this.signal],
      timeout: request.timeout ?? this.timeout,
      onTimeout: (timeout) => createTimeoutError(request, timeout),
    };
  }

  /** Everything behind the memo, for as many as wait for it. */
  #start(key: string, request: DataSourceRequest): Flight<CallResult> {
    return new Flight(async (flight) => {
      const exchange = this.#exchangeOf(key, request, flight);
      try {
        const { received, outcome } = await this.#answer(exchange);
        request.outcome = outcome;
        return await this.#toResult(received, request);
      } catch (error) {
        // However the platform words an abort, the reason for it is the error.
        if (flight.abandoned) throw flight.signal.reason;
        return this.#afterFailure(error, exchange, flight);
      }
    });
  }

  /** A connection that broke may leave an old response to stand in; one that cannot be parsed is not kept for its max-age. */
  async #afterFailure(error: unknown, exchange: Exchange, flight: Flight<CallResult>): Promise<CallResult> {
    const instead = isNetworkError(error) ? flight.standIn?.() : undefined;
    if (instead !== undefined) return instead;
    if (exchange.request.method === 'GET' && isSyntaxError(error)) this.#responses?.forget(exchange);
    throw error;
  }

  async #answer(exchange: Exchange): Promise<Answered> {
    const isGET = exchange.request.method === 'GET';
    if (this.#responses !== undefined && isGET) return this.#responses.answer(exchange);

    const send = (): Promise<Response> => exchange.send(exchange.patience().signal);
    const response = await (this.#responses === undefined ? send() : this.#responses.invalidateAround(exchange, send));
    return { received: fromFetch(response), outcome: 'bypass' };
  }

  #exchangeOf(key: string, request: DataSourceRequest, flight: Flight<CallResult>): Exchange {
    const operation = this.#operation;
    return {
      key,
      request,
      shareableHeaders: this.shareableHeaders?.map((name) => name.toLowerCase()) ?? [],
      cacheIdentity: toCacheIdentity(this.cacheIdentity),
      hasOwnFetch: this.#httpFetch !== undefined,
      sharesInFlight: this.memoizeGetRequests,
      sourceName: this.constructor.name,
      source: this.#httpFetch,
      patience: () => {
        if (operation !== undefined) flight.abortWith(operation.signal);
        return flight;
      },
      waitUntil: operation && ((work) => operation.waitUntil(work)),
      warn: this.#warn,
      now: this.#now,
      standIn: (offer) => {
        flight.standIn = () => {
          const received = offer();
          if (received === undefined) return undefined;
          request.outcome = 'stale';
          return this.#toResult(received, request);
        };
      },
      send: (signal, validators) => {
        const retry = request.retry ?? this.retry;
        return sendToOrigin(request, { httpFetch: this.#httpFetch, retry, signal, validators });
      },
      cacheOptionsFor: (response) => this.#cacheOptionsOf(response, request),
    };
  }

  #cacheOptionsOf(response: Response, request: DataSourceRequest): CacheOptions | undefined | Promise<CacheOptions | undefined> {
    const own = request.cacheOptions;
    if (typeof own === 'function') return own(response, request);
    return own ?? this.cacheOptionsFor(response, request);
  }

  /** Hooks that nobody has overridden are not called but done: most of them would need a Response, which is dear to make. */
  async #toResult(received: ReceivedResponse, request: DataSourceRequest): Promise<CallResult> {
    const { didReceiveResponse, parseBody: parse } = RESTDataSource.prototype;
    const isDefault = this.didReceiveResponse === didReceiveResponse && this.parseBody === parse;
    if (isDefault && received.ok) return received.toResult(request);
    return new ValueResult(await this.didReceiveResponse(received.toResponse(), request));
  }
}

/** Sets the URL of a call, with its parameters; what else is to be sent is known by then, too. */
function address(request: DataSourceRequest, url: URL | string): void {
  request.url = toRequestURL(url, request.search);
  serializeBody(request);
}

function isPromise<T>(value: T | Promise<T>): value is Promise<T> {
  return typeof (value as Promise<T> | undefined)?.then === 'function';
}

function takeAlone(result: CallResult): unknown {
  return result.take(false);
}
