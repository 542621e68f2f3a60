import assert from 'node:assert/strict';
import { test } from 'node:test';

import { GraphQLError } from 'graphql';

import { SourcedPayloads } from '../../../../../src/server/operation/delivery/payload-stream.ts';
import type { PayloadOutcome } from '../../../../../src/server/operation/types.ts';
import { deferred } from '../../../../support/deferred.ts';
import { createEventSource } from '../../../../support/event-source.ts';
import { unhandledRejections } from '../../../../support/unhandled-rejections.ts';

function payloadsOf(
  source: AsyncIterable<number>,
  toPayload: (value: number) => PayloadOutcome | Promise<PayloadOutcome> = numbered,
): SourcedPayloads<number> {
  return new SourcedPayloads({
    source: source[Symbol.asyncIterator](),
    toPayload,
    toLastPayload: (thrown) => failed((thrown as Error).message),
  });
}

const numbered = (number: number): PayloadOutcome => ({ result: { data: { number } }, errors: [] });
const failed = (message: string): PayloadOutcome => ({ result: { errors: [{ message }] }, errors: [] });

const done = { done: true, value: undefined };

test('reads a value of the source only when a payload is read', async () => {
  const source = createEventSource<number>();
  source.push(1, 2);
  const payloads = payloadsOf(source);

  assert.equal(source.pulls(), 0);
  assert.deepEqual(await payloads.next(), { done: false, value: numbered(1) });
  assert.equal(source.pulls(), 1);
});

test('any true value of `done` ends the stream, as in `for await`', async () => {
  const next = (): Promise<IteratorResult<number>> => Promise.resolve({ done: 1 as never, value: 5 });

  assert.deepEqual(await payloadsOf({ [Symbol.asyncIterator]: () => ({ next }) }).next(), done);
});

test('a payload that cannot be created ends the stream and its source', async () => {
  const source = createEventSource<number>();
  source.push(1);
  const payloads = payloadsOf(source, () => {
    throw new Error('no');
  });

  assert.deepEqual(await payloads.next(), { done: false, value: failed('no') });
  assert.equal(source.isClosed(), true);
  assert.deepEqual(await payloads.next(), done);
});

test('finish resolves the pending call of next, and ends the source', async () => {
  const source = createEventSource<number>();
  const payloads = payloadsOf(source);

  const waiting = payloads.next();
  payloads.finish(new GraphQLError('time is up'));

  assert.deepEqual(await waiting, { done: false, value: failed('time is up') });
  assert.equal(source.isClosed(), true);
  assert.deepEqual(await payloads.next(), done);
});

test('finish between two calls gives its payload to the next', async () => {
  const source = createEventSource<number>();
  const payloads = payloadsOf(source);

  payloads.finish(new GraphQLError('time is up'));
  payloads.finish(new GraphQLError('once is enough'));

  assert.deepEqual(await payloads.next(), { done: false, value: failed('time is up') });
  assert.deepEqual(await payloads.next(), done);
});

test('return ends a source synchronously, and drops later values', async () => {
  const source = createEventSource<number>();
  const made = deferred<PayloadOutcome>();
  const payloads = payloadsOf(source, () => made.promise);
  source.push(1);

  const waiting = payloads.next();
  void payloads.return();
  assert.equal(source.isClosed(), true);
  made.resolve(numbered(1));

  assert.deepEqual(await waiting, done);
  assert.deepEqual(await payloads.next(), done);
});

test('a generator that hangs in an await delays nothing', async () => {
  async function* stuck(): AsyncGenerator<number> {
    await new Promise(() => {});
    yield 1;
  }
  const payloads = payloadsOf(stuck());

  const waiting = payloads.next();
  void payloads.return();

  assert.deepEqual(await waiting, done);
});

test('a source whose return() fails leaves no unhandled rejection', async () => {
  const count = await unhandledRejections(async () => {
    const failing = { next: () => new Promise<never>(() => {}), return: () => Promise.reject(new Error('late')) };
    const payloads = payloadsOf({ [Symbol.asyncIterator]: () => failing });
    void payloads.next();
    await payloads.return();
  });

  assert.equal(count, 0);
});

test('a source without return is ended, too', async () => {
  const payloads = payloadsOf({ [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => {}) }) });

  const waiting = payloads.next();
  await payloads.return();

  assert.deepEqual(await waiting, done);
});
