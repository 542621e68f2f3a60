import { HeaderMap } from '../message/header-map.ts';
import type { HTTPRequest } from '../message/http-request.ts';
import type { HTTPResponse } from '../message/http-response.ts';
import type { PlatformAdapter, UnknownEvent } from './adapter.ts';

/**
 * A direct invocation: the event is an operation request, and the result its response object. Only somebody with the
 * right to invoke the function can send one, so it counts as a POST of JSON, which no CSRF rule holds up.
 */
export const directInvoke: PlatformAdapter = {
  name: 'direct invocation',
  recognises: (event) =>
    !('httpMethod' in event) && !('rawUrl' in event) && ['query', 'extensions', 'documentId'].some((key) => key in event),
  toRequest,
  toResult: (response: HTTPResponse): unknown => (response.body === null ? {} : JSON.parse(response.body)),
};

function toRequest(event: UnknownEvent): HTTPRequest {
  return {
    method: 'POST',
    path: '/',
    queryString: '',
    headers: new HeaderMap({ 'content-type': 'application/json' }),
    body: { kind: 'value', value: event },
  };
}
