import type { APIGatewayProxyResult } from 'aws-lambda';

import type { HTTPResponse } from '../../shared/index.ts';
import { base64Mark } from './result-body.ts';
import { lambdaResultBytes } from './adapter.ts';
import type { PlatformAdapter, UnknownEvent } from './adapter.ts';
import { objectAt } from './event-fields.ts';
import { encodeQuery } from './event-query.ts';
import { cookieLists, gatewayRequest } from './gateway.ts';

/** API Gateway REST API, and HTTP API with payload format 1.0: the same event and the same result. */
export const restAPI: PlatformAdapter<UnknownEvent, APIGatewayProxyResult> = {
  name: 'API Gateway REST API, or HTTP API (1.0)',
  // Authorizers and WebSocket APIs get the same keys and more.
  recognizes: (event) =>
    ('httpMethod' in event || 'resource' in event) &&
    'requestContext' in event &&
    !('methodArn' in event) &&
    !('connectionId' in objectAt(event, 'requestContext')),
  toRequest: (event) => gatewayRequest(event, encodeQuery(event['queryStringParameters'], event['multiValueQueryStringParameters'])),
  toResult,
  // The integration timeout of a REST API, unless its owner has raised it; that of an HTTP API is a second longer.
  timeLimit: () => 29_000,
  maxResultBytes: lambdaResultBytes,
  decodesBase64: true,
};

/** The only keys of a result: with any other key, the gateway answers 502. A REST API decodes base64 only if its `binaryMediaTypes` match, an HTTP API always. */
function toResult(response: HTTPResponse): APIGatewayProxyResult {
  const { status: statusCode, headers, body } = response;
  return { statusCode, headers: headers.toRecord(), ...cookieLists(response), body: body ?? '', ...base64Mark(response) };
}
