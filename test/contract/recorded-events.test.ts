import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';

import { createHandler } from '../../src/entries/index.ts';
import type { PlatformAdapter } from '../../src/server/platform/adapter.ts';
import { findAdapter } from '../../src/server/platform/adapter.ts';
import { fetchAPI } from '../../src/server/platform/fetch.ts';
import { lambdaAdapters } from '../../src/server/platform/aws.ts';
import { netlifyV1 } from '../../src/server/platform/netlify.ts';
import { echoServer } from '../support/echo-server.ts';
import { json } from '../support/plain-http.ts';
import { contracts, readResult } from '../support/results.ts';

const adapters: readonly PlatformAdapter<never>[] = [fetchAPI, ...lambdaAdapters, netlifyV1];

/** An event as a platform sent or documents it; index.json names its origin. */
function recordedEvent(file: string): any {
  return JSON.parse(readFileSync(new URL(`../fixtures/events/${file}`, import.meta.url), 'utf8'));
}

/** The name of each event source, and the contract of its responses, by folder. */
const platforms: Readonly<Record<string, readonly [source: string, contract: keyof typeof contracts]>> = {
  alb: ['Application Load Balancer', 'alb'],
  'alb-multi': ['Application Load Balancer', 'albMulti'],
  'apigw-v1': ['API Gateway REST API, or HTTP API (1.0)', 'restAPI'],
  'apigw-v2': ['API Gateway HTTP API (2.0)', 'payloadV2'],
  'function-url': ['Lambda function URL', 'payloadV2'],
  'lattice-v1': ['VPC Lattice (1)', 'lattice'],
  'lattice-v2': ['VPC Lattice (2)', 'lattice'],
  'netlify-v1': ['Netlify Functions (1)', 'netlifyV1'],
  'netlify-v1-vite': ['Netlify Functions (1)', 'netlifyV1'],
};

const query = '{"query":"{ __typename }"}';
const parameters = 'parameter1=value1&parameter1=value2&parameter2=value';
const netlify = '/.netlify/functions/graphql';

/** The request of each recorded event, written by hand, and the status of its answer. */
const readings: readonly (readonly [
  file: string,
  /** The method, and the path with the query string. */
  request: string,
  header: `${string}: ${string}`,
  body: string | Buffer | undefined,
  status: number,
])[] = [
  ['alb/powertools-albEvent.json', 'GET /lambda?query=1234ABCD', 'x-forwarded-port: 80', 'Test', 400],
  ['alb/rust-http-alb_request_encoded_query_parameters.json', 'GET /?myKey=%3FshowAll%3Dtrue', 'cookie: cookies', 'request_body', 415],
  ['alb-multi/go-alb-lambda-target-request-multivalue-headers.json', 'GET /?key=hello', 'x-myheader: 123', undefined, 422],
  ['apigw-v1/go-apigw-request.json', 'POST /hello/world?name=me', 'headername: headerValue', '{\r\n\t"a": 1\r\n}', 422],
  [
    'apigw-v1/recorded-with-params-encoding-multi.json',
    'POST /proxy-value?category=electronics&category=books&price=10&price=20&price=30',
    'authorization: Bearer token123;API key456',
    '{"message": "hello world"}',
    422,
  ],
  ['apigw-v1/recorded-with-trailing-slash.json', 'GET /proxy-value/', 'test-header: aValUE', undefined, 422],
  ['apigw-v2/go-apigw-v2-request-jwt-authorizer.json', `GET /my/path?${parameters}`, 'cookie: cookie1; cookie2', '{\r\n\t"a": 1\r\n}', 422],
  [
    'apigw-v2/powertools-apiGatewayProxyV2Event.json',
    `POST /my/path?${parameters}`,
    'header2: value1,value2',
    '{"message": "hello world", "username": "tom"}',
    415,
  ],
  [
    'apigw-v2/rust-http-apigw_v2_proxy_request_with_stage_in_path.json',
    `POST /Prod/my/path?${parameters}`,
    'cookie: cookie1=value1; cookie2=value2',
    'Hello from Lambda',
    415,
  ],
  ['function-url/powertools-lambdaFunctionUrlEvent.json', 'GET /', 'sec-fetch-site: cross-site', undefined, 422],
  [
    'lattice-v1/powertools-vpcLatticeEvent.json',
    'GET /testpath?order-id=1',
    'header2: value1,value2',
    Buffer.from('{"test": "event"}'),
    422,
  ],
  [
    'lattice-v2/powertools-vpcLatticeV2Event.json',
    'GET /newpath?order-id=1',
    'user_agent: curl/7.64.1',
    '{"message": "Hello from Lambda!"}',
    422,
  ],
  ['netlify-v1/cli-get-query.json', `GET ${netlify}?query=%7B+__typename+%7D&a=1&a=2`, 'x-nf-account-id: ', undefined, 200],
  ['netlify-v1/cli-post-json.json', `POST ${netlify}`, 'content-type: application/json', query, 200],
  ['netlify-v1/cli-post-cookies-repeated-header.json', `POST ${netlify}`, 'cookie: a=1; b=2', query, 200],
  ['netlify-v1/dev-post-octet-stream.json', `POST ${netlify}`, 'content-type: application/octet-stream', Buffer.from(query), 415],
  ['netlify-v1-vite/vite-post-json.json', `POST ${netlify}`, 'content-length: 26', query, 200],
  ['netlify-v1-vite/vite-get-no-query.json', `GET ${netlify}`, 'host: 127.0.0.1:8888', undefined, 422],
];

const foreignEvents: Readonly<Record<string, RegExp>> = {
  'not-http/go-sqs-event.json': /got an object with the keys Records\./,
  'websocket/go-apigw-websocket-request.json': /got an object with the keys resource, path, httpMethod, .*requestContext/,
  'edge/samcli-CloudFrontSimpleRemoteCall.json': /got an object with the keys Records\./,
};

test('every recorded event has a test below', () => {
  const files = recordedEvent('index.json').map(({ file }: { file: string }) => file);

  assert.deepEqual(files.toSorted(), [...readings.map(([file]) => file), ...Object.keys(foreignEvents)].toSorted());
});

for (const [file, request, header, content, status] of readings)
  describe(`the recorded event ${file}`, () => {
    const [source, contract] = platforms[file.split('/')[0]!]!;

    test('is recognized by its event source, and converted to the request that was sent', () => {
      const adapter = findAdapter(adapters, recordedEvent(file));

      const { method, path, queryString, headers, body } = adapter.toRequest(recordedEvent(file));

      const [name] = header.split(': ', 1) as [string];
      assert.deepEqual(
        [adapter.name, `${method} ${path}${queryString && '?'}${queryString}`, `${name}: ${headers.get(name)}`],
        [source, request, header],
      );
      const kinds = { undefined: { kind: 'none' }, string: { kind: 'text', text: content }, object: { kind: 'bytes', bytes: content } };
      assert.deepEqual(body, kinds[typeof content as keyof typeof kinds]);
    });

    test('gets a response in the format of its platform', async () => {
      const handler = createHandler(echoServer({ csrfPrevention: false }).options);

      const response = readResult(contracts[contract], await handler(recordedEvent(file)));

      assert.equal(response.status, status);
      assert.equal(Array.isArray(json(response).errors), status !== 200);
    });
  });

for (const [file, message] of Object.entries(foreignEvents))
  test(`the recorded event ${file} is rejected, so that it does not count as handled`, async () => {
    const { options, tally } = echoServer();

    await assert.rejects(createHandler(options)(recordedEvent(file)), message);

    assert.equal(tally.resolved, 0);
  });
