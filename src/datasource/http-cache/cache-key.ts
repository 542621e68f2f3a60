import { sha256 } from './sha256.ts';

/** The result of `cacheKeyFor`, checked. Anything but a text would be one key for everything: "undefined", "[object Promise]". */
export function assertCacheKey(key: unknown): string {
  if (typeof key === 'string' && key !== '') return key;
  throw new TypeError(
    `cacheKeyFor must return a string, not ${wordFor(key)}. It may not be async: what takes time can be done in willSendRequest`,
  );
}

/** The value of `cacheIdentity`, as text; undefined and null are none. */
export function toCacheIdentity(identity: unknown): string | undefined {
  if (typeof identity === 'string' || identity === undefined) return identity;
  if (identity === null) return undefined;
  if (typeof identity === 'number' || typeof identity === 'bigint') return `${identity}`;
  throw new TypeError(`cacheIdentity must be a string that tells users apart, not ${wordFor(identity)}`);
}

function wordFor(value: unknown): string {
  if (value === '') return 'an empty one';
  if (typeof value !== 'object' || value === null) return String(value);
  return typeof (value as { then?: unknown }).then === 'function' ? 'a promise' : 'an object';
}

/** A URL without what could be a secret in it; short enough for stores that cut keys (memcached: 250 bytes). */
const readableStart = /^https?:\/\/[^/?#@\s]{1,80}(?:\/[\w\-./~%!$&'()*+,;=:@]{0,80})?(?=\?|$)/i;

/**
 * The key for a store that others can read. Origin and path of a URL stay readable, for people who look for an entry, or delete
 * it; query parameters, in which tokens travel, and keys of any other form are hashed.
 */
export function readableKeyOf(key: string): string {
  const readable = readableStart.exec(key)?.[0];
  if (readable === key) return key;
  return readable === undefined ? `#${sha256(key)}` : `${readable}?${sha256(key)}`;
}
