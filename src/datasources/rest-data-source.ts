import { isStream, serializeBody } from './body.ts';
import { DataSourceRequest, takeFetchOptions } from './request.ts';
import { takeBoth, takeHead, takeResult, fromOrigin, releaseUnread } from './received.ts';
import type { CallAnswer, FetchResult, Take, ReceivedResponse, FetchedResponse } from './received.ts';
import type { DataSourceConfig, DataSourceOperation, WatchCall } from './data-source.ts';
import { createTimeoutError, isNetworkError, isSyntaxError, withoutHeaderValue } from './errors.ts';
import { Flight } from './flight.ts';
import type { WaitOptions } from './flight.ts';
import { MemoizedResult } from './memo.ts';
import type { MemoizedResults } from './memo.ts';
import { assertCacheKey, toCacheIdentity } from './http-cache/cache-key.ts';
import type { CacheLookup } from './http-cache/origin-fetch.ts';
import { identityOf, isSameIdentity } from './http-cache/request-identity.ts';
import type { CacheOptions, CallDescription, DataSourceRequestInit, FetchInit, HTTPMethod, QueryParams } from './request.ts';
import { RESTHooks } from './rest-hooks.ts';
import type { Milliseconds } from './cache/key-value-cache.ts';
import { ResponseCache } from './http-cache/response-cache.ts';
import type { Answered } from './http-cache/response-cache.ts';
import { sendToOrigin } from './send.ts';
import type { HTTPFetch } from './send.ts';
import { locationsOf, toRequestURL } from './url.ts';
import { isPromiseLike } from '../shared/index.ts';
import { joinListeners } from './call-watch.ts';

const systemTime = (): Milliseconds => Date.now();

/** The object form of RESTDataSource's constructor argument. */
export interface RESTDataSourceOptions {
  /** Sends requests. Default: the platform's `fetch` */
  readonly httpFetch?: HTTPFetch | undefined;
  /** The time by which responses age. Default: `Date.now` */
  readonly now?: (() => Milliseconds) | undefined;
}

