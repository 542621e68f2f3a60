import { deepEqual, equal } from 'node:assert/strict';
import { describe, it } from 'node:test';

import { executePlanned } from '../../../../src/executor/execute.ts';
import type { KeptPlans } from '../../../../src/executor/execute.ts';
import { executionOf } from '../../../support/differential/both-executors.ts';

const typeDefs = 'type Query { a: Int  b: Int  c: Int  query: Query }';
const rootValue = { a: 1, b: 2, c: 3, query: { a: 4, b: 5 } };

describe('a plan', () => {
  it('is kept with its document from the second run on, and then used', async () => {
    const kept: KeptPlans = { byOperation: new Map() };
    const execution = { ...executionOf({ typeDefs, text: '{ a query { b } }', rootValue }), kept };
    const run = async (): Promise<unknown> => (await executePlanned(execution)).data;
    const answers = [await run()];

    deepEqual([...kept.byOperation.values()], [null]);
    answers.push(await run());
    const [plan] = kept.byOperation.values();
    answers.push(await run());

    equal(plan !== null && plan !== undefined && plan === kept.byOperation.get(execution.operation), true);
    deepEqual(JSON.stringify(answers), JSON.stringify(Array.from({ length: 3 }, () => ({ a: 1, query: { b: 5 } }))));
  });
});
