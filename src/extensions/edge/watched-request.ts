import type { HTTPRequest } from '../../message/http-messages.ts';
import type { HeaderMap } from '../../message/header-map.ts';
import type { RequestCall } from '../../operation/plugin.ts';

/** What was read of one request. */
export interface Readings {
  /** The first reading that may have told who asks. */
  personal: string | undefined;
  /** Whether a field of `varyHeaders` was read. */
  varies: boolean;
}

/** What may be read of a request without making its answer somebody's own. All names in lower case. */
export interface ReadingRules {
  readonly varyHeaders: ReadonlySet<string>;
  readonly ignoredHeaders: ReadonlySet<string>;
  readonly queryParameters: ReadonlySet<string>;
}

/** Fields that frame the message, or that only follow the request through systems. Accept is in Vary by itself. */
export const harmlessHeaders: readonly string[] = [
  'accept',
  'accept-encoding',
  'content-encoding',
  'content-length',
  'content-type',
  'traceparent',
  'tracestate',
  'transfer-encoding',
  'x-amzn-trace-id',
];

/** The parameters that name an operation, and its variables: all of them are in every key. */
export const ownParameters: readonly string[] = ['query', 'operationName', 'variables', 'extensions', 'documentId', 'id', 'doc_id'];

/** The same call; what is read of it is written down. Path and method are in every key. */
export function watchedCall(call: RequestCall, readings: Readings, rules: ReadingRules): RequestCall {
  const { invocation } = call;
  const note = (what: string): void => {
    readings.personal ??= what;
  };
  return {
    ...call,
    request: watchedRequest(call.request, readings, rules),
    invocation: {
      get event() {
        note("the platform's event");
        return invocation.event;
      },
      get context() {
        note("the platform's context");
        return invocation.context;
      },
      env: invocation.env,
      get signal() {
        return invocation.signal;
      },
      waitUntil: (work) => invocation.waitUntil(work),
      deadlineLeft: () => invocation.deadlineLeft(),
    },
  };
}

function watchedRequest(request: HTTPRequest, readings: Readings, rules: ReadingRules): HTTPRequest {
  const { method, path, queryString, headers, body } = request;
  return {
    method,
    path,
    get queryString() {
      if (parameterNames(queryString).some((name) => !rules.queryParameters.has(name)))
        readings.personal ??= 'query parameters that are not listed';
      return queryString;
    },
    headers: watchedHeaders(headers, readings, rules),
    get body() {
      if (body.kind !== 'none') readings.personal ??= 'the body';
      return body;
    },
  };
}

function parameterNames(queryString: string): string[] {
  return queryString.split('&').flatMap((pair) => {
    const name = pair.split('=')[0] ?? '';
    return name === '' ? [] : decodedName(name);
  });
}

function decodedName(name: string): string {
  try {
    return decodeURIComponent(name.replaceAll('+', ' '));
  } catch {
    return name;
  }
}

/** A proxy, because a HeaderMap has private members: its methods run on the original. */
function watchedHeaders(headers: HeaderMap, readings: Readings, rules: ReadingRules): HeaderMap {
  const note = (name: string): void => {
    const key = name.toLowerCase();
    if (rules.varyHeaders.has(key)) readings.varies = true;
    else if (!rules.ignoredHeaders.has(key)) readings.personal ??= `the header ${key}`;
  };
  const one = {
    get: (name: string) => (note(name), headers.get(name)),
    has: (name: string) => (note(name), headers.has(name)),
  };
  return new Proxy(headers, {
    get(target, member) {
      if (member === 'get' || member === 'has') return one[member];
      // Whatever else there is may tell of any field: iteration, copies, cookies.
      if (member !== 'constructor') readings.personal ??= 'all headers';
      const value: unknown = Reflect.get(target, member, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}
