import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';

import { methodAt, readBody } from './event-fields.ts';
import { lambdaResultBytes } from './adapter.ts';
import type { PlatformAdapter, UnknownEvent } from './adapter.ts';
import type { HTTPRequest, HTTPResponse } from '../../shared/index.ts';
import { addCookies, readHeaders } from './event-headers.ts';
import { encodeQuery, rawQuery } from './event-query.ts';

/** API Gateway HTTP API, payload format 2.0. */
export const httpAPI: PlatformAdapter<UnknownEvent, APIGatewayProxyStructuredResultV2> = {
  name: 'API Gateway HTTP API (2.0)',
  recognizes: (event) => isFunctionURL(event) === false,
  toRequest: toRequestV2,
  toResult: toResultV2,
  // The gateway's integration timeout. It cannot be raised.
  timeLimit: () => 30_000,
  maxResultBytes: lambdaResultBytes,
  decodesBase64: true,
};

/**
 * Whether an event with the payload format 2.0 comes from a function URL: the domain is the only difference. Undefined for any other
 * event, and for that of a Lambda authorizer, which has the same format and a `routeArn`.
 */
function isFunctionURL(event: UnknownEvent): boolean | undefined {
  const { requestContext } = event;
  if ('routeArn' in event) return undefined;
  const { http, domainName } = (requestContext ?? {}) as UnknownEvent;
  if (http === undefined && !('rawPath' in event)) return undefined;
  return typeof domainName === 'string' && domainName.includes('.lambda-url.');
}

/** Reads a payload of format 2.0: header names in lower case, cookies apart from them, the query string raw. */
function toRequestV2(event: UnknownEvent): HTTPRequest {
  const http = ((event['requestContext'] as UnknownEvent | null)?.['http'] ?? {}) as UnknownEvent;
  const { rawPath } = event;
  const headers = readHeaders(event['headers']);
  if (Array.isArray(event['cookies'])) addCookies(headers, event['cookies']);
  return {
    method: methodAt(http, 'method', 'requestContext.http.method'),
    path: typeof rawPath === 'string' ? rawPath : '',
    queryString: rawQuery(event['rawQueryString']) ?? encodeQuery(event['queryStringParameters']),
    headers,
    body: readBody(event['body'], event['isBase64Encoded']),
  };
}

/** Cookies have a separate key; `multiValueHeaders` would be ignored. Without `statusCode` the gateway would send the whole result as the body. */
function toResultV2(response: HTTPResponse): APIGatewayProxyStructuredResultV2 {
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
  // There is no gateway with a limit, and Lambda reports its limit.
  timeLimit: () => undefined,
  recognizes: (event) => isFunctionURL(event) === true,
} satisfies PlatformAdapter;
