import type { HTTPRequest } from '../../message/http-messages.ts';
import { isLowerCase } from '../../message/header-fields.ts';
import { HeaderMap } from '../../message/header-map.ts';
import type { RequestCall } from '../../operation/plugin.ts';

/** The reads of one request that code has made. */
export interface Readings {
  /** The first read that may have identified the user. */
  personal: string | undefined;
  /** True when a field of `varyHeaders` was read. */
  varies: boolean;
  /** True when Accept was read: most CDNs vary by it, a store does not. */
  hasAccept: boolean;
}

/** The parts of a request that may be read without making its answer private. All names in lower case. */
export interface ReadingRules {
  readonly varyHeaders: ReadonlySet<string>;
  readonly ignoredHeaders: ReadonlySet<string>;
  readonly queryParameters: ReadonlySet<string>;
}

/** Fields that frame the message, that only follow the request through systems, or ask for a report. Accept is in Vary by itself. */
export const harmlessHeaders: readonly string[] = [
  'accept',
  'accept-encoding',
  'content-encoding',
  'content-length',
  'content-type',
  'graphql-functions-explain',
  'traceparent',
  'tracestate',
  'transfer-encoding',
  'x-amzn-trace-id',
];

/** The header that asks for a report, and the headers that a report reads to name the rule of CSRF prevention that was met. */
export const explainHeader = 'graphql-functions-explain';
export const explainedHeaders: readonly string[] = [
  'apollo-require-preflight',
  'sec-fetch-site',
  'vendor-require-preflight',
  'x-apollo-operation-name',
  'x-vendor-operation-name',
];

/** The parameters that name an operation, and its variables: all of them are in every key. */
export const ownParameters: readonly string[] = ['query', 'operationName', 'variables', 'extensions', 'documentId', 'id', 'doc_id'];

/** The same call, with every read of it noted. Path and method are in every key. */
export function watchedCall(call: RequestCall, watch: RequestWatch): RequestCall {
  return {
    ...call,
    request: watchedRequest(call.request, watch),
    invocation: new WatchedInvocation(call.invocation, watch),
  };
}

/** The watch over a request: reads are noted in `readings`. */
export interface RequestWatch {
  readonly readings: Readings;
  readonly rules: ReadingRules;
  /** True when `env` is the same for all requests. */
  readonly isEnvShared: boolean;
}

/**
 * Tells the bindings of a worker, one object for all its calls, from a value that is made for each call: Deno's has the address of
 * the client, and a server that calls `fetch` may pass anything.
 */
export class SharedEnv {
  readonly #isWorker: boolean;
  #first: unknown;
  #varies = false;

  constructor(isWorker: boolean) {
    this.#isWorker = isWorker;
  }

