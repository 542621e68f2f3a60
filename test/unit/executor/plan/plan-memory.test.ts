import { deepEqual, equal } from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { FieldNode } from 'graphql';

import { executePlanned } from '../../../../src/executor/execute.ts';
import type { PlannedExecution } from '../../../../src/executor/execute.ts';
import { executionOf } from '../../../support/differential/both-executors.ts';

describe('a plan with more fields than its document', () => {
  /** Runs an operation twice, and returns how often a third run plans the fields below `n`. */
  async function plansOfThirdRun(takeRoom: (planned: number) => boolean): Promise<number> {
    const names = Array.from({ length: 60 }, (_, at) => `T${at}`);
    const types = names.map((name) => `type ${name} implements N { id: ID name: String }`);
    const typeDefs = `interface N { id: ID name: String } ${types.join('\n')} type Query { n: [N] }`;
    const rootValue = { n: names.map((name) => ({ __typename: name, id: 1, name: 'x' })) };
    const kept = { byOperation: new Map(), takeRoom };
    const execution = executionOf({ typeDefs, text: '{ n { id name } }', rootValue, options: { kept } });
    const answers = [await executePlanned(execution), await executePlanned(execution)];
    let readings = 0;
    const [node] = execution.operation.selectionSet.selections as [FieldNode];
    const { selectionSet } = node;
    Object.defineProperty(node, 'selectionSet', { get: () => (readings++, selectionSet) });

    answers.push(await executePlanned(execution));

    equal(new Set(answers.map((answer) => JSON.stringify(answer))).size, 1);
    return readings;
  }

  it('is kept if there is room for its fields and selections', async () => {
    const taken: number[] = [];

    const plans = await plansOfThirdRun((planned) => taken.push(planned) > 0);

    equal(plans, 0);
    // The root with its field, and 60 selections of two fields.
    deepEqual(taken, [2 + 60 * 3]);
  });

  it('is created in each run if there is no room', async () => {
    const taken: number[] = [];

    const plans = await plansOfThirdRun((planned) => planned <= 0 && taken.push(planned) > 0);

    equal(plans >= 60, true);
    equal(
      taken.every((planned) => planned === 0),
      true,
    );
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
