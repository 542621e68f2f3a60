import type { KeyValueCache, Seconds } from '../../datasources/index.ts';
import type { RequestCall } from '../../server/index.ts';
import { dialects } from './dialects.ts';
import type { CDN } from './dialects.ts';
import type { Purge, PurgeClient } from './purge/purge-client.ts';
import { harmlessHeaders, operationParameters, routerHeaders } from './watched-request.ts';
import type { ReadingRules } from './watched-request.ts';
import { assertKnownOptions } from '../../shared/index.ts';

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
  /** Seconds after its lifetime in which the CDN may send an answer while it requests a new one (RFC 5861). Default: none */
  readonly staleWhileRevalidate?: Seconds | undefined;
  /** Seconds after its lifetime in which the CDN may send an answer when the function fails (RFC 5861). Default: none */
  readonly staleIfError?: Seconds | undefined;
  /**
   * Header fields that `context` may read without making an answer private, for example "accept-language": public answers vary by
   * them. On CloudFront the cache policy must name them too; on Cloudflare, which has no such key, reading one makes the answer private.
   */
  readonly varyHeaders?: readonly string[] | undefined;
  /** Header fields that change no answer, for example "x-request-id". Those of transport and tracing are always among them. */
  readonly ignoredHeaders?: readonly string[] | undefined;
  /** Query parameters, beside those of GraphQL, that are in the store's key. Reading others makes the answer private. */
  readonly queryParameters?: readonly string[] | undefined;
  /**
   * Names an object of an answer by the value that a resolver has returned for it: the same object must have the same name in
   * every answer. Undefined: the object has no name, and every change of its type purges the answer. Default: its field `id`, if the client
   * has selected it
   */
  // `any`: as the first argument of a resolver.
  readonly entity?: ((typename: string, object: any) => string | number | undefined) | undefined;
  /** Hashed into the ids of tags, for stores that send their tags on to clients. */
  readonly salt?: string | undefined;
  /** The name of the deploy, added as a tag where the store keeps answers across deploys. Letters, digits and `_ - .` */
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

/** Throws for wrong options. */
export function readingRules(options: EdgeOptions): ReadingRules {
  const { cdn, deploy, varyHeaders = [], ignoredHeaders = [], queryParameters = [] } = options;
  assertKnownOptions(options, known, { of: 'edge' });
  assertKeepers(options);
  for (const name of seconds) assertSeconds(name, options[name]);
  if (deploy !== undefined && !/^[\w.-]{1,200}$/.test(deploy))
    throw new TypeError(`Expected deploy of edge to be letters, digits, "_", "-" and ".", got ${JSON.stringify(deploy)}.`);
  return {
    varyHeaders: names('varyHeaders', varyHeaders),
    ignoredHeaders: new Set([
      ...harmlessHeaders,
      ...(cdn === 'apollo-router' ? routerHeaders : []),
      ...names('ignoredHeaders', ignoredHeaders),
    ]),
    queryParameters: new Set([...operationParameters, ...queryParameters]),
  };
}

function assertKeepers({ cdn, store, deploy, purge }: EdgeOptions): void {
  if (cdn === undefined ? store === undefined : !Object.hasOwn(dialects, cdn))
    throw new TypeError(
      `Expected cdn of edge to be one of ${Object.keys(dialects).join(', ')}, got ${cdn}. Without a CDN, give it a store.`,
    );
  if (purge !== undefined && (cdn === undefined || dialects[cdn].tags === undefined))
    throw new TypeError(
      `Expected edge to have no purge option ${cdn === undefined ? 'without a cdn' : `with cdn "${cdn}", which has no tags for purging`}.`,
    );
  if (store === undefined) return;
  if (typeof store?.get !== 'function' || typeof store.set !== 'function')
    throw new TypeError('Expected store of edge to be a KeyValueCache, with get, set and delete.');
  if (deploy === undefined)
    throw new TypeError(
      'Expected edge with a store to have deploy, the name of this version of this function, because other versions use the same store.',
    );
}

const known: Readonly<Record<keyof EdgeOptions, true>> = {
  cdn: true,
  store: true,
  defaultMaxAge: true,
  browserMaxAge: true,
  staleWhileRevalidate: true,
  staleIfError: true,
  varyHeaders: true,
  ignoredHeaders: true,
  queryParameters: true,
  entity: true,
  salt: true,
  deploy: true,
  purge: true,
  onDecision: true,
};

const seconds = ['defaultMaxAge', 'browserMaxAge', 'staleWhileRevalidate', 'staleIfError'] as const;

function assertSeconds(name: string, value: unknown): void {
  if (value === undefined || (typeof value === 'number' && Number.isFinite(value) && value >= 0)) return;
  throw new TypeError(`Expected ${name} of edge to be a number of seconds, 0 or more, got ${String(value)}.`);
}

/** Headers that always identify the user, so that no option may list them. */
const personal = new Set(['authorization', 'cookie', 'proxy-authorization', 'set-cookie', 'x-api-key']);

function names(option: string, given: readonly string[]): Set<string> {
  const lower = given.map((name) => name.toLowerCase());
  for (const name of lower)
    if (personal.has(name) || !/^[!#$%&'*+\-.^_`|~0-9a-z]+$/.test(name))
      throw new TypeError(
        `Expected ${option} of edge to be names of header fields that do not identify the user, got ${JSON.stringify(name)}.`,
      );
  return new Set(lower);
}
