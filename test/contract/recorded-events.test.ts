import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { createHandler } from '../../src/entries/index.ts';
import type { HTTPRequest } from '../../src/shared/http-messages.ts';
import type { PlatformAdapter } from '../../src/server/platform/adapter.ts';
import { findAdapter } from '../../src/server/platform/adapter.ts';
import { fetchAPI } from '../../src/server/platform/fetch.ts';
import { lambdaAdapters } from '../../src/server/platform/aws.ts';
import { netlifyV1 } from '../../src/server/platform/netlify.ts';
import { echoServer } from '../support/echo-server.ts';
import { json } from '../support/plain-http.ts';
import { recordedEvent, recordedEvents } from '../support/recorded-events.ts';
import { contracts, readResult } from '../support/results.ts';

const adapters: readonly PlatformAdapter<never>[] = [fetchAPI, ...lambdaAdapters, netlifyV1];

/** The expected request of each recorded event, written by hand. */
interface Reading extends Pick<HTTPRequest, 'body'> {
  readonly source: string;
  /** The method, and the path with the query string. */
  readonly request: string;
  readonly header: readonly [name: string, value: string | null];
  readonly contract: keyof typeof contracts;
  readonly status: number;
}

const none = { kind: 'none' } as const;
const text = (content: string): { kind: 'text'; text: string } => ({ kind: 'text', text: content });
const restAPI = 'API Gateway REST API, or HTTP API (1.0)';

const readings: Readonly<Record<string, Reading>> = {
  'alb/powertools-albEvent.json': {
    source: 'Application Load Balancer',
    request: 'GET /lambda?query=1234ABCD',
    header: ['x-forwarded-port', '80'],
    body: text('Test'),
    contract: 'alb',
    status: 400,
  },
  'alb/rust-http-alb_request_encoded_query_parameters.json': {
    source: 'Application Load Balancer',
    request: 'GET /?myKey=%3FshowAll%3Dtrue',
    header: ['cookie', 'cookies'],
    body: text('request_body'),
    contract: 'alb',
    status: 415,
  },
  'alb-multi/go-alb-lambda-target-request-multivalue-headers.json': {
    source: 'Application Load Balancer',
    request: 'GET /?key=hello',
    header: ['x-myheader', '123'],
    body: none,
    contract: 'albMulti',
    status: 422,
  },
  'apigw-v1/go-apigw-request.json': {
    source: restAPI,
    request: 'POST /hello/world?name=me',
    header: ['headername', 'headerValue'],
    body: text('{\r\n\t"a": 1\r\n}'),
    contract: 'restAPI',
    status: 422,
  },
  'apigw-v1/recorded-with-params-encoding-multi.json': {
    source: restAPI,
    request: 'POST /proxy-value?category=electronics&category=books&price=10&price=20&price=30',
    header: ['authorization', 'Bearer token123;API key456'],
    body: text('{"message": "hello world"}'),
    contract: 'restAPI',
    status: 422,
  },
  'apigw-v1/recorded-with-trailing-slash.json': {
    source: restAPI,
    request: 'GET /proxy-value/',
    header: ['test-header', 'aValUE'],
    body: none,
    contract: 'restAPI',
    status: 422,
  },
  'apigw-v2/go-apigw-v2-request-jwt-authorizer.json': {
    source: 'API Gateway HTTP API (2.0)',
    request: 'GET /my/path?parameter1=value1&parameter1=value2&parameter2=value',
    header: ['cookie', 'cookie1; cookie2'],
    body: text('{\r\n\t"a": 1\r\n}'),
    contract: 'payloadV2',
    status: 422,
  },
  'apigw-v2/powertools-apiGatewayProxyV2Event.json': {
    source: 'API Gateway HTTP API (2.0)',
    request: 'POST /my/path?parameter1=value1&parameter1=value2&parameter2=value',
    header: ['header2', 'value1,value2'],
    body: text('{"message": "hello world", "username": "tom"}'),
    contract: 'payloadV2',
    status: 415,
  },
  'apigw-v2/rust-http-apigw_v2_proxy_request_with_stage_in_path.json': {
    source: 'API Gateway HTTP API (2.0)',
    request: 'POST /Prod/my/path?parameter1=value1&parameter1=value2&parameter2=value',
    header: ['cookie', 'cookie1=value1; cookie2=value2'],
    body: text('Hello from Lambda'),
    contract: 'payloadV2',
    status: 415,
  },
  'function-url/powertools-lambdaFunctionUrlEvent.json': {
    source: 'Lambda function URL',
    request: 'GET /',
    header: ['sec-fetch-site', 'cross-site'],
    body: none,
    contract: 'payloadV2',
    status: 422,
  },
  'lattice-v1/powertools-vpcLatticeEvent.json': {
    source: 'VPC Lattice (1)',
    request: 'GET /testpath?order-id=1',
    header: ['header2', 'value1,value2'],
    body: { kind: 'bytes', bytes: Buffer.from('{"test": "event"}') },
    contract: 'lattice',
    status: 422,
  },
  'lattice-v2/powertools-vpcLatticeV2Event.json': {
    source: 'VPC Lattice (2)',
    request: 'GET /newpath?order-id=1',
    header: ['user_agent', 'curl/7.64.1'],
    body: text('{"message": "Hello from Lambda!"}'),
    contract: 'lattice',
    status: 422,
  },
  'netlify-v1/cli-get-query.json': {
    source: 'Netlify Functions (1)',
    request: 'GET /.netlify/functions/graphql?query=%7B+__typename+%7D&a=1&a=2',
    header: ['x-nf-account-id', ''],
    body: none,
    contract: 'netlifyV1',
    status: 200,
  },
  'netlify-v1/cli-post-json.json': {
    source: 'Netlify Functions (1)',
    request: 'POST /.netlify/functions/graphql',
    header: ['content-type', 'application/json'],
    body: text('{"query":"{ __typename }"}'),
    contract: 'netlifyV1',
    status: 200,
  },
  'netlify-v1/cli-post-cookies-repeated-header.json': {
    source: 'Netlify Functions (1)',
    request: 'POST /.netlify/functions/graphql',
    header: ['cookie', 'a=1; b=2'],
    body: text('{"query":"{ __typename }"}'),
    contract: 'netlifyV1',
    status: 200,
  },
  'netlify-v1/dev-post-octet-stream.json': {
    source: 'Netlify Functions (1)',
    request: 'POST /.netlify/functions/graphql',
    header: ['content-type', 'application/octet-stream'],
    body: { kind: 'bytes', bytes: Buffer.from('{"query":"{ __typename }"}') },
    contract: 'netlifyV1',
    status: 415,
  },
  'netlify-v1-vite/vite-post-json.json': {
    source: 'Netlify Functions (1)',
    request: 'POST /.netlify/functions/graphql',
    header: ['content-length', '26'],
    body: text('{"query":"{ __typename }"}'),
    contract: 'netlifyV1',
    status: 200,
  },
  'netlify-v1-vite/vite-get-no-query.json': {
    source: 'Netlify Functions (1)',
    request: 'GET /.netlify/functions/graphql',
    header: ['host', '127.0.0.1:8888'],
    body: none,
    contract: 'netlifyV1',
    status: 422,
  },
};

