import type { Seconds } from '../../../cache/key-value-cache.ts';

/** The platform's own objects of the call that has asked for a purge, as Workers need. Undefined: there is no such call. */
export interface PurgePlatform {
  readonly context: unknown;
  readonly env: unknown;
}

/** Takes answers back from a CDN, by their tags. At least one tag, at most as many as the client says, each once. */
export type Purge = (tags: readonly string[], platform: PurgePlatform | undefined) => Promise<unknown>;

/** A way to purge a CDN, with what it lets be purged. */
export interface PurgeClient {
  readonly purge: Purge;
  /** Tags of one call. Default: 30 */
  readonly batchSize?: number | undefined;
  /** Characters of all tags of one call, with a character between them. Default: no limit */
  readonly batchLength?: number | undefined;
  /** How often one tag may be purged: more wait for their turn. Default: no limit */
  readonly perTag?: { readonly times: number; readonly within: Seconds } | undefined;
}

/** A CDN has refused a purge for now. */
export class PurgeRefused extends Error {
  /** When to ask again. Undefined: it did not say. */
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

/** Sends a purge. Rejects unless the CDN has said yes. */
export async function sendPurge(name: string, fetch: PurgeFetch, [url, init]: Parameters<PurgeFetch>): Promise<void> {
  const response = await fetch(url, init);
  // Else the connection stays taken.
  await response.arrayBuffer();
  if (!response.ok) throw new PurgeRefused(`${name} answered a purge with ${response.status}.`, retryAfterIn(response.headers));
}

function retryAfterIn(headers: PurgeResponse['headers']): Seconds | undefined {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds : undefined;
}
