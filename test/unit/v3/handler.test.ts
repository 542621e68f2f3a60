import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict';
import { test } from 'node:test';

import { ApolloServer, AuthenticationError } from '../../../src/entries/v3.ts';
import { eventOf, listening, sender, serve, silent } from '../../support/v3-server.ts';

const operation = { body: { query: '{ hello }' } };
const server = (): ApolloServer => new ApolloServer({ typeDefs: 'type Query { hello: String }', logger: silent });

test('a handler called with a callback calls it with the same result', async () => {
  const handler = server().createHandler();

  const called = await new Promise((resolve, reject) => {
    void handler(eventOf(operation), {} as never, (error: unknown, result: unknown) => (error ? reject(error as Error) : resolve(result)));
  });

  equal((called as { statusCode: number }).statusCode, 200);
});

test('a wrapper that changes the result can return it, even if it passed on the callback of Lambda', async () => {
  const handler = server().createHandler();
  const called: unknown[] = [];
  // Lambda's callback declares no parameters either.
  const ofLambda = (...outcome: unknown[]): void => void called.push(outcome);
  const wrapped = async (event: object, context: never, callback: (...outcome: unknown[]) => void): Promise<object> => {
    const result: object = await handler(event, context, callback as never);
    await new Promise((resolve) => setImmediate(resolve));
    return { ...result, headers: { 'x-wrapped': 'yes' } };
  };

  const result = await wrapped(eventOf(operation), {} as never, ofLambda);

  deepEqual((result as { headers: object }).headers, { 'x-wrapped': 'yes' });
  equal(called.length, 0);
  const failing = wrapped({ Records: [{ eventSource: 'aws:sqs' }] }, {} as never, ofLambda);
  await rejects(failing, /got an object with the keys Records\./);
  equal(called.length, 0);
});

test('an error of a handler with a callback goes only to the callback', async () => {
  const handler = server().createHandler();
  const sqs = { Records: [{ eventSource: 'aws:sqs' }] };

  const failure = await new Promise((resolve) => {
    void handler(sqs, {} as never, (error: unknown) => resolve(error));
  });

  match(String(failure), /got an object with the keys Records\./);
  await rejects(async () => handler(sqs, {} as never, undefined as never));
});

test('a handler declares at most two parameters: the newest Lambda runtime refuses a third', () => {
  ok(server().createHandler().length <= 2);
});

test('a subclass can wrap the handler created by super', async () => {
  class Mine extends ApolloServer {
    override createHandler(...options: Parameters<ApolloServer['createHandler']>): any {
      const handler = super.createHandler(...options) as any;
      return async (event: unknown, context: unknown) => ({ ...(await handler(event, context)), statusCode: 299 });
    }
  }

  const answer = await sender(new Mine({ typeDefs: 'type Query { hello: String }', logger: silent }).createHandler())(operation);

  equal(answer.status, 299);
});

test('the context function reads the request and sets cookies and header fields of the response', async () => {
  const send = serve({
    typeDefs: 'type Query { seen: String }',
    resolvers: { Query: { seen: (_: unknown, __: unknown, context: any) => JSON.stringify(context) } },
    context: ({ event, express: { req, res } }: any) => {
      res.cookie('session', 'a b', { httpOnly: true, sameSite: 'lax', maxAge: 5000 });
      res.setHeader('X-Trace', 't1');
      res.append('x-trace', 't2');
      res.status(500);
      return [req.method, req.path, req.ip, req.get('X-User'), req.cookies.c, event.rawPath];
    },
  });

  const answer = await send({ path: '/a', headers: { 'x-user': 'u', cookie: 'c=%C3%A9' }, body: { query: '{ seen }' } });

  equal(answer.status, 200);
  deepEqual(Object.values(JSON.parse(answer.body.data.seen as string) as object), ['POST', '/a', '192.0.2.1', 'u', 'é', '/a']);
  equal(answer.headers['x-trace'], 't1, t2');
  match(answer.cookies[0] ?? '', /^session=a%20b; Max-Age=5; Path=\/; Expires=.*; HttpOnly; SameSite=Lax$/);
});

