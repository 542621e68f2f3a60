import type { Waiting } from '../flight.ts';
import { RawHeaders } from './origin-response.ts';
import type { OriginResponse } from './origin-response.ts';
import { decodeInto, PushedBody } from './pushed-body.ts';
import type { BodySink } from './pushed-body.ts';

/**
 * The way of a call to its origin on Node, without fetch's own classes.
 *
 * Node's fetch hands each request to a dispatcher, and spends more time around it than the dispatcher does: on a Request, a signal, a
 * web stream and a Response. A miss of 1 KB took 311 µs of CPU by fetch and takes 149 this way (`node bench/datasource.ts`). The same
 * dispatcher gets the same request, so connections, proxies, mocks, interceptors and the `undici:request` diagnostics channels are
 * those of fetch. fetch itself is called where it is not Node's own function (mocks, tracing), and for unusual requests.
 */
export interface DirectRequest {
  readonly url: string;
  /** True when a redirect has led to the URL. */
  readonly isRedirected: boolean;
  readonly init: DirectInit;
  readonly waiting: Waiting;
  /** Sends it by fetch after all. */
  readonly byFetch: () => Promise<OriginResponse>;
}

/** The options of fetch that go this way. */
export interface DirectInit {
  readonly method: string;
  readonly headers?: RequestInit['headers'];
  readonly body?: string;
}

/** Sends a request, and follows no redirect. */
export function sendDirectly(request: DirectRequest): Promise<OriginResponse> {
  const dispatcher = dispatcherOfFetch();
  const target = dispatcher && targetOf(request.url);
  const headers = target && headersOf(request.init, target.origin);
  if (headers === undefined) return request.byFetch();
  return new Promise((resolve, reject) => {
    const { method, body = null } = request.init;
    const options = { ...target, method, body, headers, maxRedirections: 0, upgrade: undefined };
    dispatcher!.dispatch(options, new Exchange(request, { resolve, reject }));
  });
}

/** The slot of the dispatcher whose handlers have the methods of {@link Exchange}: its number changes with them (undici, lib/global.js). */
const slot: unique symbol = Symbol.for('undici.globalDispatcher.1') as never;

interface Dispatcher {
  dispatch(options: object, handler: Exchange): unknown;
}

let knownFetch: unknown;
let isNodesOwn = false;

/** The dispatcher that fetch would take; undefined where fetch has been replaced, or is another one than those known here. */
export function dispatcherOfFetch(): Dispatcher | undefined {
  const { fetch } = globalThis;
  if (fetch !== knownFetch) {
    knownFetch = fetch;
    isNodesOwn = isOfKnownVersion() && Function.prototype.toString.call(fetch).includes("require('internal/deps/undici/undici')");
    // The slot is filled when the first of fetch's classes is touched.
    if (isNodesOwn) void globalThis.Headers;
  }
  const dispatcher = isNodesOwn ? (globalThis as { [slot]?: Partial<Dispatcher> })[slot] : undefined;
  return typeof dispatcher?.dispatch === 'function' ? (dispatcher as Dispatcher) : undefined;
}

/** The versions in Node 22 and 24. */
function isOfKnownVersion(): boolean {
  return /^[67]\./.test(globalThis.process?.versions?.['undici'] ?? '');
}

/** Ports over 1023 that fetch refuses (Fetch standard, port blocking). */
const refusedPorts = new Set('1719 1720 1723 2049 3659 4045 4190 5060 5061 6000 6566 6665 6666 6667 6668 6669 6679 6697 10080'.split(' '));

function targetOf(url: string): { origin: string; path: string } | undefined {
  if (!URL.canParse(url)) return undefined;
  const { protocol, username, password, port, origin, pathname, search, href } = new URL(url);
  if ((protocol !== 'http:' && protocol !== 'https:') || username !== '' || password !== '') return undefined;
  if (port !== '' && (Number(port) < 1024 || refusedPorts.has(port))) return undefined;
  // A "?" without a query: Node 24 sends it, Node 22 does not.
  return search === '' && href.endsWith('?') ? undefined : { origin, path: pathname + search };
}

/** Fields for which fetch has rules of its own; and a name that an object takes for something else. */
const unusual = new Set(
  'connection content-length expect host keep-alive proxy-connection range te trailer transfer-encoding upgrade __proto__'.split(' '),
);
const conditional = ['if-modified-since', 'if-none-match', 'if-unmodified-since', 'if-match', 'if-range'];

