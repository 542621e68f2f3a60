import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { ServerResponse as NodeResponse } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { test } from 'node:test';

import { ApolloServer } from '../../src/entries/v3.ts';
import type { Config, GetMiddlewareOptions } from '../../src/entries/v3.ts';
import { eventOf, sender, silent } from './server.ts';
import type { Answer, Sent } from './server.ts';

// test/real/v3 tests the real Express. These apps are node:http listeners, as those of Express are.

type Route = (request: IncomingMessage, response: ServerResponse) => unknown;

const typeDefs = 'type Query { hello: String who: String in: String }';
const resolvers = {
  Query: {
    hello: () => 'world',
    who: (_: unknown, __: unknown, { req }: any) => `${req.user} ${req.ip} ${req.socket.remoteAddress} ${req.apiGateway.event.rawPath}`,
    in: (_: unknown, __: unknown, { res }: any) => {
      res.setHeader('set-cookie', 'session=1');
      return 'in';
    },
  },
};

/** Creates a handler with an app that has these routes, by method and path, before GraphQL. */
function handlerOf(routes: Readonly<Record<string, Route>>, config: Config = {}, options: GetMiddlewareOptions = {}): any {
  const context = ({ event, express: { req, res } }: any): object => ({ event, req, res });
  return new ApolloServer({ typeDefs, resolvers, logger: silent, context, ...config }).createHandler({
    expressGetMiddlewareOptions: options,
    expressAppFromMiddleware: (middleware) => (request: any, response: any) => {
      request.user = request.headers['x-user'];
      // As Express does.
      Object.setPrototypeOf(response, Object.create(NodeResponse.prototype));
      const route = routes[`${request.method} ${request.url.split('?')[0]}`];
      return route
        ? route(request, response)
        : middleware(request, response, () => {
            response.statusCode = 404;
            response.end('mine');
          });
    },
  });
}

function app(routes: Readonly<Record<string, Route>>, config?: Config, options?: GetMiddlewareOptions): (sent: Sent) => Promise<Answer> {
  return sender(handlerOf(routes, config, options));
}

const operation = (query: string, more: Sent = {}): Sent => ({ ...more, body: { query } });

test('an app from expressAppFromMiddleware serves its own routes and GraphQL', async () => {
  const send = app({ 'GET /avatar': (_, response) => response.setHeader('x-mine', 'yes').end('a face') }, {}, { path: '/graphql' });

  const route = await send({ method: 'GET', path: '/avatar' });
  const graphql = await send(operation('{ hello }', { path: '/graphql' }));
  const elsewhere = await send(operation('{ hello }', { path: '/other' }));

  deepEqual([route.status, route.headers['x-mine'], route.body], [200, 'yes', 'a face']);
  deepEqual(graphql.body, { data: { hello: 'world' } });
  equal(graphql.headers['access-control-allow-origin'], '*');
  deepEqual([elsewhere.status, elsewhere.body], [404, 'mine']);
});

test('the context function gets the event, and the request and response of the app as changed by middleware', async () => {
  const send = app({});

  const answer = await send(operation('{ who in }', { headers: { 'x-user': 'ada', 'x-forwarded-for': '198.51.100.7' }, path: '/a' }));

  deepEqual(answer.body, { data: { who: 'ada 192.0.2.1 192.0.2.1 /a', in: 'in' } });
  deepEqual(answer.cookies, ['session=1']);
});

test('concurrent requests are isolated', async () => {
  const send = app(
    {},
    {
      context: async ({ express: { req } }: any) => {
        await new Promise((resolve) => setImmediate(resolve));
        return { req };
      },
    },
  );
  const users = Array.from({ length: 20 }, (_, at) => `user-${at}`);

  const answers = await Promise.all(users.map((user) => send(operation('{ who }', { headers: { 'x-user': user } }))));

  deepEqual(
    answers.map(({ body }) => body.data.who.split(' ')[0]),
    users,
  );
});

test('the bytes of a request reach the app, and binary responses are returned as base64', async () => {
  const bytes = Buffer.from([0x89, 0x50, 0xff, 0xfe]);
  const handler = handlerOf({
    'POST /echo': async (request, response) => {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part as Buffer);
      const body = Buffer.concat(parts);
      response.writeHead(201, { 'x-length': `${request.headers['content-length']} ${body.length}` }).end(body);
    },
  });

  const sent = { ...eventOf({ path: '/echo', body: '' }), body: bytes.toString('base64'), isBase64Encoded: true };
  const answer = await handler(sent, {});

  equal(answer.statusCode, 201);
  equal(answer.headers['x-length'], '4 4');
  deepEqual([answer.isBase64Encoded, Buffer.from(answer.body, 'base64')], [true, bytes]);
});

