import type { EntryHead } from './cache-entry.ts';
import type { CacheLookup } from './origin-fetch.ts';

const warned = new Set<string>();

/**
 * Says in development, once for each data source class, that a response is stored for everybody although nobody knows whether
 * it is one user's: its origin did not call it public, and what `httpFetch` adds to a request cannot be seen.
 */
export function warnOfUnknownUser({ warn, hasOwnFetch, cacheIdentity, sourceName }: CacheLookup, head: EntryHead): void {
  if (warn === undefined || !hasOwnFetch || cacheIdentity !== undefined || head.audience === 'everybody' || head.audienceHash !== '')
    return;
  if (warned.has(sourceName)) return;
  warned.add(sourceName);
  warn(
    `${sourceName} sends with its own httpFetch, and a response was stored for every user: no header field that the data source ` +
      'set tells users apart, and the response does not say "public". If httpFetch adds credentials, set cacheIdentity to ' +
      'what tells users apart, for example get cacheIdentity() { return this.context.userId; }. ' +
      "If it adds none, set cacheIdentity = '' in the class.",
  );
}
