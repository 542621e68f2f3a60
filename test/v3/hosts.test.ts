import { deepEqual, equal, match, ok, rejects, throws } from 'node:assert/strict';
import { createServer } from 'node:http';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { ApolloServer as AzureServer } from '../../src/entries/v3/azure-functions.ts';
import { ApolloServer as ExpressServer } from '../../src/entries/v3/express.ts';
import type { ApolloServerExpressConfig, CorsOptions } from '../../src/entries/v3/express.ts';
import { ApolloServer as MicroServer } from '../../src/entries/v3/micro.ts';
import { silent } from './server.ts';

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

async function listening(context: TestContext, listener: RequestListener): Promise<string> {
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
  const url = await listening(
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
  const url = await listening(context, server.createHandler() as RequestListener);
  const users = Array.from({ length: 20 }, (_, at) => `user-${at}`);

  const answers = await Promise.all(
    users.map(async (user) => (await fetch(url, post('{ who }', { 'x-user': user }))).json() as Promise<{ data: { who: string } }>),
  );

  deepEqual(
    answers.map(({ data }) => data.who),
    users,
  );
});

test('middleware serves its path and those below it, and passes on the rest', async (context) => {
  const server = new ExpressServer(config);
  const used: ((req: IncomingMessage, res: ServerResponse, next: () => void) => void)[] = [];
  server.applyMiddleware({ app: { use: (one: never) => used.push(one) } });
  const url = await listening(context, (req, res) => used[0]!(req, res, () => res.writeHead(404).end('mine')));

  deepEqual(await (await fetch(`${url}/graphql`, post('{ hello }'))).json(), { data: { hello: 'world' } });
  equal(server.graphqlPath, '/graphql');
  for (const path of ['/', '/other', '/other/graphql', '/graphqlx'])
    equal(await (await fetch(url + path, post('{ hello }'))).text(), 'mine');
  deepEqual(await (await fetch(`${url}/.well-known/apollo/server-health`)).json(), { status: 'pass' });
});

test('listen serves on its own port', async (context) => {
  const served = new ExpressServer(config);
  const { url, port, address, family } = await served.listen({ port: 0, host: '127.0.0.1' });
  context.after(() => served.stop());

  ok(Number(port) > 0);
  deepEqual([address, family, url], ['127.0.0.1', 'IPv4', `http://127.0.0.1:${port}/`]);
  deepEqual(await (await fetch(url, post('{ hello }'))).json(), { data: { hello: 'world' } });
});

test('listen accepts a port alone, and the options of apollo-server: cors, the health check, large bodies', async (context) => {
  const served = new ExpressServer({
    ...config,
    cors: { origin: ['https://a.example'] },
    onHealthCheck: () => Promise.reject(new Error('ill')),
  });
  const { url } = await served.listen(0);
  context.after(() => served.stop());

  const asked = (origin: string): Promise<Response> => fetch(url, post(`{ hello } #${'x'.repeat(150_000)}`, { origin }));
  equal((await asked('https://evil.example')).headers.get('access-control-allow-origin'), null);
  const own = await asked('https://a.example');
  deepEqual([own.status, own.headers.get('access-control-allow-origin')], [200, 'https://a.example']);
  equal((await fetch(`${url}.well-known/apollo/server-health`)).status, 503);
});

test('a listening server finishes requests in progress when it is stopped, and then closes', async () => {
  const order: string[] = [];
  let begun: () => void;
  const running = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const served = new ExpressServer({
    typeDefs: 'type Query { slow: String }',
    resolvers: {
      Query: {
        slow: async () => {
          begun();
          await new Promise((resolve) => setTimeout(resolve, 20));
          order.push('answered');
          return 'slow';
        },
      },
    },
    logger: silent,
    plugins: [{ serverWillStart: async () => ({ serverWillStop: async () => void order.push('stopped') }) }],
  });
  const { url } = await served.listen({ port: 0, host: '127.0.0.1' });

  const answer = fetch(url, post('{ slow }'));
  await running;
  await served.stop();

  deepEqual(await (await answer).json(), { data: { slow: 'slow' } });
  deepEqual(order, ['answered', 'stopped']);
  await rejects(fetch(url, post('{ slow }')));
});

test('listen rejects if the start fails, and if the port is in use', async (context) => {
  const failing = { serverWillStart: () => Promise.reject(new Error('no database')) };
  await rejects(new ExpressServer({ ...config, plugins: [failing] }).listen(0), /no database/);

  const first = new ExpressServer(config);
  const { port } = await first.listen(0);
  context.after(() => first.stop());
  await rejects(new ExpressServer(config).listen(port), /EADDRINUSE/);
});

test('with bodyParserConfig: false the body is the one parsed by the app', async (context) => {
  const server = new ExpressServer(config);
  const handler = server.createHandler({ expressGetMiddlewareOptions: { bodyParserConfig: false } });
  let parses = true;
  const url = await listening(context, (req, res) => {
    if (!parses) return void handler(req, res);
    let text = '';
    req.on('data', (chunk: Buffer) => (text += chunk.toString()));
    req.once('end', () => void handler(Object.assign(req, { body: text === '' ? {} : (JSON.parse(text) as unknown) }), res));
  });

  deepEqual(await (await fetch(url, post('{ hello }'))).json(), { data: { hello: 'world' } });
  deepEqual(await (await fetch(`${url}?query={hello}`)).json(), { data: { hello: 'world' } });
  parses = false;
  const unread = await fetch(url, post('{ hello }'));
  deepEqual([unread.status, /`res\.body` is not set/.test(await unread.text())], [500, true]);
});

