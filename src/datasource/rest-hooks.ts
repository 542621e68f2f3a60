import { DataSource } from './data-source.ts';
import { createResponseError } from './errors.ts';
import { parseBody, rebuildResponse } from './received.ts';
import type { CacheOptions, DataSourceRequest } from './request.ts';
import type { RetryOptions } from './retry.ts';
import type { Milliseconds } from '../cache/key-value-cache.ts';
import { resolveCallURL } from './url.ts';

// Declared here and not as fields, so that a subclass may write them as a field or as a getter: TypeScript
// allows that for members of an interface, and no field of ours shadows the getter at run time.
// oxlint-disable-next-line typescript/no-unsafe-declaration-merging, typescript/no-explicit-any
export interface RESTHooks<TContext = any> {
  /** Prefixes the path of every call. Unset: paths are absolute URLs, used exactly as given. */
  baseURL?: string | undefined;
  /**
   * Whether this instance sends the same GET once only: outgoing GETs are kept by cache key, until a call of another
   * method with the same key. The response cache is another matter and stays on. Default: true
   */
  memoizeGetRequests: boolean;
  /** How long a call may take in all. Default: no limit, but a minute for reading a body; 0: none for that either */
  timeout?: Milliseconds | undefined;
  /** The most bytes of a response's body, after decoding. More is an error; Infinity: no limit. Default: 32 MiB */
  maxResponseBytes?: number | undefined;
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
   * The owner of the responses, for credentials that are not header fields of the request because `httpFetch` adds them: stored
   * responses that are not public go to requests with the same identity alone. A field, or a getter that reads the context.
   * It reaches the store as a hash. "": `httpFetch` adds none. Default: none, the header fields alone tell users apart
   */
  cacheIdentity?: string | undefined;
}

/** The members of RESTDataSource that a subclass may set and override. */
// oxlint-disable-next-line typescript/no-unsafe-declaration-merging, typescript/no-explicit-any
export abstract class RESTHooks<TContext = any> extends DataSource<TContext> {
  static {
    this.prototype.memoizeGetRequests = true;
  }

  /** Called before every call, memoised or not: the place for `request.headers.set` and `request.params.set`. Waited for. */
  protected willSendRequest(_request: DataSourceRequest): void | Promise<void> {}

  /** The URL of a call, before its parameters. Default: `baseURL` and the path, which cannot leave it. */
  protected resolveURL(request: DataSourceRequest): URL | Promise<URL> {
    return resolveCallURL(this.baseURL, request.path);
  }

  /** The key that two calls must have in common to share a response. Default: the call's `cacheKey`, else the full URL, `request.url`. */
  protected cacheKeyFor(request: DataSourceRequest): string {
    return request.cacheKey ?? request.url;
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

  /** The error for an unsuccessful response. Default: a GraphQLError with a code by the status. */
  protected async errorFromResponse(response: Response, request: DataSourceRequest): Promise<Error> {
    const { status, statusText, headers, url } = response;
    // Read by an override of didReceiveResponse, it cannot be read again.
    if (response.bodyUsed) return createResponseError(request, response, undefined);

    const bytes = await readErrorBody(response);
    const read = (): Response => rebuildResponse(bytes, { status, statusText, headers, url });
    try {
      return createResponseError(request, response, await this.parseBody(read()));
    } catch {
      // A body that says it is JSON and is not must not hide the status.
      return createResponseError(request, response, await read().text());
    }
  }
}

/** Empty where it cannot be read to its end: too large, or broken off. It is not to hide the status. */
async function readErrorBody(response: Response): Promise<Uint8Array> {
  try {
    return new Uint8Array(await response.arrayBuffer());
  } catch {
    return new Uint8Array();
  }
}
