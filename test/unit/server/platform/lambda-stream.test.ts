import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import type { TestContext } from 'node:test';

import { createStreamingHandler } from '../../../../src/entries/aws-lambda.ts';
import { deferred } from '../../../support/deferred.ts';
import { createEventSource } from '../../../support/event-source.ts';
import * as events from '../../../support/events.ts';
import { post } from '../../../support/plain-http.ts';
import { recordingLogger } from '../../../support/recording-logger.ts';
import { recordStream, splitPrelude } from '../../../support/response-stream.ts';
import { parseEvents, resultsOf } from '../../../support/sse.ts';

let functions = 0;

function streamingFunction(options: object = {}) {
  const source = createEventSource<{ ticks: number }>();
  const handler = createStreamingHandler<any, any>({
    logger: recordingLogger()[0],
    typeDefs: `type Query { hello: String text(length: Int!): String } type Subscription { ticks: Int } # ${++functions}`,
    resolvers: {
      Query: { hello: () => 'world', text: (_, { length }) => 'x'.repeat(length) },
      Subscription: { ticks: { subscribe: () => source } },
    },
    ...options,
  });
  type Settings = { context?: object; highWaterMark?: number; isGone?: boolean };
  /** Starts to answer an event; the stream takes this many bytes before it applies backpressure. */
  const begin = (event: unknown, { context = { getRemainingTimeInMillis: () => 30_000 }, highWaterMark, isGone }: Settings = {}) => {
    const recorded = recordStream(highWaterMark);
    if (isGone === true) recorded.output.destroy(new Error('ECONNRESET'));
    return { ...recorded, serving: handler(event as never, recorded.output, context as never) };
  };
  const all = async (event: unknown): Promise<string> => {
    const { text, serving } = begin(event);
    return (await Promise.all([text(), serving]))[0];
  };
  return { source, begin, all };
}

/** Lambda's context of a call with this limit, on a clock that the test advances. */
function lambdaOnClock(t: TestContext, limit: number): { getRemainingTimeInMillis: () => number } {
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: Date.UTC(2026, 10, 20) });
  const end = Date.now() + limit;
  return { getRemainingTimeInMillis: () => end - Date.now() };
}

const hello = events.functionURLEvent(post({ query: '{ hello }' }));
const subscriptionRequest = post({ query: 'subscription { ticks }' }, { headers: [['accept', 'text/event-stream']] });
const subscription = events.functionURLEvent(subscriptionRequest);

test('the handler is marked as a streaming function for the runtime', () => {
  const handler = createStreamingHandler({ typeDefs: 'type Query { ok: Boolean }' });

  assert.equal(Reflect.get(handler, Symbol.for('aws.lambda.runtime.handler.streaming')), 'response');
});

test('status, headers and cookies precede the body', async () => {
  const { begin } = streamingFunction({
    context: ({ response }: any) => {
      for (const cookie of ['a=1', 'b=2']) response.headers.append('set-cookie', cookie);
      return {};
    },
  });
  const { text, contentType } = begin(hello);

  const { head, body } = splitPrelude(await text());
  assert.equal(contentType(), 'application/vnd.awslambda.http-integration-response');
  assert.deepEqual(head, {
    statusCode: 200,
    headers: {
      'cache-control': 'private, no-store',
      'content-type': 'application/json; charset=utf-8',
      'x-content-type-options': 'nosniff',
      vary: 'Accept',
    },
    cookies: ['a=1', 'b=2'],
  });
  assert.deepEqual(JSON.parse(body), { data: { hello: 'world' } });
});

test('an event is written before the next one arrives', async () => {
  const { begin, source } = streamingFunction();
  const { output, writes, serving } = begin(subscription);
  const written = deferred();
  output.on('data', (chunk: Buffer) => chunk.includes('"ticks":1') && written.resolve());

  source.push({ ticks: 1 });
  await written.promise;
  assert.equal(source.isClosed(), false);
  source.push({ ticks: 2 });
  source.complete();
  await serving;

  assert.deepEqual(resultsOf(writes.slice(1).join('')), [{ data: { ticks: 1 } }, { data: { ticks: 2 } }]);
});

test('a client that does not read pauses the source', async () => {
  const { begin, source } = streamingFunction();
  for (let ticks = 0; ticks < 1000; ticks++) source.push({ ticks });
  source.complete();

  const { writes, text, serving } = begin(subscription, { highWaterMark: 64 });
  await new Promise((resolve) => setImmediate(resolve));
  const taken = source.pulls();
  const written = await text();
  await serving;

  assert.ok(taken <= 2, `${taken} events were taken`);
  assert.equal(resultsOf(splitPrelude(written).body).length, 1000);
  assert.equal(writes.length, 1003);
});

