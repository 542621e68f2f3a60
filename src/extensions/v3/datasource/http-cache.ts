import CachePolicy from 'http-cache-semantics';

import { InMemoryLRUCache } from '../../../cache/in-memory.ts';
import type { KeyValueCache } from '../../../cache/key-value-cache.ts';
import { PrefixingKeyValueCache } from '../../../cache/guard.ts';
import { hasSeconds, parseCacheControl } from '../../../datasource/http-cache/cache-control.ts';
import { isImpersonal } from '../../../datasource/http-cache/request-identity.ts';
import { sha256 } from '../../../datasource/http-cache/sha256.ts';
import { followRedirects } from '../../../datasource/redirect.ts';

/** How long a response is kept, whatever its own header fields say. */
export interface CacheOptions {
  /** Seconds. 0: not at all. */
  ttl?: number;
}

/** A replacement for the platform's fetch. */
export type HTTPFetch = (request: any) => Promise<Response>;

/** Options of {@link HTTPCache.fetch}. */
export interface HTTPCacheOptions {
  /** Default: the request's URL. */
  readonly cacheKey?: string;
  readonly cacheOptions?: CacheOptions | ((response: Response, request: Request) => CacheOptions | undefined) | undefined;
}

/** A stored response. */
interface Entry {
  readonly policy: CachePolicy.CachePolicyObject;
  readonly ttlOverride?: number;
  readonly body: string;
  /** True when the response may be given to everybody, by its own words. */
  readonly isShared?: boolean;
}

interface Found {
  readonly policy: CachePolicy;
  readonly entry: Entry;
}

/**
 * Keeps responses by the rules of HTTP (RFC 9111), or by a lifetime of your own. Unlike version 3's, a response to a request
 * that shows who asks is kept for that user alone, unless it says `public` or `s-maxage`; also with a lifetime of your own.
 */
export class HTTPCache {
  readonly #store: KeyValueCache;
  readonly #fetchOnce: HTTPFetch;
  /** Requests to which `httpFetch` has added who asks, where it cannot be seen before they are sent. */
  readonly #hiding = new WeakSet<Request>();

  constructor(store: KeyValueCache = new InMemoryLRUCache(), httpFetch?: HTTPFetch) {
    this.#store = new PrefixingKeyValueCache(store, 'httpcache:');
    // Looked up for every call: instrumentation and test doubles replace the platform's fetch at run time.
    this.#fetchOnce = httpFetch ?? ((request: Request) => globalThis.fetch(request));
  }

  /** The response of the cache, or of the origin. Its body can be read once. */
  async fetch(request: Request, options: HTTPCacheOptions = {}): Promise<Response> {
    const key = options.cacheKey || request.url;
    const found = await this.#find(key, request);
    if (found === undefined) {
      const response = await this.#send(request, request);
      const policy = new CachePolicy(describe(request), describeResponse(response), policyOptions);
      return this.#keep({ key, request, response, policy, options, isRedirected: isRedirected(request, response) });
    }
    if (isFresh(found, request)) {
      const { policy, entry } = found;
      return responseOf(entry.body, { status: statusOf(policy), headers: policy.responseHeaders(), url: request.url });
    }
    return this.#revalidate(found, { key, request, options });
  }

  async #find(key: string, request: Request): Promise<Found | undefined> {
    const identity = identityOf(request);
    const own = await this.#read(identity === '' ? key : await personalKey(key, identity));
    if (own !== undefined || identity === '') return own;
    const everybodys = await this.#read(key);
    return everybodys?.entry.isShared === true ? everybodys : undefined;
  }

  async #read(key: string): Promise<Found | undefined> {
    const text = await this.#store.get(key);
    if (!text) return undefined;
    const entry = JSON.parse(text) as Entry;
    // A key of the user's own stands for more than one URL.
    return { entry, policy: CachePolicy.fromObject({ ...entry.policy, u: undefined } as unknown as CachePolicy.CachePolicyObject) };
  }

  async #revalidate(
    { policy, entry }: Found,
    { key, request, options }: { readonly key: string; readonly request: Request; readonly options: HTTPCacheOptions },
  ): Promise<Response> {
    const headers = policy.revalidationHeaders(describe(request)) as Record<string, string>;
    // The description has hashes in place of what is sent.
    const conditional = new Request(request, { headers: { ...headers, ...Object.fromEntries(request.headers) } });
    const answered = await this.#send(conditional, request);
    const { policy: renewed, modified } = policy.revalidatedPolicy(describe(conditional), describeResponse(answered));
    const body = modified ? await answered.text() : entry.body;
    const response = responseOf(body, { status: statusOf(renewed), headers: renewed.responseHeaders(), url: request.url });
    return this.#keep({ key, request, response, policy: renewed, options, isRedirected: isRedirected(request, answered) });
  }

  /** Sends a request in the name of another, and notes what is added on the way. */
  #send(request: Request, asked: Request): Promise<Response> {
    const fetchOnce = async (sent: Request): Promise<Response> => {
      const before = identityOf(sent);
      const response = await this.#fetchOnce(sent);
      if (identityOf(sent) !== before) this.#hiding.add(asked);
      return response;
    };
    return hasKeys(request) ? sendWithKeys(fetchOnce, request) : fetchOnce(request);
  }

  /** Keeps the response if it may be kept, and returns one whose body has not been read. */
  async #keep({ key, request, response, policy, options, isRedirected: wasRedirected }: Keeping): Promise<Response> {
    const { cacheOptions } = options;
    const ttlOverride = (typeof cacheOptions === 'function' ? cacheOptions(response, request) : cacheOptions)?.ttl;
    const status = statusOf(policy);
    const isOverridden = Boolean(ttlOverride) && status >= 200 && status <= 299;
    const isStorable = request.method === 'GET' && policy.storable();
    const lifetime = ttlOverride ?? Math.round(policy.timeToLive() / 1000);
    // A response that sets a cookie is meant for one user, unless a lifetime was set for it; its cookie is never kept.
    const mayBeKept = isOverridden || (isStorable && !response.headers.has('set-cookie'));
    if (!mayBeKept || lifetime <= 0) return response;

    const isShared = !wasRedirected && saysPublic(response);
    if (!isShared && this.#hiding.has(request)) return response;
    const identity = isShared ? '' : identityOf(request);
    const body = await response.text();
    const entry: Entry = {
      policy: withoutCookies(policy.toObject()),
      ...(ttlOverride !== undefined && { ttlOverride }),
      body,
      ...(isShared && { isShared }),
    };
    // A response that can be revalidated is worth keeping beyond its lifetime.
    const ttl = response.headers.has('etag') ? lifetime * 2 : lifetime;
    await this.#store.set(identity === '' ? key : await personalKey(key, identity), JSON.stringify(entry), { ttl });
    return responseOf(body, { status: response.status, statusText: response.statusText, headers: response.headers, url: response.url });
  }
}