  /** To be asked for every call. False for the first: nothing is known yet. */
  isShared({ env, context }: Pick<InvocationOfCall, 'env' | 'context'>): boolean {
    if (!this.#isWorker || env === undefined || env === context) return false;
    if (this.#first !== undefined && env === this.#first) return !this.#varies;
    this.#varies = this.#first !== undefined;
    this.#first ??= env;
    return false;
  }
}

const watchKey = Symbol('watch');

/**
 * The watch over a request, by its headers: a plugin may make a view of the view, and passes the unchanged parts on. Undefined:
 * the headers are not watched. A look-up by WeakMap costs more, at each request and at each collection.
 */
export function watchOf(headers: HeaderMap): RequestWatch | undefined {
  return (headers as { readonly [watchKey]?: RequestWatch })[watchKey];
}

type InvocationOfCall = RequestCall['invocation'];

class WatchedInvocation implements InvocationOfCall {
  readonly #invocation: InvocationOfCall;
  readonly #readings: Readings;
  readonly #isEnvShared: boolean;

  constructor(invocation: InvocationOfCall, { readings, isEnvShared }: RequestWatch) {
    this.#invocation = invocation;
    this.#readings = readings;
    this.#isEnvShared = isEnvShared;
  }

  get event(): unknown {
    this.#readings.personal ??= "the platform's event";
    return this.#invocation.event;
  }

  get context(): unknown {
    this.#readings.personal ??= "the platform's context";
    return this.#invocation.context;
  }

  get env(): unknown {
    const { env } = this.#invocation;
    if (env !== undefined && !this.#isEnvShared) this.#readings.personal ??= "the platform's env";
    return env;
  }

  get signal(): AbortSignal {
    return this.#invocation.signal;
  }

  waitUntil(work: Promise<unknown>): void {
    this.#invocation.waitUntil(work);
  }

  deadlineLeft(): number | undefined {
    return this.#invocation.deadlineLeft();
  }
}

/** Its members are own properties, because plugins copy requests. Most requests need a watch on headers only: accessors cost 1 µs. */
function watchedRequest(request: HTTPRequest, watch: RequestWatch): HTTPRequest {
  const { readings, rules } = watch;
  const { method, path, queryString, body } = request;
  const headers = new WatchedHeaders(request.headers, watch) as unknown as HeaderMap;
  const hasOthers = hasOtherParameters(queryString, rules.queryParameters);
  if (body.kind === 'none' && !hasOthers) return { method, path, queryString, headers, body };
  return {
    method,
    path,
    get queryString() {
      if (hasOthers) readings.personal ??= 'query parameters that are not listed';
      return queryString;
    },
    headers,
    get body() {
      if (body.kind !== 'none') readings.personal ??= 'the body';
      return body;
    },
  };
}

/** True when a query string has parameters beside those that are listed. */
function hasOtherParameters(queryString: string, listed: ReadonlySet<string>): boolean {
  for (let start = 0; start < queryString.length;) {
    const ampersand = queryString.indexOf('&', start);
    const end = ampersand < 0 ? queryString.length : ampersand;
    const equals = queryString.indexOf('=', start);
    const name = queryString.slice(start, equals < 0 || equals > end ? end : equals);
    if (name !== '' && !isListed(name, listed)) return true;
    start = end + 1;
  }
  return false;
}

function isListed(name: string, listed: ReadonlySet<string>): boolean {
  return listed.has(name.includes('%') || name.includes('+') ? decodedName(name) : name);
}

function decodedName(name: string): string {
  try {
    return decodeURIComponent(name.replaceAll('+', ' '));
  } catch {
    return name;
  }
}

/** Every member but `get` and `has` may show any header: iteration, copies, cookies. A proxy in its place took 0.3 µs of a request. */
class WatchedHeaders implements Pick<HeaderMap, keyof HeaderMap> {
  readonly #headers: HeaderMap;
  readonly #watch: RequestWatch;

  constructor(headers: HeaderMap, watch: RequestWatch) {
    this.#headers = headers;
    this.#watch = watch;
  }

  get [watchKey](): RequestWatch {
    return this.#watch;
  }

  get(name: string): string | null {
    this.#note(name);
    return this.#headers.get(name);
  }

  has(name: string): boolean {
    this.#note(name);
    return this.#headers.has(name);
  }

  get isEmpty(): boolean {
    return this.#all.isEmpty;
  }

  get trustedRecord(): HeaderMap['trustedRecord'] {
    return this.#all.trustedRecord;
  }

  get sharedRecord(): HeaderMap['sharedRecord'] {
    return this.#all.sharedRecord;
  }

  getSetCookie(): string[] {
    return this.#all.getSetCookie();
  }

  set(name: string, value: string): void {
    this.#all.set(name, value);
  }

  replaceRecord(...given: Parameters<HeaderMap['replaceRecord']>): void {
    this.#all.replaceRecord(...given);
  }

  append(name: string, value: string): void {
    this.#all.append(name, value);
  }

  delete(name: string): void {
    this.#all.delete(name);
  }

  toRecord(): Record<string, string> {
    return this.#all.toRecord();
  }

  forEach(callback: Parameters<HeaderMap['forEach']>[0]): void {
    this.#all.forEach(callback);
  }

  entries(): IterableIterator<[name: string, value: string]> {
    return this.#all.entries();
  }

  keys(): IterableIterator<string> {
    return this.#all.keys();
  }

  values(): IterableIterator<string> {
    return this.#all.values();
  }

  [Symbol.iterator](): IterableIterator<[name: string, value: string]> {
    return this.#all.entries();
  }

  get #all(): HeaderMap {
    this.#watch.readings.personal ??= 'all headers';
    return this.#headers;
  }

  #note(name: string): void {
    const key = isLowerCase(name) ? name : name.toLowerCase();
    const { readings, rules } = this.#watch;
    if (key === 'accept') readings.hasAccept = true;
    if (rules.varyHeaders.has(key)) readings.varies = true;
    else if (!rules.ignoredHeaders.has(key)) readings.personal ??= `the header ${key}`;
  }
}

// An instance of HeaderMap to those who ask. Its private members are not there: a method of HeaderMap called on a view throws.
Object.setPrototypeOf(WatchedHeaders.prototype, HeaderMap.prototype);
Object.defineProperty(WatchedHeaders.prototype, 'constructor', { value: HeaderMap });
