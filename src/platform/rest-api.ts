import type { APIGatewayProxyResult } from 'aws-lambda';

import type { HTTPRequest, HTTPResponse } from '../message/http-messages.ts';
import { methodAt, textAt, readBody, plainHeaders, lambdaResultBytes } from './adapter.ts';
import type { PlatformAdapter, UnknownEvent } from './adapter.ts';
import { readHeaders } from './event-headers.ts';
import { encodeQuery } from './event-query.ts';

/** API Gateway REST API, and HTTP API with payload format 1.0: the same event and the same result. */
export const restAPI: PlatformAdapter<UnknownEvent, APIGatewayProxyResult> = {
  name: 'API Gateway REST API, or HTTP API (1.0)',
  recognises: (event) => ('httpMethod' in event || 'resource' in event) && 'requestContext' in event,
  toRequest,
  toResult,
  // The integration timeout of a REST API, unless its owner has raised it; that of an HTTP API is a second longer.
  timeLimit: () => 29_000,
  maxResultBytes: lambdaResultBytes,
};

/** The query is already decoded; header names have the case in which they were sent. */
function toRequest(event: UnknownEvent): HTTPRequest {
  return {
    method: methodAt(event, 'httpMethod', 'httpMethod'),
    path: textAt(event, 'path'),
    queryString: encodeQuery(event['queryStringParameters'], event['multiValueQueryStringParameters']),
    headers: readHeaders(event['headers'], event['multiValueHeaders']),
    body: readBody(event['body'], event['isBase64Encoded']),
  };
}

/** For any other key the gateway answers 502. The body is text, because base64 would arrive as base64. */
function toResult(response: HTTPResponse): APIGatewayProxyResult {
  const cookies = response.headers.getSetCookie();
  return {
    statusCode: response.status,
    headers: plainHeaders(response),
    ...(cookies.length > 0 ? { multiValueHeaders: { 'set-cookie': cookies } } : {}),
    body: response.body ?? '',
  };
}
