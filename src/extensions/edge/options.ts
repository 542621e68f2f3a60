import type { KeyValueCache, Seconds } from '../../datasources/index.ts';
import type { RequestCall } from '../../server/index.ts';
import { dialects } from './dialects.ts';
import type { CDN } from './dialects.ts';
import type { Purge, PurgeClient } from './purge.ts';
import { harmlessHeaders, routerHeaders } from './watched-request.ts';
import type { ReadingRules } from './watched-request.ts';
import { aFunction, assertEntries, hasMethods, isHeaderField, isListOfText, keyValueCache, text } from '../../shared/index.ts';
import type { Expectation } from '../../shared/index.ts';

/** Options of {@link edge}. */
export interface EdgeOptions {
  /** The CDN in front of the function. Undefined: there is no CDN, and `store` keeps the answers. */
  readonly cdn?: CDN | undefined;
  /**
   * A store that all instances of the function share, for example a `KeyvAdapter` over Redis. Answers to GET, QUERY and POST are
   * kept in it, and looked up before any operation runs. Needs `deploy`.
   */
  readonly store?: KeyValueCache | undefined;
  /** Lifetime in seconds of root fields and of fields with selections that have no hint. Default: 0, not kept. */
  readonly defaultMaxAge?: Seconds | undefined;
  /** Seconds that browsers may keep a public answer. Answers in a browser cannot be purged. Default: 0 */
  readonly browserMaxAge?: Seconds | undefined;
  /** Seconds after the lifetime of an answer in which the CDN may send it while it requests a new one (RFC 5861). Default: none */
  readonly staleWhileRevalidate?: Seconds | undefined;
  /** Seconds after the lifetime of an answer in which the CDN may send it when the function fails (RFC 5861). Default: none */
  readonly staleIfError?: Seconds | undefined;
  /**
   * Header fields that `context` may read without making an answer private, for example "accept-language": public answers vary by
   * them. On CloudFront the cache policy must name them too; on Cloudflare, which has no such key, reading one makes the answer private.
   */
  readonly varyHeaders?: readonly string[] | undefined;
  /** Header fields that change no answer, for example "x-request-id". Those of transport and tracing are always among them. */
  readonly ignoredHeaders?: readonly string[] | undefined;
  /**
   * Query parameters in the store's key, in addition to the parameters of GraphQL. Reading any other parameter makes the answer private.
   */
  readonly queryParameters?: readonly string[] | undefined;
  /** A text that is hashed into the ids of tags, for stores that send tags on to clients. */
  readonly salt?: string | undefined;
  /** The name of this deploy: the tag `d:<name>` on CDNs, and part of every key in `store`. Letters, digits and `_ - .` */
  readonly deploy?: string | undefined;
  /**
   * Removes answers from the CDN: `netlifyPurge(purgeCache)`, `cloudflarePurge()` and so on, your function, or an object with your
   * function and its limits. Default: nothing is purged.
   */
  readonly purge?: Purge | PurgeClient | undefined;
  /** Called for every request with the decision whether its answer may be kept, and the reason if not. */
  readonly onDecision?: ((decision: EdgeDecision, call: RequestCall) => void) | undefined;
}

/** The decision whether the store may keep an answer. */
export type EdgeDecision =
  | {
      readonly public: true;
      readonly maxAge: Seconds;
      readonly tags: readonly string[];
      /** The answer came from `store`, and no operation was run. */
      readonly hit?: true | undefined;
    }
  /** The first rule that was broken. */
  | { readonly public: false; readonly reason: string };

/** Header fields that always identify the user, so that no option may list them. */
const personal = ['authorization', 'cookie', 'proxy-authorization', 'set-cookie', 'x-api-key'];

const seconds: Expectation = {
  words: 'a number of seconds, 0 or more',
  holds: (value) => typeof value === 'number' && Number.isFinite(value) && value >= 0,
};
const fieldNames: Expectation = {
  words: 'names of header fields that do not identify the user',
  holds: (value) => isListOfText(value) && value.every((name) => isHeaderField(name, '') && !personal.includes(name.toLowerCase())),
};

const expectations: Readonly<Record<keyof EdgeOptions, Expectation>> = {
  cdn: {
    words: `one of ${Object.keys(dialects).join(', ')}`,
    holds: (value) => text.holds(value) && Object.hasOwn(dialects, value as string),
  },
  store: keyValueCache,
  defaultMaxAge: seconds,
  browserMaxAge: seconds,
  staleWhileRevalidate: seconds,
  staleIfError: seconds,
  varyHeaders: fieldNames,
  ignoredHeaders: fieldNames,
  queryParameters: { words: 'names of query parameters', holds: isListOfText },
  salt: text,
  deploy: { words: 'letters, digits, "_", "-" and "."', holds: (value) => text.holds(value) && /^[\w.-]{1,200}$/.test(value as string) },
  purge: { words: 'a function or a client with purge', holds: (value) => typeof value === 'function' || hasMethods(value, 'purge') },
  onDecision: aFunction,
};

/** Throws for wrong options. */
export function readingRules(options: EdgeOptions): ReadingRules {
  assertEntries('', options, expectations, 'edge');
  const { cdn, store, deploy, purge, varyHeaders = [], ignoredHeaders = [], queryParameters = [] } = options;
  if (cdn === undefined && store === undefined)
    throw new TypeError(`Expected cdn of edge to be ${expectations.cdn.words}, got undefined. Without a CDN, give it a store.`);
  if (purge !== undefined && (cdn === undefined || dialects[cdn].tags === undefined))
    throw new TypeError(
      `Expected edge to have no purge option ${cdn === undefined ? 'without a cdn' : `with cdn "${cdn}", which has no tags for purging`}.`,
    );
  if (store !== undefined && deploy === undefined)
    throw new TypeError(
      'Expected edge with a store to have deploy, the name of this version of this function, because other versions use the same store.',
    );
  return {
    varyHeaders: new Set(varyHeaders.map(lowerCase)),
    ignoredHeaders: new Set([...harmlessHeaders, ...(cdn === 'apollo-router' ? routerHeaders : []), ...ignoredHeaders.map(lowerCase)]),
    queryParameters: new Set(queryParameters),
  };
}

function lowerCase(name: string): string {
  return name.toLowerCase();
}
