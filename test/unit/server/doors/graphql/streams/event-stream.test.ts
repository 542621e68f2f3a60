import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { eventFormat, payloadChunks } from '../../../../../../src/server/doors/graphql/streams/payload-chunks.ts';
import { SourcedPayloads } from '../../../../../../src/server/operation/delivery/payload-stream.ts';
import type { ChunkStream } from '../../../../../../src/shared/http-messages.ts';
import { createEventSource } from '../../../../../support/event-source.ts';
import type { EventSource } from '../../../../../support/event-source.ts';

/** A stream of the values that a test pushes. The test also controls the time between events. */
function openStream(
  context: TestContext,
  first?: string,
): {
  stream: ChunkStream;
  source: EventSource<number | string>;
  told: string[];
  passTime(): void;
  timers(): number;
} {
  const source = createEventSource<number | string>();
  const told: string[] = [];
  const timers = new Set<() => void>();
  // Shorter and longer timers are of other tests: work that they have left in the background.
  const [set, clear] = [setTimeout, clearTimeout];
  context.mock.method(globalThis, 'setTimeout', (callback: () => void, milliseconds: number) => {
    if (milliseconds < 10_000 || milliseconds > 25_000) return set(callback, milliseconds);
    timers.add(callback);
    return callback;
  });
  context.mock.method(globalThis, 'clearTimeout', (timer: any) => timers.delete(timer as () => void) || clear(timer as number));
  const payloads = new SourcedPayloads<number | string>({
    source: source[Symbol.asyncIterator](),
    toPayload: (number) => ({ result: { data: { number } }, errors: [] }),
    toLastPayload: () => ({ result: { errors: [{ message: 'over' }] }, errors: [] }),
  });
  const stream = payloadChunks(payloads, eventFormat, {
    first,
    toJSON: JSON.stringify,
    onEnd: () => told.push('end'),
    onLeave: () => told.push('leave'),
    onStop: () => told.push('stop'),
  });
  const passTime = (): void => {
    assert.ok(timers.size > 0, 'Expected a timer of 10 to 25 seconds.');
    for (const ring of timers) ring();
  };
  return { stream, source, told, passTime, timers: () => timers.size };
}

const chunk = async (stream: ChunkStream): Promise<string | undefined> => (await stream.next()).value as string | undefined;

test('events that are ready are part of the first chunk', async (context) => {
  const { stream } = openStream(context, '{"data":{"number":0}}');

  assert.equal(await chunk(stream), ':\n\nevent: next\ndata: {"data":{"number":0}}\n\n');
});

test('a line break in a string does not split its event', async (context) => {
  const { stream, source } = openStream(context);
  source.push('a\nb\r\n\r\nc');

  await chunk(stream);

  assert.equal(await chunk(stream), 'event: next\ndata: {"data":{"number":"a\\nb\\r\\n\\r\\nc"}}\n\n');
});

test('comments are sent while no events arrive, and no event is lost', async (context) => {
  const { stream, source, passTime } = openStream(context);
  await chunk(stream);

  for (let beat = 0; beat < 2; beat++) {
    const next = chunk(stream);
    passTime();
    assert.equal(await next, ':\n\n');
  }
  source.push(1);

  assert.equal(await chunk(stream), 'event: next\ndata: {"data":{"number":1}}\n\n');
  assert.equal(source.pulls(), 1);
});

test('a reader that does not read pauses the source: no timer runs, and at most one event is read ahead', async (context) => {
  const { stream, source, passTime, timers } = openStream(context);
  await chunk(stream);
  const beat = chunk(stream);
  passTime();
  await beat;

  for (let number = 0; number < 1000; number++) source.push(number);
  await new Promise((resolve) => setImmediate(resolve));

  assert.equal(source.pulls(), 1);
  assert.equal(timers(), 0);
});

test('a reader that cancels closes the source immediately, even while waiting for an event', async (context) => {
  const { stream, source, told, timers } = openStream(context);
  await chunk(stream);
  const waiting = chunk(stream);

  void stream.return();

  assert.equal(source.isClosed(), true);
  assert.equal(await waiting, undefined);
  assert.equal(await chunk(stream), undefined);
  assert.deepEqual(told, ['leave']);
  assert.equal(timers(), 0);
});
