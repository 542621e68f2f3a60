import { HeaderMap, rememberOriginal } from '../../shared/index.ts';
import type { HTTPRequest } from '../../shared/index.ts';
import type { RequestCall } from '../../server/index.ts';

/** The reads of one request that code has made. */
export interface Readings {
  /** The first read that may have identified the user. */
  personal: string | undefined;
  /** True when a field of `varyHeaders` was read. */
  varies: boolean;
  /** True when Accept was read: most CDNs vary by it, a store does not. */
  hasAccept: boolean;
}

/** The parts of a request that may be read without making its answer private. Names are in lower case. */
export interface ReadingRules {
  readonly varyHeaders: ReadonlySet<string>;
  readonly ignoredHeaders: ReadonlySet<string>;
  readonly queryParameters: ReadonlySet<string>;
}

/** Header fields for framing, tracing and reports. Every answer varies by Accept anyway. */
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

/** The headers that a subgraph reads to recognize its router, and to know whether it asks for a trace. */
export const routerHeaders: readonly string[] = ['x-router-secret', 'apollo-federation-include-trace'];

/** The header that requests a report. */
export const explainHeader = 'graphql-functions-explain';

/** Returns the call in a form that records reads. Path and method need no record, because they are in every key. */
export function watchedCall(call: RequestCall, watch: RequestWatch): RequestCall {
  rememberOriginal(call);
  const accepts: RequestCall['accepts'] = (mediaType) => {
    watch.readings.hasAccept = true;
    return call.accepts(mediaType);
  };
  return { ...call, request: watchedRequest(call, watch), invocation: watchedInvocation(call.invocation, watch), accepts };
}

/** The watch over a request: reads are recorded in `readings`. */
export interface RequestWatch {
  readonly readings: Readings;
  readonly rules: ReadingRules;
  /** True when `env` is the same for all requests. */
  readonly isEnvShared: boolean;
}

/**
 * Distinguishes the bindings of a worker, one object for all calls, from an `env` made for each call: a server that calls `fetch` may pass
 * anything.
 */
export class SharedEnv {
  #first: unknown;
  #varies = false;

  /** Must be called for every request. False for the first one, because nothing is known yet. */
  isShared({ env, context }: Pick<InvocationOfCall, 'env' | 'context'>): boolean {
    const isFirst = this.#first === undefined;
    this.#first ??= env;
    this.#varies ||= env !== this.#first;
    return !isFirst && !this.#varies && env !== context;
  }
}

type InvocationOfCall = RequestCall['invocation'];

/** A plain object, because plugins copy requests. Most requests need a watch on headers only: accessors cost 1 µs. */
function watchedRequest({ request, doorParameters }: RequestCall, watch: RequestWatch): HTTPRequest {
  const { readings, rules } = watch;
  const { method, path, queryString, body } = request;
  const isKnown = (name: string): boolean => name === '' || rules.queryParameters.has(name) || doorParameters?.includes(name) === true;
  const headers = watchedHeaders(request.headers, watch);
  const hasOthers = queryString !== '' && ![...new URLSearchParams(queryString).keys()].every(isKnown);
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

/** Records reads of the platform's objects. */
function watchedInvocation(call: InvocationOfCall, { readings, isEnvShared }: RequestWatch): InvocationOfCall {
  return new Proxy(call, {
    get(invocation, member: keyof InvocationOfCall) {
      const value: unknown = invocation[member];
      const isPersonal = member === 'event' || member === 'context' || (member === 'env' && value !== undefined && !isEnvShared);
      if (isPersonal) readings.personal ??= `the platform's ${member}`;
      // Private members are not reached through a proxy.
      return typeof value === 'function' && !isPersonal ? value.bind(invocation) : value;
    },
  });
}

/** Records reads of headers. All members except `get` and `has` may read any header. */
function watchedHeaders(original: HeaderMap, { readings, rules }: RequestWatch): HeaderMap {
  const read = (method: 'get' | 'has', name: string): string | boolean | null => {
    const key = name.toLowerCase();
    if (key === 'accept') readings.hasAccept = true;
    if (rules.varyHeaders.has(key)) readings.varies = true;
    else if (!rules.ignoredHeaders.has(key)) readings.personal ??= `the header ${key}`;
    return original[method](name);
  };
  return new Proxy(original, {
    get(headers, member) {
      if (member === 'get' || member === 'has') return (name: string) => read(member, name);
      if (Object.hasOwn(HeaderMap.prototype, member) && member !== 'constructor') readings.personal ??= 'all headers';
      const value: unknown = Reflect.get(headers, member);
      // Private members are not reached through a proxy.
      return typeof value === 'function' && member !== 'constructor' ? value.bind(headers) : value;
    },
  });
}
