import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { GraphQLError } from 'graphql';

import { allPayloads, runIncrementally } from '../../../support/run-incrementally.ts';
import type { IncrementalRun } from '../../../support/run-incrementally.ts';
import type { SubsequentPayload } from '../../../../src/server/operation/types.ts';

interface Source extends AsyncIterable<unknown> {
  isClosed: boolean;
}

/** Numbers from 1 to `last`, after which `done` has another true value. */
function numbers(last: number): Source {
  let at = 0;
  return {
    isClosed: false,
    [Symbol.asyncIterator]() {
      return {
        next: async () => (at++ < last ? { done: false, value: at } : { done: 1 as never, value: undefined }),
        return: async () => ((this.isClosed = true), { done: true, value: undefined }),
      };
    },
  };
}

function run(resolvers: object, query: string, settings: IncrementalRun = {}, hooks: object = {}): Promise<SubsequentPayload[]> {
  const typeDefs = 'type Query { name: String rows: [Row!] numbers: [Int] again: Query } type Row { id: ID inner: [Int] strict: Int! }';
  const plugins = [{ requestDidStart: () => hooks }];
  return runIncrementally({ typeDefs, resolvers: { Query: resolvers } as never, plugins }, query, settings).then(allPayloads);
}

describe('a streamed list', () => {
  it('closes the stream inside an item whose non-null field fails', async () => {
    const [first, second] = [numbers(3), numbers(3)];
    const strict = (): never => {
      throw new Error('No');
    };
    const rows = async function* (): AsyncGenerator {
      yield { inner: first, strict: 1 };
      yield { inner: second, strict };
    };

    await run({ rows }, '{ rows @stream { inner @stream strict } }');

    equal(second.isClosed, true);
  });

  it('beyond the limit of the answer has its error once, where it is completed', async () => {
    const payloads = await run({ numbers: () => numbers(Infinity) }, '{ numbers @stream }', { maxBytes: 400 });

    const errors = payloads.flatMap(({ errors: atTop = [], completed = [] }) => [
      ...atTop,
      ...(completed as { errors?: unknown[] }[]).flatMap((one) => one.errors ?? []),
    ]);
    equal(errors.length, 1);
    match(JSON.stringify(payloads.at(-1)!.completed), /"id":"0".*RESULT_TOO_LARGE/);
  });

  it('reads an iterable that is no array at once, not after the client has left', async () => {
    let read = 0;
    function* rows(): Generator {
      for (; read < 300; read++) yield { id: read };
    }

    const typeDefs = 'type Query { rows: [Row] } type Row { id: ID }';
    const { stream } = await runIncrementally({ typeDefs, resolvers: { Query: { rows } } as never }, '{ rows @stream { id } }');
    const before = read;
    await stream!.return();
    await new Promise(setImmediate);

    deepEqual([before, read], [300, 300]);
  });
});

it('the paths of parts count like parts: objects beyond the limit are complete at once', async () => {
  const alias = 'a'.repeat(200);
  const nested = (depth: number): string => (depth === 0 ? '... @defer { name }' : `${alias}: again { ${nested(depth - 1)} }`);
  const query = `{ ${Array.from({ length: 20 }, (_, at) => `r${at}: again { ${nested(20)} }`).join(' ')} }`;

  const payloads = await run({ name: () => 'n', again: () => ({}) }, query, { maxParts: 100 });

  const { pending } = payloads[0] as { pending?: unknown[] };
  equal(pending?.length, 2);
  ok(JSON.stringify(payloads).length < 5 * query.length);
});

it('what a hook writes to the error that stands for all beyond the limit is not in other parts', async () => {
  const seen: unknown[] = [];
  const didEncounterSubsequentErrors = (_: unknown, errors: readonly GraphQLError[]): void => {
    for (const { extensions } of errors) seen.push('seen' in extensions, (extensions['seen'] = true));
  };
  const resolvers = { numbers: () => Array.from({ length: 2_000 }, () => new Error('No')), rows: () => [{}, {}] };

  await run(resolvers, '{ numbers rows { ... @defer { strict } } }', {}, { didEncounterSubsequentErrors });

  deepEqual(seen, [false, true, false, true]);
});
