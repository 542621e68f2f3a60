import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';

import { createHandler as createLambdaHandler, createStreamingHandler } from '../../../src/entries/aws-lambda.ts';
import { incrementalDelivery } from '../../../src/entries/incremental.ts';
import { createHandler } from '../../../src/entries/index.ts';
import type { ServerOptions, ServerPlugin } from '../../../src/entries/index.ts';
import { serve } from '../../../src/entries/node.ts';
import { createTester } from '../../../src/entries/testing.ts';
import type { AnyHandler } from '../../../src/entries/testing.ts';
import { deferred } from '../../support/deferred.ts';
import { recordingLogger } from '../../support/recording-logger.ts';

const typeDefs = 'type Query { ok: Boolean slow: String }';

/** A plugin that lists its calls. */
function recorder(): [plugin: ServerPlugin, calls: string[]] {
  const calls: string[] = [];
  const note = (name: string) => (): void => void calls.push(name);
  return [{ serverWillStart: () => (note('start')(), { drainServer: note('drain'), serverWillStop: note('stop') }) }, calls];
}

const whole = ['start', 'drain', 'stop'];

/** A handler whose first plugin lists its calls. */
function closable(options: Partial<ServerOptions> = {}, ...others: ServerPlugin[]) {
  const [plugin, calls] = recorder();
  const [logger, lines] = recordingLogger();
  const handler = createHandler({ typeDefs, logger, plugins: [plugin, ...others], ...options } as ServerOptions);
  return { handler, calls, lines, run: (query: string) => createTester(handler).run(query) };
}

/** A request without a platform's waitUntil: work goes on after its answer. */
function requestOf(query: string, accept = 'application/json'): Request {
  const headers = { 'content-type': 'application/json', accept };
  return new Request('https://shop.example/graphql', { method: 'POST', headers, body: JSON.stringify({ query }) });
}

const never = (): Promise<never> => new Promise(() => {});

