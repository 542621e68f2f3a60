import { deepEqual, equal } from 'node:assert/strict';
import { describe, it } from 'node:test';

import { versionInfo } from 'graphql';

import { executePlanned } from '../../../../../src/executor/execute.ts';
import { executionOf } from '../../../../support/differential/both-executors.ts';

const typeDefs = `
  type Query { numbers: [Int]  strict: [Int!]  matrix: [[Int!]]  users: [User!]  loose: [User] }
  type User { id: ID  name: String!  friends: [User!]! }
`;

describe('a list', () => {
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

/** Async iterables that fail immediately. */
const broken: Readonly<Record<string, () => unknown>> = {
  'a locked stream': () => {
    const stream = new ReadableStream();
    stream.getReader();
    return stream;
  },
  'an iterable whose Symbol.asyncIterator returns nothing': () => ({ [Symbol.asyncIterator]() {} }),
  'an iterator whose next returns nothing': () => ({ [Symbol.asyncIterator]: () => ({ next() {} }) }),
};

describe('an asynchronous list', { skip: versionInfo.major < 17 && 'graphql 16 has none' }, () => {
  for (const [name, make] of Object.entries(broken))
    it(`that fails immediately is null with an error at its position: ${name}`, async () => {
      const schema = typeDefs.replace('type Query {', 'type Shop { numbers: [Int]! } type Query { shop: Shop other: Int ');
      const rootValue = { numbers: make, shop: { numbers: make }, other: 1 };

      const { data, errors } = await executePlanned(
        executionOf({ typeDefs: schema, text: '{ numbers shop { numbers } other }', rootValue }),
      );

      deepEqual({ ...data }, { numbers: null, shop: null, other: 1 });
      deepEqual(errors?.map(({ path }) => path?.join('.')).toSorted(), ['numbers', 'shop.numbers']);
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
