import assert from 'node:assert/strict';
import { tracingChannel } from 'node:diagnostics_channel';
import { describe, it } from 'node:test';

import { versionInfo } from 'graphql';
import type { GraphQLResolveInfo } from 'graphql';

import { deferred } from '../../../../support/deferred.ts';
import { eventReader, parseEvents } from '../../../../support/sse.ts';
import { codesOf, serve, ticking } from '../../../../support/subscription-server.ts';
import { unhandledRejections } from '../../../../support/unhandled-rejections.ts';

describe('a subscription', () => {
  it('continues after an event with errors, which are masked like any others', async () => {
    const { play, lines } = serve();

    const results = await play(
      [{ book: { title: 'Emma' } }, { book: { title: 'Persuasion' } }],
      'subscription { book(id: 1) { title fail } }',
    );

    assert.deepEqual(
      results.map(({ data, errors: [{ path, message }] }) => [data.book, path, message]),
      ['Emma', 'Persuasion'].map((title) => [{ title, fail: null }, ['book', 'fail'], 'Internal server error']),
    );
    assert.equal(lines.filter(({ level }) => level === 'error').length, 2);
  });

  it('answers an event that is not valid JSON with an error, and continues', async () => {
    const [first, second] = await serve().play([{ odd: 1n }, { odd: 2 }], 'subscription { odd }');

    assert.equal(first.errors[0].message, 'Internal server error');
    assert.deepEqual(second, { data: { odd: 2 } });
  });

  it('whose stage payload fails before an event has arrived ends with that error', async () => {
    const payload = (_operation: unknown, next: () => Promise<unknown>): never => {
      void next();
      throw new Error('hunter2');
    };

    assert.deepEqual(await codesOf(await serve({ plugins: [{ payload }] }).send(ticking)), ['INTERNAL_SERVER_ERROR']);
  });

  it('whose source fails ends with a masked error and complete', async () => {
    const { source, send } = serve();
    source.push({ ticks: 1 });
    source.fail(new Error('hunter2'));

    const events = parseEvents(await (await send(ticking)).text()).slice(1);

    assert.deepEqual(
      events.map(({ event, data }) => [event, data.data, data.errors?.[0].message]),
      [
        ['next', { ticks: 1 }, undefined],
        ['next', undefined, 'Internal server error'],
        ['complete', undefined, undefined],
      ],
    );
  });
});

describe('the end of a subscription', () => {
  it('happens when the client leaves: the source is closed, and the signal fires', async () => {
    let signal: AbortSignal | undefined;
    const { source, send } = serve({
      context: (argument) => (({ signal } = argument), {}),
    });
    const reader = eventReader(await send(ticking));
    source.push({ ticks: 1 });
    await reader.next();

    await reader.leave();

    assert.equal(source.isClosed(), true);
    assert.equal(signal?.aborted, true);
    assert.match(String(signal?.reason), /The client disconnected/);
  });

  it('fires the signal of the source’s resolver', { skip: versionInfo.major < 17 && 'graphql 16 has no signal' }, async () => {
    let signal: AbortSignal | undefined;
    const { send } = serve({
      resolvers: {
        Subscription: {
          ticks: {
            async *subscribe(_parent: unknown, _arguments: unknown, _context: unknown, info: GraphQLResolveInfo) {
              signal = info.getAbortSignal();
              yield { ticks: 1 };
              await new Promise(() => {});
            },
          },
        },
      },
    });
    const reader = eventReader(await send(ticking));
    await reader.next();
    const before = signal?.aborted;

    await reader.leave();

    assert.deepEqual([before, signal?.aborted], [false, true]);
  });

  it('happens when the Request is aborted, within one tick', async () => {
    const client = new AbortController();
    const { source, send } = serve();
    const reader = eventReader(await send(ticking, { signal: client.signal }));
    const waiting = reader.next();

    client.abort();
    await Promise.resolve();

    assert.equal(source.isClosed(), true);
    assert.deepEqual(await waiting, { event: 'complete', data: '' });
  });

  it('does not fire the signal if the source has ended by itself', async () => {
    const client = new AbortController();
    let signal: AbortSignal | undefined;
    const { source, send } = serve({ context: (argument) => (({ signal } = argument), {}) });
    source.complete();

    await (await send(ticking, { signal: client.signal })).text();
    client.abort();

    assert.equal(signal?.aborted, false);
  });

  it('cancels what an event waits for, and drops its late answer', async () => {
    const [asked, late] = [deferred(), deferred<number>()];
    const { source, send } = serve();
    const reader = eventReader(await send('subscription { slow }'));
    source.push({
      slow() {
        asked.resolve();
        return late.promise;
      },
    });
    const waiting = reader.next();
    await asked.promise;

    await reader.leave();
    const unhandled = await unhandledRejections(async () => late.reject(new Error('too late')));

    assert.equal(await waiting, undefined);
    assert.equal(source.isClosed(), true);
    assert.equal(unhandled, 0);
  });
});

it('rootValue is the parent of the source, and the event is the parent of the fields', async () => {
  const seen: unknown[] = [];
  const subscribe = (root: unknown): AsyncIterable<unknown> => (seen.push(root), source);
  const { play, source } = serve({ rootValue: () => ({ root: true }), resolvers: { Subscription: { ticks: { subscribe } } } as never });

  assert.deepEqual(await play([{ ticks: 1 }]), [{ data: { ticks: 1 } }]);
  assert.deepEqual(seen, [{ root: true }]);
});

it('the start of a subscription is published on the channel graphql:subscribe', async () => {
  const events: string[] = [];
  const names = ['start', 'end', 'asyncStart', 'asyncEnd', 'error'];
  const listener = Object.fromEntries(names.map((name) => [name, () => void events.push(name)])) as never;
  tracingChannel('graphql:subscribe').subscribe(listener);
  try {
    for (const field of ['ticks', 'book(id: 1) { title }', 'broken']) await serve().play([], `subscription { ${field} }`);
  } finally {
    tracingChannel('graphql:subscribe').unsubscribe(listener);
  }

  assert.deepEqual(events, ['start', 'end', 'start', 'end', 'asyncStart', 'asyncEnd', 'start', 'end']);
});

it('without a resolver, the source is the property of the root value with the name of the field', async () => {
  for (const isMethod of [true, false]) {
    const { play, source } = serve({ rootValue: () => ({ plain: isMethod ? () => source : source }) });
    assert.deepEqual(await play([{ plain: 1 }], 'subscription { plain }'), [{ data: { plain: 1 } }]);
  }
});
