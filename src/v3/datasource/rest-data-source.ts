import { deepCopyOf, isPlainObject } from '../../shared/index.ts';
import { resolveCallURL } from '../../datasources/index.ts';
import type { CacheOptions } from '../../datasources/index.ts';
import { ApolloError, AuthenticationError, ForbiddenError } from '../errors/apollo-error.ts';
import { DataSource } from '../types.ts';
import type { DataSourceConfig } from '../types.ts';
import { HTTPCache } from './http-cache.ts';
import type { HTTPFetch } from './http-cache.ts';

type ValueOrPromise<T> = T | Promise<T>;

/** The body of a call: text, bytes, a form, or an object that is sent as JSON. */
export type Body = RequestInit['body'] | object;
/** Query parameters in any form that `URLSearchParams` takes. */
export type URLSearchParamsInit = ConstructorParameters<typeof URLSearchParams>[0] | Record<string, any> | object;

/** Options of one call. */
export interface CallInit extends Omit<RequestInit, 'body'> {
  body?: Body | undefined;
  /** How long the response is stored. Default: `cacheOptionsFor`, else by its header fields. */
  cacheOptions?: CacheOptions | ((response: Response, request: Request) => CacheOptions | undefined);
  /** Milliseconds. Default: none. */
  timeout?: number;
}

/** A call before it is sent: the argument of `willSendRequest` and `resolveURL`. */
export interface RequestOptions extends Omit<CallInit, 'headers'> {
  path: string;
  params: URLSearchParams;
  headers: Headers;
}

// Declared here and not as class fields, which would shadow a getter of a subclass.
// oxlint-disable-next-line typescript/no-unsafe-declaration-merging
export interface RESTDataSource<TContext = any> {
  context: TContext;
  httpCache: HTTPCache;
  /** Prefixes the path of every call. */
  baseURL?: string;
}

/** One REST API, in the form of apollo-datasource-rest 3. New code should use the class of "graphql-functions". */
export abstract class RESTDataSource<TContext = any> extends DataSource<TContext> {
  memoizedResults: Map<string, Promise<any>> = new Map();
  memoizeGetRequests = true;
  readonly #httpFetch: HTTPFetch | undefined;
  #operation: DataSourceConfig<TContext>['operation'];

  constructor(httpFetch?: HTTPFetch) {
    super();
    this.#httpFetch = httpFetch;
  }

