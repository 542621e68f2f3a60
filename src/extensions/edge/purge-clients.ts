import { secondsToRetry } from '../../datasources/index.ts';
import type { PurgeClient } from './purge.ts';

/**
 * Purges Netlify's cache with `purgeCache` of `@netlify/functions`. Netlify lets each tag be purged twice in 5 seconds (November 2026).
 *
 * @example
 * edge({ cdn: 'netlify', purge: netlifyPurge(purgeCache) })
 */
export function netlifyPurge(purgeCache: (options: { tags: string[] }) => Promise<unknown>): PurgeClient {
  return { purge: (tags) => purgeCache({ tags: [...tags] }), batchSize: 100 };
}

/** The execution context of a worker whose cache is on. */
interface CachingContext {
  readonly cache?: { purge?: (options: { tags: string[] }) => Promise<unknown> } | undefined;
}

/**
 * Purges the Workers Cache with `ctx.cache.purge` of the call: 100 tags at a time, as often as the plan allows (November 2026: 5 times a
 * minute on the free plan, so refused tags are sent again after 12 seconds).
 *
 * @example
 * edge({ cdn: 'cloudflare', purge: cloudflarePurge() })
 */
export function cloudflarePurge(): PurgeClient {
  return {
    batchSize: 100,
    retryAfter: 12,
    async purge(tags, platform) {
      const { cache } = (platform?.context ?? {}) as CachingContext;
      if (typeof cache?.purge !== 'function')
        throw new Error(
          'Expected a worker\'s execution context with cache.purge: set "cache": { "enabled": true } in the settings of wrangler.',
        );
      const result = (await cache.purge({ tags: [...tags] })) as { success?: boolean } | null | undefined;
      if (result?.success === false) throw new Error('Cloudflare has refused a purge.');
    },
  };
}

/** The input of CloudFront's CreateInvalidation. */
export interface InvalidationInput {
  readonly DistributionId: string;
  readonly InvalidationBatch: { readonly CallerReference: string; readonly Paths: { readonly Quantity: number; readonly Items: string[] } };
}

/**
 * Invalidates answers of a CloudFront distribution by tag. Every tag counts as a path: 1,000 a month are free, and 3,000 may be in
 * progress at once (November 2026).
 *
 * @example
 * const client = new CloudFrontClient();
 * const send = (input: InvalidationInput) => client.send(new CreateInvalidationCommand(input));
 * edge({ cdn: 'cloudfront', purge: cloudFrontPurge({ distributionId: 'E123', send }) });
 */
export function cloudFrontPurge(options: {
  readonly distributionId: string;
  /** Sends the command, for example with `@aws-sdk/client-cloudfront`. */
  readonly send: (input: InvalidationInput) => Promise<unknown>;
}): PurgeClient {
  return {
    batchSize: 1_000,
    purge: (tags) => {
      const Paths = { Quantity: tags.length, Items: tags.map((tag) => `#${tag}`) };
      const CallerReference = `${Date.now()}-${Math.random().toString(36).slice(2)}`;
      return options.send({ DistributionId: options.distributionId, InvalidationBatch: { CallerReference, Paths } });
    },
  };
}

/**
 * Purges Vercel's cache with a function of `@vercel/functions`: `dangerouslyDeleteByTag`, or `invalidateByTag`, after which the
 * next reader still gets the old answer while a new one is made.
 *
 * @example
 * edge({ cdn: 'vercel', purge: vercelPurge(dangerouslyDeleteByTag) })
 */
export function vercelPurge(byTag: (tags: string[]) => Promise<unknown>): PurgeClient {
  // Vercel's API takes 8,196 characters of tags, each of which may have 256.
  return { purge: (tags) => byTag([...tags]), batchSize: 30 };
}

/**
 * Purges a Fastly service by surrogate keys, 256 a call (November 2026).
 *
 * @example
 * edge({ cdn: 'fastly', purge: fastlyPurge({ serviceId: 'SU1Z0isxPaozGVKXdv0eY', token: process.env.FASTLY_TOKEN }) })
 */
export function fastlyPurge(options: {
  readonly serviceId: string;
  /** An API token with the scope `purge_select`. */
  readonly token: string;
  /** Marks answers as stale, so that stale-while-revalidate and stale-if-error may still send them. Default: false */
  readonly soft?: boolean | undefined;
}): PurgeClient {
  const { serviceId, token, soft = false } = options;
  const url = `https://api.fastly.com/service/${encodeURIComponent(serviceId)}/purge`;
  const headers = { accept: 'application/json', 'content-type': 'application/json', 'fastly-key': token };
  return {
    batchSize: 256,
    async purge(tags) {
      const body = JSON.stringify({ surrogate_keys: tags });
      const response = await fetch(url, { method: 'POST', headers: { ...headers, ...(soft && { 'fastly-soft-purge': '1' }) }, body });
      // An unread body would keep the connection in use.
      await response.arrayBuffer();
      const error = new Error(`Fastly answered a purge with ${response.status}.`);
      if (!response.ok) throw Object.assign(error, { retryAfter: secondsToRetry(response) });
    },
  };
}
