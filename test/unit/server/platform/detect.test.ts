import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { createHandler as createLambdaHandler } from '../../../../src/entries/aws-lambda.ts';
import { createHandler as createFetchHandler } from '../../../../src/entries/fetch.ts';
import { createHandler } from '../../../../src/entries/index.ts';
import { createHandler as createNetlifyHandler } from '../../../../src/entries/netlify.ts';
import { findAdapter } from '../../../../src/server/platform/adapter.ts';
import { fetchAPI } from '../../../../src/server/platform/fetch.ts';
import { lambdaAdapters } from '../../../../src/server/platform/aws.ts';
import { netlifyV1 } from '../../../../src/server/platform/netlify.ts';
import { echoServer } from '../../../support/echo-server.ts';
import { functionURLEvent, httpAPIEvent, restEvent } from '../../../support/events.ts';
import { get, post } from '../../../support/plain-http.ts';

const adapters = [fetchAPI, ...lambdaAdapters, netlifyV1];

describe('the source of an event', () => {
  test('does not depend on the order of the keys', () => {
    const shuffled = Object.fromEntries(Object.entries(functionURLEvent(get({}))).toReversed());

    assert.equal(findAdapter(adapters, shuffled).name, 'Lambda function URL');
  });

  test("of a REST API behind a custom domain with a base path is the REST API's", () => {
    const event = restEvent(post({ query: '{ __typename }' }));
    (event['requestContext'] as Record<string, unknown>)['path'] = '/base/prod/graphql';

    assert.equal(findAdapter(adapters, event).name, 'API Gateway REST API, or HTTP API (1.0)');
  });
});

describe('an event that no adapter knows', () => {
  const gatewayAuthorizer = { type: 'REQUEST', methodArn: 'arn:aws', resource: '/graphql', httpMethod: 'POST', headers: {} };
  const unknown: readonly [what: string, event: unknown, seen: string][] = [
    ['null', null, 'null'],
    ['a text', 'hello', 'a string'],
    ['an authorizer of an HTTP API', { routeArn: 'arn:aws', rawPath: '/' }, 'an object with the keys routeArn, rawPath'],
    ['a list', [{ query: '{ a }' }], 'an array of 1'],
    ['an unrelated object', { hello: 'secret value', there: 1 }, 'an object with the keys hello, there'],
    ['SQS', { Records: [{ messageId: '1', body: '{}', eventSource: 'aws:sqs' }] }, 'an object with the keys Records'],
    [
      'WebSocket',
      { requestContext: { connectionId: 'a', routeKey: '$connect' }, isBase64Encoded: false },
      'an object with the keys requestContext, isBase64Encoded',
    ],
    [
      'WebSocket with the keys of a REST API',
      { httpMethod: 'GET', requestContext: { connectionId: 'a' } },
      'an object with the keys httpMethod, requestContext',
    ],
    [
      'a Lambda authorizer of a REST API',
      { ...gatewayAuthorizer, requestContext: { httpMethod: 'POST' } },
      'an object with the keys type, methodArn, resource, httpMethod, headers, requestContext',
    ],
  ];
  for (const [what, event, seen] of unknown) {
    test(`(${what}) rejects with the keys received and the known sources, so that no queue takes it for handled`, async () => {
      const { options, tally, log } = echoServer();

      await assert.rejects(createHandler(options)(event), ({ name, message }: Error) => {
        assert.equal(name, 'Error');
        assert.ok(message.includes(`got ${seen}.`), message);
        for (const adapter of adapters) assert.ok(message.includes(adapter.name), `${adapter.name} is not in: ${message}`);
        assert.doesNotMatch(message, /secret/);
        return true;
      });
      assert.equal(tally.resolved, 0);
      assert.deepEqual(log, []);
    });
  }

  test('shows the form of a direct invocation, which people write by hand', async () => {
    await assert.rejects(
      createHandler(echoServer().options)({ qurey: '{ a }', variables: {} }),
      /got an object with the keys qurey, variables\. .*key called query: \{ "query": "\{ … \}" \}/,
    );
  });

  test('with a thousand long keys gets a short error', async () => {
    const event = Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`${at}-${'k'.repeat(1000)}`, 1]));

    await assert.rejects(createHandler(echoServer().options)(event), ({ message }: Error) => message.length < 2000);
  });

  test('of a platform that the entry point does not serve rejects', async () => {
    const handler = createFetchHandler(echoServer().options) as (event: unknown) => Promise<unknown>;

    await assert.rejects(
      handler(httpAPIEvent(get({}))),
      /^Error: Expected an event of web Request; got an object with the keys version, routeKey/,
    );
  });
});

describe('a ping', () => {
  for (const [what, event] of Object.entries({
    'an empty event': {},
    'serverless-plugin-warmup': { source: 'serverless-plugin-warmup' },
    'a schedule of EventBridge Scheduler': { id: '1', 'detail-type': 'Scheduled Event', source: 'aws.scheduler', detail: '{}' },
    'a scheduled function of Netlify': { next_run: '2026-11-21T00:00:00.000Z' },
  }))
    test(`(${what}) is answered with a bare 200 by each entry point, and starts nothing, such as a server that waits for its database`, async () => {
      for (const create of [createHandler, createLambdaHandler, createNetlifyHandler])
        assert.deepEqual(await create((() => assert.fail('it started')) as never)(event as never), { statusCode: 200 });
    });
});

describe('a direct invocation', () => {
  const invoke = (event: unknown): Promise<any> => createHandler(echoServer().options)(event);

  test('takes operationName and variables, and gets the bare result object', async () => {
    const event = { query: 'query A { __typename } query B($t: String!) { echo(text: $t) }', operationName: 'B', variables: { t: '🌍' } };

    assert.deepEqual(await invoke(event), { data: { echo: '🌍' } });
  });

  for (const name of ['documentId', 'id'])
    test(`can name a trusted document by ${name}`, async () => {
      const handler = createHandler({ ...echoServer().options, trustedDocuments: { documents: { a1: '{ __typename }' } } });

      assert.deepEqual(await handler({ [name]: 'a1' }), { data: { __typename: 'Query' } });
    });

  test('gets errors in the result, not thrown', async () => {
    const { errors, data } = await invoke({ query: '{ nothing }' });

    assert.equal(errors[0].extensions.code, 'GRAPHQL_VALIDATION_FAILED');
    assert.equal(data, undefined);
  });

  for (const event of [{ query: 5 }, { query: '' }, { extensions: {} }]) {
    test(`that is malformed gets an error in the result: ${JSON.stringify(event)}`, async () => {
      assert.equal((await invoke(event)).errors[0].extensions.code, 'BAD_REQUEST');
    });
  }

  test('is not confused with an HTTP request that has a "query" key', async () => {
    const event = { ...httpAPIEvent(post({ query: '{ __typename }' })), query: '{ echo(text: "no") }' };

    assert.equal(findAdapter(adapters, event).name, 'API Gateway HTTP API (2.0)');
  });
});

test("Netlify's scheduler is a ping, as an event and as a Request", async () => {
  const handler = createHandler(echoServer().options);
  const headers = { 'content-type': 'application/json', 'x-nf-event': 'schedule' };
  const body = '{"next_run":"2026-11-20T20:00:00.000Z"}';

  const event = await handler({ httpMethod: 'POST', path: '/.netlify/functions/graphql', headers, body });
  const response = await handler(new Request('https://example.com/.netlify/functions/graphql', { method: 'POST', headers, body }));

  assert.equal(event.statusCode, 200);
  assert.equal(response.status, 200);
});