describe('close of a handler', () => {
  test('calls drainServer and serverWillStop once, also when it is called twice', async () => {
    const { handler, calls, run } = closable();
    await run('{ ok }');

    await Promise.all([handler.close(), handler.close()]);
    await handler.close();

    assert.deepEqual(calls, whole);
  });

  test('does not start a server that no request has started', async () => {
    let loaded = 0;
    const { handler, calls } = closable();
    const late = createHandler(() => (loaded++, { typeDefs }));

    await handler.close();
    await late.close();
    const { status } = await createTester(late).run('{ ok }');

    assert.deepEqual([calls, loaded, status], [[], 0, 503]);
  });

  test('waits for a start that is in progress, and stops what it started', async () => {
    const [plugin, calls] = recorder();
    const options = deferred<ServerOptions>();
    const handler = createHandler(() => options.promise);
    const running = createTester(handler).run('{ ok }');

    const closing = handler.close();
    options.resolve({ typeDefs, plugins: [plugin] });

    assert.equal((await running).status, 200);
    await closing;
    assert.deepEqual(calls, whole);
  });

  test('lets running operations and their work end before serverWillStop, and answers later requests with 503', async () => {
    const [slow, work] = [deferred<string>(), deferred<void>()];
    const { handler, calls } = closable({
      context: ({ waitUntil }) => (waitUntil(work.promise.then(() => void calls.push('work'))), {}),
      resolvers: { Query: { slow: () => slow.promise } },
    });
    const running = handler(requestOf('{ slow }'));
    await turn();

    const closing = handler.close();
    const refused = await handler(requestOf('{ ok }'));
    const health = await handler(new Request('https://shop.example/graphql/health'));
    slow.resolve('done');
    const answer: unknown = await (await running).json();
    await turn();
    assert.deepEqual(calls, ['start', 'drain']);
    work.resolve();
    await closing;

    assert.deepEqual(answer, { data: { slow: 'done' } });
    assert.deepEqual(calls, ['start', 'drain', 'work', 'stop']);
    const errors = [{ message: 'The handler has been closed.', extensions: { code: 'SERVICE_UNAVAILABLE' } }];
    assert.deepEqual([refused.status, await refused.json()], [503, { errors }]);
    assert.deepEqual([health.status, await health.json()], [503, { status: 'fail' }]);
  });

  test('gives up calls that do not end within 10 s, with a warning', async (context) => {
    const { handler, calls, lines, run } = closable({ resolvers: { Query: { slow: never } } });
    void run('{ slow }');
    await turn();
    context.mock.timers.enable({ apis: ['setTimeout'] });

    const closing = handler.close();
    for (let count = 0; count < 5; count++) await turn();
    context.mock.timers.tick(9_999);
    await turn();
    assert.deepEqual(calls, ['start', 'drain']);
    context.mock.timers.tick(1);
    await closing;

    assert.deepEqual(calls, whole);
    assert.match(lines.map(({ message }) => message).join('\n'), /was closed although calls[^\n]* did not end within 10000 ms/);
  });

  for (const [operation, message] of [
    ['mutation', 'The server is stopping. The mutation has run: do not send it again.'],
    ['query', 'The server is stopping. Send the operation again.'],
  ] as const) {
    test(`cuts the deferred parts of a ${operation}, whose client learns whether to send it again`, async () => {
      const handler = createHandler({
        typeDefs: 'type Query { self: Query fast: String slow: String } type Mutation { self: Query }',
        incrementalDelivery: incrementalDelivery(),
        resolvers: { Query: { self: () => ({}), slow: never }, Mutation: { self: () => ({}) } },
      });
      const answer = await handler(requestOf(`${operation} { self { fast ... @defer { slow } } }`, 'multipart/mixed'));

      await handler.close();

      const error = JSON.stringify({ message, extensions: { code: 'SERVICE_UNAVAILABLE' } });
      assert.ok((await answer.text()).includes(error));
    });
  }

  for (const [what, accept, query] of [
    ['the source of a subscription', 'text/event-stream', 'subscription { tick }'],
    ['a streamed list', 'multipart/mixed', '{ ticks @stream(initialCount: 1) }'],
    ['a list in a deferred part', 'multipart/mixed', '{ ok ... @defer { ticks } }'],
    ['a resolver in a deferred part', 'multipart/mixed', '{ ok ... @defer { slow } }'],
  ] as const) {
    for (const end of ['close', 'the client'] as const) {
      test(`calls serverWillStop after the end of ${what} that ${end} has cut`, async () => {
        const [begun, cleanUp] = [deferred<void>(), deferred<void>()];
        const clean = async (): Promise<void> => {
          begun.resolve();
          await cleanUp.promise;
          calls.push('cleaned up');
        };
        async function* ticks(_: unknown, __: unknown, { signal }: { signal: AbortSignal }): AsyncGenerator<any> {
          try {
            yield what.includes('subscription') ? { tick: 1 } : 1;
            begun.resolve();
            if (what.includes('subscription')) await once(signal, 'abort');
            else yield 2;
          } finally {
            await clean();
          }
        }
        const { handler, calls } = closable({
          typeDefs: 'type Query { ok: Boolean slow: String ticks: [Int] } type Subscription { tick: Int }',
          incrementalDelivery: incrementalDelivery(),
          context: ({ signal }) => ({ signal }),
          resolvers: { Query: { slow: clean, ticks }, Subscription: { tick: { subscribe: ticks } } } as never,
        });
        const reader = (await handler(requestOf(query, accept))).body!.getReader();
        for (let count = 0; count < 3; count++) void reader.read();
        await begun.promise;
        if (end === 'the client') await reader.cancel();

        const closing = handler.close();
        for (let count = 0; count < 5; count++) await turn();
        assert.deepEqual(calls, ['start', 'drain']);
        cleanUp.resolve();
        await closing;

        assert.deepEqual(calls, ['start', 'drain', 'cleaned up', 'stop']);
      });
    }
  }

  test('rejects with the error of serverWillStop', async () => {
    const serverWillStop = (): Promise<never> => Promise.reject(new Error('the pool hangs'));
    const { handler, run } = closable({}, { serverWillStart: () => ({ serverWillStop }) });
    await run('{ ok }');

    await assert.rejects(handler.close(), /the pool hangs/);
  });

  test('calls serverWillStop of every plugin, although a hook of another one fails', async () => {
    const stopping = deferred<void>();
    const failing: ServerPlugin = {
      serverWillStart: () => ({
        drainServer: () => Promise.reject(new Error('the listener hangs')),
        serverWillStop: () => Promise.reject(new Error('the pool hangs')),
      }),
    };
    const slow: ServerPlugin = { serverWillStart: () => ({ serverWillStop: () => stopping.promise.then(() => void calls.push('slow')) }) };
    const { handler, calls, lines, run } = closable({}, { ...failing, position: 'first' }, slow);
    await run('{ ok }');

    const closing = handler.close();
    await turn();
    stopping.resolve();

    await assert.rejects(closing, /the listener hangs/);
    assert.deepEqual(calls, ['start', 'drain', 'stop', 'slow']);
    assert.match(JSON.stringify(lines), /A plugin could not stop/);
  });

  test('stops the plugins that had started when the start failed', async () => {
    const { handler, calls, run } = closable({}, { serverWillStart: () => Promise.reject(new Error('the database is down')) });
    const { status } = await run('{ ok }');

    await handler.close();

    assert.equal(status, 500);
    assert.deepEqual(calls, whole);
  });

  test('stops a server that starts after the call that started it gave up', async () => {
    const [plugin, calls] = recorder();
    const starting = deferred<void>();
    const slow: ServerPlugin = { serverWillStart: () => starting.promise };
    const handler = createLambdaHandler({ typeDefs, logger: recordingLogger()[0], plugins: [plugin, slow], deadline: { reserveMs: 0 } });
    const tester = createTester(handler, { platform: 'function-url', context: { getRemainingTimeInMillis: () => 20 } });
    const { status } = await tester.run('{ ok }');

    const closing = handler.close();
    starting.resolve();
    await closing;

    assert.equal(status, 504);
    assert.deepEqual(calls, whole);
  });

  test('stops a server during whose start it is called', async () => {
    let closing: Promise<void> | undefined;
    const { handler, calls, run } = closable({}, { position: 'first', serverWillStart: () => void (closing = handler.close()) });
    await run('{ ok }');

    await closing;

    assert.deepEqual(calls, whole);
  });
});

