import { deepEqual, equal, match } from 'node:assert/strict';
import { describe, it } from 'node:test';

import { GraphQLError, versionInfo } from 'graphql';
import type { GraphQLResolveInfo } from 'graphql';

import { createError } from '../../../../../src/server/operation/errors.ts';
import { deadlineExceeded } from '../../../../../src/server/operation/errors.ts';
import type { SubsequentPayload } from '../../../../../src/server/operation/types.ts';
import type { ServerOptions } from '../../../../../src/server/startup/options.ts';
import { deferred } from '../../../../support/deferred.ts';
import { allPayloads, createInvocation, merge, nextPayload, runIncrementally } from '../../../../support/run-incrementally.ts';
import { recordingLogger } from '../../../../support/recording-logger.ts';

const typeDefs = /* GraphQL */ `
  type Query {
    fast: String
    slow: String
    broken: String
    strict: String!
    numbers: [Int]
    ticks: [Int]
    self: Query!
    items: [Query]
  }
`;

function withResolvers(own: Record<string, unknown> = {}): ServerOptions {
  const Query = {
    fast: () => 'fast',
    slow: async () => 'slow',
    broken: () => {
      throw new Error('The password is hunter2');
    },
    strict: () => {
      throw new GraphQLError('Nothing there.', { extensions: { code: 'NOTHING' } });
    },
    numbers: () => [1, 2, 3],
    self: () => ({}),
    ...own,
  };
  return { typeDefs, resolvers: { Query } as never };
}

describe('an operation in parts', () => {
  it('has graphql 17 payloads', async () => {
    const query = '{ fast ... @defer(label: "late") { slow } self { numbers @stream(initialCount: 1, label: "more") } }';

    const parts = await allPayloads(await runIncrementally(withResolvers(), query));

    deepEqual(plain(parts[0]), {
      data: { fast: 'fast', self: { numbers: [1] } },
      pending: [
        { id: '0', path: [], label: 'late' },
        { id: '1', path: ['self', 'numbers'], label: 'more' },
      ],
      hasNext: true,
    });
    equal(parts.at(-1)?.hasNext, false);
    deepEqual(plain(merge(parts)), { data: { fast: 'fast', self: { numbers: [1, 2, 3] }, slow: 'slow' }, errors: [] });
  });

  it('has path-based payloads in the legacy format', async () => {
    const query = '{ fast ... @defer(label: "late") { slow } self { numbers @stream(initialCount: 1, label: "more") } }';

    const parts = await allPayloads(await runIncrementally(withResolvers(), query, { format: 'legacy' }));

    deepEqual(plain(parts[0]), { data: { fast: 'fast', self: { numbers: [1] } }, hasNext: true });
    deepEqual(
      plain(
        parts
          .slice(1)
          .flatMap(({ incremental }) => incremental ?? [])
          .toSorted(byLabel),
      ),
      [
        { data: { slow: 'slow' }, path: [], label: 'late' },
        { items: [2, 3], path: ['self', 'numbers', 1], label: 'more' },
      ],
    );
    equal(parts.at(-1)?.hasNext, false);
  });

  it('sends its first part before a deferred one is ready', async () => {
    const slow = deferred<string>();

    const outcome = await runIncrementally(withResolvers({ slow: () => slow.promise }), '{ fast ... @defer { slow } }');

    deepEqual(plain(outcome.result.data), { fast: 'fast' });
    slow.resolve('at last');
    deepEqual(plain((await nextPayload(outcome)).incremental), [{ id: '0', data: { slow: 'at last' } }]);
  });

  it('is one answer if nothing is deferred: if is false, or there are no directives', async () => {
    for (const query of ['{ fast ... @defer(if: false) { slow } numbers @stream(if: false) }', '{ fast slow numbers }']) {
      const { result, stream } = await runIncrementally(withResolvers(), query);

      deepEqual(plain(result), { data: { fast: 'fast', slow: 'slow', numbers: [1, 2, 3] } });
      equal(stream, undefined);
    }
  });

  it('defers by a variable, inside deferred fragments, and through fragments', async () => {
    const query = `query ($late: Boolean!) { ...Outer @defer(if: $late) }
      fragment Outer on Query { fast self { ...Inner @defer(label: "inner") } }
      fragment Inner on Query { slow numbers @stream }`;

    const late = await allPayloads(await runIncrementally(withResolvers(), query, { variables: { late: true } }));
    const soon = await allPayloads(await runIncrementally(withResolvers(), query, { variables: { late: false } }));

    deepEqual(plain(late[0]?.data), {});
    deepEqual(plain(soon[0]?.data), { fast: 'fast', self: {} });
    deepEqual(plain(merge(late)), plain(merge(soon)));
    deepEqual(plain(merge(soon).data), { fast: 'fast', self: { slow: 'slow', numbers: [1, 2, 3] } });
  });

  it('reports invalid variables as usual', async () => {
    const { result, stream } = await runIncrementally(withResolvers(), 'query ($late: Boolean!) { ... @defer(if: $late) { fast } }');

    equal(result.errors?.[0]?.extensions?.['code'], 'BAD_USER_INPUT');
    equal(stream, undefined);
  });

  it('starts its deferred parts when the first part is complete', async () => {
    const order: string[] = [];
    const fast = deferred<string>();
    const resolvers = {
      fast: () => fast.promise,
      slow: () => {
        order.push('slow');
        return 'slow';
      },
    };

    const running = runIncrementally(withResolvers(resolvers), '{ fast ... @defer { slow } }');
    await new Promise((resolve) => void setImmediate(resolve));
    order.push('fast');
    fast.resolve('fast');
    await allPayloads(await running);

    deepEqual(order, ['fast', 'slow']);
  });
});

