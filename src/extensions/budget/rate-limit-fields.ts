import { mayBeStored } from '../../server/for-extensions.ts';
import type { BudgetEntry } from '../../server/for-extensions.ts';
import type { HeaderMap } from '../../shared/index.ts';

/**
 * Writes the fields of draft-ietf-httpapi-ratelimit-headers-11, in the syntax of Structured Fields (RFC 9651). Of several operations, the
 * response describes the one after which the fewest points were left. A response that other clients may get has no such fields, because
 * they are about one client.
 */
export function writeFields(headers: HeaderMap, entries: readonly BudgetEntry[]): void {
  if (mayBeStored(headers)) return;
  let [scarcest] = entries;
  for (const entry of entries) if ((entry.report.left ?? Infinity) <= (scarcest!.report.left ?? Infinity)) scarcest = entry;
  const { policy, limit } = scarcest!;
  headers.set('ratelimit-policy', policy);
  if (limit !== undefined) headers.set('ratelimit', limit);
}
