import { InMemoryLRUCache } from '../../src/datasources/cache/in-memory.ts';
import type { KeyValueCache } from '../../src/datasources/cache/key-value-cache.ts';
import type { DataSourceOperation } from '../../src/datasources/data-source.ts';
import type { CacheOptions, DataSourceRequest, DataSourceRequestInit } from '../../src/datasources/request.ts';
import { createClock } from '../support/clock.ts';
import type { Clock } from '../support/clock.ts';
import type { FetchInit, FetchResult, QueryParams, FetchedResponse } from '../../src/entries/datasource.ts';
import { RESTDataSource } from '../../src/datasources/rest-data-source.ts';
import type { RESTDataSourceOptions } from '../../src/datasources/rest-data-source.ts';

/** The context of the tests' operations. */
export interface UserContext {
  readonly headers?: Record<string, string>;
}

/** A data source that makes its protected members public. */
export class API extends RESTDataSource<UserContext> {
  override baseURL: string | undefined;
  ttl: number | undefined;
  readonly requests: DataSourceRequest[] = [];

  constructor(baseURL?: string, options?: RESTDataSourceOptions) {
    super(options);
    this.baseURL = baseURL;
  }

  protected override willSendRequest(request: DataSourceRequest): void {
    for (const [name, value] of Object.entries(this.context?.headers ?? {})) request.headers.set(name, value);
    this.requests.push(request);
  }

  protected override cacheOptionsFor(): CacheOptions | undefined {
    return this.ttl === undefined ? undefined : { ttl: this.ttl };
  }

  /** The source of the last response, such as "fresh" for the response cache. */
  get lastOutcome(): string | undefined {
    return this.requests.at(-1)?.outcome;
  }

  read(path: string, params?: object | string, init?: DataSourceRequestInit): Promise<any> {
    return this.get(path, params, init);
  }
  create(path: string, body?: unknown, init?: DataSourceRequestInit): Promise<any> {
    return this.post(path, body, init);
  }
  replace(path: string, body?: unknown, init?: DataSourceRequestInit): Promise<any> {
    return this.put(path, body, init);
  }
  change(path: string, body?: unknown, init?: DataSourceRequestInit): Promise<any> {
    return this.patch(path, body, init);
  }
  look(path: string, params?: QueryParams | string, init?: DataSourceRequestInit): Promise<FetchedResponse> {
    return this.head(path, params, init);
  }
  send(path: string, init?: FetchInit): Promise<FetchResult<any>> {
    return this.fetch(path, init);
  }
  remove(path: string, params?: object, init?: DataSourceRequestInit): Promise<any> {
    return this.delete(path, params, init);
  }
}

/** Creates operations that share one cache, as a server does. They can be sequential or concurrent. */
export class Operations {
  readonly cache: KeyValueCache;
  readonly clock: Clock = createClock(Date.now());
  readonly #baseURL: string;

  constructor(baseURL: string, cache?: KeyValueCache) {
    this.#baseURL = baseURL;
    this.cache = cache ?? new InMemoryLRUCache({ now: this.clock.now });
  }

  /** Creates the data source of a new operation. */
  begin({ headers, ttl, operation }: { headers?: Record<string, string>; ttl?: number; operation?: DataSourceOperation } = {}): API {
    const api = new API(this.#baseURL, { now: this.clock.now });
    api.ttl = ttl;
    void api.initialize({ context: headers === undefined ? {} : { headers }, cache: this.cache, operation });
    return api;
  }
}