test('a method of version 2 says what to use instead', () => {
  throws(() => new ExpressServer(config).installSubscriptionHandlers(), /createHandler of "graphql-functions" streams subscriptions/);
});

test('a form parsed by middleware is not run, because any page can send one', async (context) => {
  const server = new ExpressServer(config);
  const handler = server.createHandler();
  const url = await listening(context, (req, res) => {
    Object.assign(req, { body: { query: 'mutation { touch }' } });
    req.resume();
    req.once('end', () => void handler(req, res));
  });

  const form = await fetch(url, { method: 'POST', body: new URLSearchParams({ query: 'mutation { touch }' }) });
  const json = await fetch(url, post('mutation { touch }'));

  equal(form.status, 400);
  match(await form.text(), /POST body missing/);
  deepEqual(await json.json(), { data: { touch: 'touched' } });
});

test('a micro handler keeps the CORS and Vary headers of the host', async (context) => {
  const server = new MicroServer({ ...config, plugins: [varying] });
  await server.start();
  const url = await listening(context, (req, res) => {
    res.setHeader('access-control-allow-origin', 'https://a.example');
    res.setHeader('vary', 'Origin');
    // API routes of Next.js call the handler in this way.
    void server.createHandler({ path: '/api/graphql' })(req, res);
  });

  const answer = await fetch(`${url}/api/graphql`, post('{ hello }'));

  equal(answer.headers.get('access-control-allow-origin'), 'https://a.example');
  equal(answer.headers.get('vary'), 'Origin, x-language');
  equal((await fetch(`${url}/elsewhere`, post('{ hello }'))).status, 404);
});

const varying = {
  async requestDidStart() {
    return {
      async willSendResponse({ response }: { response: { http?: { headers: { set(name: string, value: string): void } } } }) {
        response.http?.headers.set('vary', 'x-language');
      },
    };
  },
};

test('a micro server returns the same handler for every call of createHandler, and starts automatically', () => {
  const server = new MicroServer(config);

  equal(server.createHandler({ path: '/api' }), server.createHandler({ path: '/api' }));
  ok(server.createHandler({ path: '/api' }) !== server.createHandler({ path: '/other' }));
});

test('the cors option of the servers for Vercel is applied', async (context) => {
  const url = await listening(context, new MicroServer(config).createHandler({ cors: { origin: 'https://a.example' } }) as RequestListener);

  equal((await fetch(url, post('{ hello }'))).headers.get('access-control-allow-origin'), 'https://a.example');
});

/** Calls a function as Azure's host does, with a parsed request. */
function callAzure(server: AzureServer, request: object, options?: object): Promise<any> {
  return new Promise((resolve, reject) => {
    const done = (error: unknown, result: unknown): void => (error ? reject(error as Error) : resolve(result));
    const returned: unknown = server.createHandler(options)({ done, invocationId: '1' }, request);
    equal(returned, undefined);
  });
}

const azureRequest = {
  method: 'POST',
  url: 'https://app.azurewebsites.net/api/graphql',
  headers: { 'content-type': 'application/json', 'x-user': 'ada', origin: 'https://a.example' },
  query: {},
  body: { query: '{ hello who }' },
  rawBody: '{"query":"{ hello who }"}',
};

test('an Azure function returns its result with context.done, and its context has the request and context of Azure', async () => {
  const server = new AzureServer({
    ...config,
    context: ({ request, context }) => ({ user: `${String(request.headers['x-user'])} ${String(context.invocationId)}` }),
  });

  const { status, headers, body } = await callAzure(server, azureRequest);

  equal(status, 200);
  deepEqual(JSON.parse(body as string), { data: { hello: 'world', who: 'ada 1' } });
  equal(headers['access-control-allow-origin'], '*');
  match(headers['content-type'] as string, /^application\/json/);
});

test('an Azure function answers GET, preflights and health checks', async () => {
  const server = new AzureServer(config);
  const { rawBody: _, body: __, ...get } = azureRequest;

  const query = await callAzure(server, { ...get, method: 'GET', headers: {}, query: { query: '{ hello }' } });
  const preflight = await callAzure(server, { ...get, method: 'OPTIONS' }, { cors: { origin: 'https://a.example', methods: ['POST'] } });
  const health = await callAzure(server, { ...get, method: 'GET', url: `${get.url}/.well-known/apollo/server-health` });

  deepEqual(JSON.parse(query.body as string), { data: { hello: 'world' } });
  deepEqual(
    [preflight.status, preflight.headers['access-control-allow-origin'], preflight.headers['access-control-allow-methods']],
    [204, 'https://a.example', 'POST'],
  );
  deepEqual([health.status, health.body], [200, '{"status":"pass"}']);
});

test('a cloud function can be a complete app', async (context) => {
  const handler = new ExpressServer(config).createHandler({
    expressGetMiddlewareOptions: { path: '/graphql' },
    expressAppFromMiddleware: (middleware) => (req: IncomingMessage, res: ServerResponse) => {
      middleware(req, res, () => res.end('mine'));
    },
  });
  const url = await listening(context, handler as RequestListener);

  deepEqual(await (await fetch(`${url}/graphql`, post('{ hello }'))).json(), { data: { hello: 'world' } });
  equal(await (await fetch(`${url}/other`)).text(), 'mine');
});
