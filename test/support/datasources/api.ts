import type { TestContext } from 'node:test';

import { InMemoryLRUCache } from '../../../src/datasources/cache/in-memory.ts';
import type { KeyValueCache } from '../../../src/datasources/cache/key-value-cache.ts';
import type { DataSourceConfig, DataSourceOperation } from '../../../src/datasources/data-source.ts';
import type { CacheOptions, DataSourceRequest, DataSourceRequestInit } from '../../../src/datasources/request.ts';
import { RESTDataSource } from '../../../src/datasources/rest-data-source.ts';
import type { RESTDataSourceOptions } from '../../../src/datasources/rest-data-source.ts';
import type { FetchInit, FetchResult, FetchedResponse, QueryParams } from '../../../src/entries/datasource.ts';
import { createClock } from '../clock.ts';
import type { Clock } from '../clock.ts';
import { startOrigin } from './origin.ts';
import type { Call, Reply } from './origin.ts';

/** The hooks of a data source, which a test sets in place of a subclass. */
export interface Hooks {
  willSendRequest?(this: API, request: DataSourceRequest): void | Promise<void>;
  resolveURL?(this: API, request: DataSourceRequest): URL | Promise<URL>;
  cacheKeyFor?(this: API, request: DataSourceRequest): unknown;
  cacheOptionsFor?(this: API, response: Response, request: DataSourceRequest): CacheOptions | undefined | Promise<CacheOptions | undefined>;
  didReceiveResponse?(this: API, response: Response, request: DataSourceRequest): unknown;
  parseBody?(this: API, response: Response): unknown;
  didEncounterError?(this: API, error: unknown, request: DataSourceRequest): void;
}

/** The members of a data source that a test sets. `ttl` is that of all its responses. */
export interface Settings extends Hooks {
  readonly ttl?: number | undefined;
  readonly cacheIdentity?: unknown;
  readonly shareableHeaders?: readonly string[];
  readonly memoizeGetRequests?: boolean;
  readonly maxResponseBytes?: number;
  readonly timeout?: number;
}

/** The settings of one operation. */
export interface OperationSettings extends Settings, RESTDataSourceOptions {
  /** Header fields of every request. */
  readonly headers?: Record<string, string> | undefined;
  readonly operation?: DataSourceOperation | undefined;
  readonly warn?: DataSourceConfig<unknown>['warn'];
}

/** A data source that makes its protected members public. */
export class API extends RESTDataSource<{ readonly headers?: Record<string, string> }> {
  override baseURL: string | undefined;
  ttl: number | undefined;
  readonly requests: DataSourceRequest[] = [];

  constructor(baseURL?: string, { httpFetch, now, ...settings }: RESTDataSourceOptions & Settings = {}) {
    super({ httpFetch, now });
    this.baseURL = baseURL;
    Object.assign(this, settings);
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
  readonly clock: Clock;
  readonly cache: KeyValueCache;
  readonly url: string;

  constructor(url: string, cache?: KeyValueCache, clock: Clock = createClock(Date.now())) {
    this.url = url;
    this.clock = clock;
    this.cache = cache ?? new InMemoryLRUCache({ now: this.clock.now });
  }

  /** Creates the data source of a new operation. */
  readonly begin = ({ headers, operation, warn, ...settings }: OperationSettings = {}): API => {
    const api = new API(this.url, { now: this.clock.now, ...settings });
    void api.initialize({ context: headers === undefined ? {} : { headers }, cache: this.cache, operation, warn });
    return api;
  };
}

/** An API on loopback with the requests that it received, and operations that use it. */
export interface StartedAPI extends Pick<Operations, 'begin' | 'cache' | 'clock' | 'url'> {
  readonly calls: Call[];
}

/** Starts an API for one test. `answer` receives the request and the number of earlier ones. */
export async function startAPI(
  t: TestContext,
  answer: (call: Call, before: number) => Reply | Promise<Reply>,
  cache?: KeyValueCache,
): Promise<StartedAPI> {
  const { calls, url } = await startOrigin(t, answer);
  return Object.assign(new Operations(url, cache), { calls });
}

/** Answers with the number of earlier requests. */
export function numbered(headers: Record<string, string | string[]> = {}): (call: Call, before: number) => Reply {
  return (_call, before) => ({ headers, body: before });
}

/** An operation whose background work can be awaited, and counted. */
export function createOperation(): DataSourceOperation & { settle(): Promise<number> } {
  const pending: Promise<unknown>[] = [];
  return {
    signal: new AbortController().signal,
    waitUntil: (work) => void pending.push(work),
    settle: async () => (await Promise.all(pending.splice(0))).length,
  };
}

/** A store whose entries tests can read, and which never removes entries by itself, so that tests can turn the clock. */
export class OpenStore implements KeyValueCache {
  readonly entries = new Map<string, string>();
  readonly ttls: (number | null | undefined)[] = [];
  async get(key: string): Promise<string | undefined> {
    return this.entries.get(key);
  }
  async set(key: string, value: string, options?: { ttl?: number | null }): Promise<void> {
    this.entries.set(key, value);
    this.ttls.push(options?.ttl);
  }
  async delete(key: string): Promise<boolean> {
    return this.entries.delete(key);
  }
}

/** A body that breaks off after `text`. */
export function brokenBody(text: string): ReadableStream {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(text));
      controller.error(new TypeError('terminated'));
    },
  });
}