test('a response written in pieces, chunked, after an early hint or compressed arrives complete', async () => {
  const handler = handlerOf({
    'GET /pieces': (_, response) => {
      response.write('a');
      setImmediate(() => {
        response.write('b');
        response.end('ü');
      });
    },
    'GET /chunked': (_, response) => {
      response.setHeader('transfer-encoding', 'chunked');
      response.write('a long piece of text');
      response.end('and its end');
    },
    'GET /hinted': (_, response) => {
      response.writeEarlyHints({ link: '</a.css>; rel=preload' });
      response.writeHead(203, { 'set-cookie': ['a=1', 'b=2'] });
      response.end('hinted');
    },
    'GET /listed': (_, response) => response.writeHead(200, ['set-cookie', 'a=1', 'Set-Cookie', 'b=2']).end('6869', 'hex'),
    'GET /compressed': (_, response) => response.setHeader('content-encoding', 'gzip').end('not for text'),
    'GET /nothing': (_, response) => response.writeHead(204).end(),
    'HEAD /pieces': (_, response) => response.setHeader('x-head', 'yes').end('nobody reads this'),
  });
  const get = (path: string, method = 'GET'): Promise<any> => handler(eventOf({ method, path }), {});

  equal((await get('/pieces')).body, 'abü');
  equal((await get('/chunked')).body, 'a long piece of textand its end');
  const { statusCode, cookies, body } = await get('/hinted');
  deepEqual([statusCode, cookies, body], [203, ['a=1', 'b=2'], 'hinted']);
  const listed = await get('/listed');
  deepEqual([listed.cookies, listed.body], [['a=1', 'b=2'], 'hi']);
  equal((await get('/compressed')).isBase64Encoded, true);
  deepEqual(await get('/nothing'), { statusCode: 204, headers: {} });
  deepEqual(await get('/pieces', 'HEAD'), { statusCode: 200, headers: { 'x-head': 'yes' } });
});

test('an app can serve /health, and keeps the health check of version 3; a ping logs nothing', async () => {
  const handler = handlerOf({ 'GET /health': (_, response) => response.end('my own') });
  const get = (path: string): Promise<any> => handler(eventOf({ method: 'GET', path }), {});

  equal((await get('/health')).body, 'my own');
  equal((await get('/.well-known/apollo/server-health')).body, '{"status":"pass"}');
  deepEqual(await handler({}, {}), { statusCode: 200 });
});

test('a router mounted in an Express app sees the rest of the path', async () => {
  const seen: unknown[] = [];
  const context = ({ express: { req } }: any): object => {
    seen.push(req.baseUrl, req.url, req.originalUrl);
    return {};
  };
  const handler: any = new ApolloServer({ typeDefs, resolvers, logger: silent, context }).createHandler({
    expressGetMiddlewareOptions: { path: '/graphql' },
    expressAppFromMiddleware: (middleware) => (request: any, response: any) => {
      request.originalUrl = request.url;
      middleware(request, response, () => {});
    },
  });

  await handler(eventOf({ path: '/graphql', query: 'a=1', body: { query: '{ hello }' } }), {});

  deepEqual(seen, ['/graphql', '/?a=1', '/graphql?a=1']);
});

test('an app that fails, closes the response or never ends it still gets a response', async () => {
  const send = app({
    'GET /rejects': () => Promise.reject(new Error('secret')),
    'GET /throws': () => {
      throw new Error('secret');
    },
    'GET /closes': (_, response) => response.destroy(),
  });

  for (const path of ['/rejects', '/throws', '/closes']) {
    const { status, body } = await send({ method: 'GET', path });
    equal(status, 500, path);
    ok(!JSON.stringify(body).includes('secret'), path);
  }
  const hanging: any = handlerOf({ 'GET /hangs': () => {} });
  const late = await hanging(eventOf({ method: 'GET', path: '/hangs' }), { getRemainingTimeInMillis: () => 30 });
  ok(late.statusCode >= 500);
});

test('expressAppFromMiddleware that returns no app gets an error with the first request', async () => {
  const warnings: unknown[] = [];
  const logger = { ...silent, error: (...messages: unknown[]) => warnings.push(...messages) };
  const handlerWith = (made: unknown): any =>
    new ApolloServer({ typeDefs, resolvers, logger }).createHandler({ expressAppFromMiddleware: () => made });

  equal((await handlerWith(undefined)(eventOf(operation('{ hello }')), {})).statusCode, 500);
  equal((await handlerWith(Promise.resolve())(eventOf(operation('{ hello }')), {})).statusCode, 500);

  match(warnings.map(String).join('\n'), /Expected expressAppFromMiddleware to return an Express app, got undefined/);
  match(warnings.map(String).join('\n'), /got a promise/);
});
