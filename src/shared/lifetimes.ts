import type { HeaderMap } from './header-map.ts';

/** True if the header fields allow some cache to store the response. */
export function mayBeStored(headers: HeaderMap): boolean {
  const value = headers.get('cache-control');
  if (value !== null && !/(?:^|[\s,])(?:private|no-store)(?:$|[\s,])/i.test(value)) return true;
  return lifetimes.some((name) => name !== 'cache-control' && headers.has(name));
}

/** Removes the lifetimes that the user has set, from a response that no cache may store, such as an error. */
export function removeLifetimes(headers: HeaderMap): void {
  if (!headers.isEmpty) for (const name of lifetimes) headers.delete(name);
}

/** All but the first take precedence over `cache-control` in some cache (RFC 9213, and fields of vendors). */
const lifetimes = [
  'cache-control',
  'expires',
  'cdn-cache-control',
  'netlify-cdn-cache-control',
  'cloudflare-cdn-cache-control',
  'vercel-cdn-cache-control',
  'surrogate-control',
  'edge-control',
  'x-accel-expires',
];
