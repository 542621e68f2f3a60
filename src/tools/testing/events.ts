import type { EventRequest } from './event-request.ts';

/** An event, as parsed from JSON. A test may change it. */
export type Event = Record<string, unknown>;

/** API Gateway REST API: header names as sent, the query decoded, both kinds of maps, no stage in the path. */
export function restEvent(request: EventRequest, stage = 'prod'): Event {
  return {
    resource: '/{proxy+}',
    path: request.path,
    httpMethod: request.method,
    headers: orNull(lastValues(request.headers)),
    multiValueHeaders: orNull(allValues(request.headers)),
    queryStringParameters: orNull(lastValues(decoded(request.query))),
    multiValueQueryStringParameters: orNull(allValues(decoded(request.query))),
    pathParameters: { proxy: request.path.slice(1) },
    stageVariables: null,
    requestContext: {
      resourcePath: '/{proxy+}',
      httpMethod: request.method,
      path: `/${stage}${request.path}`,
      stage,
      identity: { sourceIp: '192.0.2.1', userAgent: null },
      requestId: 'c6af9ac6-7b61-11e6-9a41-93e8deadbeef',
      apiId: '1234567890',
    },
    ...body(request, null, (_type) => false),
  };
}

/** HTTP API with payload format 1.0. */
export function httpAPIv1Event(request: EventRequest, stage = 'prod'): Event {
  return { version: '1.0', ...restEvent(request, stage), resource: '$default', pathParameters: null, stageVariables: null };
}

/**
 * HTTP API with payload format 2.0: header names in lower case, repeated fields joined, a separate key for cookies, and base64
 * bodies except for a few types. Unlike a REST API, it keeps the stage in the path.
 */
export function httpAPIEvent(request: EventRequest, stage = '$default'): Event {
  const path = stage === '$default' ? request.path : `/${stage}${request.path}`;
  const cookies = request.headers.filter(([name]) => name.toLowerCase() === 'cookie').flatMap(([, value]) => value.split('; '));
  const parameters = Object.entries(allValues(decoded(request.query))).map(([name, values]) => [name, values.join(',')]);
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath: path,
    rawQueryString: request.query,
    ...(cookies.length > 0 ? { cookies } : {}),
    headers: joinedValues(request.headers.filter(([name]) => name.toLowerCase() !== 'cookie')),
    ...(parameters.length > 0 ? { queryStringParameters: Object.fromEntries(parameters) } : {}),
    requestContext: requestContextV2({ ...request, path }, 'api-id.execute-api.eu-central-1.amazonaws.com', stage),
    ...body(request, undefined, (type) => !textTypesOfHTTPAPI.test(type)),
  };
}

/** A Lambda function URL: payload format 2.0 with another domain. */
export function functionURLEvent(request: EventRequest): Event {
  return { ...httpAPIEvent(request), requestContext: requestContextV2(request, 'abcdefghij.lambda-url.eu-central-1.on.aws') };
}

/** Application Load Balancer: header names in lower case, the query as sent, an empty string for no body. */
export function albEvent(request: EventRequest): Event {
  return {
    requestContext: {
      elb: { targetGroupArn: 'arn:aws:elasticloadbalancing:eu-central-1:123456789012:targetgroup/graphql/49e9d65c45c6791a' },
    },
    httpMethod: request.method,
    path: request.path,
    queryStringParameters: lastValues(raw(request.query)),
    headers: lastValues(lowerCase(request.headers)),
    ...body(request, '', (type) => type !== '' && !textTypes.test(type)),
  };
}

/** Application Load Balancer with `lambda.multi_value_headers.enabled`: only maps of lists, and no key `headers`. */
export function albMultiEvent(request: EventRequest): Event {
  const { queryStringParameters: _query, headers: _headers, ...rest } = albEvent(request);
  return {
    ...rest,
    multiValueQueryStringParameters: allValues(raw(request.query)),
    multiValueHeaders: allValues(lowerCase(request.headers)),
  };
}

/** VPC Lattice, version 1. */
export function latticeV1Event(request: EventRequest): Event {
  const { body: text, isBase64Encoded } = body(request, '', (type) => type !== '' && !textTypes.test(type));
  return {
    raw_path: request.query === '' ? request.path : `${request.path}?${request.query}`,
    method: request.method,
    headers: joinedValues(request.headers),
    query_string_parameters: lastValues(decoded(request.query)),
    body: text,
    is_base64_encoded: isBase64Encoded,
  };
}

/** VPC Lattice, version 2: the values in both maps are lists. */
export function latticeV2Event(request: EventRequest): Event {
  return {
    version: '2.0',
    path: request.path,
    method: request.method,
    headers: allValues(lowerCase(request.headers)),
    queryStringParameters: allValues(decoded(request.query)),
    ...body(request, undefined, (type) => type !== '' && !textTypes.test(type)),
    requestContext: {
      serviceNetworkArn: 'arn:aws:vpc-lattice:eu-central-1:123456789012:servicenetwork/sn-0bf3f2882e9cc805a',
      serviceArn: 'arn:aws:vpc-lattice:eu-central-1:123456789012:service/svc-0a40eebed65f8d69c',
      targetGroupArn: 'arn:aws:vpc-lattice:eu-central-1:123456789012:targetgroup/tg-6d0ecf831eec9f09',
      region: 'eu-central-1',
      timeEpoch: '1696331543569073',
    },
  };
}

