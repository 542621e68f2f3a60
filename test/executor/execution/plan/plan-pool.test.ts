import { deepEqual, equal } from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import type { FieldNode } from 'graphql';

import { executePlanned } from '../../../../src/executor/execution/planned-executor.ts';
import type { PlannedExecution } from '../../../../src/executor/execution/planned-executor.ts';
import { PlanPool } from '../../../../src/executor/execution/plan/plan-pool.ts';
import { executionOf } from '../../../support/differential/both-executors.ts';

describe('a plan with more fields than its document', () => {
  it('is created once for an interface of many types', async () => {
    const names = Array.from({ length: 60 }, (_, at) => `T${at}`);
    const types = names.map((name) => `type ${name} implements N { id: ID name: String }`);
    const typeDefs = `interface N { id: ID name: String } ${types.join('\n')} type Query { n: [N] }`;
    const rootValue = { n: names.map((name) => ({ __typename: name, id: 1, name: 'x' })) };
    const execution = executionOf({ typeDefs, text: '{ n { id name } }', rootValue });
    const first = await executePlanned(execution);
    let readings = 0;
    const [node] = execution.operation.selectionSet.selections as [FieldNode];
    const { selectionSet } = node;
    Object.defineProperty(node, 'selectionSet', { get: () => (readings++, selectionSet) });

    deepEqual(JSON.stringify(await executePlanned(execution)), JSON.stringify(first));
    equal(readings, 0);
  });

  it('is created once if two types lead to the same selection', async () => {
    const typeDefs =
      'interface N { n: N id: ID } type A implements N { n: N id: ID } type B implements N { n: N id: ID } type Query { n: [N] }';
    const below = [{ __typename: 'A', id: 1 }];
    const rootValue = { n: ['A', 'B', 'A'].map((__typename) => ({ __typename, n: below[0] })) };
    const execution = executionOf({ typeDefs, text: '{ n { n { id } } }', rootValue });

    const { data } = await executePlanned(execution);

    deepEqual(JSON.parse(JSON.stringify(data)), { n: [{ n: { id: '1' } }, { n: { id: '1' } }, { n: { id: '1' } }] });
  });

  it('is kept for each of two schemas that run the document alternately', async () => {
    const [one, other] = ['type Query { a: Int }', 'type Query { a: String }'].map((typeDefs) =>
      executionOf({ typeDefs, text: '{ a }', rootValue: { a: 1 } }),
    );
    const { document, operation } = one!;
    const run = async ({ schema }: PlannedExecution): Promise<string> =>
      JSON.stringify((await executePlanned({ ...one!, schema, document, operation })).data);

    const answers = [await run(one!), await run(other!), await run(one!), await run(other!)];

    deepEqual(answers, ['{"a":1}', '{"a":"1"}', '{"a":1}', '{"a":"1"}']);
  });
});

describe('the pool of large plans', () => {
  const plan = (): { forgotten: number; forget(): void } => ({
    forgotten: 0,
    forget() {
      this.forgotten++;
    },
  });

  it('does not admit a plan that is too large', () => {
    const pool = new PlanPool({ maxFields: 100, maxShare: 10 });

    equal(pool.admit(plan(), undefined, 11), undefined);
    equal(pool.fields, 0);
  });

  it('keeps nothing without WeakRef, as on Workers with an old compatibility date', () => {
    const pool = new PlanPool({ maxFields: 20, maxShare: 10 });
    const { WeakRef: own } = globalThis;
    try {
      Reflect.deleteProperty(globalThis, 'WeakRef');

      equal(pool.admit(plan(), undefined, 8), undefined);
    } finally {
      Object.assign(globalThis, { WeakRef: own });
    }
  });

  it('evicts the oldest plan', () => {
    const pool = new PlanPool({ maxFields: 20, maxShare: 10 });
    const plans = [plan(), plan(), plan()];

    for (const one of plans) pool.admit(one, undefined, 8);

    deepEqual(
      plans.map(({ forgotten }) => forgotten),
      [1, 0, 0],
    );
    equal(pool.fields, 16);
  });

  it('counts a plan that has grown only once', () => {
    const pool = new PlanPool({ maxFields: 20, maxShare: 10 });
    const growing = plan();

    const share = pool.admit(growing, undefined, 4);
    pool.admit(growing, share, 9);

    equal(pool.fields, 9);
    equal(pool.admit(growing, share, 11), undefined);
    equal(pool.fields, 0);
  });

  it('frees the share of a plan that was collected with its document', async () => {
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    const pool = new PlanPool({ maxFields: 20, maxShare: 10 });
    (() => pool.admit(plan(), undefined, 8))();

    for (let turns = 0; turns < 20 && pool.fields > 0; turns++) {
      collectGarbage();
      await new Promise((resolve) => setImmediate(resolve));
    }

    equal(pool.fields, 0);
  });
});