/** The fields that fetch would send, in its order; undefined where it has to do so itself. */
function headersOf({ headers: given, body }: DirectInit, origin: string): Record<string, string> | undefined {
  const headers: Record<string, string> = {};
  if (given !== undefined) {
    for (const [name, value] of new Headers(given)) {
      if (unusual.has(name)) return undefined;
      headers[name] = value;
    }
  }
  if (body !== undefined) headers['content-type'] ??= 'text/plain;charset=UTF-8';
  headers['accept'] ??= '*/*';
  headers['accept-language'] ??= '*';
  headers['sec-fetch-mode'] = 'cors';
  headers['user-agent'] ??= 'node';
  if (given !== undefined && conditional.some((name) => name in headers)) {
    headers['pragma'] ??= 'no-cache';
    headers['cache-control'] ??= 'no-cache';
  }
  headers['accept-encoding'] ??= origin.startsWith('https:') ? 'br, gzip, deflate' : 'gzip, deflate';
  return headers;
}

type HeadersArguments = [status: number, rawHeaders: ConstructorParameters<typeof RawHeaders>[0], resume: () => void, statusText: string];

/** Statuses without a body. */
const bodyless = [204, 205, 304];

/** One request and its response: the handler that the dispatcher calls. */
class Exchange {
  readonly #request: DirectRequest;
  readonly #resolve: (response: OriginResponse | Promise<OriginResponse>) => void;
  readonly #reject: (error: unknown) => void;
  #abort: ((reason?: unknown) => void) | undefined;
  /** Takes the pieces as they come. */
  #sink: BodySink | undefined;
  #isOver = false;

  constructor(
    request: DirectRequest,
    { resolve, reject }: { resolve: (response: OriginResponse | Promise<OriginResponse>) => void; reject: (error: unknown) => void },
  ) {
    this.#request = request;
    this.#resolve = resolve;
    this.#reject = reject;
    request.waiting.whenAbandoned(() => this.#stop(request.waiting.reason));
  }

  onConnect(abort: (reason?: unknown) => void): void {
    if (this.#isOver) abort(this.#request.waiting.reason);
    else this.#abort = abort;
  }

  onHeaders(...[status, rawHeaders, resume, statusText]: HeadersArguments): boolean {
    // News on the way, such as 103 Early Hints.
    if (status < 200) return false;
    const headers = new RawHeaders(rawHeaders);
    if (status === 407) return this.#leave(() => this.onError(new Error('proxy authentication required')));
    // The request was not for this connection, and nobody has acted on it.
    if (status === 421) return this.#leave(() => this.#resolve(this.#request.byFetch()));
    if (bodyless.includes(status)) return this.#respond({ status, statusText, headers, body: null });
    const body = new PushedBody((reason) => this.#stop(reason));
    this.#sink = decodeInto(body, headers.record['content-encoding']);
    this.#sink.source = { resume };
    return this.#respond({ status, statusText, headers, body });
  }

  onData(chunk: Uint8Array): boolean {
    return this.#isOver || this.#sink === undefined || this.#sink.push(chunk);
  }

  onComplete(): void {
    this.#isOver = true;
    this.#sink?.end();
  }

  onError(error: unknown): void {
    this.#isOver = true;
    if (this.#sink === undefined) this.#reject(new TypeError('fetch failed', { cause: error }));
    else this.#sink.fail(new TypeError('terminated', { cause: error }));
  }

  #respond(response: Pick<OriginResponse, 'status' | 'statusText' | 'headers' | 'body'>): true {
    const { url, isRedirected } = this.#request;
    const fragment = url.indexOf('#');
    this.#resolve({
      ...response,
      url: fragment === -1 ? url : url.slice(0, fragment),
      ok: response.status <= 299,
      redirected: isRedirected,
      bodyUsed: false,
    });
    return true;
  }

  /** Ends a connection whose response is not taken. */
  #leave(answer: () => void): true {
    this.#isOver = true;
    answer();
    this.#abort?.();
    return true;
  }

  #stop(reason: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#sink?.fail(reason);
    this.#reject(reason);
    this.#abort?.(reason);
  }
}
