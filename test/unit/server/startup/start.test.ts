import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { TestContext } from 'node:test';

import { createHandler } from '../../../../src/entries/index.ts';
import type { ServerOptions } from '../../../../src/server/startup/options.ts';
import { deferred } from '../../../support/deferred.ts';
import { echoServer } from '../../../support/echo-server.ts';
import { json, plainRequest, post } from '../../../support/plain-http.ts';
import type { PlainResponse } from '../../../support/plain-http.ts';
import { recordingLogger } from '../../../support/recording-logger.ts';
import { httpAPI } from '../../../support/sources.ts';

const typename = post({ query: '{ __typename }' });
const isQuery = { data: { __typename: 'Query' } };

async function send(handler: ReturnType<typeof createHandler>, request = typename): Promise<PlainResponse> {
  return httpAPI.read(await handler(httpAPI.build(request)));
}

/** Console output, which a server uses while its options are unknown. */
function silentConsole(t: TestContext): unknown[][] {
  const calls: unknown[][] = [];
  t.mock.method(console, 'error', (...call: unknown[]) => void calls.push(call));
  return calls;
}

describe('asynchronous options', () => {
  test('as a promise, are awaited by the first request', async () => {
    const options = deferred<ServerOptions>();
    const answer = send(createHandler(options.promise));

    options.resolve(echoServer().options);

    assert.deepEqual(json(await answer), isQuery);
  });

  test('from a function, are created once for concurrent requests, and not before: some platforms allow no I/O earlier', async () => {
    let made = 0;
    const handler = createHandler(async () => (made++, echoServer().options));
    const madeEarly = made;

    await Promise.all(Array.from({ length: 8 }, () => send(handler)));

    assert.deepEqual([madeEarly, made], [0, 1]);
  });

  test('from a function, are made from the environment of the first call, as Workers pass it', async () => {
    const handler = createHandler(({ env }: { readonly env: { readonly NAME: string } }) => ({
      typeDefs: 'type Query { name: String }',
      resolvers: { Query: { name: () => env.NAME } },
    }));
    const body = JSON.stringify({ query: '{ name }' });
    const request = new Request('http://localhost/graphql', { method: 'POST', headers: { 'content-type': 'application/json' }, body });

    const response = await handler.fetch(request, { NAME: 'a binding' }, {});

    assert.deepEqual(await response.json(), { data: { name: 'a binding' } });
  });

  test('from a function, are made from process.env where the platform passes no environment', async (t) => {
    process.env['OPTIONS_NAME'] = 'a variable';
    t.after(() => delete process.env['OPTIONS_NAME']);
    const handler = createHandler(({ env }: { readonly env: NodeJS.ProcessEnv }) => ({
      typeDefs: 'type Query { name: String }',
      resolvers: { Query: { name: () => env['OPTIONS_NAME'] } },
    }));

    assert.deepEqual(json(await send(handler, post({ query: '{ name }' }))), { data: { name: 'a variable' } });
  });
});

describe('options prepared by another function', () => {
  const options = { typeDefs: 'type Query { user: String }', context: () => ({ user: 'ada' }) };

  test('are served with what it added to the schema', async () => {
    const resolvers = { Query: { user: (_parent: unknown, _args: unknown, { user }: { user: string }) => user } };

    const response = await send(createHandler(subgraph({ ...options, resolvers })), post({ query: '{ user _service }' }));

    assert.deepEqual(json(response), { data: { user: 'ada', _service: 'type Query { user: String }' } });
  });

  test('are checked when the handler is created', () => {
    assert.throws(() => createHandler(subgraph({ typeDefs: 'type Query {' })), /Syntax Error/);
  });
});

/** A capability that adds a field to a schema. */
function subgraph<TContext extends object, TDataSources extends object>(
  options: ServerOptions<TContext, TDataSources>,
): ServerOptions<TContext, TDataSources> {
  const { typeDefs, resolvers } = options;
  const service = { Query: { _service: () => typeDefs } };
  const extended = [typeDefs ?? [], 'extend type Query { _service: String }'].flat();
  return { ...options, typeDefs: extended, resolvers: [resolvers ?? [], service].flat() };
}

