import { deepEqual, equal } from 'node:assert/strict';
import { describe, it } from 'node:test';

import { versionInfo } from 'graphql';
import type { ExecutionResult, GraphQLResolveInfo } from 'graphql';

import { executePlanned } from '../../../../src/executor/execute.ts';
import { createBell } from '../../../support/bell.ts';
import type { Bell } from '../../../support/bell.ts';
import { deferred } from '../../../support/deferred.ts';
import { executionOf } from '../../../support/differential/both-executors.ts';
import type { Example } from '../../../support/differential/both-executors.ts';

const typeDefs = `
  type Query { name: String slow: String slowToo: String strict: String! object: Thing list: [Thing] strictList: [Thing!] names: [String] rows: [[String]] node: Node }
  type Mutation { first: String second: String third: String strict: String! }
  type Thing { name: String slow: String strict: String! object: Thing }
  interface Node { slow: String }
  type Page implements Node { slow: String name: String }
`;

const never = (): Promise<never> => new Promise(() => {});
const soon = (): Promise<string> => Promise.resolve('soon');
const isGraphQL17 = versionInfo.major >= 17;

/** Waits until everything that is ready has run. */
const quiet = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

interface Answer {
  readonly data: unknown;
  /** The code and path of each error, in order. */
  readonly errors: readonly string[];
}

function answerOf({ data, errors = [] }: ExecutionResult): Answer {
  return {
    data: JSON.parse(JSON.stringify(data)),
    errors: errors.map(({ path, extensions }) => `${String(extensions['code'])} ${path?.join('.')}`),
  };
}

/** Runs the example until nothing more is ready, and then rings the bell: the deadline passes. */
async function answerAtBell(example: Omit<Example, 'typeDefs'>, bell: Bell = createBell()): Promise<Answer> {
  const answer = executePlanned({ ...executionOf({ typeDefs, ...example }), invocation: bell.invocation });
  await quiet();
  bell.ring();
  return answerOf(await answer);
}

describe('at the deadline, a plan', () => {
  it('returns finished fields and items, and null with an error for each unfinished one', async () => {
    const list = [{ name: 'a', slow: never }, never(), { name: 'c', slow: soon }];
    const rootValue = { name: 'x', slow: never, object: { name: soon, slow: never }, list };

    const answer = await answerAtBell({ text: '{ name slow object { name slow } list { name slow } }', rootValue });

    const items = [{ name: 'a', slow: null }, null, { name: 'c', slow: 'soon' }];
    deepEqual(answer.data, { name: 'x', slow: null, object: { name: 'soon', slow: null }, list: items });
    deepEqual(
      answer.errors.toSorted(),
      ['list.0.slow', 'list.1', 'object.slow', 'slow'].map((path) => `DEADLINE_EXCEEDED ${path}`),
    );
  });

  it('returns null for an asynchronous list that has not ended, and closes it', { skip: !isGraphQL17 }, async () => {
    const closed = deferred();
    const steps = [Promise.resolve({ value: 'a', done: false })];
    const iterator = { next: () => steps.pop() ?? never(), return: async () => (closed.resolve(), { value: undefined, done: true }) };
    const names = { [Symbol.asyncIterator]: () => iterator };

    const answer = await answerAtBell({ text: '{ names }', rootValue: { names } });

    equal((answer.data as { names: unknown }).names, null);
    equal(answer.errors.length, 1);
    await closed.promise;
  });

  it('does not start further fields of a mutation', async () => {
    const begun: string[] = [];
    const noting = (name: string, result: unknown) => () => {
      begun.push(name);
      return result;
    };
    const rootValue = { first: noting('first', soon()), second: noting('second', never()), third: noting('third', 'x') };

    const answer = await answerAtBell({ text: 'mutation { first second third }', rootValue });

    deepEqual(answer, {
      data: { first: 'soon', second: null, third: null },
      errors: ['DEADLINE_EXCEEDED second', 'DEADLINE_EXCEEDED third'],
    });
    deepEqual(begun, ['first', 'second']);
  });

  it('does not call resolvers below a value that arrives too late', async () => {
    const late = deferred<object>();
    let called = false;
    const object = {
      get name() {
        called = true;
        return 'x';
      },
    };

    const answer = await answerAtBell({ text: '{ object { name } }', rootValue: { object: () => late.promise } });
    late.resolve(object);
    await quiet();

    deepEqual(answer, { data: { object: null }, errors: ['DEADLINE_EXCEEDED object'] });
    equal(called, false);
  });

  it('aborts the signal of resolvers, and not before', { skip: !isGraphQL17 }, async () => {
    let signal: AbortSignal | undefined;
    const before: boolean[] = [];
    const slow = (_: unknown, __: unknown, ___: unknown, info: GraphQLResolveInfo): Promise<never> => {
      signal = info.getAbortSignal();
      before.push(signal!.aborted);
      return never();
    };

    await answerAtBell({ text: '{ slow }', functions: { Query: { slow } } });

    deepEqual(before, [false]);
    equal(signal?.aborted, true);
  });
});

it('before the deadline, a plan does not read the signal for a synchronous operation', () => {
  const invocation = {
    get signal(): AbortSignal {
      throw new Error('nobody asked for it');
    },
    onCancel: () => {
      throw new Error('nobody waits');
    },
  };

  const answer = executePlanned({
    ...executionOf({ typeDefs, text: '{ name object { name } }', rootValue: { name: 'x', object: {} } }),
    invocation,
  });

  deepEqual(answerOf(answer as ExecutionResult), { data: { name: 'x', object: { name: null } }, errors: [] });
});

it('a client that disconnects while a resolver runs ends the operation too', async () => {
  const bell = createBell();
  const first = deferred<object>();
  const object = {
    name: () => {
      bell.ring();
      return 'x';
    },
    slow: never,
  };
  const execution = executionOf({ typeDefs, text: '{ object { name slow } }', rootValue: { object: () => first.promise } });

  const answer = executePlanned({ ...execution, invocation: bell.invocation });
  first.resolve(object);

  deepEqual(answerOf(await answer), { data: { object: { name: 'x', slow: null } }, errors: ['DEADLINE_EXCEEDED object.slow'] });
});
