import { serializeBody } from './body.ts';
import { bodyLimitsFor, DataSourceRequest, takeFetchOptions } from './request.ts';
import { takeBoth, takeHead, takeResult, fromFetch } from './received.ts';
import type { CallAnswer, FetchResult, Take, ReceivedResponse, FetchedResponse } from './received.ts';
import { ValueResult } from './call-result.ts';
import type { DataSourceConfig, DataSourceOperation, WatchCall } from './data-source.ts';
import { createTimeoutError, isNetworkError, isSyntaxError, withoutHeaderValue } from './errors.ts';
import { Flight, isPromise } from './flight.ts';
import type { WaitOptions } from './flight.ts';
import type { OriginResponse } from './origin/origin-response.ts';
import { findMemoized, memoize } from './memo.ts';
import type { MemoizedResults } from './memo.ts';
import { assertCacheKey, toCacheIdentity } from './http-cache/cache-key.ts';
import type { CacheLookup } from './http-cache/origin-fetch.ts';
import { identityOf } from './http-cache/request-identity.ts';
import type { CacheOptions, CallDescription, DataSourceRequestInit, FetchInit, HTTPMethod, QueryParams } from './request.ts';
import { RESTHooks } from './rest-hooks.ts';
import type { Milliseconds } from '../cache/key-value-cache.ts';
import { ResponseCache } from './http-cache/response-cache.ts';
import type { Answered } from './http-cache/response-cache.ts';
import { sendToOrigin } from './send.ts';
import type { HTTPFetch } from './send.ts';
import { resolveCallHref, toRequestURL } from './url.ts';

const systemTime = (): Milliseconds => Date.now();

/** The object form of RESTDataSource's constructor argument. */
export interface RESTDataSourceOptions {
  /** Overrides the fetch implementation. Default: the platform's `fetch`. */
  readonly httpFetch?: HTTPFetch | undefined;
  /** The time, in milliseconds since 1970, by which responses grow old. Default: `Date.now` */
  readonly now?: (() => Milliseconds) | undefined;
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
// oxlint-disable-next-line typescript/no-explicit-any
export abstract class RESTDataSource<TContext = any> extends RESTHooks<TContext> {
  /** The results that `memoizeGetRequests` keeps, by cache key: `clear()` it or `delete(key)` from it to ask again. */
  memoizedResults: MemoizedResults = new Map();
  readonly #options: RESTDataSourceOptions;
  #operation: DataSourceOperation | undefined;
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
    config.checkOptions?.(this.#options);
    this.#responses = config.cache && ResponseCache.of(config.cache);
    // Another operation may be another user's: the memo of the operation before is not for this one.
    this.memoizedResults.clear();
    return super.initialize(config);
  }

  // `any` as the default result of the five, so that JavaScript habits carry over: `(await this.get('books')).title`.

