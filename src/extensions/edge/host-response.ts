import type { RequestCall } from '../../server/index.ts';

/** The part of node:http's response that middleware before the handler may have changed. */
interface HostResponse {
  getHeader(name: string): number | string | readonly string[] | undefined;
}

/** Returns the host's response; undefined if no middleware shares the response on this platform. */
function hostResponseOf({ platform, invocation }: RequestCall): HostResponse | undefined {
  return platform === 'node:http' ? (invocation.event as { readonly response: HostResponse }).response : undefined;
}

/**
 * Returns the reason if something that middleware did makes the answer private. Express sessions replace `writeHead`, and set their cookie
 * there.
 */
export function reasonInHost(call: RequestCall): string | undefined {
  const response = hostResponseOf(call);
  if (response === undefined) return undefined;
  const field = ['set-cookie', 'cache-control', 'expires'].find((name) => response.getHeader(name) !== undefined);
  if (field !== undefined) return `middleware has set ${field}`;
  return Object.hasOwn(response, 'writeHead') ? 'middleware has replaced writeHead, where it may set a cookie' : undefined;
}

/** The fields by which an answer varies, those of middleware included. */
export function varyWithHost(vary: string | null, call: RequestCall): string | null {
  const added = hostResponseOf(call)?.getHeader('vary');
  return added === undefined ? vary : [vary ?? '', added].flat().join(', ');
}
