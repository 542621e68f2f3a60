import type { Seconds } from '../../../datasources/index.ts';

/** The platform's objects for the call that purges. Workers needs them. */
export interface PurgePlatform {
  readonly context: unknown;
  readonly env: unknown;
}

/** Removes answers from a CDN by their tags. It gets at least one tag and at most `batchSize`, without duplicates. */
export type Purge = (tags: readonly string[], platform: PurgePlatform | undefined) => Promise<unknown>;

/** A way to purge a CDN, with its limits. */
export interface PurgeClient {
  readonly purge: Purge;
  /** The maximum number of tags in one call. Default: 30 */
  readonly batchSize?: number | undefined;
  /** The maximum total length of the tags in one call, counting one separator between two tags. Default: no limit */
  readonly batchLength?: number | undefined;
  /** The time after which refused tags may be sent again, if the CDN does not say. Default: 3 */
  readonly retryAfter?: Seconds | undefined;
}

/** A CDN has refused a purge for now. */
export class PurgeRefused extends Error {
  /** When to retry. Undefined: the CDN did not say. */
  readonly retryAfter: Seconds | undefined;

  constructor(message: string, retryAfter?: Seconds) {
    super(message);
    this.name = 'PurgeRefused';
    this.retryAfter = retryAfter;
  }
}

/** The part of `fetch` that is needed. */
export type PurgeFetch = (url: string, init: { method: string; headers: Record<string, string>; body?: string }) => Promise<PurgeResponse>;

/** The part of `Response` that is needed. */
export interface PurgeResponse {
  readonly ok: boolean;
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  arrayBuffer(): Promise<unknown>;
}
