import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, test } from 'node:test';

import type { Context } from 'aws-lambda';

import { createStreamingHandler } from '../../../../src/entries/aws-lambda.ts';
import { deferred } from '../../../support/deferred.ts';
import { createEventSource } from '../../../support/event-source.ts';
import type { EventSource } from '../../../support/event-source.ts';
import * as events from '../../../support/events.ts';
import { post } from '../../../support/plain-http.ts';
import type { PlainRequest } from '../../../support/plain-http.ts';
import { recordingLogger } from '../../../support/recording-logger.ts';
import { recordStream, splitPrelude } from '../../../support/response-stream.ts';
import { parseEvents, resultsOf } from '../../../support/sse.ts';

interface StreamingFunction {
  readonly source: EventSource<{ ticks: number }>;
  // Any: tests send events of every shape.
  readonly handler: (event: any, output: ReturnType<typeof recordStream>['output'], context?: any) => Promise<void>;
}

let functions = 0;

function streamingFunction(options: object = {}): StreamingFunction {
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
  return { source, handler };
}

/** Sends an event, and returns what was written once the invocation has ended. */
async function outputFor({ handler }: StreamingFunction, event: unknown, platform?: object): Promise<string> {
  const { output, text } = recordStream();
  const [all] = await Promise.all([text(), handler(event, output, platform)]);
  return all;
}

const context = { getRemainingTimeInMillis: () => 30_000 } as Context;
const subscription = post({ query: 'subscription { ticks }' }, { headers: [['accept', 'text/event-stream']] });

test('the handler is marked as a streaming function for the runtime', () => {
  const { handler } = streamingFunction();

  assert.equal(Reflect.get(handler, Symbol.for('aws.lambda.runtime.handler.streaming')), 'response');
});

test('status, headers and cookies precede the body', async () => {
  const { handler } = streamingFunction({
    context: ({ response }: any) => {
      response.headers.append('set-cookie', 'a=1');
      response.headers.append('set-cookie', 'b=2');
      return {};
    },
  });
  const { output, text, contentType } = recordStream();

  const [all] = await Promise.all([text(), handler(events.functionURLEvent(post({ query: '{ hello }' })), output, context)]);

  const { head, body } = splitPrelude(all);
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
  const { handler, source } = streamingFunction();
  const { output, writes } = recordStream();
  const written = deferred();
  output.on('data', (chunk: Buffer) => chunk.includes('"ticks":1') && written.resolve());

  const serving = handler(events.functionURLEvent(subscription), output, context);
  source.push({ ticks: 1 });
  await written.promise;
  assert.equal(source.isClosed(), false);
  source.push({ ticks: 2 });
  source.complete();
  await serving;

  assert.deepEqual(resultsOf(writes.slice(1).join('')), [{ data: { ticks: 1 } }, { data: { ticks: 2 } }]);
});

test('a client that does not read pauses the source', async () => {
  const { handler, source } = streamingFunction();
  const { output, writes, text } = recordStream(64);
  for (let ticks = 0; ticks < 1000; ticks++) source.push({ ticks });
  source.complete();

  const serving = handler(events.functionURLEvent(subscription), output, context);
  await new Promise((resolve) => setImmediate(resolve));
  const taken = source.pulls();
  const written = await text();
  await serving;

  assert.ok(taken <= 2, `${taken} events were taken`);
  assert.equal(resultsOf(splitPrelude(written).body).length, 1000);
  assert.equal(writes.length, 1003);
});

describe('a client that', () => {
  const answers: Readonly<Record<string, PlainRequest>> = {
    'a subscription': subscription,
    'an answer of 1 MB': post({ query: '{ text(length: 1000000) }' }),
  };
  for (const [name, request] of Object.entries(answers)) {
    test(`does not read ${name} ends the invocation before the platform's timeout`, async (t) => {
      t.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: Date.UTC(2026, 10, 20) });
      const end = Date.now() + 3000;
      const { handler, source } = streamingFunction();
      const { output } = recordStream(64);
      for (let ticks = 0; ticks < 100; ticks++) source.push({ ticks });

      let isOver = false;
      const serving = handler(events.functionURLEvent(request), output, { getRemainingTimeInMillis: () => end - Date.now() });
      void serving.then(() => (isOver = true));
      for (let step = 0; step < 29; step++) {
        for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
        t.mock.timers.tick(100);
      }
      await new Promise((resolve) => setImmediate(resolve));

      assert.equal(isOver, true);
      assert.equal(output.destroyed, true);
      if (request === subscription) await source.closed;
    });

    test(`has gone before ${name} is written ends the invocation`, async () => {
      const { handler } = streamingFunction();
      const { output } = recordStream();
      output.destroy(new Error('ECONNRESET'));

      await handler(events.functionURLEvent(request), output, context);

      assert.equal(output.destroyed, true);
    });
  }

  for (const [name, request] of Object.entries({ 'an answer': post({ query: '{ hello }' }), 'a subscription': subscription })) {
    test(`has gone while ${name} was prepared ends the invocation and the source`, async () => {
      const prepared = deferred<object>();
      const { handler, source } = streamingFunction({ context: () => prepared.promise });
      const { output } = recordStream();
      output.on('error', () => {});

      const serving = handler(events.functionURLEvent(request), output, context);
      const closed = once(output, 'close');
      output.destroy();
      await closed;
      prepared.resolve({});
      await serving;

      if (request === subscription) await source.closed;
    });
  }
});

