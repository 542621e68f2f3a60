import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';

import { base64Mark, methodAt, objectAt, textAt, readBody, lambdaResultBytes } from './adapter.ts';
import type { PlatformAdapter, UnknownEvent } from './adapter.ts';
import type { HTTPRequest, HTTPResponse } from '../../shared/index.ts';
import { addCookies, readHeaders } from './event-headers.ts';
import { encodeQuery, rawQuery } from './event-query.ts';

/** API Gateway HTTP API, payload format 2.0. */
export const httpAPI: PlatformAdapter<UnknownEvent, APIGatewayProxyStructuredResultV2> = {
  name: 'API Gateway HTTP API (2.0)',
  recognizes: (event) => isPayloadV2(event) && !isFromFunctionURL(event),
  toRequest: toRequestV2,
  toResult: toResultV2,
  // The gateway's integration timeout. It cannot be raised.
  timeLimit: () => 30_000,
  maxResultBytes: lambdaResultBytes,
  decodesBase64: true,
};

/** True when an event has the payload format 2.0, which function URLs send too. */
function isPayloadV2(event: UnknownEvent): boolean {
  return 'http' in objectAt(event, 'requestContext') || ('rawPath' in event && 'requestContext' in event);
}

/** The domain is the only difference between the two. */
function isFromFunctionURL(event: UnknownEvent): boolean {
  return textAt(objectAt(event, 'requestContext'), 'domainName').includes('.lambda-url.');
}

/** Reads a payload of format 2.0: header names in lower case, cookies apart from them, the query string raw. */
function toRequestV2(event: UnknownEvent): HTTPRequest {
  const http = objectAt(objectAt(event, 'requestContext'), 'http');
  const headers = readHeaders(event['headers']);
  if (Array.isArray(event['cookies'])) addCookies(headers, event['cookies']);
  return {
    method: methodAt(http, 'method', 'requestContext.http.method'),
    path: textAt(event, 'rawPath'),
    queryString: rawQuery(event['rawQueryString']) ?? encodeQuery(event['queryStringParameters']),
    headers,
    body: readBody(event['body'], event['isBase64Encoded']),
  };
}

/** Cookies have a separate key; `multiValueHeaders` would be ignored. Without `statusCode` the gateway would send the whole result as the body. */
function toResultV2(response: HTTPResponse): APIGatewayProxyStructuredResultV2 {
  const { status: statusCode, body } = response;
  const headers = response.headers.toRecord();
  const result = body === null ? { statusCode, headers } : { statusCode, headers, body, ...base64Mark(response) };
  return response.headers.has('set-cookie') ? { ...result, cookies: response.headers.getSetCookie() } : result;
}

/** A Lambda function URL: the payload format 2.0 of the HTTP API with another domain. */
export const functionURL: typeof httpAPI = {
  ...httpAPI,
  name: 'Lambda function URL',
  // There is no gateway with a limit, and Lambda reports its limit.
  timeLimit: () => undefined,
  recognizes: (event) => isPayloadV2(event) && isFromFunctionURL(event),
} satisfies PlatformAdapter;
