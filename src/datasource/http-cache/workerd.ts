/**
 * Whether this is Cloudflare's workerd. There, fetches and timers die with the invocation that began them, so no
 * invocation may wait for a promise of another: it could wait for ever.
 */
export function isWorkerd(): boolean {
  return 'WebSocketPair' in globalThis;
}