describe('errors of parts', () => {
  for (const format of ['current', 'legacy'] as const) {
    it(`are masked like those of the first part, in the ${format} format`, async () => {
      const parts = await allPayloads(await runIncrementally(withResolvers(), '{ broken ... @defer { late: broken } }', { format }));

      const [first, late] = merge(parts).errors as { message: string; path: unknown; extensions: Record<string, unknown> }[];
      deepEqual([first?.message, late?.message], ['Internal server error', 'Internal server error']);
      deepEqual(late?.path, ['late']);
      match(String(late?.extensions['errorId']), /^\w+$/);
      equal(JSON.stringify(parts).includes('hunter2'), false);
    });

    it(`complete a non-null part, and keep their code, in the ${format} format`, async () => {
      const parts = await allPayloads(await runIncrementally(withResolvers(), '{ fast ... @defer { strict } }', { format }));

      const { data, errors } = merge(parts);
      deepEqual(plain(data), { fast: 'fast' });
      deepEqual(plain(errors), [
        { message: 'Nothing there.', locations: [{ line: 1, column: 21 }], path: ['strict'], extensions: { code: 'NOTHING' } },
      ]);
    });
  }

  it('go through formatError, and a formatError that fails ends the stream with a masked error', async () => {
    const formatError = (): never => {
      throw new Error('no');
    };

    const parts = await allPayloads(
      await runIncrementally({ ...withResolvers(), formatError }, '{ fast ... @defer { broken } ... @defer { slow } }'),
    );

    const last = parts.at(-1);
    equal(last?.hasNext, false);
    const completed = (last?.completed ?? []) as { id: string; errors: { message: string }[] }[];
    deepEqual(
      completed.map(({ id, errors }) => [id, errors[0]?.message]),
      [
        ['0', 'Internal server error'],
        ['1', 'Internal server error'],
      ],
    );
  });
});

describe('plugins', () => {
  it('get the errors of later parts, and may change each payload', async () => {
    const heard: unknown[] = [];
    const plugin = {
      async requestDidStart() {
        return {
          async didEncounterErrors() {
            heard.push('first');
          },
          async didEncounterSubsequentErrors(_context: unknown, errors: readonly GraphQLError[]) {
            heard.push(errors.map(({ message }) => message));
          },
          async willSendSubsequentPayload(context: { operationName?: string | null }, payload: { extensions?: object; hasNext?: boolean }) {
            heard.push(context.operationName);
            payload.extensions = { seen: true };
          },
        };
      },
    };

    const parts = await allPayloads(
      await runIncrementally({ ...withResolvers(), plugins: [plugin as never] }, 'query Q { fast ... @defer { broken } }'),
    );

    deepEqual(heard, [['The password is hunter2'], 'Q']);
    deepEqual(parts.at(-1)?.extensions, { seen: true });
  });
});

