import type { HTTPRequest, HTTPResponse } from '../../shared/index.ts';
import { bodyOf } from './result-body.ts';
import { lambdaResultBytes } from './adapter.ts';
import type { PlatformAdapter, UnknownEvent } from './adapter.ts';
import { encodeQuery, rawQuery } from './event-query.ts';
import { cookieLists, gatewayRequest } from './gateway.ts';
import { netlifyTimeLimit } from './netlify.ts';
import type { NetlifyHandlerResponse } from './netlify.ts';
import { isNetlifySchedule, pingRequest } from './ping.ts';

/** Netlify Functions 1.0 (`export const handler`): like a REST API's event, but without `requestContext`. */
export const netlifyV1: PlatformAdapter<UnknownEvent, NetlifyHandlerResponse> = {
  name: 'Netlify Functions (1)',
  recognizes: (event) => ('httpMethod' in event || 'rawUrl' in event) && !('requestContext' in event),
  toRequest,
  toResult,
  timeLimit: () => netlifyTimeLimit,
  maxResultBytes: lambdaResultBytes,
};

function toRequest(event: UnknownEvent): HTTPRequest {
  const queryString = rawQuery(event['rawQuery']) ?? encodeQuery(event['queryStringParameters'], event['multiValueQueryStringParameters']);
  const request = gatewayRequest(event, queryString);
  if (isNetlifySchedule(request.headers)) return pingRequest();
  // Netlify decompresses a body, but leaves the header that says it is compressed. A text cannot be compressed.
  if (request.body.kind === 'text') request.headers.delete('content-encoding');
  return request;
}

/** Netlify refuses lists in `headers`, and some runtimes send a name that is in both maps twice. So cookies are in one map only. */
function toResult(response: HTTPResponse): NetlifyHandlerResponse {
  return { statusCode: response.status, headers: response.headers.toRecord(), ...cookieLists(response), ...bodyOf(response) };
}
