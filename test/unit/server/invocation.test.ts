import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { createHandler as createFetchHandler } from '../../../src/entries/fetch.ts';
import type { ContextArgument } from '../../../src/server/doors/http-settings.ts';
import { createHandler } from '../../../src/entries/index.ts';
import type { ServerPlugin } from '../../../src/entries/index.ts';
import { quiet } from '../../support/clock.ts';
import { deferred } from '../../support/deferred.ts';
import { echoServer } from '../../support/echo-server.ts';
import type { EchoServer } from '../../support/echo-server.ts';
import { httpAPIEvent, webRequest } from '../../support/events.ts';
import { json, post } from '../../support/plain-http.ts';
import { httpAPI, sources } from '../../support/sources.ts';
import { before } from '../../support/stages.ts';

const typename = post({ query: '{ __typename }' });

/** A server whose operations hand this work to `waitUntil`. */
const workingServer = (work: (argument: ContextArgument) => Promise<unknown>): EchoServer =>
  echoServer({ context: (argument) => (argument.waitUntil(work(argument)), {}) });

/** The context of a platform with waitUntil, and the work that it got. */
function keeper(): [context: object, handed: Promise<unknown>[]] {
  const handed: Promise<unknown>[] = [];
  return [{ waitUntil: (work: Promise<unknown>) => void handed.push(work) }, handed];
}

/** Whether a promise is still pending when everything that is ready has run. */
async function isPending(promise: Promise<unknown>): Promise<boolean> {
  let pending = true;
  const settle = (): void => void (pending = false);
  promise.then(settle, settle);
  await quiet();
  return pending;
}

describe('the context of AWS Lambda', () => {
  for (const source of [...sources, { name: 'warm-up ping', build: () => ({}) }])
    test(`is configured not to wait for an empty event loop, if it has that flag: ${source.name}`, async () => {
      const [waiting, other]: object[] = [{ callbackWaitsForEmptyEventLoop: true, awsRequestId: 'id' }, { awsRequestId: 'id' }];

      for (const context of [waiting, other]) await createHandler(echoServer().options)(source.build(typename) as object, context);

      assert.deepEqual(waiting, { callbackWaitsForEmptyEventLoop: false, awsRequestId: 'id' });
      assert.deepEqual(other, { awsRequestId: 'id' });
    });

  for (const context of [undefined, null, 'context'])
    test(`may be missing or strange: ${String(context)}`, async () => {
      assert.equal((await createHandler(echoServer().options)(httpAPIEvent(typename), context as never)).statusCode, 200);
    });

  test('comes with at most two declared parameters: a third makes the runtime refuse the handler', () => {
    assert.ok(createHandler(echoServer().options).length <= 2);
  });
});

describe('context({ event, context, env })', () => {
  async function argumentOf(
    call: (handler: ReturnType<typeof createHandler>) => Promise<unknown>,
    plugins: readonly ServerPlugin[] = [],
  ): Promise<ContextArgument> {
    const seen: ContextArgument[] = [];
    await call(createHandler(echoServer({ plugins, context: (argument) => (seen.push(argument), {}) }).options));
    return seen[0]!;
  }

  /** The same invocation as another object. */
  const view: ServerPlugin = {
    request: before((call) => {
      const { event, context, env, signal } = call.invocation;
      const waitUntil = (work: Promise<unknown>): void => call.invocation.waitUntil(work);
      return { ...call, invocation: { event, context, env, signal, waitUntil, deadlineLeft: () => call.invocation.deadlineLeft() } };
    }),
  };

  for (const source of sources)
    test(`has the platform's objects, not copies: ${source.name}`, async () => {
      const [event, context] = [source.build(typename) as object, { awsRequestId: 'id' }];

      const argument = await argumentOf((handler) => handler(event, context));

      assert.equal(argument.event, event);
      assert.equal(argument.context, context);
    });

  test('has the bindings and the context of a worker: fetch(request, env, context)', async () => {
    const [env, context] = [{ SECRET: 's' }, { waitUntil: () => {} }];

    const argument = await argumentOf((handler) => handler.fetch(webRequest(typename), env, context));

    assert.equal(argument.env, env);
    assert.equal(argument.context, context);
  });

  test("has the second argument as context where there are two: Netlify's and Deno's fetch(request, context)", async () => {
    const context = { ip: '192.0.2.1' };

    assert.equal((await argumentOf((handler) => handler.fetch(webRequest(typename), context))).context, context);
  });

  for (const [where, body, plugins] of [
    ['', { query: '{ __typename }' }, []],
    [', in a batch', [{ query: '{ __typename }' }], []],
    [', where a plugin has a view of requests', { query: '{ __typename }' }, [view]],
  ] as const)
    test(`passes all of its members on to copies, and can be frozen${where}`, async () => {
      const event = httpAPIEvent(post(body));
      const argument = await argumentOf((handler) => handler(event, { awsRequestId: 'id' }), plugins);

      const { request, ...rest } = argument;
      const copies = [{ ...argument }, Object.create(argument), { request, ...rest }, Object.freeze(argument)] as ContextArgument[];

      assert.deepEqual(Object.keys(argument), ['request', 'response', 'event', 'context', 'env', 'waitUntil', 'signal']);
      for (const copy of copies) {
        assert.ok(copy.signal instanceof AbortSignal);
        assert.equal(typeof copy.waitUntil, 'function');
        assert.deepEqual([copy.event, copy.context, copy.request], [event, { awsRequestId: 'id' }, request]);
      }
    });

  test('may be the context itself: the data sources are added, and resolvers read its signal', async () => {
    const seen: any[] = [];
    const { options } = echoServer({
      typeDefs: 'type Query { hello: String }',
      resolvers: { Query: { hello: (_: unknown, __: unknown, context: any) => (seen.push(context), String(context.signal)) } } as never,
      context: (argument) => argument,
      dataSources: () => ({ books: { find: () => 'a book' } }),
    });
    const handler = createHandler(options);

    const answers = [await handler(httpAPIEvent(post({ query: '{ hello }' }))), await handler(httpAPIEvent(post({ query: '{ hello }' })))];

    for (const answer of answers) assert.deepEqual(json(await httpAPI.read(answer)), { data: { hello: '[object AbortSignal]' } });
    assert.equal(seen[0].dataSources.books.find(), 'a book');
    assert.notEqual(seen[0], seen[1]);
  });
});

