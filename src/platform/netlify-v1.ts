import type { HTTPRequest, HTTPResponse } from '../message/http-messages.ts';
import { methodAt, textAt, readBody, bodyOf, plainHeaders, lambdaResultBytes } from './adapter.ts';
import type { PlatformAdapter, UnknownEvent } from './adapter.ts';
import { readHeaders } from './event-headers.ts';
import { encodeQuery, rawQuery } from './event-query.ts';
import type { NetlifyHandlerResponse } from './netlify.ts';
import { isNetlifySchedule, pingRequest } from './ping.ts';
import { netlifyTimeLimit } from './netlify.ts';

/** Netlify Functions 1.0 (`export const handler`): like a REST API's event, but without `requestContext`. */
export const netlifyV1: PlatformAdapter<UnknownEvent, NetlifyHandlerResponse> = {
  name: 'Netlify Functions (1)',
  recognises: (event) => ('httpMethod' in event || 'rawUrl' in event) && !('requestContext' in event),
  toRequest,
  toResult,
  timeLimit: () => netlifyTimeLimit,
  maxResultBytes: lambdaResultBytes,
};

function toRequest(event: UnknownEvent): HTTPRequest {
  const headers = readHeaders(event['headers'], event['multiValueHeaders']);
  if (isNetlifySchedule(headers)) return pingRequest();
  const body = readBody(event['body'], event['isBase64Encoded']);
  // Netlify decompresses a body, but leaves the header that says it is compressed. A text cannot be compressed.
  if (body.kind === 'text') headers.delete('content-encoding');
  return {
    method: methodAt(event, 'httpMethod', 'httpMethod'),
    path: textAt(event, 'path'),
    queryString: rawQuery(event['rawQuery']) ?? encodeQuery(event['queryStringParameters'], event['multiValueQueryStringParameters']),
    headers,
    body,
  };
}

/** Netlify refuses lists in `headers`, and some runtimes send a name in both maps twice. So cookies are in one map only. */
function toResult(response: HTTPResponse): NetlifyHandlerResponse {
  const cookies = response.headers.getSetCookie();
  return {
    statusCode: response.status,
    headers: plainHeaders(response),
    ...(cookies.length > 0 ? { multiValueHeaders: { 'set-cookie': cookies } } : {}),
    ...bodyOf(response),
  };
}
