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
  /**
   * The shortest time between two purges by one process. A purge after a quiet time is sent at once; tags that come sooner after it are
   * sent together. 0: each purge is sent at once, as always on Workers. Default: 0.1
   */
  readonly interval?: Seconds | undefined;
  /** The time after which a refused purge may be retried, if the CDN does not say. Default: 1 second, then 2, 4 and so on */
  readonly retryAfter?: Seconds | undefined;
  /**
   * A header field in the answer to a mutation, with the tags separated by spaces. The CDN reads it and purges these tags, so `purge` is
   * called only for the repeat. Default: the CDN reads no such field
   */
  readonly answerField?: string | undefined;
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

/** Sends a purge. Rejects unless the CDN has confirmed it. */
export async function sendPurge(name: string, fetch: PurgeFetch, [url, init]: Parameters<PurgeFetch>): Promise<void> {
  const response = await fetch(url, init);
  // An unread body would keep the connection in use.
  await response.arrayBuffer();
  if (!response.ok) throw new PurgeRefused(`${name} answered a purge with ${response.status}.`, retryAfterIn(response.headers));
}

/** Seconds, or a date (RFC 9110 section 10.2.3). */
function retryAfterIn(headers: PurgeResponse['headers']): Seconds | undefined {
  const value = headers.get('retry-after')?.trim() ?? '';
  const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1_000;
  return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined;
}
