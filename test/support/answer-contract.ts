import assert from 'node:assert/strict';

import type { PlainResponse } from './plain-http.ts';
import { contracts, readResult, readWebResponse } from './results.ts';
import { assertUncacheableUnlessAllowed } from './uncacheable.ts';

/**
 * Fails unless the answer keeps the contract of its platform and of GraphQL over HTTP, whatever the request: allowed keys,
 * valid header fields, no 5xx, a JSON body in GraphQL's response shape (or none, or that of a health check).
 */
export async function assertWithinContract(adapterName: string, event: unknown, result: unknown): Promise<string> {
  if (adapterName === 'warm-up ping') {
    assert.deepEqual(result, { statusCode: 200 });
    return '';
  }
  if (adapterName === 'direct invocation') {
    assertResponseObject(result);
    return JSON.stringify(result);
  }
  const response = await read(adapterName, event, result);
  assertAnswer(response);
  return response.body;
}

function read(adapterName: string, event: unknown, result: unknown): PlainResponse | Promise<PlainResponse> {
  switch (adapterName) {
    case 'web Request':
      return readWebResponse(result);
    case 'API Gateway REST API, or HTTP API (1.0)':
      return readResult(contracts.restAPI, result);
    case 'Application Load Balancer':
      // The load balancer turns a result with the wrong one of the two maps into a 502, and marks the target as unhealthy.
      return readResult(hasLists(event) ? contracts.albMulti : contracts.alb, result);
    case 'VPC Lattice (1)':
    case 'VPC Lattice (2)':
      return readResult(contracts.lattice, result);
    case 'Netlify Functions (1)':
      return readResult(contracts.netlifyV1, result);
    default:
      return readResult(contracts.payloadV2, result);
  }
}

function hasLists(event: unknown): boolean {
  const lists = (event as { multiValueHeaders?: unknown }).multiValueHeaders;
  return typeof lists === 'object' && lists !== null;
}

function assertAnswer(response: PlainResponse): void {
  const { status, headers, body } = response;
  assertUncacheableUnlessAllowed(response);
  // A 500 is correct if the host has read the body without storing it: the client did nothing wrong.
  const wasReadBefore = status === 500 && body.includes('The body of the request was read before it reached this handler');
  assert.ok(status < 500 || wasReadBefore, `the status is ${status}: ${body}`);
  if (body === '') {
    assert.ok([200, 204, 400, 405, 406, 413, 414, 415].includes(status), `the status is ${status}, without a body`);
    return;
  }
  const type = headers.get('content-type') ?? '';
  const value: unknown = JSON.parse(body);
  if (type === 'application/health+json') assert.deepEqual(value, { status: 'pass' });
  else {
    assert.match(type, /^application\/(?:graphql-response\+)?json; charset=utf-8$/);
    if (Array.isArray(value)) value.forEach(assertResponseObject);
    else assertResponseObject(value);
  }
}

/** GraphQL specification, section 7.1. */
function assertResponseObject(value: unknown): void {
  assert.ok(typeof value === 'object' && value !== null && !Array.isArray(value), `the response is ${JSON.stringify(value)}`);
  for (const key of Object.keys(value)) assert.ok(['data', 'errors', 'extensions'].includes(key), `"${key}" is no entry of a response`);
  const { data, errors } = value as { data?: unknown; errors?: unknown };
  assert.ok(data !== undefined || errors !== undefined, 'a response has data or errors');
  if (errors === undefined) return;
  assert.ok(Array.isArray(errors) && errors.length > 0, 'errors is a list that is not empty');
  for (const error of errors) assert.equal(typeof error.message, 'string');
}
