import type { Seconds } from '../../../cache/key-value-cache.ts';

/** The platform's own objects of the call that has asked for a purge, as Workers need. Undefined: there is no such call. */
export interface PurgePlatform {
  readonly context: unknown;
  readonly env: unknown;
}

/** Removes answers from a CDN, by their tags. It gets at least one tag, at most as many as the client allows, each once. */
export type Purge = (tags: readonly string[], platform: PurgePlatform | undefined) => Promise<unknown>;

/** A way to purge a CDN, with its limits. */
export interface PurgeClient {
  readonly purge: Purge;
  /** The most tags of one call. Default: 30 */
  readonly batchSize?: number | undefined;
  /** The most characters of all tags of one call, with a character between them. Default: no limit */
  readonly batchLength?: number | undefined;
  /** How often one tag may be purged: further purges wait for their turn. Default: no limit */
  readonly perTag?: { readonly times: number; readonly within: Seconds } | undefined;
  /**
   * The header field of a mutation's answer from which the CDN takes the tags, with spaces between them, and purges them. Then `purge`
   * is called for a mutation only to repeat that, after `purgeAgainAfter`. Default: the CDN reads no such field
   */
  readonly answerField?: string | undefined;
}

/** A CDN has refused a purge for now. */
export class PurgeRefused extends Error {
  /** When to ask again. Undefined: the CDN did not say. */
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

function retryAfterIn(headers: PurgeResponse['headers']): Seconds | undefined {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds : undefined;
}
