import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { createHandler } from '../../../../../src/entries/fetch.ts';
import { createEndpoint } from '../../../../support/endpoint.ts';
import { webRequest } from '../../../../support/events.ts';
import { json, plainRequest, post } from '../../../../support/plain-http.ts';
import type { PlainRequest } from '../../../../support/plain-http.ts';

/** A QUERY of a JSON body (RFC 10008). */
const query = (body: unknown, fields: Partial<PlainRequest> = {}): PlainRequest => post(body, { ...fields, method: 'QUERY' });

describe('an operation by QUERY', () => {
  it('accepts variables and operationName, as POST does', async () => {
    const endpoint = createEndpoint({ csrfPrevention: true });
    const text = 'query A { hello } query B($name: String) { hello(name: $name) }';

    const response = await endpoint.send(query({ query: text, operationName: 'B', variables: { name: 'Ada' } }));

    assert.deepEqual(json(response), { data: { hello: 'Hello, Ada!' } });
    assert.equal(response.headers.get('cache-control'), 'private, no-store');
  });

  it('cannot be a subscription, even if the client accepts events', async () => {
    const handler = createHandler({
      typeDefs: 'type Query { a: Int } type Subscription { ticks: Int }',
      resolvers: { Subscription: { ticks: { subscribe: () => assert.fail('it was subscribed') } } },
    });

    const response = await handler(webRequest(query({ query: 'subscription { ticks }' }, { headers: [['accept', 'text/event-stream']] })));

    assert.match(await response.text(), /cannot run a subscription/);
  });
});

describe('a batch by QUERY', () => {
  it('is answered element by element, and runs no mutation', async () => {
    const endpoint = createEndpoint();

    const response = await endpoint.send(
      query([{ query: '{ hello }' }, { query: 'mutation { write }' }, { query: '{ sum(numbers: [1]) }' }]),
    );

    const [first, second, third] = json(response);
    assert.equal(response.status, 200);
    assert.deepEqual([first, third], [{ data: { hello: 'Hello, world!' } }, { data: { sum: 1 } }]);
    assert.match(second.errors[0].message, /a QUERY request cannot run a mutation/);
    assert.deepEqual(endpoint.runs, ['hello', 'sum']);
  });
});

describe('Accept-Query announces the method and its media type', () => {
  it('in the response to OPTIONS', async () => {
    const { headers } = await createEndpoint().send(plainRequest({ method: 'OPTIONS' }));

    assert.deepEqual([headers.get('accept-query'), headers.get('accept-post')], ['application/json', 'application/json']);
  });
});
