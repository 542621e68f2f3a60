import type { CDN } from '../../../src/entries/edge.ts';

/** What a cache reads of a request. The web's class has it. */
interface CacheRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: { get(name: string): string | null };
}

/** What a cache reads of a response. The web's class has it. */
interface CacheResponse<TResponse> {
  readonly headers: { get(name: string): string | null; has(name: string): boolean };
  clone(): TResponse;
}

/** A shared cache with the key, the fields and the defaults that a vendor documents. Otherwise it stores as much as it can. */
export class ModelCache<TResponse extends CacheResponse<TResponse> = Response> {
  readonly #cdn: CDN;
  /** The header fields that a cache policy of CloudFront names. */
  readonly #policyHeaders: readonly string[];
  readonly #entries = new Map<
    string,
    {
      readonly response: TResponse;
      readonly until: number;
      readonly tags: readonly string[];
      readonly vary: readonly [string, string | null][];
    }[]
  >();
  time = 0;
  hits = 0;

  constructor(cdn: CDN, policyHeaders: readonly string[]) {
    this.#cdn = cdn;
    this.#policyHeaders = policyHeaders;
  }

  async fetch<TRequest extends CacheRequest>(request: TRequest, origin: (request: TRequest) => Promise<TResponse>): Promise<TResponse> {
    if (request.method !== 'GET') return origin(request);
    const key = this.#keyOf(request);
    const entries = this.#entries.get(key) ?? [];
    const hit = entries.find(({ until, vary }) => until > this.time && vary.every(([name, value]) => request.headers.get(name) === value));
    if (hit !== undefined) {
      this.hits++;
      return hit.response.clone();
    }
    const response = await origin(request);
    const lifetime = this.#lifetimeOf(response);
    if (lifetime > 0) {
      const vary = this.#varyOf(response).map((name): [string, string | null] => [name, request.headers.get(name)]);
      this.#entries.set(key, [
        { response: response.clone(), until: this.time + lifetime, tags: tagsOf(response), vary },
        ...(this.#entries.get(key) ?? []),
      ]);
    }
    return response;
  }

  /** Removes the entries that have one of the tags. */
  purge(tags: readonly string[]): void {
    for (const [key, entries] of this.#entries) this.#entries.set(key, entries.filter((entry) => !tags.some((tag) => entry.tags.includes(tag)))); // prettier-ignore
  }

  #keyOf(request: CacheRequest): string {
    const { pathname, search, host } = new URL(request.url);
    return this.#cdn === 'cloudflare' ? pathname + search : host + pathname + search;
  }

  #varyOf({ headers }: TResponse): string[] {
    const list = (text: string | null, separator: string): string[] =>
      (text ?? '')
        .split(separator)
        .map((one) => one.trim())
        .filter(Boolean);
    if (this.#cdn === 'cloudflare') return [];
    if (this.#cdn === 'cloudfront') return [...this.#policyHeaders];
    if (this.#cdn === 'netlify') return list(/header=([^,]*)/.exec(headers.get('netlify-vary') ?? '')?.[1] ?? null, '|');
    return list(headers.get('vary'), ',');
  }

  #lifetimeOf(response: TResponse): number {
    const { headers } = response;
    const fields = {
      netlify: 'netlify-cdn-cache-control',
      cloudflare: 'cloudflare-cdn-cache-control',
      vercel: 'vercel-cdn-cache-control',
      fastly: 'surrogate-control',
    };
    const own = (fields as Partial<Record<CDN, string>>)[this.#cdn];
    const ownValue = own === undefined ? null : headers.get(own);
    const targeted = this.#cdn === 'cloudfront' || this.#cdn === 'varnish' ? null : headers.get('cdn-cache-control');
    const value = ownValue ?? targeted ?? headers.get('cache-control');
    // Fastly ignores no-store and no-cache, and keeps an answer for two minutes by default.
    if (this.#cdn === 'fastly') {
      if (/private/.test(headers.get('cache-control') ?? '') || headers.has('set-cookie')) return 0;
      return Number(/s-maxage=(\d+)/.exec(value ?? '')?.[1] ?? /(?<!-)max-age=(\d+)/.exec(value ?? '')?.[1] ?? 120);
    }
    // Without Cache-Control, the vendor's default or a heuristic applies.
    if (value === null) return this.#cdn === 'cloudfront' ? 86_400 : 7_200;
    if (/private|no-store|no-cache/.test(value)) return 0;
    const shared = /s-maxage=(\d+)/.exec(value)?.[1] ?? /(?<!-)max-age=(\d+)/.exec(value)?.[1];
    return shared === undefined ? 7_200 : Number(shared);
  }
}

function tagsOf({ headers }: CacheResponse<unknown>): string[] {
  const names = ['netlify-cache-tag', 'cache-tag', 'vercel-cache-tag', 'surrogate-key', 'xkey'];
  return names.flatMap((name) => headers.get(name)?.split(/[ ,]+/) ?? []);
}
