import { deepEqual, equal } from 'node:assert/strict';
import { describe, it } from 'node:test';

import { versionInfo } from 'graphql';

import { executePlanned } from '../../../../../src/executor/execute.ts';
import { executionOf, runBoth } from '../../../../support/differential/both-executors.ts';
import { unhandledRejections } from '../../../../support/unhandled-rejections.ts';

const typeDefs = `
  type Query { numbers: [Int]  strict: [Int!]  matrix: [[Int!]]  users: [User!]  loose: [User] }
  type User { id: ID  name: String!  friends: [User!]! }
`;

describe('a list', () => {
  it('may be any iterable, but not a string', async () => {
    const rootValue = {
      numbers: new Set([1, null, 3]),
      strict: (function* count() {
        yield 1;
        yield 2;
      })(),
    };
    deepEqual((await runBoth({ typeDefs, text: '{ numbers }', rootValue })).data, { numbers: [1, null, 3] });
    deepEqual((await executePlanned(executionOf({ typeDefs, text: '{ strict }', rootValue }))).data?.['strict'], [1, 2]);

    const { errors } = await runBoth({ typeDefs, text: '{ numbers }', rootValue: { numbers: '123' } });
    equal(errors?.[0]?.message, 'Expected Iterable, but did not find one for field "Query.numbers".');
  });

  it('may contain promises that resolve in any order', async () => {
    let resolve: (value: number) => void = () => {};
    const promise = new Promise<number>((settle) => (resolve = settle));
    const answer = runBoth({ typeDefs, text: '{ numbers }', rootValue: { numbers: () => [promise, 2, Promise.resolve(3)] } });
    resolve(1);

    deepEqual((await answer).data, { numbers: [1, 2, 3] });
  });

  it('of lists has null for an inner list that failed', async () => {
    const { data, errors } = await runBoth({ typeDefs, text: '{ matrix }', rootValue: { matrix: [[1], [2, null], [], null] } });

    deepEqual(data, { matrix: [[1], null, [], null] });
    deepEqual(errors?.[0]?.path, ['matrix', 1, 1]);
  });

  it('whose item fails leaves no later promise unhandled', async () => {
    const rejections = await unhandledRejections(async () => {
      const rootValue = { strict: () => [null, Promise.reject(new Error('nobody asked'))] };
      const { data } = await executePlanned(executionOf({ typeDefs, text: '{ strict }', rootValue }));
      deepEqual(data?.['strict'], null);
    });

    equal(rejections, 0);
  });

  it('closes a generator whose item failed, even an infinite one', async () => {
    let isClosed = false;
    const strict = function* forever(): Generator<unknown> {
      try {
        for (;;) yield null;
      } finally {
        isClosed = true;
      }
    };

    const { errors } = await executePlanned(executionOf({ typeDefs, text: '{ strict }', rootValue: { strict } }));

    equal(errors?.length, 1);
    equal(isClosed, true);
  });
});

describe('an asynchronous iterable', () => {
  const noAsyncLists = versionInfo.major < 17 && 'graphql 16 takes none';
  async function* users(): AsyncGenerator<unknown> {
    yield { id: 1, name: 'Ann', friends: [] };
    yield { id: 2, name: async () => 'Bob', friends: [] };
  }

  it('is a list of the yielded values', { skip: noAsyncLists }, async () => {
    const { data } = await runBoth({ typeDefs, text: '{ users { id name } }', rootValue: { users } });

    deepEqual(data, {
      users: [
        { id: '1', name: 'Ann' },
        { id: '2', name: 'Bob' },
      ],
    });
  });

  it('that throws is null, with the error at the list', { skip: noAsyncLists }, async () => {
    async function* numbers(): AsyncGenerator<number> {
      yield 1;
      throw new Error('the source is gone');
    }

    const { data, errors } = await runBoth({ typeDefs, text: '{ numbers }', rootValue: { numbers } });

    deepEqual(data, { numbers: null });
    deepEqual(errors?.[0]?.path, ['numbers']);
  });

  it('is closed when an item fails', { skip: noAsyncLists }, async () => {
    let isClosed = false;
    async function* strict(): AsyncGenerator<unknown> {
      try {
        yield null;
        yield 1;
      } finally {
        isClosed = true;
      }
    }

    await executePlanned(executionOf({ typeDefs, text: '{ strict }', rootValue: { strict } }));

    equal(isClosed, true);
  });

  it('is not a list for graphql 16', { skip: versionInfo.major >= 17 && 'graphql 17 takes them' }, async () => {
    const { errors } = await runBoth({ typeDefs, text: '{ users { id } }', rootValue: { users } });

    equal(errors?.[0]?.message, 'Expected Iterable, but did not find one for field "Query.users".');
  });
});

/** Async iterables that fail immediately. */
const broken: Readonly<Record<string, () => unknown>> = {
  'a locked stream': () => {
    const stream = new ReadableStream();
    stream.getReader();
    return stream;
  },
  'an iterable whose Symbol.asyncIterator throws': () => ({
    [Symbol.asyncIterator]() {
      throw new Error('broken');
    },
  }),
  'an iterable whose Symbol.asyncIterator returns nothing': () => ({ [Symbol.asyncIterator]() {} }),
  'an iterator whose next throws': () => ({
    [Symbol.asyncIterator]: () => ({
      next() {
        throw new Error('broken');
      },
    }),
  }),
  'an iterator whose next returns nothing': () => ({ [Symbol.asyncIterator]: () => ({ next() {} }) }),
  'an iterator whose next resolves to nothing': () => ({ [Symbol.asyncIterator]: () => ({ async next() {} }) }),
};

describe('an asynchronous list', { skip: versionInfo.major < 17 && 'graphql 16 has none' }, () => {
  for (const [name, make] of Object.entries(broken))
    for (const field of ['numbers', 'strict', 'shop { numbers }'])
      it(`that fails immediately is null with an error at its position: ${name}, ${field}`, async () => {
        const shop = 'type Shop { numbers: [Int]! }';
        const schema = `${typeDefs.replace('type Query {', 'type Query { shop: Shop other: Int ')} ${shop}`;
        const rootValue = { numbers: make, strict: make, shop: { numbers: make }, other: 1 };

        const { data, errors } = await executePlanned(executionOf({ typeDefs: schema, text: `{ ${field} other }`, rootValue }));

        const [key = ''] = field.split(' ');
        deepEqual({ ...data }, { [key]: null, other: 1 });
        deepEqual(
          errors?.map(({ path }) => path),
          [field === 'shop { numbers }' ? ['shop', 'numbers'] : [field]],
        );
      });

  it('ends at any truthy `done`', async () => {
    const steps = [{ value: 1 }, { done: 1, value: 2 }];
    const rootValue = { numbers: { [Symbol.asyncIterator]: () => ({ next: async () => steps.shift() }) } };

    deepEqual((await executePlanned(executionOf({ typeDefs, text: '{ numbers }', rootValue }))).data?.['numbers'], [1]);
  });

  it('that has failed is not read further, and is closed', async () => {
    let reads = 0;
    let closed = 0;
    const strict = {
      [Symbol.asyncIterator]: () => ({
        next: () => Promise.resolve({ value: reads++ === 1 ? Promise.reject(new Error('broken')) : 1 }),
        return: async () => void closed++,
      }),
    };

    const { data, errors } = await executePlanned(executionOf({ typeDefs, text: '{ strict }', rootValue: { strict } }));

    equal(data?.['strict'], null);
    deepEqual(errors?.[0]?.path, ['strict', 1]);
    equal(closed, 1);
    equal(reads < 5, true, `${reads} reads`);
  });
});
