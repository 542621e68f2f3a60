import type { HeaderMap } from '../message/header-map.ts';

/**
 * What an answer says of caching when nobody has said anything. Without it a CDN may keep a personal answer by its own default:
 * two hours on Cloudflare, whose key has no cookies, a day on CloudFront; browsers and proxies guess (RFC 9111 section 4.2.2).
 */
export const unmarked = 'private, no-store';

/** Whether the user has said how long an answer may be kept. What is said to a CDN alone leaves `cache-control` to us: browsers read that. */
export function isMarked(headers: HeaderMap): boolean {
  return headers.has('cache-control') || headers.has('expires');
}

/** Fields by which a store keeps an answer whatever `cache-control` says (RFC 9213, and each vendor's own). */
const lifetimes = [
  'cdn-cache-control',
  'netlify-cdn-cache-control',
  'cloudflare-cdn-cache-control',
  'vercel-cdn-cache-control',
  'surrogate-control',
  'edge-control',
  'x-accel-expires',
  'expires',
];

/** Takes them off an answer that no store may keep: the user meant the successful ones. */
export function removeLifetimes(headers: HeaderMap): void {
  if (!headers.isEmpty) for (const name of lifetimes) headers.delete(name);
}