describe('an early end', () => {
  it('completes pending parts with its reason, and says that nothing follows', async () => {
    const query = '{ ... @defer(label: "never") { slow } ... @defer { fast } ticks @stream }';
    const ticks = neverEnding();
    const outcome = await runIncrementally(withResolvers({ slow: () => new Promise(() => {}), ticks: () => ticks.iterable }), query);
    const seen = [await nextPayload(outcome)];

    outcome.stream?.finish(new GraphQLError('Too late.', { extensions: { code: 'DEADLINE_EXCEEDED' } }));
    seen.push(...(await allPayloads(outcome)).slice(1));

    const completed = seen.flatMap((part) => (part.completed ?? []) as { id: string; errors?: { extensions: object }[] }[]);
    deepEqual(completed.map(({ errors }) => errors?.[0]?.extensions).filter(Boolean), [
      { code: 'DEADLINE_EXCEEDED' },
      { code: 'DEADLINE_EXCEEDED' },
    ]);
    equal(new Set(completed.map(({ id }) => id)).size, 3);
    equal(seen.at(-1)?.hasNext, false);
    equal(ticks.closed(), true);
  });

  it('does not change earlier data, in the legacy format', async () => {
    const options = withResolvers({ slow: () => new Promise(() => {}) });
    const outcome = await runIncrementally(options, '{ fast ... @defer { slow } }', { format: 'legacy' });

    outcome.stream?.finish(new GraphQLError('Too late.'));
    const parts = await allPayloads(outcome);

    deepEqual(plain(merge(parts).data), { fast: 'fast' });
    equal((merge(parts).errors[0] as { message: string }).message, 'Too late.');
    equal(parts.at(-1)?.hasNext, false);
  });

  it('closes iterators at once when the client leaves, and nothing follows', async () => {
    const ticks = neverEnding();
    const outcome = await runIncrementally(withResolvers({ ticks: () => ticks.iterable }), '{ ticks @stream ... @defer { slow } }');
    const reading = allPayloads(outcome);
    await aTurn();

    await outcome.stream!.return();
    await aTurn();

    equal(ticks.closed(), true);
    equal((await reading).at(-1)?.hasNext, true);
  });

  it(
    'happens when the client leaves, and aborts what resolvers wait for',
    { skip: versionInfo.major < 17 && 'graphql 16 has no info.getAbortSignal' },
    async () => {
      const { invocation, cancel } = createInvocation();
      const ticks = neverEnding();
      let signal: AbortSignal | undefined;
      const slow = (_source: unknown, _args: unknown, _context: unknown, info: GraphQLResolveInfo): Promise<string> => {
        signal = info.getAbortSignal();
        return new Promise(() => {});
      };
      const outcome = await runIncrementally(
        withResolvers({ slow, ticks: () => ticks.iterable }),
        '{ ticks @stream ... @defer { slow } }',
        {
          invocation,
        },
      );
      const reading = allPayloads(outcome);
      await aTurn();

      cancel(createError('CLIENT_LEFT', 'The client left.'));
      await aTurn();

      deepEqual([signal?.aborted, ticks.closed()], [true, true]);
      equal((await reading).at(-1)?.hasNext, true);
    },
  );
});

