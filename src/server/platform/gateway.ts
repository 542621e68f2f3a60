import type { HTTPRequest, HTTPResponse } from '../../shared/index.ts';
import { methodAt, readBody, textAt } from './event-fields.ts';
import type { UnknownEvent } from './adapter.ts';
import { readHeaders } from './event-headers.ts';

/** The request of an event of API Gateway (1.0), an Application Load Balancer or Netlify (1). Any key may have any type. */
export function gatewayRequest(event: UnknownEvent, queryString: string): HTTPRequest {
  return {
    method: methodAt(event, 'httpMethod', 'httpMethod'),
    path: textAt(event, 'path'),
    queryString,
    headers: readHeaders(event['headers'], event['multiValueHeaders']),
    body: readBody(event['body'], event['isBase64Encoded']),
  };
}

/** Several cookies, in the map that API Gateway and Netlify read in addition to `headers`. */
export function cookieLists({ headers }: HTTPResponse): { multiValueHeaders?: { 'set-cookie': string[] } } {
  const cookies = headers.getSetCookie();
  return cookies.length > 0 ? { multiValueHeaders: { 'set-cookie': cookies } } : {};
}