describe('close of a tester', () => {
  for (const [what, testerOf] of Object.entries<(options: object) => ReturnType<typeof createTester>>({
    'closes the server of the options': (options) => createTester(options as ServerOptions),
    'closes a handler for Lambda': (options) => createTester(createLambdaHandler(options), { platform: 'function-url' }),
    'closes a handler for Lambda with streams': (options) => createTester(createStreamingHandler(options), { platform: 'function-url' }),
  }))
    test(what, async () => {
      const [plugin, calls] = recorder();
      const tester = testerOf({ typeDefs, plugins: [plugin] });
      assert.equal((await tester.run('{ ok }')).status, 200);

      await tester.close();

      assert.deepEqual(calls, whole);
      assert.equal((await tester.run('{ ok }')).status, 503);
    });

  test('says what to close when it tests a function that wraps a handler', async () => {
    const tester = createTester((event: unknown) => Promise.resolve(event));

    await assert.rejects(tester.close(), /it wraps a handler\. Call close of that handler/);
  });
});

test('serve stops the plugins that had started if it cannot listen, or if another plugin cannot start', async (context) => {
  const logger = recordingLogger()[0];
  const busy = createServer().listen(0);
  context.after(() => busy.close());
  await once(busy, 'listening');
  const { port } = busy.address() as AddressInfo;
  const [plugin, calls] = recorder();
  const failing: ServerPlugin = { serverWillStart: () => Promise.reject(new Error('the database is down')) };

  await assert.rejects(serve({ typeDefs, logger, plugins: [plugin] }, { port }), /it is in use/);
  await assert.rejects(serve({ typeDefs, logger, nodeEnv: 'test', plugins: [plugin, failing] }, { port: 0 }), /the database is down/);

  assert.deepEqual(calls, [...whole, ...whole]);
});

describe('a start that fails', () => {
  const fails = async (): Promise<never> => {
    throw new Error('the database is down');
  };

  test('is not masked in tests: by NODE_ENV, and through a tester', async (context) => {
    const before = process.env['NODE_ENV'];
    context.after(() => {
      if (before === undefined) delete process.env['NODE_ENV'];
      else process.env['NODE_ENV'] = before;
    });
    context.mock.method(console, 'error', () => {});
    const answerIn = async (nodeEnv: string, server: AnyHandler | Promise<never>): Promise<unknown> => {
      process.env['NODE_ENV'] = nodeEnv;
      const { errors, status } = await createTester(server as AnyHandler).run('{ ok }');
      return [status, errors?.[0]?.message];
    };
    const told = [500, 'The server could not start: the database is down'];

    assert.deepEqual(await answerIn('production', createHandler(fails)), [500, 'Internal server error']);
    assert.deepEqual(await answerIn('production', fails()), told);
    assert.deepEqual(await answerIn('test', createHandler(fails)), told);
  });
});
