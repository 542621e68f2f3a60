import { HeaderMap } from '../message/header-map.ts';
import type { HTTPRequest, HTTPResponse } from '../message/http-messages.ts';
import type { PlatformAdapter, UnknownEvent } from './adapter.ts';
import { lambdaResultBytes } from './adapter.ts';

/**
 * A direct invocation: the event is an operation request, and the result its response object. It takes the
 * right to invoke the function to send one, so it counts as a POST of JSON, which no CSRF rule holds up.
 */
export const directInvoke: PlatformAdapter = {
  name: 'direct invocation',
  recognises: (event) => !('httpMethod' in event) && !('rawUrl' in event) && (sure.some((key) => key in event) || hasDocumentId(event)),
  toRequest,
  toResult: (response: HTTPResponse): unknown => (response.body === null ? {} : JSON.parse(response.body)),
  maxResultBytes: lambdaResultBytes,
  bodyIsResult: true,
};

/** Keys that no other event has. */
const sure = ['query', 'extensions', 'documentId'];
/** All keys of an operation request, the names of other servers for a document's id among them. */
const parameters = new Set([...sure, 'operationName', 'variables', 'id', 'doc_id']);

/** An `id` alone says little: events of every kind have one. Beside nothing but parameters of an operation it is a document's. */
function hasDocumentId(event: UnknownEvent): boolean {
  return ('id' in event || 'doc_id' in event) && Object.keys(event).every((key) => parameters.has(key));
}

function toRequest(event: UnknownEvent): HTTPRequest {
  return {
    method: 'POST',
    path: '/',
    queryString: '',
    headers: new HeaderMap({ 'content-type': 'application/json' }),
    body: { kind: 'value', value: event },
  };
}
