import { describe, sha256 } from '../../shared/index.ts';

/** Checks the result of `cacheKeyFor`: with a promise, every request would have the key "[object Promise]". */
export function assertCacheKey(key: unknown): string {
  if (typeof key === 'string' && key !== '') return key;
  throw new TypeError(
    `cacheKeyFor must return a string, not ${describe(key)}. It cannot be async: use willSendRequest for asynchronous work`,
  );
}

/** The value of `cacheIdentity` as text. */
export function toCacheIdentity(identity: unknown): string | undefined {
  if (typeof identity === 'string' || identity === undefined) return identity;
  if (identity === null) return undefined;
  if (typeof identity === 'number' || typeof identity === 'bigint') return `${identity}`;
  throw new TypeError(`cacheIdentity must be a string that identifies the user, not ${describe(identity)}`);
}

/** The part of a URL that cannot contain secrets, short enough for stores that limit the length of keys (memcached: 250 bytes). */
const readableStart = /^https?:\/\/[^/?#@\s]{1,80}(?:\/[\w\-./~%!$&'()*+,;=:@]{0,80})?(?=\?|$)/i;

/** The key for an external store: origin and path stay readable; query parameters, which may contain tokens, and other keys are hashed. */
export function readableKeyOf(key: string): string {
  const readable = readableStart.exec(key)?.[0];
  if (readable === key) return key;
  return readable === undefined ? `#${sha256(key)}` : `${readable}?${sha256(key)}`;
}
