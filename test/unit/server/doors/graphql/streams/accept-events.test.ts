import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { GraphQLError } from 'graphql';

import { resultsOf } from '../../../../../support/sse.ts';
import { codesOf, serve, ticking } from '../../../../../support/subscription-server.ts';

describe('an event stream', () => {
  it('answers a query by GET, and refuses a subscription there with 405', async () => {
    const { send } = serve();

    const subscription = await send(ticking, { method: 'GET' });

    assert.deepEqual(resultsOf(await (await send('{ hello }', { method: 'GET' })).text()), [{ data: { hello: 'world' } }]);
    assert.equal(subscription.status, 405);
    assert.equal(subscription.headers.get('allow'), 'POST');
    assert.match(subscription.headers.get('content-type') ?? '', /^application\/graphql-response\+json/);
  });

  for (const [query, code] of [
    ['subscription {', 'GRAPHQL_PARSE_FAILED'],
    ['subscription { nope }', 'GRAPHQL_VALIDATION_FAILED'],
    ['query a { hello } query b { hello }', 'OPERATION_RESOLUTION_FAILURE'],
    ['subscription ($id: ID!) { book(id: $id) { title } }', 'BAD_USER_INPUT'],
    // The source cannot be created.
    ['subscription { refused }', 'UNAUTHENTICATED'],
    ['subscription { broken }', 'INTERNAL_SERVER_ERROR'],
    ['subscription { nothing }', 'INTERNAL_SERVER_ERROR'],
  ] as const)
    it(`sends the error of ${query} as an event, because clients of streams read nothing else`, async () => {
      const response = await serve().send(query);

      assert.equal(response.status, 200);
      assert.deepEqual(await codesOf(response), [code]);
    });

  it('is not started for an unauthorized client, which gets the status and JSON', async () => {
    const error = new GraphQLError('Who are you?', { extensions: { code: 'UNAUTHENTICATED' } });

    const response = await serve({ context: () => Promise.reject(error) }).send(ticking);

    assert.equal(response.status, 401);
    assert.match(response.headers.get('content-type') ?? '', /^application\/graphql-response\+json/);
    assert.equal(((await response.json()) as any).errors[0].extensions.code, 'UNAUTHENTICATED');
  });

  it('has the status and the headers set by context', async () => {
    const { send, source } = serve({
      context: ({ response }) => {
        response.status = 403;
        response.headers.append('set-cookie', 'a=1');
        response.headers.append('set-cookie', 'b=2');
        response.headers.set('x-trace', '7');
        return {};
      },
      cors: {},
    });
    source.complete();

    const response = await send(ticking);

    assert.equal(response.status, 403);
    assert.deepEqual(response.headers.getSetCookie(), ['a=1', 'b=2']);
    assert.deepEqual(
      ['x-trace', 'access-control-allow-origin', 'cache-control', 'vary'].map((name) => response.headers.get(name)),
      ['7', '*', 'private, no-store, no-transform', 'Accept'],
    );
  });
});

describe('Accept', () => {
  const json = 'application/json; charset=utf-8';
  const graphql = 'application/graphql-response+json; charset=utf-8';
  const events = 'text/event-stream; charset=utf-8';
  /** Accept → the content types for a query and for a subscription. */
  const cases: readonly (readonly [accept: string, query: string, subscription: string])[] = [
    ['text/event-stream', events, events],
    ['TEXT/Event-Stream', events, events],
    ['application/json, text/event-stream', json, events],
    ['application/graphql-response+json, application/graphql+json, application/json, text/event-stream, multipart/mixed', graphql, events],
    ['application/json;q=0.5, text/event-stream;q=0.6', events, events],
    ['text/event-stream, */*', events, events],
    ['text/event-stream;q=0, application/json', json, graphql],
    ['', json, graphql],
    ['text/*, application/json', json, graphql],
  ];
  for (const [accept, query, subscription] of cases) {
    it(`"${accept}" means ${query} for a query, ${subscription} for a subscription`, async () => {
      const { send, source } = serve();
      source.complete();

      const answers = [await send('{ hello }', { accept }), await send(ticking, { accept })];

      assert.deepEqual(
        answers.map((response) => response.headers.get('content-type')),
        [query, subscription],
      );
      assert.deepEqual(
        answers.map(({ status }) => status),
        [200, subscription === events ? 200 : 422],
      );
      const [, text] = await Promise.all(answers.map((answer) => answer.text()));
      assert.equal(/accept: text\/event-stream/.test(text!), subscription !== events);
    });
  }

  for (const accept of ['text/event-stream;q=0', 'text/*']) {
    it(`"${accept}" is 406 before anything runs`, async () => {
      let runs = 0;
      const { send } = serve({ context: () => ({ runs: ++runs }) });

      assert.equal((await send('{ hello }', { accept })).status, 406);
      assert.equal(runs, 0);
    });
  }

  it('of a client that prefers JSON gets the errors of a subscription with their status', async () => {
    const { send } = serve();

    const response = await send('subscription { nope }', { accept: 'application/json, text/event-stream' });

    assert.equal(response.status, 422);
    assert.equal(((await response.json()) as any).errors[0].extensions.code, 'GRAPHQL_VALIDATION_FAILED');
  });
});

it('a subscription in a batch is an error of its element; a client that accepts only event streams gets 406', async () => {
  const { send } = serve();
  const batch = [{ query: '{ hello }' }, { query: ticking }];

  const [hello, ticks] = (await (await send(batch, { accept: 'application/json, text/event-stream' })).json()) as any[];

  assert.deepEqual(hello, { data: { hello: 'world' } });
  assert.equal(ticks.errors[0].extensions.code, 'OPERATION_RESOLUTION_FAILURE');
  assert.equal((await send(batch)).status, 406);
});