test('cookies that a client makes of blanks and quotes take no longer than others to read', async () => {
  const context = ({ express: { req, res } }: any): object => ({ cookies: req.cookies, constructor: res.getHeader('constructor') });
  const resolvers = { Query: { seen: (_: unknown, __: unknown, given: object) => JSON.stringify(given) } };
  const send = serve({ typeDefs: 'type Query { seen: String }', resolvers, context });
  const blanks = ' '.repeat(20_000);

  // With a pattern that can match blanks in several ways, this request took minutes.
  const answer = await send({ headers: { cookie: `a=1;${blanks};b${blanks}c;d=x${blanks}y;e="q;f="r" ` }, body: { query: '{ seen }' } });

  const { cookies } = JSON.parse(answer.body.data.seen as string) as { cookies: Record<string, string> };
  deepEqual(Object.keys(cookies), ['a', 'd', 'e', 'f']);
  deepEqual([cookies['e'], cookies['f'], answer.body.data.seen.includes('constructor')], ['"q', 'r', false]);
});

test('methods that would send a separate response say what to use instead', async () => {
  const answer = await serve({ context: ({ express: { res } }: any) => res.redirect('/') })(operation);

  equal(answer.status, 500);
  match(answer.body.errors[0].message, /^Context creation failed: res\.redirect is not supported/);
});

test('a context that fails is a 500, or a 400 if its error has a code', async () => {
  for (const [error, status] of [
    [new Error('No database'), 500],
    [new AuthenticationError('Sign in'), 400],
  ] as const) {
    const answer = await serve({ context: () => Promise.reject(error) })(operation);

    deepEqual([answer.status, answer.body.errors[0].message], [status, `Context creation failed: ${error.message}`]);
  }
});

test('each operation of a batch gets its own context, created once', async () => {
  let made = 0;
  const send = serve({
    typeDefs: 'type Query { count: Int }',
    resolvers: { Query: { count: (_: unknown, __: unknown, context: any) => (context.count = (context.count ?? 0) + 1) } },
    context: () => ({ made: ++made }),
  });

  const answer = await send({ body: [{ query: '{ count }' }, { query: '{ count }' }] });

  deepEqual(answer.body, [{ data: { count: 1 } }, { data: { count: 1 } }]);
  equal(made, 1);
});

test('the option cors of createHandler allows only the origins in it, and answers every preflight', async () => {
  const origin = { headers: { origin: 'https://a.example' } };
  const send = serve({}, { cors: { origin: 'https://a.example', credentials: true, methods: ['GET', 'POST'], maxAge: 60 } });

  const preflight = await send({ method: 'OPTIONS', ...origin });
  const answer = await send({ ...operation, ...origin });

  equal(preflight.status, 204);
  equal(preflight.headers['access-control-allow-methods'], 'GET,POST');
  equal(preflight.headers['access-control-max-age'], '60');
  for (const { headers } of [preflight, answer]) {
    equal(headers['access-control-allow-origin'], 'https://a.example');
    equal(headers['access-control-allow-credentials'], 'true');
  }
  for (const cors of [{}, { credentials: true }, { origin: undefined }]) {
    const closed = serve({}, { cors } as never);
    deepEqual(await closed({ method: 'OPTIONS', ...origin }), { status: 204, headers: {}, cookies: [], body: '' });
    equal((await closed({ ...operation, ...origin })).headers['access-control-allow-origin'], undefined);
  }
});

test('the health check needs no operation', async () => {
  const health = { method: 'GET', path: '/stage/.well-known/apollo/server-health' };

  const healthy = await serve()(health);
  const ill = await serve({}, { onHealthCheck: () => Promise.reject(new Error('down')) })(health);

  deepEqual([healthy.status, healthy.body], [200, { status: 'pass' }]);
  deepEqual([ill.status, ill.body], [503, { status: 'fail' }]);
});

test('no option makes the server read a body of a type that any page can send', async () => {
  const send = serve({}, { expressGetMiddlewareOptions: { bodyParserConfig: { type: '*/*' } } });

  const plain = await send({ headers: { 'content-type': 'text/plain' }, body: { query: '{ hello }' } });
  const other = await send({ headers: { 'content-type': 'application/graphql+json' }, body: { query: '{ hello }' } });

  deepEqual([plain.status, other.status], [400, 200]);
});

test('a body over the limit is refused', async () => {
  const send = serve({}, { expressGetMiddlewareOptions: { bodyParserConfig: { limit: '1kb' } } });

  const answer = await send({ body: { query: `{ hello } #${'x'.repeat(2000)}` } });

  equal(answer.status, 413);
});