/** Netlify Functions 1.0, as Netlify's command line sends them: repeated values joined, and `isBase64Encoded` true without a body. */
export function netlifyEvent(request: EventRequest): Event {
  const parameters = allValues(decoded(request.query));
  return {
    path: request.path,
    httpMethod: request.method,
    queryStringParameters: Object.fromEntries(Object.entries(parameters).map(([name, values]) => [name, values.join(', ')])),
    multiValueQueryStringParameters: parameters,
    headers: joinedValues(request.headers),
    multiValueHeaders: Object.fromEntries(Object.entries(joinedValues(request.headers)).map(([name, value]) => [name, [value]])),
    ...body(request, undefined, (type) => !textTypesOfNetlify.test(type)),
    ...(request.body === undefined && { isBase64Encoded: true }),
    rawUrl: `http://localhost:8888${request.path}${request.query === '' ? '' : `?${request.query}`}`,
    rawQuery: request.query,
  };
}

/** The event of Netlify's Vite plugin: a "?" in the query, lists split at commas, `isBase64Encoded` wrongly true. */
export function netlifyViteEvent(request: EventRequest): Event {
  return {
    ...netlifyEvent(request),
    rawQuery: request.query === '' ? '' : `?${request.query}`,
    multiValueHeaders: Object.fromEntries(
      Object.entries(joinedValues(request.headers)).map(([name, value]) => [name, value.split(',').map((part) => part.trim())]),
    ),
    body: request.body === undefined ? null : asText(request.body),
    isBase64Encoded: request.body === undefined || !textTypesOfNetlify.test(contentType(request)),
  };
}

/** A web `Request`, for Netlify Functions 2.0, Workers, Deno, Bun. */
export function webRequest(request: EventRequest, init: RequestInit = {}): Request {
  return new Request(`https://example.org${request.path}${request.query === '' ? '' : `?${request.query}`}`, {
    method: request.method,
    headers: request.headers.map(([name, value]): [string, string] => [name, value]),
    ...(request.body === undefined ? {} : { body: request.body as string | Uint8Array<ArrayBuffer> }),
    ...init,
  });
}

const textTypesOfHTTPAPI = /^(?:text\/|application\/(?:json|javascript|xml)\b)/i;
const textTypesOfNetlify =
  /^(?:text\/|[^;]*\+(?:json|xml)\b|application\/(?:json|javascript|xml|graphql|x-www-form-urlencoded|x-ndjson|csp-report)\b)/i;
const textTypes = /^(?:text\/|application\/(?:[\w.-]+\+)?(?:json|xml|javascript|graphql|x-www-form-urlencoded)\b)/i;

function requestContextV2(request: EventRequest, domainName: string, stage = '$default'): Event {
  return {
    accountId: '123456789012',
    apiId: 'api-id',
    domainName,
    domainPrefix: domainName.split('.')[0],
    http: { method: request.method, path: request.path, protocol: 'HTTP/1.1', sourceIp: '192.0.2.1', userAgent: 'test' },
    requestId: 'JKJaXmPLvHcESHA=',
    routeKey: '$default',
    stage,
    time: '10/Mar/2026:05:16:23 +0000',
    timeEpoch: 1773119783000,
  };
}

/** Bytes are always sent as base64; text only if the platform treats its type as binary. */
function body(request: EventRequest, none: unknown, isBinary: (type: string) => boolean): { body?: unknown; isBase64Encoded: boolean } {
  if (request.body === undefined) return none === undefined ? { isBase64Encoded: false } : { body: none, isBase64Encoded: false };
  if (typeof request.body === 'string' && !isBinary(contentType(request))) return { body: request.body, isBase64Encoded: false };
  return { body: Buffer.from(request.body).toString('base64'), isBase64Encoded: true };
}

function contentType(request: EventRequest): string {
  return request.headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '';
}

function asText(content: string | Uint8Array): string {
  return typeof content === 'string' ? content : Buffer.from(content).toString();
}

type Pairs = readonly (readonly [name: string, value: string])[];

function decoded(query: string): Pairs {
  return [...new URLSearchParams(query)];
}

function raw(query: string): Pairs {
  if (query === '') return [];
  return query.split('&').map((pair): [string, string] => {
    const [name = '', ...value] = pair.split('=');
    return [name, value.join('=')];
  });
}

function lowerCase(pairs: Pairs): Pairs {
  return pairs.map(([name, value]): [string, string] => [name.toLowerCase(), value]);
}

function lastValues(pairs: Pairs): Record<string, string> {
  return Object.fromEntries(pairs);
}

/** A Map, because a header or parameter may have the name of a property of Object.prototype. */
function allValues(pairs: Pairs): Record<string, string[]> {
  const lists = new Map<string, string[]>();
  for (const [name, value] of pairs) lists.set(name, [...(lists.get(name) ?? []), value]);
  return Object.fromEntries(lists);
}

function joinedValues(pairs: Pairs): Record<string, string> {
  return Object.fromEntries(
    Object.entries(allValues(lowerCase(pairs))).map(([name, values]) => [name, values.join(name === 'cookie' ? '; ' : ',')]),
  );
}

function orNull<T extends object>(map: T): T | null {
  return Object.keys(map).length === 0 ? null : map;
}
