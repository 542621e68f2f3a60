import { mayBeStored } from '../../shared/index.ts';
import type { BudgetReport, HeaderMap } from '../../shared/index.ts';

/** The points that an operation took, and its entries in the header fields. */
export interface BudgetEntry {
  readonly report: BudgetReport;
  /** The value of `RateLimit-Policy`. */
  readonly policy: string;
  /** The value of `RateLimit`; undefined if the store has failed. */
  readonly limit: string | undefined;
}

/**
 * Writes the fields of draft-ietf-httpapi-ratelimit-headers-11, in the syntax of Structured Fields (RFC 9651). A response
 * that other clients may get has no such fields, because they are about one client.
 */
export function writeFields(headers: HeaderMap, { policy, limit }: BudgetEntry): void {
  if (mayBeStored(headers)) return;
  headers.set('ratelimit-policy', policy);
  if (limit !== undefined) headers.set('ratelimit', limit);
}
