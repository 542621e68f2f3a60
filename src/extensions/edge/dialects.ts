import type { Seconds } from '../../datasources/index.ts';

/**
 * The store in front of the function: "rfc9213" is any that reads `CDN-Cache-Control`, "apollo-router" is the cache of a router in front of
 * a federation subgraph.
 */
export type CDN = 'netlify' | 'cloudflare' | 'cloudfront' | 'vercel' | 'fastly' | 'varnish' | 'rfc9213' | 'apollo-router';

/** The header fields that a store reads, and their limits. */
export interface Dialect {
  /** The field with the lifetime for the store only. Undefined if it reads `s-maxage` of Cache-Control. */
  readonly lifetime?: string;
  /** A directive beside the lifetime. */
  readonly directive?: string;
  /** False for a store that does not read stale-while-revalidate and stale-if-error, such as Cloudflare with `s-maxage`. Default: true */
  readonly stale?: boolean;
  /** The form of tags; undefined if the store has no tags. */
  readonly tags?: TagDialect;
  /**
   * The effect of `Vary`. "listed": fields other than Accept count if the store's own settings name them. "written": those of `varyHeaders`
   * and Origin count, because answers name them in another field. "ignored": they never count.
   */
  readonly vary: 'honoured' | 'listed' | 'written' | 'ignored';
  /**
   * False for a store whose key has no `accept` unless a setting adds it, so that all clients share one answer. Then public answers are
   * application/json, which every client of GraphQL reads, and a client that does not accept it gets a private answer. Default: true
   */
  readonly keyHasAccept?: boolean;
  /** The methods whose answers the store keeps. The key of a CDN is a URL, so a CDN keeps answers to GET only. Default: GET */
  readonly methods?: readonly string[];
}

/** The tags of a store, with its limits for them. */
export interface TagDialect {
  /** The header field for tags; undefined if the tags go into the `extensions` of the answer. */
  readonly header: string | undefined;
  readonly separator: ',' | ' ';
  /** The most tags of one answer. */
  readonly maxTags: number;
  /** The most characters of one tag. */
  readonly maxLength: number;
  /** The most characters of all tags of an answer, with their separators. */
  readonly maxTotal: number;
}

/** Characters of a header field that every host accepts: Node refuses a response head above 16 KiB. */
const safeTotal = 8_000;

/**
 * The limits that vendors documented in November 2026. If a vendor documents none, we chose one. Tags consist of letters, digits and `_ - .
 * :`, which all vendors accept. A vendor that ignores case may purge more than was named, never less.
 */
export const dialects: Readonly<Record<CDN, Dialect>> = {
  netlify: {
    lifetime: 'netlify-cdn-cache-control',
    directive: 'durable',
    tags: { header: 'netlify-cache-tag', separator: ',', maxTags: 500, maxLength: 256, maxTotal: safeTotal },
    vary: 'written',
  },
  cloudflare: {
    lifetime: 'cloudflare-cdn-cache-control',
    tags: { header: 'cache-tag', separator: ',', maxTags: 1_000, maxLength: 1_024, maxTotal: safeTotal },
    vary: 'ignored',
    keyHasAccept: false,
  },
  cloudfront: {
    tags: { header: 'cache-tag', separator: ',', maxTags: 50, maxLength: 256, maxTotal: safeTotal },
    vary: 'listed',
    keyHasAccept: false,
  },
  vercel: {
    lifetime: 'vercel-cdn-cache-control',
    tags: { header: 'vercel-cache-tag', separator: ',', maxTags: 128, maxLength: 256, maxTotal: safeTotal },
    vary: 'honoured',
  },
  fastly: {
    lifetime: 'surrogate-control',
    tags: { header: 'surrogate-key', separator: ' ', maxTags: 1_000, maxLength: 1_024, maxTotal: 16_384 },
    vary: 'honoured',
  },
  varnish: {
    // Varnish refuses a field of more than 8 KiB (http_resp_hdr_len).
    tags: { header: 'xkey', separator: ' ', maxTags: 1_000, maxLength: 1_024, maxTotal: safeTotal },
    vary: 'honoured',
  },
  rfc9213: { lifetime: 'cdn-cache-control', vary: 'honoured' },
  'apollo-router': {
    // Replaces the lifetime for browsers, which do not call a subgraph.
    lifetime: 'cache-control',
    stale: false,
    tags: { header: undefined, separator: ',', maxTags: 10_000, maxLength: 10_000, maxTotal: Infinity },
    vary: 'ignored',
    // HTTP caches on the way keep no answers to POST: they do not know the secret of the router.
    methods: ['POST'],
  },
};

/** How long an answer may be kept, and how long it may be used after that. */
export interface Lifetime {
  readonly maxAge: Seconds;
  readonly staleWhileRevalidate: Seconds | undefined;
  readonly staleIfError: Seconds | undefined;
  readonly browserMaxAge: Seconds;
}

/** The fields with the lifetime. Browsers get a separate one, because answers in a browser cannot be purged. */
export function lifetimeFields({ lifetime, directive, stale = true }: Dialect, given: Lifetime): [name: string, value: string][] {
  const browser = given.browserMaxAge === 0 ? 'max-age=0, must-revalidate' : `max-age=${Math.min(given.browserMaxAge, given.maxAge)}`;
  const { staleWhileRevalidate, staleIfError } = stale ? given : {};
  const limits = Object.entries({ 'stale-while-revalidate': staleWhileRevalidate, 'stale-if-error': staleIfError });
  const after = limits.flatMap(([name, seconds]) => (seconds === undefined ? [] : `${name}=${seconds}`));
  if (lifetime === undefined)
    return [['cache-control', ['public', browser.split(',')[0], `s-maxage=${given.maxAge}`, ...after].join(', ')]];
  const edge = [...(lifetime === 'surrogate-control' ? [] : ['public', directive ?? []].flat()), `max-age=${given.maxAge}`];
  return [
    ['cache-control', `public, ${browser}`],
    [lifetime, [...edge, ...after].join(', ')],
  ];
}