  override initialize(config: DataSourceConfig<TContext>): void | Promise<void> {
    this.context = config.context;
    this.#operation = config.operation;
    this.httpCache = new HTTPCache(config.cache, this.#httpFetch, config.operation);
    // If one instance serves several operations, the results of the previous one may belong to another user.
    this.memoizedResults.clear();
  }

  /** The key by which calls share a response. Default: the full URL. */
  protected cacheKeyFor(request: Request): string {
    return request.url;
  }

  /** Called before every call: the place for `request.headers.set` and `request.params.set`. */
  protected willSendRequest?(request: RequestOptions): ValueOrPromise<void>;

  /** The URL of a call, before its parameters. Default: `baseURL` and the path, which cannot leave it. */
  protected resolveURL(request: RequestOptions): ValueOrPromise<URL> {
    const path = request.path.startsWith('/') ? request.path.slice(1) : request.path;
    return resolveCallURL(this.baseURL, path);
  }

  protected cacheOptionsFor?(response: Response, request: Request): CacheOptions | undefined;

  /** Converts a response to the result. Default: parses a success, and throws an error for anything else. */
  protected async didReceiveResponse<TResult = any>(response: Response, _request: Request): Promise<TResult> {
    if (response.ok) return this.parseBody(response) as Promise<TResult>;
    throw await this.errorFromResponse(response);
  }

  /** Called with every error between sending and parsing. Default: throws it. */
  protected didEncounterError(error: Error, _request: Request): any {
    throw error;
  }

  /** Default: parsed if the media type is JSON, else text. */
  protected parseBody(response: Response): Promise<object | string> {
    const type = response.headers.get('content-type') ?? '';
    const isEmpty = response.status === 204 || response.headers.get('content-length') === '0';
    const isJSON = type.startsWith('application/json') || type.endsWith('+json');
    return isJSON && !isEmpty ? (response.json() as Promise<object>) : response.text();
  }

  protected async errorFromResponse(response: Response): Promise<ApolloError> {
    const { status, statusText, url } = response;
    const ErrorClass = status === 401 ? AuthenticationError : status === 403 ? ForbiddenError : ApolloError;
    const error = new ErrorClass(`${status}: ${statusText}`);
    const body = await this.parseBody(response);
    Object.assign(error.extensions, { response: { url, status, statusText, body } });
    return error;
  }

  // The default result of these five methods is `any`, as in version 3.

  protected async get<TResult = any>(path: string, params?: URLSearchParamsInit, init?: CallInit): Promise<TResult> {
    return this.#call({ method: 'GET', path, params, ...init });
  }

  protected async post<TResult = any>(path: string, body?: Body, init?: CallInit): Promise<TResult> {
    return this.#call({ method: 'POST', path, body, ...init });
  }

  protected async patch<TResult = any>(path: string, body?: Body, init?: CallInit): Promise<TResult> {
    return this.#call({ method: 'PATCH', path, body, ...init });
  }

  protected async put<TResult = any>(path: string, body?: Body, init?: CallInit): Promise<TResult> {
    return this.#call({ method: 'PUT', path, body, ...init });
  }

  protected async delete<TResult = any>(path: string, params?: URLSearchParamsInit, init?: CallInit): Promise<TResult> {
    return this.#call({ method: 'DELETE', path, params, ...init });
  }

  /** Wraps a call. Default: logs its duration in development. */
  protected async trace<TResult>(request: Request, send: () => Promise<TResult>): Promise<TResult> {
    if (globalThis.process?.env?.['NODE_ENV'] !== 'development') return send();
    const started = Date.now();
    try {
      return await send();
    } finally {
      // oxlint-disable-next-line no-console
      console.log(`${request.method} ${request.url} (${Date.now() - started}ms)`);
    }
  }

  async #call(init: CallInit & { path: string; params?: URLSearchParamsInit }): Promise<any> {
    const options: RequestOptions = {
      ...init,
      // Copies, because willSendRequest changes them and the caller may pass the same objects for each user.
      params: new URLSearchParams(init.params as Record<string, string> | undefined),
      headers: new Headers(init.headers ?? {}),
      ...((isPlainObject(init.body) || Array.isArray(init.body)) && { body: deepCopyOf(init.body) }),
    };
    if (this.willSendRequest) await this.willSendRequest(options);
    const url = await this.resolveURL(options);
    for (const [name, value] of options.params) url.searchParams.append(name, value);
    serializeBody(options);
    const request = this.#requestTo(url, options);
    const key = this.cacheKeyFor(request);
    if (!this.memoizeGetRequests) return this.#send(request, key, options);
    if (request.method !== 'GET') {
      this.memoizedResults.delete(key);
      return this.#send(request, key, options);
    }
    const known = this.memoizedResults.get(key);
    if (known !== undefined) return known;
    const result = this.#send(request, key, options);
    this.memoizedResults.set(key, result);
    return result;
  }

  async #send(request: Request, cacheKey: string, options: RequestOptions): Promise<unknown> {
    const cacheOptions = options.cacheOptions ?? this.cacheOptionsFor?.bind(this);
    return this.trace(request, async () => {
      try {
        const response = await this.httpCache.fetch(request, { cacheKey, cacheOptions });
        return await this.didReceiveResponse(response, request);
      } catch (error) {
        await this.didEncounterError(error as Error, request);
        return undefined;
      }
    });
  }

  /** Makes the `Request`, whose signal fires with the caller's signal, the timeout or the operation's signal. */
  #requestTo(url: URL, { path: _path, params: _params, cacheOptions: _cacheOptions, timeout, body, ...init }: RequestOptions): Request {
    const given = [init.signal, timeout ? AbortSignal.timeout(timeout) : undefined, this.#operation?.signal];
    const signals = given.filter((signal) => signal !== undefined && signal !== null);
    const request = new Request(String(url), {
      ...init,
      ...(body !== undefined && body !== null && { body: body as NonNullable<RequestInit['body']>, duplex: 'half' }),
      ...(signals.length > 0 && { signal: signals.length === 1 ? signals[0]! : AbortSignal.any(signals) }),
    } as RequestInit);
    // Gives the body a text as in node-fetch, for code that logs it.
    if (typeof body === 'string') Object.defineProperty(request.body, 'toString', { value: () => body });
    return request;
  }
}

/** Plain objects, arrays and objects with toJSON are sent as JSON. */
function serializeBody(options: RequestOptions): void {
  const { body } = options;
  if (typeof body !== 'object' || body === null) return;
  const isPlain = body.constructor === Object || Object.getPrototypeOf(body) === null || Array.isArray(body);
  if (!isPlain && typeof (body as { toJSON?: unknown }).toJSON !== 'function') return;
  options.body = JSON.stringify(body);
  if (!options.headers.get('content-type')) options.headers.set('content-type', 'application/json');
}