const foreignEvents: Readonly<Record<string, RegExp>> = {
  'not-http/go-sqs-event.json': /got an object with the keys Records\./,
  'websocket/go-apigw-websocket-request.json': /got an object with the keys resource, path, httpMethod, .*requestContext/,
  'edge/samcli-CloudFrontSimpleRemoteCall.json': /got an object with the keys Records\./,
};

test('every recorded event has a test below', () => {
  assert.deepEqual(
    recordedEvents()
      .map(({ file }) => file)
      .toSorted(),
    [...Object.keys(readings), ...Object.keys(foreignEvents)].toSorted(),
  );
});

for (const [file, reading] of Object.entries(readings)) {
  describe(`the recorded event ${file}`, () => {
    const adapter = findAdapter(adapters, recordedEvent(file));

    test('is recognized by its event source', () => {
      assert.equal(adapter.name, reading.source);
    });

    test('is converted to the request that was sent', () => {
      const { method, path, queryString, headers, body } = adapter.toRequest(recordedEvent(file));

      assert.equal(`${method} ${path}${queryString && '?'}${queryString}`, reading.request);
      assert.equal(headers.get(reading.header[0]), reading.header[1]);
      assert.deepEqual(body, reading.body);
    });

    test('gets a response in the format of its platform', async () => {
      const handler = createHandler(echoServer({ csrfPrevention: false }).options);

      const response = readResult(contracts[reading.contract], await handler(recordedEvent(file)));

      assert.equal(response.status, reading.status);
      assert.equal(Array.isArray(json(response).errors), reading.status !== 200);
    });
  });
}

for (const [file, message] of Object.entries(foreignEvents)) {
  test(`the recorded event ${file} is rejected, so that it does not count as handled`, async () => {
    const { options, tally } = echoServer();

    await assert.rejects(createHandler(options)(recordedEvent(file)), message);

    assert.equal(tally.resolved, 0);
  });
}