/**
 * One REST API. A subclass sets `baseURL` and has a method for each kind of request.
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
export abstract class RESTDataSource<TContext = any> extends RESTHooks<TContext> {
  /** The memoized results by cache key. After `clear()` or `delete(key)` requests are sent again. */
  memoizedResults: MemoizedResults = new Map();
  readonly #options: RESTDataSourceOptions;
  #operation: DataSourceOperation | undefined;
  /**
   * The writes without a response, and their cache keys: later GETs wait for them. None of them runs code of the user, who may make a call
   * in a hook, in `httpFetch` or in a body that is a stream: no call may wait for one that waits for it.
   */
  readonly #sending = new Map<Promise<Response>, readonly string[]>();
  #watchCall: WatchCall | undefined;
  #responses: ResponseCache | undefined;
  #warn: ((message: string) => void) | undefined;

  constructor(options: HTTPFetch | RESTDataSourceOptions = {}) {
    super();
    this.#options = typeof options === 'function' ? { httpFetch: options } : options;
  }

  override initialize(config: DataSourceConfig<TContext>): void | Promise<void> {
    this.#operation = config.operation;
    this.#watchCall = config.watchCall;
    this.#warn = config.warn;
    this.#responses = config.cache && ResponseCache.of(config.cache);
    // Another operation may have another user.
    this.memoizedResults.clear();
    return super.initialize(config);
  }

  // Results are `any` by default, so that `(await this.get('books')).title` compiles.

  /** Sends a GET. `params` are added to the URL's query. */
  protected get<TResult = any>(path: string, params?: QueryParams | string, init?: DataSourceRequestInit): Promise<TResult> {
    return this.#call({ method: 'GET', path, params, init }) as Promise<TResult>;
  }

  /** Sends a POST. A plain object or array as `body` is sent as JSON. */
  protected post<TResult = any>(path: string, body?: unknown, init?: DataSourceRequestInit): Promise<TResult> {
    return this.#call({ method: 'POST', path, body, init }) as Promise<TResult>;
  }

  /** Sends a PUT. A plain object or array as `body` is sent as JSON. */
  protected put<TResult = any>(path: string, body?: unknown, init?: DataSourceRequestInit): Promise<TResult> {
    return this.#call({ method: 'PUT', path, body, init }) as Promise<TResult>;
  }

  /** Sends a PATCH. A plain object or array as `body` is sent as JSON. */
  protected patch<TResult = any>(path: string, body?: unknown, init?: DataSourceRequestInit): Promise<TResult> {
    return this.#call({ method: 'PATCH', path, body, init }) as Promise<TResult>;
  }

  /** Sends a DELETE. `params` are added to the URL's query; `init.body` is sent. */
  protected delete<TResult = any>(path: string, params?: QueryParams | string, init?: DataSourceRequestInit): Promise<TResult> {
    return this.#call({ method: 'DELETE', path, params, init }) as Promise<TResult>;
  }

  /** Sends a HEAD and resolves to status and header fields. Neither memoized nor cached. */
  protected head(path: string, params?: QueryParams | string, init?: DataSourceRequestInit): Promise<FetchedResponse> {
    return this.#call({ method: 'HEAD', path, params, init }, takeHead) as Promise<FetchedResponse>;
  }

  /** Like `get`, `post` and the others, but resolves to the result and to status and header fields. */
  protected async fetch<TResult = any>(path: string, { method, params, ...init }: FetchInit = {}): Promise<FetchResult<TResult>> {
    const description = { method: (method?.toUpperCase() ?? 'GET') as HTTPMethod, path, params, init };
    return ((await this.#call(description, takeBoth)) ?? { body: undefined, response: undefined }) as FetchResult<TResult>;
  }

  async #call(description: CallDescription, take: Take = takeResult): Promise<unknown> {
    const request = new DataSourceRequest(description);
    const { method, invalidates = [] } = request;
    const hasHook = this.willSendRequest !== RESTDataSource.prototype.willSendRequest;
    const followed = this.#watchCall?.(this, request);
    request.watch = followed && joinListeners(followed);
    try {
      if (method === 'GET' && request.invalidates) throw new TypeError('invalidates is for calls that write, not for a GET');
      const others = method === 'HEAD' ? [] : invalidates.map((path) => new DataSourceRequest({ method: 'GET', path }));
      const keys: string[] = [];
      // Awaits nothing without asynchronous hooks, so that a write takes effect on all calls that are made after it.
      for (const each of [request, ...others]) {
        each.copyInputs(hasHook);
        const ready = this.willSendRequest(each);
        if (isPromiseLike(ready)) await ready;
        if (hasHook) takeFetchOptions(each);
        const url = this.resolveURL(each);
        each.url = toRequestURL(isPromiseLike(url) ? await url : url, each.search);
        serializeBody(each);
        keys.push(assertCacheKey(this.cacheKeyFor(each)));
      }
      request.timeout ??= this.timeout;
      request.maxResponseBytes ??= this.maxResponseBytes;
      request.signal?.throwIfAborted();
      this.signal?.throwIfAborted();
      if (method === 'GET' && this.#sending.size > 0) await this.#waitForWrites(keys[0]!, request);
      const result = method === 'GET' ? this.#read(keys[0]!, request, take) : this.#write(keys, request, take);
      // Memoized values are no promises: an await would take a tenth of such a call.
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

  /** Waits for the writes of a key that are being sent, within the limits of one call. */
  async #waitForWrites(key: string, request: DataSourceRequest): Promise<void> {
    const writes = [...this.#sending].filter(([, keys]) => keys.includes(key)).map(([response]) => response);
    if (writes.length > 0) await new Flight(() => Promise.allSettled(writes)).join(this.#waitOptions(request));
  }

  #read(key: string, request: DataSourceRequest, take: Take): unknown {
    if (!this.memoizeGetRequests || request.cache === 'no-store') return this.#send([key], request, take);

    const identity = identityOf(request, toCacheIdentity(this.cacheIdentity));
    const skipsMemo = request.cache === 'reload' || request.cache === 'no-cache';
    const known = skipsMemo ? undefined : this.memoizedResults.get(key);
    if (known?.flight.canJoin === true && isSameIdentity(known.identity, identity)) {
      request.outcome = 'memo';
      return known.take(() => this.#waitOptions(request), take);
    }
    const memoized = new MemoizedResult(identity, this.#start([key], request));
    this.memoizedResults.set(key, memoized);
    // The next call sends a GET that failed again.
    memoized.flight.settled.catch(() => {
      if (this.memoizedResults.get(key) === memoized) this.memoizedResults.delete(key);
    });
    return memoized.take(() => this.#waitOptions(request), take);
  }

  /** A write invalidates memoized GETs when it starts and when it ends. A HEAD invalidates nothing. */
  async #write(keys: readonly string[], request: DataSourceRequest, take: Take): Promise<unknown> {
    if (request.method === 'HEAD') return this.#send(keys, request, take);

    const forget = (): void => keys.forEach((each) => this.memoizedResults.delete(each));
    forget();
    try {
      return await this.#send(keys, request, take);
    } finally {
      forget();
    }
  }

  /** Sends a call for one caller. */
  async #send(keys: readonly string[], request: DataSourceRequest, take: Take): Promise<unknown> {
    return take(await this.#start(keys, request).join(this.#waitOptions(request)));
  }

  #waitOptions(request: DataSourceRequest): WaitOptions {
    return {
      signals: [request.signal, this.signal],
      timeout: request.timeout,
      onTimeout: (timeout) => createTimeoutError(request, timeout),
    };
  }

  /** Starts a call for all callers that wait for it. */
  #start(keys: readonly string[], request: DataSourceRequest): Flight<CallAnswer> {
    return new Flight(async (flight) => {
      const lookup = this.#lookupOf(keys[0]!, request, flight);
      try {
        const { received, outcome } = await this.#respond(lookup, keys);
        request.outcome = outcome;
        return await this.#toAnswer(received, request, flight);
      } catch (error) {
        if (flight.abandoned) throw flight.reason;
        return this.#afterFailure(error, lookup, flight);
      }
    });
  }

  /** A stale response may replace a network error. A response that cannot be parsed is removed from the cache. */
  async #afterFailure(error: unknown, lookup: CacheLookup, flight: Flight<CallAnswer>): Promise<CallAnswer> {
    const instead = isNetworkError(error) ? flight.fallback?.() : undefined;
    if (instead !== undefined) return instead;
    if (lookup.request.method === 'GET' && isSyntaxError(error)) this.#responses?.forget(lookup);
    throw error;
  }

  /** The response of the cache or of the origin. A write invalidates stored responses. */
  async #respond(lookup: CacheLookup, keys: readonly string[]): Promise<Answered> {
    const { request } = lookup;
    const responses = this.#responses;
    if (responses !== undefined && request.method === 'GET') return responses.answer(lookup);

    if (request.method === 'HEAD') return { received: fromOrigin(await lookup.send(lookup.waiting())), outcome: 'bypass' };
    const send = (): Promise<Response> => {
      const response = lookup.send(lookup.waiting());
      if (!lookup.usesHTTPFetch && !isStream(request.body)) this.#sending.set(response, keys);
      return response.finally(() => this.#sending.delete(response));
    };
    const around = (inner: typeof send, each: string) => () =>
      responses === undefined ? inner() : responses.invalidateAround({ ...lookup, key: each }, inner);
    const response = await keys.reduce(around, send)();
    // An override of cacheKeyFor may need parameters that other hooks add to a request.
    const keyIsURL = this.cacheKeyFor === RESTDataSource.prototype.cacheKeyFor;
    for (const each of keyIsURL ? locationsOf(response, request.url) : []) {
      this.memoizedResults.delete(each);
      await around(async () => response, each)();
    }
    return { received: fromOrigin(response), outcome: 'bypass' };
  }

  #lookupOf(key: string, request: DataSourceRequest, flight: Flight<CallAnswer>): CacheLookup {
    const operation = this.#operation;
    const hasCacheHook = request.cacheOptions !== undefined || this.cacheOptionsFor !== RESTDataSource.prototype.cacheOptionsFor;
    return {
      key,
      request,
      shareableHeaders: this.shareableHeaders?.map((name) => name.toLowerCase()) ?? [],
      cacheIdentity: toCacheIdentity(this.cacheIdentity),
      usesHTTPFetch: this.#options.httpFetch !== undefined,
      waiting: () => {
        if (operation !== undefined) flight.abortWith(operation.signal);
        return flight;
      },
      waitUntil: operation && ((work) => operation.waitUntil(work)),
      warn: this.#warn,
      now: this.#options.now ?? systemTime,
      fallback: (offer) =>
        flight.setFallback(() => {
          const received = offer();
          if (received === undefined) return undefined;
          request.outcome = 'stale';
          return this.#toAnswer(received, request, flight);
        }),
      send: (waiting, validators) => {
        const retry = request.retry ?? this.retry;
        const { httpFetch: given } = this.#options;
        const httpFetch = given && ((sent: Request) => flight.duringFetch(async () => given(sent)));
        return sendToOrigin(request, { httpFetch, retry, waiting, validators });
      },
      cacheOptionsFor: hasCacheHook ? (response) => flight.duringHook(() => this.#cacheOptionsOf(response, request)) : undefined,
    };
  }

  async #cacheOptionsOf(response: Response, request: DataSourceRequest): Promise<CacheOptions | undefined> {
    const { cacheOptions } = request;
    if (typeof cacheOptions === 'object') return cacheOptions;
    const before = identityOf(request, undefined);
    const options = await (cacheOptions === undefined ? this.cacheOptionsFor(response, request) : cacheOptions(response, request));
    // If the hook removed a header field that identifies the user, the response would be stored for other users.
    return isSameIdentity(identityOf(request, undefined), before) ? options : { ttl: 0 };
  }

  /** Hooks that are not overridden are not called, because a Response is expensive to create. */
  async #toAnswer(received: ReceivedResponse, request: DataSourceRequest, flight: Flight<CallAnswer>): Promise<CallAnswer> {
    const { didReceiveResponse, parseBody: parse } = RESTDataSource.prototype;
    const isDefault = this.didReceiveResponse === didReceiveResponse && this.parseBody === parse;
    if (isDefault && received.ok) return { received, result: await received.toResult(request) };
    const response = received.toResponse(request);
    let value: unknown;
    try {
      value = await flight.duringHook(() => this.didReceiveResponse(response, request));
    } finally {
      await releaseUnread(response, value);
    }
    return { received, result: () => value };
  }
}
