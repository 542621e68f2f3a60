import {
  DataSourceRequest,
  Flight,
  InMemoryLRUCache,
  ResponseCache,
  followRedirects,
  isImpersonal,
  saysPublic,
} from '../../datasources/index.ts';
import type { CacheLookup, CacheOptions, DataSourceOperation, KeyValueCache } from '../../datasources/index.ts';
import { sha256 } from '../../shared/index.ts';

/** A replacement for the platform's fetch. */
export type HTTPFetch = (request: any) => Promise<Response>;

/** Options of {@link HTTPCache.fetch}. */
export interface HTTPCacheOptions {
  /** Default: the request's URL. */
  readonly cacheKey?: string;
  readonly cacheOptions?: CacheOptions | ((response: Response, request: Request) => CacheOptions | undefined) | undefined;
}

/**
 * The response cache of this package with version 3's interface. Unlike version 3's, it gives the response to a request with
 * credentials to requests with the same credentials only, unless the response says `public` or `s-maxage`; also with a `ttl`. With an
 * `httpFetch`, which may add credentials that the cache cannot see, it stores these two only.
 */
export class HTTPCache {
  readonly #responses: ResponseCache;
  readonly #httpFetch: HTTPFetch | undefined;
  readonly #waitUntil: DataSourceOperation['waitUntil'] | undefined;

  constructor(store: KeyValueCache = new InMemoryLRUCache(), httpFetch?: HTTPFetch, operation?: Pick<DataSourceOperation, 'waitUntil'>) {
    this.#responses = ResponseCache.of(store);
    this.#httpFetch = httpFetch;
    this.#waitUntil = operation && ((work) => operation.waitUntil(work));
  }

  /** The response of the cache, or of the origin. Its body can be read once. */
  async fetch(request: Request, options: HTTPCacheOptions = {}): Promise<Response> {
    const { method, url, headers, signal } = request;
    const init = { headers, cache: request.cache };
    const call = new DataSourceRequest({ method: method as DataSourceRequest['method'], path: url, init });
    call.url = url;
    if (request.redirect !== 'follow') call.fetchOptions = { redirect: request.redirect };
    const flight = new Flight<Response>((waiting) => this.#answer(this.#lookupOf({ request, call, options }, waiting)));
    return flight.join({ signals: [signal] });
  }

  async #answer(lookup: WebLookup): Promise<Response> {
    const { key, request: call } = lookup;
    const identity = identityOf(call);
    const personalKey = identity === '' ? key : `${key} ${sha256(`${key}\n${identity}`)}`;
    if (call.method === 'HEAD') return lookup.send(lookup.waiting());
    if (call.method !== 'GET') return this.#write([key, personalKey], lookup);
    return (await this.#responses.answer(identity === '' ? lookup : this.#inTwoLayers(lookup, personalKey))).received.toResponse(call);
  }

  /** Looks for the user's entry first, then for a public one. */
  #inTwoLayers(lookup: WebLookup, personalKey: string): CacheLookup {
    const forEverybody = { ...lookup, cacheOptionsFor: storingOnly(saysPublic, lookup) };
    return {
      ...lookup,
      key: personalKey,
      cacheOptionsFor: storingOnly((headers) => !saysPublic(headers), lookup),
      send: async (waiting, validators) => {
        if (validators !== undefined) return lookup.send(waiting, validators);
        const { received } = await this.#responses.answer({ ...forEverybody, waiting: () => waiting });
        return received.toResponse(lookup.request);
      },
    };
  }

  async #write(keys: readonly string[], lookup: WebLookup): Promise<Response> {
    const write = (): Promise<Response> => lookup.send(lookup.waiting());
    return keys.reduce((inner, key) => () => this.#responses.invalidateAround({ ...lookup, key }, inner), write)();
  }

  #lookupOf({ request, call, options }: Call, waiting: Flight<Response>): WebLookup {
    const { cacheKey, cacheOptions } = options;
    const httpFetch = this.#httpFetch;
    return {
      key: cacheKey || request.url,
      request: call,
      shareableHeaders: [],
      cacheIdentity: undefined,
      usesHTTPFetch: httpFetch !== undefined,
      ttlCoversPrivate: true,
      waiting: () => waiting,
      waitUntil: this.#waitUntil,
      warn: undefined,
      now: () => Date.now(),
      fallback: () => {},
      // Looked up at each call, because instrumentation and tests replace the global fetch.
      send: (_waiting, validators) =>
        sendSafely(withHeaders(request, validators), call, httpFetch ?? ((sent: Request) => globalThis.fetch(sent))),
      cacheOptionsFor:
        cacheOptions && (async (response) => (typeof cacheOptions === 'function' ? cacheOptions(response, request) : cacheOptions)),
    };
  }
}

/** Hooks of version 3 always get the web's Response. */
interface WebLookup extends CacheLookup {
  send(...given: Parameters<CacheLookup['send']>): Promise<Response>;
}

/** A request, and the same as the response cache sees it. */
interface Call {
  readonly request: Request;
  readonly call: DataSourceRequest;
  readonly options: HTTPCacheOptions;
}

function storingOnly(isStored: typeof saysPublic, { cacheOptionsFor }: CacheLookup): CacheLookup['cacheOptionsFor'] {
  return async (response) => (isStored(Object.fromEntries(response.headers)) ? cacheOptionsFor?.(response) : { ttl: 0 });
}

function withHeaders(request: Request, headers: Readonly<Record<string, string>> | undefined): Request {
  return headers === undefined ? request : new Request(request, { headers: { ...Object.fromEntries(request.headers), ...headers } });
}

/** Follows redirects without sending credentials to another origin. */
async function sendSafely(request: Request, call: DataSourceRequest, httpFetch: HTTPFetch): Promise<Response> {
  if (!hasKeys(request)) return httpFetch(request);
  const { method, headers, signal, url } = request;
  // A body may have to be sent twice.
  const body = request.body === null ? {} : { body: await request.clone().arrayBuffer() };
  const dispatch = (target: string, init: RequestInit): Promise<Response> => {
    call.redirected = target !== url;
    return httpFetch(new Request(target, init));
  };
  return followRedirects(dispatch, url, { method, headers, signal, ...body });
}

/** fetch removes these when a redirect leads to another origin; it sends all other credentials along. */
const removedByFetch = ['authorization', 'cookie', 'host', 'proxy-authorization'];

function hasKeys({ headers, redirect }: Request): boolean {
  return redirect === 'follow' && [...headers.keys()].some((name) => !isImpersonal(name) && !removedByFetch.includes(name));
}

/** The header fields that can tell one user from another, as text; empty when there are none. */
function identityOf({ headersIfAny: headers }: DataSourceRequest): string {
  const fields = [...(headers ?? [])].filter(([name]) => !isImpersonal(name));
  return fields.map(([name, value]) => `${name}: ${value}\n`).join('');
}
