import type { ALBResult } from 'aws-lambda';

import type { HTTPResponse } from '../../shared/index.ts';
import { albResultBytes } from './adapter.ts';
import { lostCookies, singleHeaders } from './result-body.ts';
import { objectAt } from './event-fields.ts';
import type { PlatformAdapter, UnknownEvent } from './adapter.ts';
import { joinQuery } from './event-query.ts';
import { gatewayRequest } from './gateway.ts';

/** An Application Load Balancer, with or without "multi value headers" in its target group. */
export const applicationLoadBalancer: PlatformAdapter<UnknownEvent, ALBResult> = {
  name: 'Application Load Balancer',
  recognizes: (event) => 'elb' in objectAt(event, 'requestContext'),
  // Names and values of the query are still encoded here, unlike in any other event.
  toRequest: (event) => gatewayRequest(event, joinQuery(event['queryStringParameters'], event['multiValueQueryStringParameters'])),
  toResult,
  maxResultBytes: albResultBytes,
  decodesBase64: true,
  losses: (response, event) =>
    isMultiValue(event)
      ? undefined
      : lostCookies(response, 'Turn on lambda.multi_value_headers.enabled in the target group of the load balancer.'),
};

/** Uses the same map as the event: with the other, the load balancer answers 502 and counts the target as unhealthy. */
function toResult(response: HTTPResponse, event: UnknownEvent): ALBResult {
  const rest = {
    statusCode: response.status,
    statusDescription: `${response.status} ${reasons[response.status] ?? 'Response'}`,
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

/** RFC 9110 section 15, for the statuses that this library uses. */
const reasons: Readonly<Record<number, string>> = {
  200: 'OK',
  204: 'No Content',
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  406: 'Not Acceptable',
  413: 'Content Too Large',
  414: 'URI Too Long',
  415: 'Unsupported Media Type',
  422: 'Unprocessable Content',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
};