describe('work passed to waitUntil', () => {
  for (const [what, status, context] of [
    ['before a buffered answer, because the process freezes after it', 200, ({ waitUntil }, work) => (waitUntil(work), {})],
    [
      'together with the work that it hands over itself',
      200,
      ({ waitUntil }, work) => (waitUntil(new Promise((resolve) => setImmediate(resolve)).then(() => waitUntil(work))), {}),
    ],
    ['also when the operation failed', 500, ({ waitUntil }, work) => (waitUntil(work), Promise.reject(new Error('no session')))],
  ] as [string, number, (argument: ContextArgument, work: Promise<void>) => object][])
    test(`is awaited ${what}`, async () => {
      const work = deferred();
      const answer = createHandler(echoServer({ context: (argument) => context(argument, work.promise) }).options)(
        httpAPIEvent(typename),
        {},
      );

      assert.equal(await isPending(answer), true);
      work.resolve();

      assert.equal((await answer).statusCode, status);
    });

  test('delays a buffered answer by at most one second, and the log says so', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { options, log } = workingServer(() => new Promise(() => {}));
    const answer = createHandler(options)(httpAPIEvent(typename), {});

    assert.equal(await isPending(answer), true);
    t.mock.timers.tick(1000);

    assert.equal((await answer).statusCode, 200);
    assert.match(log[0]?.message ?? '', /did not finish within 1000 ms of the answer/);
  });

  test('that fails is logged with its reason, does not affect the answer, and does not reject for the platform', async () => {
    const reason = new Error('the metrics are down');
    const { options, log } = workingServer(() => Promise.reject(reason));
    const handed: Promise<unknown>[] = [];

    const response = await httpAPI.read(await createHandler(options)(httpAPIEvent(typename), {}));
    await createFetchHandler(options).fetch(webRequest(typename), {}, { waitUntil: (work: Promise<unknown>) => void handed.push(work) });
    await handed[0];

    assert.deepEqual(json(response), { data: { __typename: 'Query' } });
    const line = { level: 'error', message: 'Work passed to waitUntil failed.', details: [reason] };
    assert.deepEqual(log, [line, line]);
  });

  test('goes to the waitUntil of the platform, and the answer does not wait', async () => {
    const work = deferred();
    const [context, handed] = keeper();

    const answer = await createHandler(workingServer(() => work.promise).options)(webRequest(typename), context as never);

    assert.deepEqual([answer.status, handed.length, await isPending(handed[0]!)], [200, 1, true]);
    work.resolve();
    await handed[0];
  });

  for (const name of ['@next/request-context', '@vercel/request-context']) {
    test(`goes to the waitUntil that ${name} has for the request, where the call's context has none`, async (t) => {
      const [[kept, handed], [context, own]] = [keeper(), keeper()];
      const symbol = Symbol.for(name);
      Object.assign(globalThis, { [symbol]: { get: () => kept } });
      t.after(() => Reflect.deleteProperty(globalThis, symbol));
      const handler = createFetchHandler(workingServer(async () => 'done').options);

      // A route handler of Next.js gets its parameters as second argument.
      await handler(webRequest(typename), { params: Promise.resolve({}) });
      await handler(webRequest(typename), context);

      assert.deepEqual([handed.length, own.length], [1, 1]);
    });
  }

  for (const variable of ['VERCEL', 'AWS_LAMBDA_FUNCTION_NAME']) {
    test(`may be lost if nothing keeps the process alive, and the log says so once: ${variable} is set`, async (t) => {
      process.env[variable] = 'graphql';
      t.after(() => delete process.env[variable]);
      const { options, log } = workingServer(async () => 'done');
      const handler = createFetchHandler(options);

      for (let call = 0; call < 3; call++) await handler(webRequest(typename));

      assert.deepEqual(
        log.map(({ level, message }) => [level, message.slice(0, 65)]),
        [['warn', 'Work was passed to waitUntil, but this call has no waitUntil of t']],
      );
    });
  }

  test('continues without a warning in a long-lived process: the answer does not wait', async () => {
    const { options, log } = workingServer(() => new Promise(() => {}));

    const answer = await createFetchHandler(options).fetch(webRequest(typename));

    assert.deepEqual([answer.status, log], [200, []]);
  });
});
