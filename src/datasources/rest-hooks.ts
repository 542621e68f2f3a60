import { DataSource } from './data-source.ts';
import { createResponseError } from './errors.ts';
import { parseBody } from './received.ts';
import type { CacheOptions, DataSourceRequest } from './request.ts';
import { createResponse } from './response.ts';
import type { RetryOptions } from './retry.ts';
import type { Milliseconds } from './cache/key-value-cache.ts';
import { resolveCallURL } from './url.ts';

// These are not fields of the class, so that a subclass may declare fields or getters.
// oxlint-disable-next-line typescript/no-unsafe-declaration-merging
export interface RESTHooks<TContext = any> {
  /** Prefix of all paths. Undefined: paths are absolute URLs. */
  baseURL?: string | undefined;
  /** Sends equal GETs of this instance only once, until a write with the same cache key. The response cache is independent of it. Default: true */
  memoizeGetRequests: boolean;
  /** Limit of a call, retries included. Default: none, but a minute for a body. 0: none for bodies either */
  timeout?: Milliseconds | undefined;
  /** Limit of a response's decoded body. Infinity: none. Default: 32 MiB */
  maxResponseBytes?: number | undefined;
  /** Aborts all calls of this instance, in addition to the signal of the operation. Default: none */
  signal?: AbortSignal | undefined;
  /** Retries of failed GETs. Default: none */
  retry?: RetryOptions | number | undefined;
  /**
   * Header fields that do not identify a user: requests that differ in them share stored responses. Default: none in addition to accept,
   * accept-charset, accept-encoding, accept-language, content-type, user-agent and those for tracing
   */
  shareableHeaders?: readonly string[] | undefined;
  /**
   * Identifies the user if `httpFetch` adds the credentials: stored responses that are not public are reused only with the same identity.
   * A field, or a getter that reads the context. Stored as a hash. "": `httpFetch` adds no credentials, and header fields identify users.
   * Default: with `httpFetch` only public responses are stored; without it header fields identify users
   */
  cacheIdentity?: string | undefined;
}

/** The members of RESTDataSource that a subclass may set and override. */
export abstract class RESTHooks<TContext = any> extends DataSource<TContext> {
  static {
    this.prototype.memoizeGetRequests = true;
  }

  /** Called before every call, memoized or not, for example for `request.headers.set` and `request.params.set`. */
  protected willSendRequest(_request: DataSourceRequest): void | Promise<void> {}

  /** The URL of a call without `params`. Default: `baseURL` and the path, which cannot leave it */
  protected resolveURL(request: DataSourceRequest): URL | Promise<URL> {
    return resolveCallURL(this.baseURL, request.path);
  }

  /** The cache key: calls with different keys never share a response. Default: `cacheKey` of the call, or `request.url` */
  protected cacheKeyFor(request: DataSourceRequest): string {
    return request.cacheKey ?? request.url;
  }

  /** How long a response may be reused. Default: as its header fields say */
  protected cacheOptionsFor(
    _response: Response,
    _request: DataSourceRequest,
  ): CacheOptions | undefined | Promise<CacheOptions | undefined> {
    return undefined;
  }

  /** The result of a response. Default: the parsed body; throws for other statuses than 2xx */
  protected async didReceiveResponse<TResult = unknown>(response: Response, request?: DataSourceRequest): Promise<TResult> {
    if (response.ok) return (await this.parseBody(response)) as TResult;
    throw await this.errorFromResponse(response, request);
  }

  /** Called with every error of a call. Default: throws it. If an override does not throw, the result is undefined. */
  protected didEncounterError(error: unknown, _request: DataSourceRequest): void | Promise<void> {
    throw error;
  }

  /** The body of a response. Default: parsed if its media type is JSON, otherwise text */
  protected parseBody(response: Response): Promise<unknown> {
    return parseBody(response);
  }

  /** The error of an unsuccessful response. Default: a GraphQLError with a code for the status. Without `request`, it does not name the method. */
  protected async errorFromResponse(response: Response, request?: DataSourceRequest): Promise<Error> {
    const { status, statusText, headers, url } = response;
    // An override of didReceiveResponse has read the body.
    if (response.bodyUsed) return createResponseError(request, response, undefined);

    const bytes = await readErrorBody(response);
    const read = (): Response => createResponse(bytes, { status, statusText, headers, url });
    try {
      return createResponseError(request, response, await this.parseBody(read()));
    } catch {
      // Invalid JSON must not hide the status.
      return createResponseError(request, response, await read().text());
    }
  }
}

/** Returns no bytes if the body is too large or incomplete, because this must not hide the status. */
async function readErrorBody(response: Response): Promise<Uint8Array> {
  try {
    return new Uint8Array(await response.arrayBuffer());
  } catch {
    return new Uint8Array();
  }
}