/** Fetch itself takes these away where a redirect leads to another origin; all others that show who asks go along with it. */
const keptByFetch = ['authorization', 'cookie', 'host', 'proxy-authorization'];

function hasKeys({ headers, redirect }: Request): boolean {
  return redirect === 'follow' && [...headers.keys()].some((name) => !isImpersonal(name) && !keptByFetch.includes(name));
}

/** Follows redirects without taking anything personal to another origin. */
async function sendWithKeys(fetchOnce: HTTPFetch, request: Request): Promise<Response> {
  const { method, headers, signal, url } = request;
  // A body may have to be sent twice.
  const body = request.body === null ? {} : { body: await request.clone().arrayBuffer() };
  let last = url;
  const send = (target: string, init: RequestInit): Promise<Response> => {
    last = target;
    return fetchOnce(new Request(target, init));
  };
  const response = await followRedirects(send, url, { method, headers, signal, ...body });
  return last === url ? response : Object.defineProperty(response, 'redirected', { value: true });
}

function withoutCookies(policy: CachePolicy.CachePolicyObject): CachePolicy.CachePolicyObject {
  const { 'set-cookie': _cookie, ...headers } = policy.resh as Record<string, string>;
  return { ...policy, resh: headers };
}

interface Keeping {
  readonly key: string;
  readonly request: Request;
  readonly response: Response;
  readonly policy: CachePolicy;
  readonly options: HTTPCacheOptions;
  readonly isRedirected: boolean;
}

function saysPublic({ headers }: Response): boolean {
  const directives = parseCacheControl(headers.get('cache-control'));
  return (directives.has('public') || hasSeconds(directives, 's-maxage')) && !directives.has('private');
}

/** A redirect may have been one user's ("/me" to "/users/1"), whatever the resource behind it says. */
function isRedirected({ url }: Request, response: Response): boolean {
  return response.redirected || (response.url !== '' && response.url !== url);
}

/** Without an explicit lifetime a response is not fresh: no guess is made from its age. */
const policyOptions: CachePolicy.Options = { cacheHeuristic: 0 };

/** A lifetime of the user's own overrides the response's, but not what its Vary says about whom it is for. */
function isFresh({ policy, entry: { ttlOverride, policy: kept } }: Found, request: Request): boolean {
  if (!ttlOverride) return policy.satisfiesWithoutRevalidation(describe(request));
  return policy.age() < ttlOverride && matchesVary(kept, request);
}

function matchesVary(kept: CachePolicy.CachePolicyObject, request: Request): boolean {
  const vary = String((kept.resh as Record<string, unknown>)['vary'] ?? '');
  if (vary.trim() === '') return true;
  const before = (kept.reqh ?? {}) as Record<string, string | undefined>;
  const asked = describe(request).headers;
  return vary
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .every((name) => name !== '*' && before[name] === asked[name]);
}

function statusOf(policy: CachePolicy): number {
  return policy.toObject().st;
}

/** Header fields that show who asks, as text; empty when there are none. */
function identityOf(request: Request): string {
  let text = '';
  request.headers.forEach((value, name) => {
    if (!isImpersonal(name)) text += `${name}: ${value}\n`;
  });
  return text;
}

/** Holds no secret: the identity is hashed, with the key as salt. */
async function personalKey(key: string, identity: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(`${key}\n${identity}`));
  return `${key} ${Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

/** A request as a policy keeps it, and compares it by its Vary. With hashes for what shows who asks: the policy goes to the store. */
function describe({ url, method, headers }: Request): CachePolicy.Request {
  // The query may be what a key of the user's own leaves out.
  const salt = url.split('?', 1)[0];
  const fields = [...headers].map(([name, value]) => [name, isImpersonal(name) ? value : sha256(`${salt}\n${name}: ${value}`)] as const);
  return { url, method, headers: Object.fromEntries(fields) };
}

function describeResponse({ status, headers }: Response): CachePolicy.Response {
  return { status, headers: Object.fromEntries(headers) };
}

/** A response with a URL, which the constructor of the web's class cannot give it. */
function responseOf(body: string, head: { status: number; statusText?: string; headers: any; url: string }): Response {
  const { status, statusText = '', headers, url } = head;
  const isBodiless = status === 204 || status === 205 || status === 304;
  const response = new Response(isBodiless ? null : body, { status, statusText, headers: headers as Headers });
  return Object.defineProperty(response, 'url', { value: url });
}
