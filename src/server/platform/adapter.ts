import { GraphQLError } from 'graphql';

import { HeaderMap, concatenate, describe, isHeaderField, isRecord, isObjectLike } from '../../shared/index.ts';
import type { HTTPRequest, HTTPResponse, ResultLimit, StreamedResponse, ChunkStream, HTTPRequestBody } from '../../shared/index.ts';

/**
 * One source of requests. To add a platform, add such a value to its list. Any client may have made up an event: a missing key or a
 * wrong type is a `malformedEvent`, never a TypeError.
 */
export interface PlatformAdapter<TEvent = UnknownEvent, TResult = unknown> extends ResultLimit {
  /** True if an event comes from this source. If two adapters recognize an event, the first in the list gets it. */
  readonly recognizes: (event: UnknownEvent) => boolean;
  /**
   * Prepares a call: takes the event out of the object in which the platform wraps it, and sets flags of the platform. Absent if a call
   * needs no preparation.
   */
  readonly begin?: (call: Required<PlatformCall>) => Required<PlatformCall>;
  /**
   * Finds the variables and bindings in the argument that the platform passes beside the event. Absent if the whole argument holds them.
   */
  readonly environmentOf?: (env: unknown) => unknown;
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
  /** The platform's limit on a call, in milliseconds from its start, if the platform does not report one. Absent: no limit. */
  readonly timeLimit?: (context: unknown) => number | undefined;
  /** True where the platform may drop a stream without a notice, so that nothing can wait for its end. */
  readonly dropsStreams?: () => boolean;
  /** True: the platform decodes a body that the result marks with `isBase64Encoded`, so plugins may encode it. */
  readonly decodesBase64?: boolean;
  /**
   * Returns a message for the log that names the parts of this response that the platform cannot send; undefined if it can send all of it.
   */
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
  // Only direct invocations are often written by hand, so only their form is shown.
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

/** Older runtimes of Lambda wait until the event loop is empty: an open database connection would delay the answer until the timeout. */
export function answerAtOnce(call: Required<PlatformCall>): Required<PlatformCall> {
  const { context } = call;
  if (typeof context === 'object' && context !== null && 'callbackWaitsForEmptyEventLoop' in context)
    Reflect.set(context, 'callbackWaitsForEmptyEventLoop', false);
  return call;
}

/** A call that keeps the function warm. It is answered like a health check, but only with a status. */
export const ping: PlatformAdapter<UnknownEvent, { statusCode: number }> = {
  name: 'warm-up ping',
  begin: answerAtOnce,
  recognizes: (event) => Object.keys(event).length === 0 || isWarmUp(event) || isSchedule(event),
  toRequest: pingRequest,
  toResult: (response) => ({ statusCode: response.status }),
};

/** The request that stands for a ping, and for a scheduled invocation on Netlify, which is a POST with a header of Netlify. */
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

/** True for events of EventBridge rules and of Netlify's scheduled functions. */
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

/** The error for an event of a known source with a missing or invalid value: answered with 400, unless `status` is another. */
function malformedEvent(message: string, http?: { readonly status: number }): GraphQLError {
  return new GraphQLError(message, { extensions: { code: 'BAD_REQUEST', ...(http && { http }) } });
}

/** Returns the value if it is an object, else an empty object, so that reading a malformed event does not throw. */
export function objectAt(event: UnknownEvent, key: string): UnknownEvent {
  const value = event[key];
  return isObjectLike(value) ? (value as UnknownEvent) : {};
}

/** Returns the value if it is a string, else an empty string. */
export function textAt(event: UnknownEvent, key: string): string {
  const value = event[key];
  return typeof value === 'string' ? value : '';
}

/** The request's method in upper case. */
export function methodAt(event: UnknownEvent, key: string, where: string): string {
  const method = event[key];
  if (typeof method !== 'string' || method === '') {
    throw malformedEvent(`Expected the HTTP method of the event in ${where}, got ${describe(method)}.`);
  }
  return method.slice(0, 32).toUpperCase();
}

/**
 * The header fields of an event, from its map of single values and its map of lists. The lists take precedence, because platforms that
 * send both join or drop values in the other map. Invalid values are dropped. Values of a name in two cases are joined, as HTTP does.
 */
export function readHeaders(single: unknown, multiple?: unknown): HeaderMap {
  // The newer event formats send names in lower case, whose record is used unchanged.
  if (multiple === undefined && isLowerCaseRecord(single)) return HeaderMap.over(single);
  return HeaderMap.over({ ...fieldsOf(single), ...fieldsOf(multiple) });
}

function isLowerCaseRecord(map: unknown): map is Readonly<Record<string, string>> {
  if (typeof map !== 'object' || map === null || Array.isArray(map)) return false;
  for (const name in map) {
    if (typeof (map as Record<string, unknown>)[name] !== 'string') return false;
    if (!usualNames.has(name) && upperCase.test(name)) return false;
  }
  return true;
}

const upperCase = /[A-Z]/;

/** The names that most requests have. Reading 18 names by the expression takes a tenth of the smallest request. */
const usualNames: ReadonlySet<string> = /* @__PURE__ */ new Set(
  (
    'accept accept-encoding accept-language authorization cache-control content-length content-type cookie host origin priority referer ' +
    'sec-ch-ua sec-ch-ua-mobile sec-ch-ua-platform sec-fetch-dest sec-fetch-mode sec-fetch-site traceparent user-agent via ' +
    'x-amzn-trace-id x-forwarded-for x-forwarded-port x-forwarded-proto'
  ).split(' '),
);

function fieldsOf(map: unknown): Readonly<Record<string, string>> {
  const fields = Object.create(null) as Record<string, string>;
  for (const [name, value] of Object.entries(isRecord(map) ? map : {})) {
    const key = name.toLowerCase();
    const joined = joinValues(key, fields[key], value);
    if (joined !== undefined) fields[key] = joined;
  }
  return fields;
}

/** Adds a value or a list of values to a field. Values that HTTP does not allow are dropped. */
function joinValues(key: string, present: string | undefined, added: unknown): string | undefined {
  let all = present;
  for (const value of Array.isArray(added) ? added : [added]) {
    if (!isHeaderField(key, value)) continue;
    const text = (value as string).trim();
    // Cookies are the one list that is joined with semicolons (RFC 6265 section 5.4).
    all = all === undefined ? text : all + (key === 'cookie' ? '; ' : ', ') + text;
  }
  return all;
}

/** Sets the cookies of the platform's own list. Emulators send them in the field, too. */
export function setCookies(headers: HeaderMap, cookies: readonly unknown[]): void {
  const all = joinValues('cookie', undefined, cookies);
  if (all !== undefined) headers.set('cookie', all);
}

/**
 * Reads a query string as the platform received it. Some platforms pass it with its "?". Returns undefined if the event has no query
 * string.
 */
export function rawQuery(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  return value.startsWith('?') ? value.slice(1) : value;
}

/**
 * Writes a query string from maps of values that the platform has decoded. The map of lists takes precedence, because it has all values.
 */
export function encodeQuery(single: unknown, multiple?: unknown): string {
  return joinQuery(single, multiple, encode);
}

/** A query string from maps whose names and values are still encoded, as an Application Load Balancer sends them. */
export function joinQuery(single: unknown, multiple?: unknown, write: (text: string) => string = String): string {
  const pairs: string[] = [];
  for (const [name, value] of Object.entries(isRecord(multiple) ? multiple : isRecord(single) ? single : {}))
    for (const one of [value].flat()) if (typeof one === 'string') pairs.push(`${write(name)}=${write(one)}`);
  return pairs.join('&');
}

function encode(text: string): string {
  try {
    return encodeURIComponent(text);
  } catch {
    throw malformedEvent('Expected the query parameters of the event to be Unicode text, but one has half a surrogate pair.');
  }
}

/**
 * Path and query string of a URL, or of a request target. Not parsed as a URL, because an invalid Host, or a target like "//", must not
 * fail the request.
 */
export function splitURL(url: string): { path: string; queryString: string } {
  const hash = url.indexOf('#');
  const end = hash < 0 ? url.length : hash;
  const mark = url.indexOf('?');
  const pathEnd = mark < 0 || mark > end ? end : mark;
  const pathStart = url.startsWith('/') ? 0 : url.indexOf('/', url.indexOf('://') + 3);
  return { path: pathStart < 0 || pathStart > pathEnd ? '/' : url.slice(pathStart, pathEnd), queryString: url.slice(pathEnd + 1, end) };
}

/**
 * The body of an event. Local runtimes set `isBase64Encoded` for plain text, too, but JSON objects and arrays start with a character
 * that base64 does not have.
 */
export function readBody(body: unknown, isBase64Encoded: unknown): HTTPRequestBody {
  if (body === undefined || body === null || body === '') return { kind: 'none' };
  // Middleware, such as middy's JSON body parser, has parsed the body.
  if (typeof body === 'object') return { kind: 'value', value: body };
  if (typeof body !== 'string') throw malformedEvent(`Expected the body of the event to be a string or an object, got ${typeof body}.`);
  if (isBase64Encoded !== true || looksLikeJSON(body)) return { kind: 'text', text: body };
  return { kind: 'bytes', bytes: globalThis.Buffer.from(body, 'base64') };
}

function looksLikeJSON(text: string): boolean {
  return /^[\s\ufeff]*[{["]/.test(text);
}

/** The error for a body that other code has already read. Logged, because it is not the client's fault. */
export function bodyTaken(advice: string): GraphQLError {
  return new GraphQLError(`The body of the request was read before it reached this handler, and its content is lost. ${advice}`, {
    extensions: { code: 'INTERNAL_SERVER_ERROR', http: { status: 500 } },
  });
}

/** Reads a body to its end, or beyond the limit. Counts the bytes, because a Content-Length may be wrong or missing. */
export async function readChunks(chunks: AsyncIterable<unknown>, maxBytes: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of chunks) {
      if (!(chunk instanceof Uint8Array)) throw notOfBytes();
      length += chunk.byteLength;
      parts.push(chunk);
      if (length > maxBytes) break;
    }
  } catch (error) {
    throw brokenBody(error);
  }
  return concatenate(parts, length);
}

/** The error for a body that could not be read to its end: the client disconnected or sent nonsense, or the host has a lower limit. */
export function brokenBody(error: unknown): GraphQLError {
  if (error instanceof GraphQLError) return error;
  // Hosts that limit bodies end the stream with an error that has the status 413: SvelteKit in `status`, Express in `statusCode`.
  const { status, statusCode } = (error ?? {}) as { readonly status?: unknown; readonly statusCode?: unknown };
  if (status !== 413 && statusCode !== 413) return malformedEvent('Expected a whole body, but it ended early or could not be read.');
  return malformedEvent('Expected a body within the limit of the server around this handler, got more.', { status: 413 });
}

/** The error for a body whose chunks are not bytes. */
export function notOfBytes(): GraphQLError {
  return malformedEvent('Expected the body to be a stream of bytes.');
}

/** The members of a Node stream that a streamed answer needs. */
export interface ChunkOutput {
  readonly destroyed?: boolean;
  /** Returns false if the next chunk has to wait for "drain". */
  write(chunk: string | Uint8Array): boolean;
  once(event: 'close' | 'drain', listener: () => void): unknown;
  off(event: 'close' | 'drain', listener: () => void): unknown;
}

/** Reads each chunk after the previous one has been written, so that a client that does not read pauses the source. */
export async function writeChunks(chunks: ChunkStream, output: ChunkOutput): Promise<void> {
  let isClosed = output.destroyed === true;
  const close = (): void => {
    isClosed = true;
    void chunks.return();
  };
  output.once('close', close);
  for await (const chunk of chunks) {
    if (isClosed) break;
    if (!output.write(chunk) && !isClosed) await writable(output);
  }
  output.off('close', close);
}

function writable(output: ChunkOutput): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      output.off('drain', done);
      output.off('close', done);
      resolve();
    };
    output.once('drain', done);
    output.once('close', done);
  });
}

/** The request of an event of API Gateway (1.0), an Application Load Balancer or Netlify (1). Any key may have any type. */
export function gatewayRequest(event: UnknownEvent, queryString: string): HTTPRequest {
  return {
    method: methodAt(event, 'httpMethod', 'httpMethod'),
    path: textAt(event, 'path'),
    queryString,
    headers: readHeaders(event['headers'], event['multiValueHeaders']),
    body: readBody(event['body'], event['isBase64Encoded']),
  };
}

/** Several cookies, in the map that API Gateway and Netlify read in addition to `headers`. */
export function cookieLists({ headers }: HTTPResponse): { multiValueHeaders?: { 'set-cookie': string[] } } {
  const cookies = headers.getSetCookie();
  return cookies.length > 0 ? { multiValueHeaders: { 'set-cookie': cookies } } : {};
}