describe('the deadline', () => {
  const tooLate = deadlineExceeded();

  it('ends parts with what they have, and each pending field with an error', async () => {
    const { invocation, cancel } = createInvocation();
    const [logger, logged] = recordingLogger();
    const ticks = neverEnding();
    const options = withResolvers({ slow: () => new Promise(() => {}), ticks: () => ticks.iterable });
    const outcome = await runIncrementally({ ...options, logger }, '{ fast ... @defer { slow late: fast } ticks @stream }', { invocation });
    const first = nextPayload(outcome);
    await aTurn();

    cancel(tooLate);
    const seen: SubsequentPayload[] = [outcome.result, await first, ...(await allPayloads(outcome)).slice(1)];

    const { data, errors } = merge(seen);
    deepEqual(plain(data), { fast: 'fast', slow: null, late: 'fast', ticks: [1, 2] });
    deepEqual(
      new Set((errors as { path: string[]; extensions: { code: string } }[]).map(({ path, extensions }) => `${path} ${extensions.code}`)),
      new Set(['slow DEADLINE_EXCEEDED', 'ticks DEADLINE_EXCEEDED']),
    );
    equal(seen.at(-1)?.hasNext, false);
    equal(ticks.closed(), true);
    match(JSON.stringify(logged), /before this finished: (?:slow|ticks)/);
  });

  for (const [what, query, data] of [
    ['the pending item of a list', '{ items @stream { fast slow } }', { items: [{ fast: 'fast', slow: null }] }],
    ['a part inside a pending one', '{ ... @defer { slow ... @defer { fast late: slow } } }', { slow: null }],
    ['a list inside a pending part', '{ ... @defer { slow ticks @stream } }', { slow: null, ticks: [] }],
  ] as const)
    it(`ends ${what} with what it has`, async () => {
      const { invocation, cancel, lastMoment } = createInvocation();
      const own = { slow: () => new Promise(() => {}), ticks: () => neverEnding().iterable, items: () => [{}, {}, {}, {}] };
      const outcome = await runIncrementally(withResolvers(own), query, { invocation });
      const reading = allPayloads(outcome);
      await aTurn();

      cancel(tooLate);
      await aTurn();
      lastMoment();

      deepEqual(plain(merge(await reading).data), data);
    });

  it('ends parts at the last moment even if they do not end by themselves', async () => {
    const { invocation, cancel, lastMoment } = createInvocation();
    const plugin = { requestDidStart: async () => ({ willSendSubsequentPayload: () => new Promise<void>(() => {}) }) };
    const outcome = await runIncrementally({ ...withResolvers(), plugins: [plugin] }, '{ fast ... @defer { slow } }', { invocation });
    const waiting = outcome.stream!.next();
    await aTurn();

    cancel(tooLate);
    lastMoment();

    const last = (await waiting).value as SubsequentPayload;
    equal(last.hasNext, false);
    deepEqual(
      (last.completed as { id: string; errors: { message: string }[] }[]).map(({ id, errors }) => [id, errors.length]),
      [['0', 1]],
    );
  });

  it('does not wait for a hook that hangs at the end', async () => {
    const { invocation, cancel, lastMoment } = createInvocation();
    const plugin = { requestDidStart: async () => ({ didEncounterSubsequentErrors: () => new Promise<void>(() => {}) }) };
    const options = withResolvers({ slow: () => new Promise(() => {}) });
    const outcome = await runIncrementally({ ...options, plugins: [plugin] }, '{ fast ... @defer { slow } }', { invocation });
    const waiting = outcome.stream!.next();
    await aTurn();

    cancel(tooLate);
    await aTurn();
    lastMoment();

    equal(((await waiting).value as SubsequentPayload).hasNext, false);
  });
});

/** Waits long enough for everything that is ready. */
function aTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

/** Yields two numbers, then hangs, and never ends by itself. */
function neverEnding(): { iterable: AsyncIterable<number>; closed: () => boolean } {
  let closed = false;
  let given = 0;
  const iterator: AsyncIterator<number> = {
    next: () => (given++ < 2 ? Promise.resolve({ done: false, value: given }) : new Promise(() => {})),
    return: () => {
      closed = true;
      return Promise.resolve({ done: true, value: undefined });
    },
  };
  return { iterable: { [Symbol.asyncIterator]: () => iterator }, closed: () => closed };
}

function byLabel(one: unknown, other: unknown): number {
  return String((one as { label: string }).label).localeCompare((other as { label: string }).label);
}

function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