describe('a start that fails', () => {
  for (const [what, options, cause] of [
    ['an error', () => Promise.reject(new Error('connect ECONNREFUSED 10.0.0.5:5432')), /ECONNREFUSED/],
    ['a text', () => Promise.reject('a text'), /^a text$/],
    ['invalid options', () => ({ typeDef: 'type Query { a: Int }' }), /Unknown option "typeDef"/],
  ] as const)
    test(`because of ${what} is a masked 500, logged once with its cause, however many requests wait for it`, async (t) => {
      const calls = silentConsole(t);
      const handler = createHandler(options as never);

      const [response] = await Promise.all([send(handler), send(handler)]);

      assert.equal(response.status, 500);
      assert.deepEqual(json(response), { errors: [{ message: 'Internal server error', extensions: { code: 'INTERNAL_SERVER_ERROR' } }] });
      assert.equal(calls.length, 1);
      assert.match(String(calls[0]?.[0]), /^The server could not start: requests are answered with status 500/);
      assert.match(String(calls[0]?.[1]), cause);
    });

  test('because a promise rejected before the first request, does not end the process', async (t) => {
    const calls = silentConsole(t);
    const handler = createHandler(Promise.reject(new Error('early')));
    await new Promise((resolve) => setImmediate(resolve));

    const { status } = await send(handler);

    assert.deepEqual([status, calls.length], [500, 1]);
  });

  test('because of a plugin, is reported to the logger and the plugins, and retried with the next request', async () => {
    const [logger, lines] = recordingLogger();
    const told: string[] = [];
    let attempts = 0;
    const plugins = [
      {
        serverWillStart: () => {
          if (++attempts === 1) throw new Error('no licence');
        },
        startupDidFail: ({ error }: { error: Error }) => void told.push(error.message),
      },
    ];
    const handler = createHandler(echoServer({ logger, plugins }).options);

    const statuses = [(await send(handler)).status, (await send(handler)).status];

    assert.deepEqual([statuses, told, lines.length], [[500, 200], ['no licence'], 1]);
  });

  test('stops what earlier plugins had opened, so that each start is followed by a stop', async () => {
    const [logger] = recordingLogger();
    const events: string[] = [];
    let attempts = 0;
    const opening = {
      start: () => (events.push('open'), { stop: () => void events.push('close') }),
      serverWillStart: () => ({ serverWillStop: () => void events.push('stop') }),
    };
    const failing = {
      start: () => {
        if (++attempts < 3) throw new Error('no licence');
      },
    };
    const handler = createHandler(echoServer({ logger, plugins: [opening, failing] }).options);

    const statuses = [(await send(handler)).status, (await send(handler)).status, (await send(handler)).status];
    await handler.close();

    assert.deepEqual(statuses, [500, 500, 200]);
    assert.deepEqual(events, ['open', 'stop', 'close', 'open', 'stop', 'close', 'open', 'stop', 'close']);
  });

  test('is answered, although a plugin cannot stop, which is logged', async () => {
    const [logger, lines] = recordingLogger();
    const stop = (): Promise<never> => Promise.reject(new Error('still in use'));
    const failing = { start: () => Promise.reject(new Error('no licence')) };
    const handler = createHandler(echoServer({ logger, plugins: [{ start: () => ({ stop }) }, failing] }).options);

    const { status } = await send(handler);

    assert.equal(status, 500);
    assert.deepEqual(lines.map(({ details }) => String(details[0])).toSorted(), ['Error: no licence', 'Error: still in use']);
  });

  test('shows its reason in the response when nodeEnv is development', async () => {
    const plugins = [{ serverWillStart: () => Promise.reject(new Error('no licence')) }];
    const handler = createHandler(echoServer({ plugins, nodeEnv: 'development' }).options);

    const { errors } = json(await send(handler));

    assert.equal(errors[0].message, 'The server could not start: no licence');
  });

  test('does not fail health checks', async (t) => {
    silentConsole(t);
    const handler = createHandler(() => Promise.reject(new Error('no database')));

    assert.equal((await send(handler, plainRequest({ path: '/health' }))).status, 200);
  });
});

test('serverWillStart runs once per process, before the first operation, in the order of the plugins', async () => {
  const events: string[] = [];
  const plugins = ['a', 'b'].map((name) => ({
    serverWillStart: async () => void events.push(`start ${name}`),
    requestDidStart: () => void events.push(`request ${name}`),
  }));
  const handler = createHandler(echoServer({ plugins }).options);

  await Promise.all([send(handler), send(handler)]);

  assert.deepEqual(events.slice(0, 2), ['start a', 'start b']);
  assert.equal(events.length, 6);
});

test('the response to a failed start has the CORS headers of known options', async () => {
  const { options } = echoServer({
    cors: { origin: ['https://app.example'] },
    plugins: [{ serverWillStart: () => Promise.reject(new Error('no metrics')) }],
  });

  const { status, headers } = await send(createHandler(options), plainRequest({ headers: [['Origin', 'https://app.example']] }));

  assert.deepEqual([status, headers.get('access-control-allow-origin')], [500, 'https://app.example']);
});

test('a request of the same handler inside serverWillStart is answered with an error', async () => {
  let inner: PlainResponse | undefined;
  const plugins = [{ serverWillStart: async () => void (inner = await send(handler)) }];
  const handler = createHandler({ ...echoServer().options, logger: recordingLogger()[0], plugins });

  assert.deepEqual(json(await send(handler)), isQuery);
  assert.equal(inner?.status, 500);
  assert.match(json(inner).errors[0].message, /^A request of serverWillStart, or of the options, needs the handler that it is starting\.$/);
});
