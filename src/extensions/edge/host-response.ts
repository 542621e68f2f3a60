import type { RequestCall } from '../../server/index.ts';

/** The part of node:http's response that is used. Middleware before the handler may have set its fields, and may still do so. */
export interface HostResponse {
  getHeader(name: string): number | string | readonly string[] | undefined;
  setHeader(name: string, value: never): unknown;
  appendHeader?(name: string, value: never): unknown;
  removeHeader(name: string): void;
}

/** Undefined if no middleware shares the response on this platform. */
export function hostResponseOf({ platform, invocation }: RequestCall): HostResponse | undefined {
  return platform === 'node:http' ? (invocation.event as { readonly response: HostResponse }).response : undefined;
}

/** The reason why the fields that middleware has set make the answer private. Undefined: there is no such field. */
export function reasonInHost(response: HostResponse): string | undefined {
  if (response.getHeader('set-cookie') !== undefined) return 'middleware sets a cookie';
  const isMarked = response.getHeader('cache-control') !== undefined || response.getHeader('expires') !== undefined;
  return isMarked ? 'middleware has set cache-control' : undefined;
}

/** The fields by which an answer varies, those of middleware included. */
export function varyWithHost(vary: string | null, response: HostResponse | undefined): string | null {
  const added = response?.getHeader('vary');
  return added === undefined ? vary : [vary ?? '', added].flat().join(', ');
}

/**
 * Makes an answer private when a cookie is added after the decision: Express sessions replace `writeHead` of the response and set their
 * cookie there. `publicFields`: those that may not be sent with a cookie.
 */
export function withdrawIfCookieComes(response: HostResponse, publicFields: readonly string[]): void {
  if (!Object.hasOwn(response, 'writeHead')) return;
  const [set, append] = [response.setHeader.bind(response), response.appendHeader?.bind(response)];
  let isPublic = true;
  const admit = (name: string): boolean => {
    const field = name.toLowerCase();
    if (field === 'set-cookie' && isPublic) {
      isPublic = false;
      for (const one of publicFields) response.removeHeader(one);
      set('cache-control', 'private, no-store' as never);
    }
    return isPublic || !publicFields.includes(field);
  };
  response.setHeader = (name, value) => {
    if (admit(name)) set(name, value);
    return response;
  };
  if (append === undefined) return;
  response.appendHeader = (name, value) => {
    if (admit(name)) append(name, value);
    return response;
  };
}
