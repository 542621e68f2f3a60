import { deepEqual, equal, throws } from 'node:assert/strict';
import { createServer } from 'node:http';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { ApolloServer as LambdaServer } from '../../../src/entries/v3.ts';
import { ApolloServer as ExpressServer } from '../../../src/entries/v3/express.ts';
import type { ApolloServerExpressConfig, CorsOptions } from '../../../src/entries/v3/express.ts';
import { listening, silent } from '../../support/v3-server.ts';

const typeDefs = 'type Query { hello: String who: String signIn: String } type Mutation { touch: String }';

const resolvers = {
  Query: {
    hello: () => 'world',
    who: (_: unknown, __: unknown, { user }: { user: string }) => user,
    signIn: (_: unknown, __: unknown, { res }: { res: ServerResponse }) => {
      res.setHeader('set-cookie', 'session=1');
      return 'in';
    },
  },
  Mutation: { touch: () => 'touched' },
};

const config = { typeDefs, resolvers, logger: silent } satisfies ApolloServerExpressConfig;

async function urlOf(context: TestContext, listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  context.after(() => server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`;
}

function post(query: string, headers: Record<string, string> = {}): RequestInit {
  return { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify({ query }) };
}

test('a cloud function serves any path, and its context has the request of the host', async (context) => {
  const server = new ExpressServer({
    ...config,
    context: ({ req, res }) => ({ user: (req as IncomingMessage).headers['x-user'], res }),
  });
  const url = await urlOf(
    context,
    server.createHandler({ cors: { origin: ['https://a.example'], credentials: true } satisfies CorsOptions }) as RequestListener,
  );

  const answer = await fetch(`${url}/anywhere`, post('{ hello who signIn }', { 'x-user': 'ada', origin: 'https://a.example' }));

  equal(answer.status, 200);
  deepEqual(await answer.json(), { data: { hello: 'world', who: 'ada', signIn: 'in' } });
  equal(answer.headers.get('access-control-allow-origin'), 'https://a.example');
  equal(answer.headers.get('access-control-allow-credentials'), 'true');
  deepEqual(answer.headers.getSetCookie(), ['session=1']);
});

test('concurrent requests have separate contexts', async (context) => {
  const server = new ExpressServer({
    ...config,
    context: async ({ req }) => {
      const user = String((req as IncomingMessage).headers['x-user']);
      await new Promise((resolve) => setImmediate(resolve));
      return { user };
    },
  });
  const url = await urlOf(context, server.createHandler() as RequestListener);
  const users = Array.from({ length: 20 }, (_, at) => `user-${at}`);

  const answers = await Promise.all(
    users.map(async (user) => (await fetch(url, post('{ who }', { 'x-user': user }))).json() as Promise<{ data: { who: string } }>),
  );

  const whos = answers.map(({ data }) => data.who);
  deepEqual(whos, users);
});

test('middleware serves its path and those below it, and passes on the rest', async (context) => {
  const server = new ExpressServer(config);
  const used: ((req: IncomingMessage, res: ServerResponse, next: () => void) => void)[] = [];
  server.applyMiddleware({ app: { use: (one: never) => used.push(one) } });
  const url = await urlOf(context, (req, res) => used[0]!(req, res, () => res.writeHead(404).end('mine')));

  deepEqual(await (await fetch(`${url}/graphql`, post('{ hello }'))).json(), { data: { hello: 'world' } });
  equal(server.graphqlPath, '/graphql');
  for (const path of ['/', '/other', '/other/graphql', '/graphqlx'])
    equal(await (await fetch(url + path, post('{ hello }'))).text(), 'mine');
  deepEqual(await (await fetch(`${url}/.well-known/apollo/server-health`)).json(), { status: 'pass' });
});

test('a router mounted in an Express app sees the rest of the path', async (context) => {
  const seen: unknown[] = [];
  const middleware = new ExpressServer({
    ...config,
    context: ({ req }) => {
      seen.push(req.baseUrl, req.url, req.originalUrl);
      return {};
    },
  }).getMiddleware();
  // As Express does.
  const url = await urlOf(context, (req, res) => middleware(Object.assign(req, { originalUrl: req.url }), res));

  await fetch(`${url}/graphql?a=1`, post('{ hello }'));

  deepEqual(seen, ['/graphql', '/?a=1', '/graphql?a=1']);
});

test('a handler refuses an Express app, whose routes and checks would be ignored', () => {
  const expressAppFromMiddleware = (middleware: unknown): unknown => middleware;

  for (const Server of [ExpressServer, LambdaServer])
    throws(() => new Server(config).createHandler({ expressAppFromMiddleware } as never), /serverless-http for Lambda/);
});

test('a handler with cors: {} keeps the CORS and Vary headers of the host', async (context) => {
  const varying = async ({ response }: any): Promise<void> => response.http.headers.set('vary', 'x-language');
  const handler = new ExpressServer({ ...config, plugins: [listening({ willSendResponse: varying })] }).createHandler({
    cors: {},
    expressGetMiddlewareOptions: { path: '/api/graphql' },
  });
  const url = await urlOf(context, (req, res) => {
    res.setHeader('access-control-allow-origin', 'https://a.example');
    res.setHeader('vary', 'Origin');
    void handler(req, res);
  });

  const answer = await fetch(`${url}/api/graphql`, post('{ hello }'));

  equal(answer.headers.get('access-control-allow-origin'), 'https://a.example');
  equal(answer.headers.get('vary'), 'Origin, x-language');
  equal((await fetch(`${url}/elsewhere`, post('{ hello }'))).status, 404);
});