  /** Sends a GET. `params` are added to the URL's query. */
  // oxlint-disable-next-line typescript/no-explicit-any
  protected get<TResult = any>(path: string, params?: QueryParams | string, init?: DataSourceRequestInit): Promise<TResult> {
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
  protected delete<TResult = any>(path: string, params?: QueryParams | string, init?: DataSourceRequestInit): Promise<TResult> {
    return this.#call({ method: 'DELETE', path, params, init }) as Promise<TResult>;
  }

  /** Sends a HEAD, and resolves to the response's status and header fields. Never memoised nor answered by the response cache. */
  protected head(path: string, params?: QueryParams | string, init?: DataSourceRequestInit): Promise<FetchedResponse> {
    return this.#call({ method: 'HEAD', path, params, init }, takeHead) as Promise<FetchedResponse>;
  }

  /** As the method of `init.method`, but resolves to the result and to the response's status and header fields. */
  // oxlint-disable-next-line typescript/no-explicit-any
  protected async fetch<TResult = any>(path: string, { method, params, ...init }: FetchInit = {}): Promise<FetchResult<TResult>> {
    const description = { method: (method?.toUpperCase() ?? 'GET') as HTTPMethod, path, params, init };
    return ((await this.#call(description, takeBoth)) ?? { body: undefined, response: undefined }) as FetchResult<TResult>;
  }

  async #call(description: CallDescription, take: Take = takeResult): Promise<unknown> {
    const request = new DataSourceRequest(description);
    request.watch = this.#watchCall?.(this, request);
    try {
      const ready = this.#prepare(request);
      if (ready !== undefined) await ready;
      request.signal?.throwIfAborted();
      this.signal?.throwIfAborted();
      const key = assertCacheKey(this.cacheKeyFor(request));
      const result = request.method === 'GET' ? this.#read(key, request, take) : this.#write(key, request, take);
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
    request.takeGiven(this.willSendRequest !== RESTDataSource.prototype.willSendRequest);
    const ready = this.willSendRequest(request);
    return isPromise(ready) ? ready.then(() => this.#resolve(request)) : this.#resolve(request);
  }

  #resolve(request: DataSourceRequest): void | Promise<void> {
    if (this.willSendRequest !== RESTDataSource.prototype.willSendRequest) takeFetchOptions(request);
    const isDefault = this.resolveURL === RESTDataSource.prototype.resolveURL;
    const url = isDefault ? resolveCallHref(this.baseURL, request.path) : this.resolveURL(request);
    if (isPromise(url)) return url.then((later) => address(request, later));
    address(request, url);
  }

  #read(key: string, request: DataSourceRequest, take: Take): unknown {
    if (request.invalidates !== undefined) throw new TypeError('invalidates is for calls that write, not for a GET');
    if (!this.memoizeGetRequests || request.cache === 'no-store') return this.#send([key], request, take);

    const identity = identityOf(request, toCacheIdentity(this.cacheIdentity));
    const asksAnew = request.cache === 'reload' || request.cache === 'no-cache';
    const known = asksAnew ? undefined : findMemoized(this.memoizedResults, key, identity);
    if (known !== undefined) request.outcome = 'memo';
    const memoized = known ?? memoize(this.memoizedResults, { key, identity }, this.#start([key], request));
    return memoized.take(() => this.#waitOptions(request), take);
  }

  /** A write invalidates memoised GETs when it starts, and GETs that were sent meanwhile when it ends. A HEAD invalidates nothing. */
  async #write(key: string, request: DataSourceRequest, take: Take): Promise<unknown> {
    if (request.method === 'HEAD') return this.#send([key], request, take);

    const keys: CallKeys = [key, ...(await this.#keysOf(request.invalidates))];
    const forget = (): void => keys.forEach((each) => this.memoizedResults.delete(each));
    forget();
    try {
      return await this.#send(keys, request, take);
    } finally {
      forget();
    }
  }

  /** The keys that GETs of these paths would have. */
  async #keysOf(paths: readonly string[] = []): Promise<string[]> {
    const requests = paths.map((path) => new DataSourceRequest({ method: 'GET', path }));
    await Promise.all(requests.map((request) => this.#prepare(request)));
    return requests.map((request) => assertCacheKey(this.cacheKeyFor(request)));
  }

  /** Sends for one taker alone. */
  async #send(keys: CallKeys, request: DataSourceRequest, take: Take): Promise<unknown> {
    return take(await this.#start(keys, request).join(this.#waitOptions(request)), false);
  }

  #waitOptions(request: DataSourceRequest): WaitOptions {
    return {
      signals: [request.signal, this.signal],
      timeout: request.timeout ?? this.timeout,
      onTimeout: (timeout) => createTimeoutError(request, timeout),
    };
  }

  /** Everything behind the memo, for as many as wait for it. */
  #start([key, ...others]: CallKeys, request: DataSourceRequest): Flight<CallAnswer> {
    request.bodyLimits = bodyLimitsFor(request.maxResponseBytes ?? this.maxResponseBytes, request.timeout ?? this.timeout);
    return new Flight(async (flight) => {
      const lookup = this.#lookupOf(key, request, flight);
      try {
        const { received, outcome } = await this.#ask(lookup, others);
        request.outcome = outcome;
        return await this.#toAnswer(received, request);
      } catch (error) {
        // Platforms word an abort differently: the error is the reason for it.
        if (flight.abandoned) throw flight.reason;
        return this.#afterFailure(error, lookup, flight);
      }
    });
  }

  /** A connection that broke may leave an old response to stand in; one that cannot be parsed is not kept for its max-age. */
  async #afterFailure(error: unknown, lookup: CacheLookup, flight: Flight<CallAnswer>): Promise<CallAnswer> {
    const instead = isNetworkError(error) ? flight.standIn?.() : undefined;
    if (instead !== undefined) return instead;
    if (lookup.request.method === 'GET' && isSyntaxError(error)) this.#responses?.forget(lookup);
    throw error;
  }

  /** Asks the response cache, or the origin. A write drops the stored responses that it invalidates. */
  async #ask(lookup: CacheLookup, others: readonly string[]): Promise<Answered> {
    const { key, request } = lookup;
    const responses = this.#responses;
    if (responses !== undefined && request.method === 'GET') return responses.answer(lookup);

    const send = (): Promise<OriginResponse> => lookup.send(lookup.waiting());
    if (responses === undefined || request.method === 'HEAD') return { received: fromFetch(await send()), outcome: 'bypass' };
    const around = (inner: typeof send, each: string) => () => responses.invalidateAround({ ...lookup, key: each }, inner);
    return { received: fromFetch(await [key, ...others].reduce(around, send)()), outcome: 'bypass' };
  }

  #lookupOf(key: string, request: DataSourceRequest, flight: Flight<CallAnswer>): CacheLookup {
    const operation = this.#operation;
    return {
      key,
      request,
      shareableHeaders: this.shareableHeaders?.map((name) => name.toLowerCase()) ?? [],
      cacheIdentity: toCacheIdentity(this.cacheIdentity),
      hasOwnFetch: this.#options.httpFetch !== undefined,
      sharesInFlight: this.memoizeGetRequests,
      sourceName: this.constructor.name,
      source: this.#options.httpFetch,
      waiting: () => {
        if (operation !== undefined) flight.abortWith(operation.signal);
        return flight;
      },
      waitUntil: operation && ((work) => operation.waitUntil(work)),
      warn: this.#warn,
      now: this.#options.now ?? systemTime,
      standIn: (offer) => {
        flight.standIn = () => {
          const received = offer();
          if (received === undefined) return undefined;
          request.outcome = 'stale';
          return this.#toAnswer(received, request);
        };
      },
      send: (waiting, validators) => {
        const retry = request.retry ?? this.retry;
        return sendToOrigin(request, { httpFetch: this.#options.httpFetch, retry, waiting, validators });
      },
      cacheOptionsFor: this.#hasCacheHook(request) ? (response) => this.#cacheOptionsOf(response, request) : undefined,
    };
  }

  #hasCacheHook({ cacheOptions }: DataSourceRequest): boolean {
    return cacheOptions !== undefined || this.cacheOptionsFor !== RESTDataSource.prototype.cacheOptionsFor;
  }

  async #cacheOptionsOf(response: Response, request: DataSourceRequest): Promise<CacheOptions | undefined> {
    const { cacheOptions } = request;
    if (typeof cacheOptions === 'object') return cacheOptions;
    const asked = identityOf(request, undefined);
    const options = await (cacheOptions === undefined ? this.cacheOptionsFor(response, request) : cacheOptions(response, request));
    // A hook that takes a token out of the request, to log it, would make the response that of a user without one.
    return identityOf(request, undefined) === asked ? options : { ttl: 0 };
  }

  /** The work of hooks that are not overridden is done here, without a call: most of them would need a Response, which is dear to make. */
  async #toAnswer(received: ReceivedResponse, request: DataSourceRequest): Promise<CallAnswer> {
    const { didReceiveResponse, parseBody: parse } = RESTDataSource.prototype;
    const isDefault = this.didReceiveResponse === didReceiveResponse && this.parseBody === parse;
    if (isDefault && received.ok) return { received, result: await received.toResult(request) };
    return { received, result: new ValueResult(await this.didReceiveResponse(received.toResponse(request), request)) };
  }
}

/** The key of a call, and the keys that it invalidates. */
type CallKeys = readonly [key: string, ...others: string[]];

/** Sets the URL of a call, with its parameters; by then all that is sent is known. */
function address(request: DataSourceRequest, url: URL | string): void {
  request.url = toRequestURL(url, request.search);
  serializeBody(request);
}
