import { deepEqual, equal, match } from 'node:assert/strict';
import { describe, it } from 'node:test';

import { GraphQLError, versionInfo } from 'graphql';
import type { GraphQLResolveInfo } from 'graphql';

import { clientLeft } from '../../../../../src/server/operation/errors.ts';
import { deadlineExceeded } from '../../../../../src/server/operation/errors.ts';
import type { PayloadOutcome, SubsequentPayload } from '../../../../../src/server/operation/types.ts';
import type { ServerPlugin } from '../../../../../src/server/operation/plugin.ts';
import type { ServerOptions } from '../../../../../src/server/startup/options.ts';
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

describe('errors of parts', () => {
  it('are copies, so that what a hook adds for one user is not in the answer of the next', async () => {
    const shared = new GraphQLError('Nothing there.', { extensions: { code: 'NOTHING' } });
    const seen: unknown[] = [];
    const didEncounterSubsequentErrors = (_: unknown, errors: readonly GraphQLError[]): void => {
      for (const { extensions } of errors) {
        seen.push(extensions['user']);
        extensions['user'] = 'alice';
      }
    };
    const plugins = [{ requestDidStart: () => ({ didEncounterSubsequentErrors }) }];
    const options = { ...withResolvers({ slow: () => Promise.reject(shared) }), plugins };

    for (let run = 0; run < 2; run++) await allPayloads(await runIncrementally(options, '{ fast ... @defer { slow } }'));

    deepEqual([seen, shared.extensions], [[undefined, undefined], { code: 'NOTHING' }]);
  });

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
    const options = { ...withResolvers(), formatError };

    const parts = await allPayloads(await runIncrementally(options, '{ fast ... @defer { broken } ... @defer { slow } }'));

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
    const requestDidStart = () => ({
      didEncounterErrors: () => void heard.push('first'),
      didEncounterSubsequentErrors: (_: unknown, errors: readonly GraphQLError[]) => void heard.push(errors.map(({ message }) => message)),
      willSendSubsequentPayload: ({ operationName }: { operationName?: unknown }, payload: SubsequentPayload) => {
        heard.push(operationName);
        Object.assign(payload, { extensions: { seen: true } });
      },
    });

    const parts = await allPayloads(
      await runIncrementally({ ...withResolvers(), plugins: [{ requestDidStart } as never] }, 'query Q { fast ... @defer { broken } }'),
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

  it('happens when the client leaves: iterators are closed, what resolvers wait for is aborted, and nothing follows', async () => {
    const { invocation, cancel } = createInvocation();
    const ticks = neverEnding();
    let signal: AbortSignal | undefined;
    const slow = (_source: unknown, _args: unknown, _context: unknown, info: Partial<GraphQLResolveInfo>): Promise<string> => {
      signal = info.getAbortSignal?.();
      return new Promise(() => {});
    };
    const options = withResolvers({ slow, ticks: () => ticks.iterable });
    const outcome = await runIncrementally(options, '{ ticks @stream ... @defer { slow } }', { invocation });
    const reading = allPayloads(outcome);
    await aTurn();

    cancel(clientLeft());
    await aTurn();

    // graphql 16 has no info.getAbortSignal.
    deepEqual([signal?.aborted, ticks.closed()], [versionInfo.major < 17 ? undefined : true, true]);
    equal((await reading).at(-1)?.hasNext, true);
  });
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

  for (const hook of ['willSendSubsequentPayload', 'didEncounterSubsequentErrors'])
    it(`ends parts at the last moment, without a hook that hangs: ${hook}`, async () => {
      const { invocation, cancel, lastMoment } = createInvocation();
      const plugin = { requestDidStart: () => ({ [hook]: () => new Promise<void>(() => {}) }) } as ServerPlugin;
      const options = withResolvers({ slow: () => new Promise(() => {}) });
      const outcome = await runIncrementally({ ...options, plugins: [plugin] }, '{ fast ... @defer { slow } }', { invocation });
      const waiting = outcome.stream!.next();
      await aTurn();

      cancel(tooLate);
      await aTurn();
      lastMoment();

      const { hasNext, completed } = ((await waiting).value as PayloadOutcome).result;
      equal(hasNext, false);
      const found = (completed as { id: string; errors: object[] }[]).map(({ id, errors }) => [id, errors.length]);
      deepEqual(found, [['0', 1]]);
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

function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
