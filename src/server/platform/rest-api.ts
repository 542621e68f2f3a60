import type { APIGatewayProxyResult } from 'aws-lambda';

import type { HTTPResponse } from '../../shared/index.ts';
import { lambdaResultBytes } from './adapter.ts';
import type { PlatformAdapter, UnknownEvent } from './adapter.ts';
import { encodeQuery } from './event-query.ts';
import { cookieLists, gatewayRequest } from './gateway.ts';

/** API Gateway REST API, and HTTP API with payload format 1.0: the same event and the same result. */
export const restAPI: PlatformAdapter<UnknownEvent, APIGatewayProxyResult> = {
  name: 'API Gateway REST API, or HTTP API (1.0)',
  recognizes: (event) => ('httpMethod' in event || 'resource' in event) && 'requestContext' in event,
  toRequest: (event) => gatewayRequest(event, encodeQuery(event['queryStringParameters'], event['multiValueQueryStringParameters'])),
  toResult,
  // The integration timeout of a REST API, unless its owner has raised it; that of an HTTP API is a second longer.
  timeLimit: () => 29_000,
  maxResultBytes: lambdaResultBytes,
};

/** With any other key the gateway answers 502. The body is text, because base64 would not be decoded. */
function toResult(response: HTTPResponse): APIGatewayProxyResult {
  return { statusCode: response.status, headers: response.headers.toRecord(), ...cookieLists(response), body: response.body ?? '' };
}
