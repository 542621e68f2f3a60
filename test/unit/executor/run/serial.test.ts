import { deepEqual } from 'node:assert/strict';
import { describe, it } from 'node:test';

import { executePlanned } from '../../../../src/executor/execute.ts';
import { executionOf, runBoth } from '../../../support/differential/both-executors.ts';

const typeDefs = 'type Query { x: Int }  type Mutation { first: Int  second: Box  third: Int!  fourth: Int }  type Box { slow: Int }';
const text = 'mutation { first second { slow } third fourth }';

describe('the fields of a mutation', () => {
  it('start when the previous one has ended, with everything below it', async () => {
    const events: string[] = [];
    const step = (name: string, value: unknown) => async () => {
      events.push(`${name} begins`);
      await Promise.resolve();
      events.push(`${name} ends`);
      return value;
    };
    const rootValue = { first: step('first', 1), second: () => ({ slow: step('slow', 2) }), third: () => 3, fourth: step('fourth', 4) };

    const { data } = await executePlanned(executionOf({ typeDefs, text, rootValue }));

    deepEqual(JSON.stringify(data), '{"first":1,"second":{"slow":2},"third":3,"fourth":4}');
    deepEqual(events, ['first begins', 'first ends', 'slow begins', 'slow ends', 'fourth begins', 'fourth ends']);
  });

  for (const [how, third] of [
    ['synchronously', () => null],
    ['later', async () => null],
  ] as const) {
    it(`end with a non-null field that fails ${how}`, async () => {
      const called: string[] = [];
      const rootValue = { first: () => 1, third, fourth: () => called.push('fourth') };

      const { data } = await runBoth({ typeDefs, text, rootValue });

      deepEqual([data, called], [null, []]);
    });
  }

  it('continue after a nullable field that fails', async () => {
    const rootValue = { first: () => Promise.reject(new Error('no')), third: () => 3, fourth: async () => 4 };

    deepEqual((await runBoth({ typeDefs, text, rootValue })).data, { first: null, second: null, third: 3, fourth: 4 });
  });
});
