import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';

import { createHandler } from '../../../../src/entries/index.ts';
import { rest } from '../../../../src/entries/rest.ts';

const handler = createHandler({
  typeDefs: 'type Query { echo(id: ID!): ID }',
  resolvers: { Query: { echo: (_: unknown, { id }: { id: string }) => id } },
  trustedDocuments: { documents: { echo: 'query Echo($id: ID!) @http(method: GET, route: "/echo/{id}") { echo(id: $id) }' } },
  plugins: [rest()],
}) as unknown as (event: unknown, context: object) => Promise<{ statusCode: number; body: string }>;

function recorded(file: string): any {
  return JSON.parse(readFileSync(new URL(`../../../fixtures/events/${file}`, import.meta.url), 'utf8'));
}

const restAPI = recorded('apigw-v1/recorded-with-trailing-slash.json');
const httpAPI = recorded('apigw-v2/powertools-apiGatewayProxyV2Event.json');
const functionURL = recorded('function-url/powertools-lambdaFunctionUrlEvent.json');
const balancer = recorded('alb/powertools-albEvent.json');
const netlify = recorded('netlify-v1/cli-get-query.json');

function payload2(event: any, rawPath: string): object {
  const http = { ...event.requestContext.http, method: 'GET', path: rawPath };
  return { ...event, rawPath, rawQueryString: '', body: null, requestContext: { ...event.requestContext, http } };
}

const gateway = { httpMethod: 'GET', queryStringParameters: null, multiValueQueryStringParameters: null, body: null };
const decoded = decodeURIComponent;

/** The event of each platform for a path as a client sends it. HTTP APIs decode it. */
const platforms: Readonly<Record<string, (path: string) => object>> = {
  'an HTTP API, payload 1.0': (path) => ({ ...restAPI, ...gateway, version: '1.0', path: decoded(path) }),
  'an HTTP API, payload 2.0': (path) => payload2(httpAPI, decoded(path)),
  'a REST API': (path) => ({ ...restAPI, ...gateway, path }),
  'a function URL': (path) => payload2(functionURL, path),
  'a load balancer': (path) => ({ ...balancer, ...gateway, path }),
  'Netlify, version 1': (path) => ({ ...netlify, ...gateway, path, rawQuery: '', rawUrl: `https://shop.example${path}` }),
  'a web platform': (path) => new Request(`https://shop.example${path}`),
};

describe('a value of the path is decoded once by', () => {
  const values: readonly (readonly [sent: string, value: string])[] = [
    ['100%25', '100%'],
    ['%2541', '%41'],
    ['%252F', '%2F'],
    ['a%20b', 'a b'],
    ['%C3%A9', 'é'],
    ['a+b', 'a+b'],
  ];
  for (const [name, eventOf] of Object.entries(platforms))
    test(name, async () => {
      for (const [sent, value] of values) assert.deepEqual(await answerTo(eventOf(`/rest/echo/${sent}`)), [200, value], sent);
      // Where the gateway has decoded the path, an encoded slash is one that separates segments.
      const slash = await answerTo(eventOf('/rest/echo/a%2Fb'));
      if (name.startsWith('an HTTP API')) assert.equal(slash[0], 404);
      else assert.deepEqual(slash, [200, 'a/b']);
    });
});

async function answerTo(event: object): Promise<[status: number, value: unknown]> {
  const result = await handler(event, {});
  if (result instanceof Response) return [result.status, await result.json()];
  return [result.statusCode, JSON.parse(result.body)];
}
