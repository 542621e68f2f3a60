import { HeaderMap } from '../../shared/index.ts';
import type { HTTPRequest, HTTPResponse, ResultLimit, StreamedResponse } from '../../shared/index.ts';

/**
 * One source of requests. To add a platform, add such a value to its list. Any client may have made up an event: a missing key or a
 * wrong type is a `malformedEvent`, never a TypeError.
 */
export interface PlatformAdapter<TEvent = UnknownEvent, TResult = unknown> extends ResultLimit {
  /** True if an event comes from this source. If two adapters recognize an event, the first in the list gets it. */
  readonly recognizes: (event: UnknownEvent) => boolean;
  /** The call as the adapter takes it, if the platform wraps its event. Absent: as it is. */
  readonly unwrap?: (call: Required<PlatformCall>) => Required<PlatformCall>;
  readonly toRequest: (event: TEvent) => HTTPRequest;
  /** The result for the platform. Some platforms refuse results with unknown keys. */
  readonly toResult: (response: HTTPResponse, event: TEvent) => TResult;
  /** The result for a body that comes in chunks. Absent: the platform cannot stream. */
  readonly toStreamResult?: (response: StreamedResponse, event: TEvent) => TResult;
  /**
   * The platform's function that keeps the process alive for work after the answer. Absent, or undefined for this call: the process
   * may freeze after the answer, so the answer waits for such work.
   */
  readonly keepAlive?: (context: unknown) => ((work: Promise<unknown>) => void) | undefined;
  /** Calls back when the client disconnects before the answer. Absent: the platform does not report that. */
  readonly onLeave?: (event: TEvent, leave: () => void) => void;
  /** Milliseconds from the start of the call that the platform waits for an answer, if it does not report that itself. Absent: no limit. */
  readonly timeLimit?: (context: unknown) => number | undefined;
  /** True: the platform decodes a body that the result marks with `isBase64Encoded`, so plugins may encode it. */
  readonly decodesBase64?: boolean;
  /** A message for the log that names what the platform cannot send of this response; undefined if it can send all of it. */
  readonly losses?: (response: HTTPResponse, event: TEvent) => string | undefined;
}

/** An event of unknown origin: any key may be missing, and of any type. */
export type UnknownEvent = Readonly<Record<string, unknown>>;

/** The largest result of an AWS Lambda function, measured with its runtime client: 6 MiB and 100 bytes. */
export const lambdaResultBytes = 6_291_556;

/**
 * The first adapter that recognizes the event. Throws for any other event: a result would acknowledge the messages of a queue, which
 * nobody has read. `expected`: the sources that the error names.
 */
export function findAdapter(
  adapters: readonly PlatformAdapter<never>[],
  event: unknown,
  expected: readonly PlatformAdapter<never>[] = adapters,
): PlatformAdapter<unknown> {
  if (typeof event === 'object' && event !== null && !Array.isArray(event)) {
    for (const adapter of adapters) if (adapter.recognizes(event as UnknownEvent)) return adapter as PlatformAdapter<unknown>;
  }
  const names = expected.map(({ name }) => name);
  // Only these events are often written by hand.
  const hint = names.includes('direct invocation') ? ' A direct invocation has a key called query: { "query": "{ … }" }.' : '';
  throw new Error(`Expected an event of ${names.join(', ')}; got ${keysSeen(event)}.${hint}`);
}

/** The keys of the event, without values, which may be secrets. */
function keysSeen(event: unknown): string {
  if (event === null || event === undefined) return String(event);
  if (typeof event !== 'object') return `a ${typeof event}`;
  if (Array.isArray(event)) return `an array of ${event.length}`;
  const keys = Object.keys(event);
  const shown = keys.slice(0, 20).map((key) => key.slice(0, 40));
  return `an object with the keys ${shown.join(', ')}${keys.length > shown.length ? ', …' : ''}`;
}

/** A call that keeps the function warm. It is answered like a health check, but only with a status. */
export const ping: PlatformAdapter<UnknownEvent, { statusCode: number }> = {
  name: 'warm-up ping',
  recognizes: (event) => Object.keys(event).length === 0 || isWarmUp(event) || isSchedule(event),
  toRequest: pingRequest,
  toResult: (response) => ({ statusCode: response.status }),
};

/** The request for a ping. Also for a scheduled invocation on Netlify, which is a POST with a header of Netlify. */
export function pingRequest(): HTTPRequest {
  return { method: 'GET', path: '/health', queryString: '', headers: new HeaderMap(), body: { kind: 'none' } };
}

/** Any client can send this header, so a request that has it must not run an operation. */
export function isNetlifySchedule(headers: HeaderMap): boolean {
  return headers.get('x-nf-event') === 'schedule';
}

/** The events of serverless-plugin-warmup, lambda-warmer and custom warmers. */
function isWarmUp(event: UnknownEvent): boolean {
  return event['source'] === 'serverless-plugin-warmup' || event['warmer'] === true || event['warmup'] === true || event['ping'] === true;
}

/** EventBridge rules and Netlify's scheduled functions. */
function isSchedule(event: UnknownEvent): boolean {
  return event['detail-type'] === 'Scheduled Event' || (Object.keys(event).length === 1 && 'next_run' in event);
}

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

let known: string | undefined;

/** The name of the runtime: "Node.js", "Deno", "Bun", "Cloudflare-Workers". Empty if it is unknown. */
export function runtime(): string {
  return (known ??= (globalThis.navigator?.userAgent ?? '').split('/', 1)[0]!);
}
