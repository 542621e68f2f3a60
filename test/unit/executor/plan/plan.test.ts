import { deepEqual, equal } from 'node:assert/strict';
import { describe, it } from 'node:test';

import { executePlanned } from '../../../../src/executor/execute.ts';
import type { KeptPlans } from '../../../../src/executor/execute.ts';
import { executionOf, runBoth } from '../../../support/differential/both-executors.ts';

const typeDefs = 'type Query { a: Int  b: Int  c: Int  query: Query }';
const rootValue = { a: 1, b: 2, c: 3, query: { a: 4, b: 5 } };

describe('a plan', () => {
  it('omits the fields that @skip and @include exclude', async () => {
    const text = '{ a @skip(if: true) b @include(if: true) c @include(if: false) ... @skip(if: false) { d: a } }';

    deepEqual((await runBoth({ typeDefs, text, rootValue })).data, { b: 2, d: 1 });
  });

  it('reads its variables in each run', async () => {
    const text =
      'query ($one: Boolean!, $other: Boolean = true) { a @include(if: $one) query @skip(if: $one) { a b @include(if: $other) } }';
    const execution = executionOf({ typeDefs, text, rootValue });
    const run = async (variableValues: Record<string, unknown>): Promise<string> =>
      JSON.stringify((await executePlanned({ ...execution, variableValues })).data);

    equal(await run({ one: true }), '{"a":1}');
    equal(await run({ one: false }), '{"query":{"a":4,"b":5}}');
    equal(await run({ one: false, other: false }), '{"query":{"a":4}}');
    equal(await run({ one: true }), '{"a":1}');
  });

  it('reports a condition that is null as graphql-js does', async () => {
    const text = 'query ($one: Boolean = true) { a @include(if: $one) }';

    const { data, errors } = await runBoth({ typeDefs, text, rootValue, variables: { one: null } });

    deepEqual([data, errors?.length], [null, 1]);
  });

  it('merges fields with the same name, also in fragments, in the order of their first occurrence', async () => {
    const text = '{ query { a } b ...more ...more } fragment more on Query { c query { b ... on Query { a } } }';

    const { data } = await runBoth({ typeDefs, text, rootValue });

    equal(JSON.stringify(data), '{"query":{"a":4,"b":5},"b":2,"c":3}');
  });

  it('gives the same result for the first object of a selection and the hundredth', async () => {
    const listOf = 'type Query { items: [Item] } type Item { id: ID constructor: String name: String }';
    const items = Array.from({ length: 100 }, (_, id) => ({ id, constructor: 'own', name: 'x' }));
    const execution = executionOf({ typeDefs: listOf, text: '{ items { id constructor name other: id } }', rootValue: { items } });

    const { data } = (await executePlanned(execution)) as { data: { items: object[] } };
    const prototypes = new Set(data.items.map((item) => Object.getPrototypeOf(item) as object));

    equal(new Set(data.items.map((item) => Object.keys(item).join(' '))).size, 1);
    equal(
      data.items.some((item) => 'toString' in item),
      false,
    );
    for (const prototype of prototypes) deepEqual([Object.isFrozen(prototype), Reflect.ownKeys(prototype).length], [true, 0]);
  });

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

  it('with too many fields is created each time', async () => {
    const fragments = Array.from(
      { length: 12 },
      (_, at) => `fragment F${at} on Query { a x: query { ...F${at + 1} } y: query { ...F${at + 1} } }`,
    );
    const text = `{ ...F0 } ${fragments.join(' ')} fragment F12 on Query { a }`;
    const self: Record<string, unknown> = { a: 1 };
    self['query'] = self;
    const execution = executionOf({ typeDefs, text, rootValue: self });

    const answers = [await executePlanned(execution), await executePlanned(execution)].map(({ data }) => JSON.stringify(data));

    equal(answers[0], answers[1]);
    equal(answers[0]!.length > 40_000, true);
  });
});
