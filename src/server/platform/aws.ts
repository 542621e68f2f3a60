/** Every source of HTTP requests on AWS Lambda: API Gateway, function URLs, load balancers, VPC Lattice; and direct invocations. */
import type { ALBResult, APIGatewayProxyResult, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';

import { HeaderMap, parseExactly, reasonPhrases } from '../../shared/index.ts';
import type { HTTPRequest, HTTPResponse } from '../../shared/index.ts';
import {
  answerAtOnce,
  lambdaResultBytes,
  ping,
  cookieLists,
  encodeQuery,
  gatewayRequest,
  joinQuery,
  methodAt,
  objectAt,
  rawQuery,
  readBody,
  readHeaders,
  textAt,
  setCookies,
} from './adapter.ts';
import type { PlatformAdapter, UnknownEvent } from './adapter.ts';

/** The largest result of a function behind an Application Load Balancer. */
const albResultBytes = 1_048_576;

/** API Gateway HTTP API, payload format 2.0. */
export const httpAPI: PlatformAdapter<UnknownEvent, APIGatewayProxyStructuredResultV2> = {
  name: 'API Gateway HTTP API (2.0)',
  begin: answerAtOnce,
  recognizes: (event) => isFunctionURL(event) === false,
  toRequest: payload2Request,
  toResult: httpAPIResult,
  // The gateway's integration timeout. It cannot be raised.
  timeLimit: () => 30_000,
  maxResultBytes: lambdaResultBytes,
  decodesBase64: true,
};

/**
 * Says whether an event with the payload format 2.0 comes from a function URL: the domain is the only difference. Returns undefined for any
 * other event, and for the event of a Lambda authorizer, which has the same format and a `routeArn`.
 */
function isFunctionURL(event: UnknownEvent): boolean | undefined {
  const { requestContext } = event;
  if ('routeArn' in event) return undefined;
  const { http, domainName } = (requestContext ?? {}) as UnknownEvent;
  if (http === undefined && !('rawPath' in event)) return undefined;
  return typeof domainName === 'string' && domainName.includes('.lambda-url.');
}

/** An HTTP API decodes the path. Here, `%` is encoded again, so that doors decode a path once on every platform. */
function encodeAgain(path: string): string {
  return path.replaceAll('%', '%25');
}

/** Reads a payload of format 2.0: header names in lower case, cookies apart from them, the query string raw. */
function payload2Request(event: UnknownEvent): HTTPRequest {
  const http = ((event['requestContext'] as UnknownEvent | null)?.['http'] ?? {}) as UnknownEvent;
  const { rawPath } = event;
  const headers = readHeaders(event['headers']);
  if (Array.isArray(event['cookies'])) setCookies(headers, event['cookies']);
  return {
    method: methodAt(http, 'method', 'requestContext.http.method'),
    path: typeof rawPath !== 'string' ? '' : rawPath.includes('%') && isFunctionURL(event) === false ? encodeAgain(rawPath) : rawPath,
    queryString: rawQuery(event['rawQueryString']) ?? encodeQuery(event['queryStringParameters']),
    headers,
    body: readBody(event['body'], event['isBase64Encoded']),
  };
}

/** Cookies have a separate key; `multiValueHeaders` would be ignored. Without `statusCode` the gateway would send the whole result as the body. */
function httpAPIResult(response: HTTPResponse): APIGatewayProxyStructuredResultV2 {
  const { status: statusCode, body } = response;
  const headers = response.headers.toRecord();
  const result: APIGatewayProxyStructuredResultV2 = body === null ? { statusCode, headers } : { statusCode, headers, body };
  if (body !== null && response.isBase64Encoded === true) result.isBase64Encoded = true;
  const cookies = response.headers.getSetCookie();
  return cookies.length > 0 ? { ...result, cookies } : result;
}

/** A Lambda function URL: the payload format 2.0 of the HTTP API with another domain. */
export const functionURL: typeof httpAPI = {
  ...httpAPI,
  name: 'Lambda function URL',
  toRequest: payload2Request,
  // There is no gateway with a limit, and Lambda reports its limit.
  timeLimit: () => undefined,
  recognizes: (event) => isFunctionURL(event) === true,
} satisfies PlatformAdapter;

/** API Gateway REST API, and HTTP API with payload format 1.0: the same event and the same result. */
export const restAPI: PlatformAdapter<UnknownEvent, APIGatewayProxyResult> = {
  name: 'API Gateway REST API, or HTTP API (1.0)',
  begin: answerAtOnce,
  // Authorizers and WebSocket APIs get the same keys and more.
  recognizes: (event) =>
    ('httpMethod' in event || 'resource' in event) &&
    'requestContext' in event &&
    !('methodArn' in event) &&
    !('connectionId' in objectAt(event, 'requestContext')),
  toRequest(event) {
    const request = gatewayRequest(event, encodeQuery(event['queryStringParameters'], event['multiValueQueryStringParameters']));
    // Only an HTTP API names the version.
    return event['version'] === '1.0' ? { ...request, path: encodeAgain(request.path) } : request;
  },
  toResult: restResult,
  // The integration timeout of a REST API, unless its owner has raised it. The timeout of an HTTP API is a second longer.
  timeLimit: () => 29_000,
  maxResultBytes: lambdaResultBytes,
  decodesBase64: true,
};

/** The only keys of a result: with any other key, the gateway answers 502. A REST API decodes base64 only if its `binaryMediaTypes` match, an HTTP API always. */
function restResult(response: HTTPResponse): APIGatewayProxyResult {
  const { status: statusCode, headers, body } = response;
  return {
    statusCode,
    headers: headers.toRecord(),
    ...cookieLists(response),
    body: body ?? '',
    ...(response.isBase64Encoded === true ? { isBase64Encoded: true } : {}),
  };
}

/** An Application Load Balancer, with or without "multi value headers" in its target group. */
const applicationLoadBalancer: PlatformAdapter<UnknownEvent, ALBResult> = {
  name: 'Application Load Balancer',
  begin: answerAtOnce,
  recognizes: (event) => 'elb' in objectAt(event, 'requestContext'),
  // Names and values of the query are still encoded here, unlike in any other event.
  toRequest: (event) => gatewayRequest(event, joinQuery(event['queryStringParameters'], event['multiValueQueryStringParameters'])),
  toResult: albResult,
  maxResultBytes: albResultBytes,
  decodesBase64: true,
  losses: (response, event) =>
    isMultiValue(event)
      ? undefined
      : lostCookies(response, 'Turn on lambda.multi_value_headers.enabled in the target group of the load balancer.'),
};

/** Uses the same map as the event: with the other, the load balancer answers 502 and counts the target as unhealthy. */
function albResult(response: HTTPResponse, event: UnknownEvent): ALBResult {
  const rest = {
    statusCode: response.status,
    statusDescription: `${response.status} ${reasonPhrases[response.status] ?? 'Response'}`,
    body: response.body ?? '',
    isBase64Encoded: response.isBase64Encoded ?? false,
  };
  return isMultiValue(event) ? { ...rest, multiValueHeaders: multiValueHeaders(response) } : { ...rest, headers: singleHeaders(response) };
}

function isMultiValue(event: UnknownEvent): boolean {
  return typeof event['multiValueHeaders'] === 'object' && event['multiValueHeaders'] !== null;
}

function multiValueHeaders({ headers }: HTTPResponse): Record<string, string[]> {
  const cookies = headers.getSetCookie();
  const lists = Object.entries(headers.toRecord()).map(([name, value]): [string, string[]] => [name, [value]]);
  return Object.fromEntries(cookies.length > 0 ? [...lists, ['set-cookie', cookies]] : lists);
}

/** The result that VPC Lattice takes, for events of both versions. */
interface LatticeResult {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly isBase64Encoded: false;
}

/** The keys that differ between the versions. */
interface Keys {
  readonly path: string;
  readonly query: string;
  readonly base64: string;
}

function lattice(name: string, keys: Keys, recognizes: PlatformAdapter['recognizes']): PlatformAdapter<UnknownEvent, LatticeResult> {
  return {
    name,
    begin: answerAtOnce,
    recognizes,
    toRequest: (event) => latticeRequest(event, keys),
    toResult: (response) => ({
      statusCode: response.status,
      headers: singleHeaders(response),
      body: response.body ?? '',
      isBase64Encoded: false,
    }),
    maxResultBytes: lambdaResultBytes,
    losses: (response) => lostCookies(response, 'VPC Lattice takes one value of each header.'),
  };
}

/** VPC Lattice, event version 1: keys in snake_case. */
const latticeV1 = lattice(
  'VPC Lattice (1)',
  { path: 'raw_path', query: 'query_string_parameters', base64: 'is_base64_encoded' },
  (event) => 'raw_path' in event,
);

/** VPC Lattice, event version 2: header fields and query parameters are lists. */
const latticeV2 = lattice('VPC Lattice (2)', { path: 'path', query: 'queryStringParameters', base64: 'isBase64Encoded' }, (event) => {
  const requestContext = objectAt(event, 'requestContext');
  return 'serviceArn' in requestContext || 'serviceNetworkArn' in requestContext;
});

/** The path may include the query string; in version 1 the map has only the last value of each name. */
function latticeRequest(event: UnknownEvent, keys: Keys): HTTPRequest {
  const text = textAt(event, keys.path);
  const mark = text.indexOf('?');
  return {
    method: methodAt(event, 'method', 'method'),
    path: mark < 0 ? text : text.slice(0, mark),
    queryString: mark < 0 ? encodeQuery(event[keys.query]) : text.slice(mark + 1),
    headers: readHeaders(event['headers']),
    body: readBody(event['body'], event[keys.base64]),
  };
}

/** The fields in one record, for platforms that send one `set-cookie` at most: several joined with commas would all be invalid. */
function singleHeaders({ headers }: HTTPResponse): Record<string, string> {
  const [cookie] = headers.getSetCookie();
  return cookie === undefined ? headers.toRecord() : { ...headers.toRecord(), 'set-cookie': cookie };
}

/** Returns the message for a platform that sends only one `set-cookie`, so that all other cookies are lost. */
function lostCookies(response: HTTPResponse, remedy: string): string | undefined {
  const count = response.headers.getSetCookie().length;
  return count < 2 ? undefined : `Only the first of ${count} set-cookie headers can be sent here. ${remedy}`;
}

/**
 * A direct invocation: the event is an operation request, the result its response object. Only callers that may invoke the
 * function can send one, so it counts as a POST of JSON, which CSRF prevention accepts.
 */
export const directInvoke: PlatformAdapter = {
  name: 'direct invocation',
  begin: answerAtOnce,
  recognizes: (event) => !('httpMethod' in event) && !('rawUrl' in event) && (certain.some((key) => key in event) || hasDocumentId(event)),
  toRequest: (value) => ({
    method: 'POST',
    path: '/',
    queryString: '',
    headers: new HeaderMap({ 'content-type': 'application/json' }),
    body: { kind: 'value', value, isTrusted: true },
  }),
  toResult: (response: HTTPResponse): unknown => (response.body === null ? {} : parseExactly(response.body)),
  maxResultBytes: lambdaResultBytes,
  bodyIsResult: true,
};

/** Keys that only operation requests have. */
const certain = ['query', 'extensions', 'documentId'];
/** All keys of an operation request, including the names that other servers use for a document's id. */
const parameters = new Set([...certain, 'operationName', 'variables', 'onError', 'id', 'doc_id']);

/** Events of every kind have an `id`. It is the id of a document only if all other keys are parameters of an operation too. */
function hasDocumentId(event: UnknownEvent): boolean {
  return ('id' in event || 'doc_id' in event) && Object.keys(event).every((key) => parameters.has(key));
}

/** The order matters: a REST API's event has no unique key. */
export const lambdaAdapters: readonly PlatformAdapter<never>[] = [
  httpAPI,
  functionURL,
  applicationLoadBalancer,
  latticeV2,
  latticeV1,
  restAPI,
  directInvoke,
  ping,
];
