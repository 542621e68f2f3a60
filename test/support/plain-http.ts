import assert from 'node:assert/strict';

import type { EventRequest as PlainRequest } from '../../src/tools/testing/event-request.ts';

export type { PlainRequest };

/** A response as a client receives it, on any platform. */
export interface PlainResponse {
  readonly status: number;
  /** Lower-case names, without set-cookie. */
  readonly headers: ReadonlyMap<string, string>;
  readonly setCookies: readonly string[];
  /** The body; empty if there is none. */
  readonly body: string;
}

/** The properties of a request that differ from a GET of /graphql without headers, parameters and body. */
export function plainRequest(fields: Partial<PlainRequest> = {}): PlainRequest {
  return { method: 'GET', path: '/graphql', query: '', headers: [], body: undefined, ...fields };
}

/** A POST of a JSON body. A string or bytes are sent as they are. */
export function post(body: unknown, fields: Partial<PlainRequest> = {}): PlainRequest {
  const raw = typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body);
  return plainRequest({ method: 'POST', body: raw, ...fields, headers: [['Content-Type', 'application/json'], ...(fields.headers ?? [])] });
}

/** Posts JSON with fetch. */
export function postJSON(url: string | URL, body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  return fetch(url, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) });
}

/** A GET of a query, encoded as a form is: "+" for a space. Carries the header that CSRF prevention requires. */
export function get(parameters: Readonly<Record<string, string>>, fields: Partial<PlainRequest> = {}): PlainRequest {
  return plainRequest({
    query: new URLSearchParams(parameters).toString(),
    ...fields,
    headers: [['Vendor-Require-Preflight', '1'], ...(fields.headers ?? [])],
  });
}

/** The body of an answer, which must be JSON with a JSON content type. */
// Any: tests read properties of answers of many shapes.
export function json(response: PlainResponse): any {
  assert.match(response.headers.get('content-type') ?? '', /^application\/(?:graphql-response\+|health\+)?json\b/);
  return JSON.parse(response.body);
}