test('a body that is not UTF-8 is refused', async () => {
  const body = Buffer.from('{"query":"{ hello } #\xe9"}', 'latin1').toString('base64');
  const handler = server().createHandler() as any;

  const answer = await handler({ ...eventOf(operation), body, isBase64Encoded: true }, {});

  deepEqual(
    [answer.statusCode, JSON.parse(answer.body as string).errors[0].message],
    [400, 'Expected the body to be JSON, but it does not parse.'],
  );
});

test('stack traces are sent in development and with debug, never in production', async () => {
  const stackOf = async (config: object): Promise<unknown> =>
    (await serve(config)({ body: { query: '{ boom }' } })).body.errors[0].extensions.exception?.stacktrace;

  ok(Array.isArray(await stackOf({ nodeEnv: 'development' })));
  ok(Array.isArray(await stackOf({ nodeEnv: 'test', debug: true })));
  equal(await stackOf({ nodeEnv: 'test' }), undefined);
  equal(await stackOf({ nodeEnv: 'production', debug: true }), undefined);
  equal(await stackOf({ nodeEnv: 'staging' }), undefined);
});

test('a GET cannot run a mutation through a custom executor', async () => {
  let ran = false;
  const executor = async (): Promise<{ data: object }> => {
    ran = true;
    return { data: {} };
  };
  const send = serve({ typeDefs: 'type Query { a: Int } type Mutation { b: Int }', resolvers: {}, executor });

  const answer = await send({ method: 'GET', query: `query=${encodeURIComponent('mutation A { b } mutation B { b }')}` });

  deepEqual([answer.status, ran], [400, false]);
});

test('a response to a GET has no default cache-control, as in version 3', async () => {
  const answer = await serve()({ method: 'GET', query: 'query={hello}' });

  deepEqual([answer.status, answer.headers['cache-control']], [200, undefined]);
});

test('a server that cannot start logs the reason, and hides it from clients', async () => {
  const errors: string[] = [];
  const send = serve({
    logger: { ...silent, error: (message: string) => errors.push(message) },
    plugins: [{ serverWillStart: () => Promise.reject(new Error('secret cause')) }],
  });

  const answer = await send(operation);

  equal(answer.status, 500);
  match(answer.body.errors[0].message, /^This data graph is missing a valid configuration\./);
  match(errors[0] ?? '', /secret cause/);
});

test('every cookie set by a plugin is sent, together with those of the context function', async () => {
  const send = serve({
    context: ({ express: { res } }: any) => (res.cookie('a', '1'), {}),
    plugins: [
      listening({
        willSendResponse: async ({ response }: any) => {
          response.http.headers.append('set-cookie', 'b=2');
          response.http.headers.append('set-cookie', 'c=3');
        },
      }),
    ],
  });

  const single = await send(operation);
  const batch = await send({ body: [operation.body, operation.body] });

  deepEqual(single.cookies, ['a=1; Path=/', 'b=2', 'c=3']);
  deepEqual(batch.cookies, ['a=1; Path=/', 'b=2', 'c=3', 'b=2', 'c=3']);
});

test("the content type set by a plugin is sent, with Express's charset", async () => {
  const typed = (type: string): Promise<{ headers: Readonly<Record<string, string>> }> =>
    serve({ plugins: [listening({ willSendResponse: async ({ response }: any) => response.http.headers.set('content-type', type) })] })(
      operation,
    );

  equal((await typed('application/graphql-response+json')).headers['content-type'], 'application/graphql-response+json; charset=utf-8');
  equal((await typed('application/x; charset=utf-8')).headers['content-type'], 'application/x; charset=utf-8');
});

test('plugins get the errors of a document as graphql-js created them, without a code', async () => {
  const codes: unknown[] = [];
  const told = async ({ errors }: any): Promise<void> => void codes.push(...errors.map((error: any) => error.extensions.code));
  const send = serve({ plugins: [listening({ didEncounterErrors: told })] });

  const answers = [await send({ body: { query: '{' } }), await send({ body: { query: '{ nope }' } })];

  deepEqual(codes, [undefined, undefined]);
  const found = answers.map(({ body }) => body.errors[0].extensions.code);
  deepEqual(found, ['GRAPHQL_PARSE_FAILED', 'GRAPHQL_VALIDATION_FAILED']);
});