test('a subscription ends before the platform ends the function: with an error that says why, and complete', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: Date.UTC(2026, 10, 20) });
  const end = Date.now() + 15_000;
  const { handler, source } = streamingFunction();
  const { output, text } = recordStream();
  source.push({ ticks: 1 });

  const serving = handler(events.functionURLEvent(subscription), output, { getRemainingTimeInMillis: () => end - Date.now() });
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
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: Date.UTC(2026, 10, 20) });
  const end = Date.now() + 3_000;
  const [asked, coming, source] = [deferred(), deferred<AsyncIterable<unknown>>(), createEventSource<unknown>()];
  const subscribe = (): Promise<AsyncIterable<unknown>> => {
    asked.resolve();
    return coming.promise;
  };
  const { handler } = streamingFunction({ resolvers: { Subscription: { ticks: { subscribe } } } });
  const { output, text } = recordStream();

  const serving = handler(events.functionURLEvent(subscription), output, { getRemainingTimeInMillis: () => end - Date.now() });
  const written = text();
  await asked.promise;
  // The timer is set one turn after the first await.
  await new Promise((resolve) => setImmediate(resolve));
  t.mock.timers.tick(2_600);
  await serving;
  coming.resolve(source);
  await source.closed;

  const [result] = resultsOf(splitPrelude(await written).body) as { errors: { extensions: { code: string } }[] }[];
  assert.equal(result?.errors[0]?.extensions.code, 'DEADLINE_EXCEEDED');
});

test('a response longer than 6 MB is sent', async () => {
  const event = events.functionURLEvent(post({ query: '{ text(length: 20000000) }' }));

  const { body } = splitPrelude(await outputFor(streamingFunction(), event));

  assert.equal(JSON.parse(body).data.text.length, 20_000_000);
});

test('a failed start is a response with status 500', async (t) => {
  // The options, and with them the logger, do not exist yet.
  t.mock.method(console, 'error', () => {});
  const handler = createStreamingHandler(() => Promise.reject(new Error('no database')));

  const all = await outputFor(
    { ...streamingFunction(), handler } as StreamingFunction,
    events.functionURLEvent(post({ query: '{ hello }' })),
  );

  assert.equal(splitPrelude(all).head['statusCode'], 500);
});

test('work passed to waitUntil continues after the last byte, and the invocation waits for it', async () => {
  const work = deferred();
  const { handler } = streamingFunction({
    context: ({ waitUntil }: any) => {
      waitUntil(work.promise);
      return {};
    },
  });
  const { output, text } = recordStream();
  let isOver = false;

  const serving = handler(events.functionURLEvent(post({ query: '{ hello }' })), output, context).finally(() => {
    isOver = true;
  });
  await text();
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(isOver, false);
  work.resolve();

  await serving;
});

test('a ping is answered', async () => {
  assert.deepEqual(JSON.parse(await outputFor(streamingFunction(), {})), { statusCode: 200 });
});

test('a direct invocation is answered with the bare result', async () => {
  const { handler } = streamingFunction();
  const { output, text, contentType } = recordStream();

  const [all] = await Promise.all([text(), handler({ query: '{ hello }' }, output, context)]);

  assert.equal(contentType(), 'application/json');
  assert.deepEqual(JSON.parse(all), { data: { hello: 'world' } });
});

describe('an event that a stream cannot answer rejects without writing anything', () => {
  const wrong: Readonly<Record<string, [event: unknown, message: RegExp]>> = {
    'HTTP API': [events.httpAPIEvent(subscription), /HTTP API \(2\.0\).*createHandler/],
    'load balancer': [events.albEvent(subscription), /Load Balancer.*createHandler/],
    'unknown source': [
      { Records: [{ eventSource: 'aws:sqs', body: '{}' }] },
      /^Error: Expected an event of Lambda function URL, API Gateway REST API, .*; got an object with the keys Records\./,
    ],
  };
  for (const [name, [event, message]] of Object.entries(wrong)) {
    test(name, async () => {
      const { handler } = streamingFunction();
      const { output, writes } = recordStream();

      await assert.rejects(handler(event, output, context), message);

      assert.deepEqual(writes, []);
    });
  }
});
