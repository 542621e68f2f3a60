import type { HeaderMap } from '../../shared/index.ts';
import { runtime } from './runtime.ts';

/** A call as the platform made it. */
export interface PlatformCall {
  // Any: each platform passes its own objects.
  readonly event: any;
  readonly context: any;
  readonly env?: any;
}

/**
 * The client's address as the platform reports it, or undefined. Clients can write X-Forwarded-For themselves, so only its last
 * entry counts, and only where a load balancer is known to append that entry.
 */
export function clientAddress({ event, context, env }: PlatformCall, headers: HeaderMap): string | undefined {
  const gateway = event?.requestContext ?? {};
  const reported: unknown =
    gateway.identity?.sourceIp ??
    gateway.http?.sourceIp ??
    event?.request?.socket?.remoteAddress ??
    addressFromNetlify(event, context, headers) ??
    addressFromRuntime({ event, context: env ?? context }, headers);
  if (typeof reported === 'string') return reported;
  return appendsAddress(event, gateway as object) ? lastForwarded(headers) : undefined;
}

/** Netlify's events have no `requestContext`; Netlify sets the field itself. Functions that get a `Request` have `context.ip`. */
function addressFromNetlify(event: any, context: any, headers: HeaderMap): unknown {
  const isEvent = typeof event?.httpMethod === 'string' && event.requestContext === undefined;
  return isEvent ? headers.get('x-nf-client-connection-ip') : context?.ip;
}

/** Cloudflare sets the field itself, but elsewhere clients can write it. The servers of Deno and Bun pass objects that know the connection. */
function addressFromRuntime({ event, context }: PlatformCall, headers: HeaderMap): unknown {
  switch (runtime()) {
    case 'Cloudflare-Workers':
      return headers.get('cf-connecting-ip');
    case 'Deno':
      return context?.remoteAddr?.hostname;
    case 'Bun':
      return (context as BunServer | undefined)?.requestIP?.(event)?.address;
    default:
      return undefined;
  }
}

interface BunServer {
  readonly requestIP?: (request: unknown) => { readonly address: string } | null;
}

/** Application Load Balancer, VPC Lattice (both formats) and Azure's front end. */
function appendsAddress(event: any, gateway: object): boolean {
  if ('elb' in gateway || 'serviceArn' in gateway || 'serviceNetworkArn' in gateway) return true;
  return typeof event?.raw_path === 'string' || (event?.request !== undefined && event.context !== undefined);
}

/** Azure adds the port, and a load balancer can be configured to do so. */
function lastForwarded(headers: HeaderMap): string | undefined {
  const last = headers.get('x-forwarded-for')?.split(',').at(-1)?.trim();
  return last?.replace(/^\[(.+)\](?::\d+)?$|^([\d.]+):\d+$/, '$1$2') || undefined;
}