describe('a client that', () => {
  for (const [name, event] of Object.entries({
    'a subscription': subscription,
    'an answer of 1 MB': events.functionURLEvent(post({ query: '{ text(length: 1000000) }' })),
  })) {
    test(`does not read ${name} ends the invocation before the platform's timeout`, async (t) => {
      const { begin, source } = streamingFunction();
      for (let ticks = 0; ticks < 100; ticks++) source.push({ ticks });

      let isOver = false;
      const { output, serving } = begin(event, { highWaterMark: 64, context: lambdaOnClock(t, 3000) });
      void serving.then(() => (isOver = true));
      for (let step = 0; step < 29; step++) {
        for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
        t.mock.timers.tick(100);
      }
      await new Promise((resolve) => setImmediate(resolve));

      assert.deepEqual([isOver, output.destroyed], [true, true]);
      if (event === subscription) await source.closed;
    });

    test(`has gone before ${name} is written ends the invocation`, async () => {
      const { output, serving } = streamingFunction().begin(event, { isGone: true });

      await serving;

      assert.equal(output.destroyed, true);
    });
  }

  for (const [name, event] of Object.entries({ 'an answer': hello, 'a subscription': subscription })) {
    test(`has gone while ${name} was prepared ends the invocation and the source`, async () => {
      const prepared = deferred<object>();
      const { begin, source } = streamingFunction({ context: () => prepared.promise });

      const { output, serving } = begin(event);
      output.on('error', () => {});
      const closed = once(output, 'close');
      output.destroy();
      await closed;
      prepared.resolve({});
      await serving;

      if (event === subscription) await source.closed;
    });
  }
});

test('a subscription ends before the platform ends the function: with an error that says why, and complete', async (t) => {
  const { begin, source } = streamingFunction();
  source.push({ ticks: 1 });

  const { text, serving } = begin(subscription, { context: lambdaOnClock(t, 15_000) });
  const written = text();
  for (let second = 0; second < 15; second++) {
    await new Promise((resolve) => setImmediate(resolve));
    t.mock.timers.tick(1000);
  }
  await serving;

  const body = parseEvents(splitPrelude(await written).body);
  assert.deepEqual(
    body.map(({ event, data }) => [event, data?.data?.ticks ?? data?.errors?.[0].extensions.code]),
    [
      [undefined, undefined],
      ['next', 1],
      // A comment is sent after 12 s without an event.
      [undefined, undefined],
      ['next', 'DEADLINE_EXCEEDED'],
      ['complete', undefined],
    ],
  );
  assert.equal(source.isClosed(), true);
});

test('a source that is not ready in time sends an error event, and is closed once it is ready', async (t) => {
  const [asked, coming, source] = [deferred(), deferred<AsyncIterable<unknown>>(), createEventSource<unknown>()];
  const subscribe = (): Promise<AsyncIterable<unknown>> => (asked.resolve(), coming.promise);
  const { begin } = streamingFunction({ resolvers: { Subscription: { ticks: { subscribe } } } });

  const { text, serving } = begin(subscription, { context: lambdaOnClock(t, 3000) });
  const written = text();
  await asked.promise;
  // The timer is set one turn after the first await.
  await new Promise((resolve) => setImmediate(resolve));
  t.mock.timers.tick(2_600);
  await serving;
  coming.resolve(source);
  await source.closed;

  const [result] = resultsOf(splitPrelude(await written).body) as any[];
  assert.equal(result.errors[0].extensions.code, 'DEADLINE_EXCEEDED');
});

test('a response longer than 6 MB is sent', async () => {
  const event = events.functionURLEvent(post({ query: '{ text(length: 20000000) }' }));

  const { body } = splitPrelude(await streamingFunction().all(event));

  assert.equal(JSON.parse(body).data.text.length, 20_000_000);
});

test('a failed start is a response with status 500', async (t) => {
  // The options, and with them the logger, do not exist yet.
  t.mock.method(console, 'error', () => {});
  const { output, text } = recordStream();

  await createStreamingHandler(() => Promise.reject(new Error('no database')))(hello as never, output, {} as never);

  assert.equal(splitPrelude(await text()).head['statusCode'], 500);
});

test('work passed to waitUntil continues after the last byte, and the invocation waits for it', async () => {
  const work = deferred();
  let isOver = false;

  const { text, serving } = streamingFunction({ context: ({ waitUntil }: any) => (waitUntil(work.promise), {}) }).begin(hello);
  void serving.finally(() => (isOver = true));
  await text();
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(isOver, false);
  work.resolve();

  await serving;
});

test('a ping is answered', async () => {
  assert.deepEqual(JSON.parse(await streamingFunction().all({})), { statusCode: 200 });
});

test('a direct invocation is answered with the bare result', async () => {
  const { text, contentType } = streamingFunction().begin({ query: '{ hello }' });

  assert.deepEqual(JSON.parse(await text()), { data: { hello: 'world' } });
  assert.equal(contentType(), 'application/json');
});

describe('an event that a stream cannot answer rejects without writing anything', () => {
  for (const [name, event, message] of [
    ['HTTP API', events.httpAPIEvent(subscriptionRequest), /HTTP API \(2\.0\).*createHandler/],
    ['load balancer', events.albEvent(subscriptionRequest), /Load Balancer.*createHandler/],
    ['unknown source', { Records: [] }, /^Error: Expected an event of Lambda function URL, .*; got an object with the keys Records\./],
  ] as const)
    test(name, async () => {
      const { serving, writes } = streamingFunction().begin(event);

      await assert.rejects(serving, message);

      assert.deepEqual(writes, []);
    });
});
