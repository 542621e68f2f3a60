import type { ALBResult } from 'aws-lambda';

import type { HTTPRequest, HTTPResponse } from '../message/http-messages.ts';
import { methodAt, objectAt, textAt, readBody, lostCookies, plainHeaders, albResultBytes } from './adapter.ts';
import type { PlatformAdapter, UnknownEvent } from './adapter.ts';
import { readHeaders } from './event-headers.ts';
import { joinQuery } from './event-query.ts';

/** An Application Load Balancer, with or without "multi value headers" in its target group. */
export const applicationLoadBalancer: PlatformAdapter<UnknownEvent, ALBResult> = {
  name: 'Application Load Balancer',
  recognises: (event) => 'elb' in objectAt(event, 'requestContext'),
  toRequest,
  toResult,
  maxResultBytes: albResultBytes,
  losses: (response, event) =>
    isMultiValue(event)
      ? undefined
      : lostCookies(response, 'Turn on lambda.multi_value_headers.enabled in the target group of the load balancer.'),
};

/** Names and values of the query are still encoded here, unlike in any other event. */
function toRequest(event: UnknownEvent): HTTPRequest {
  return {
    method: methodAt(event, 'httpMethod', 'httpMethod'),
    path: textAt(event, 'path'),
    queryString: joinQuery(event['queryStringParameters'], event['multiValueQueryStringParameters']),
    headers: readHeaders(event['headers'], event['multiValueHeaders']),
    body: readBody(event['body'], event['isBase64Encoded']),
  };
}

/** The answer must use the same map as the event: with the other one, the load balancer answers 502 and counts the target as unhealthy. */
function toResult(response: HTTPResponse, event: UnknownEvent): ALBResult {
  const rest = {
    statusCode: response.status,
    statusDescription: `${response.status} ${reasons[response.status] ?? 'Response'}`,
    body: response.body ?? '',
    isBase64Encoded: false,
  };
  return isMultiValue(event) ? { ...rest, multiValueHeaders: multiValueHeaders(response) } : { ...rest, headers: singleHeaders(response) };
}

function isMultiValue(event: UnknownEvent): boolean {
  return typeof event['multiValueHeaders'] === 'object' && event['multiValueHeaders'] !== null;
}

function multiValueHeaders({ headers }: HTTPResponse): Record<string, string[]> {
  const lists = new Map<string, string[]>();
  for (const [name, value] of headers) {
    const list = lists.get(name);
    if (list === undefined) lists.set(name, [value]);
    else list.push(value);
  }
  return Object.fromEntries(lists);
}

function singleHeaders(response: HTTPResponse): Record<string, string> {
  const [cookie] = response.headers.getSetCookie();
  return cookie === undefined ? plainHeaders(response) : { ...plainHeaders(response), 'set-cookie': cookie };
}

/** RFC 9110 section 15, for the statuses that this library answers with. */
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
