import { HeaderMap } from '../../shared/index.ts';
import type { HTTPRequest, HTTPResponse } from '../../shared/index.ts';
import type { PlatformAdapter, UnknownEvent } from './adapter.ts';
import { lambdaResultBytes } from './adapter.ts';

/**
 * A direct invocation: the event is an operation request, the result its response object. Only callers that may invoke the
 * function can send one, so it counts as a POST of JSON, which CSRF prevention accepts.
 */
export const directInvoke: PlatformAdapter = {
  name: 'direct invocation',
  recognizes: (event) => !('httpMethod' in event) && !('rawUrl' in event) && (certain.some((key) => key in event) || hasDocumentId(event)),
  toRequest,
  toResult: (response: HTTPResponse): unknown => (response.body === null ? {} : JSON.parse(response.body)),
  maxResultBytes: lambdaResultBytes,
  bodyIsResult: true,
};

/** Keys that no other event has. */
const certain = ['query', 'extensions', 'documentId'];
/** All keys of an operation request, including the names that other servers use for a document's id. */
const parameters = new Set([...certain, 'operationName', 'variables', 'onError', 'id', 'doc_id']);

/** Events of every kind have an `id`. It is the id of a document only if all other keys are parameters of an operation too. */
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
