import { deepEqual, equal } from 'node:assert/strict';
import { describe, it } from 'node:test';

import { runBoth } from '../../../support/differential/both-executors.ts';

const typeDefs = `
  type Query { a: String  one: Item  many: [Item]  must: [Item!]!  node: Node }
  type Item implements Node { id: ID  other: Item }
  interface Node { id: ID }
`;
const item = { __typename: 'Item', id: '1', other: { id: '2' } };
const rootValue = { a: 'A', one: item, many: [item, null, item], must: [item], node: item };

/** Runs each operation twice, so that the second run uses the plan of the first. */
async function answersOf(text: string, variables: Readonly<Record<string, unknown>> = {}): Promise<unknown> {
  await runBoth({ typeDefs, text, variables, rootValue });
  return (await runBoth({ typeDefs, text, variables, rootValue })).data;
}

describe('a condition without a value has the result of graphql-js', () => {
  for (const directive of ['skip', 'include']) {
    const where = `query ($if: Boolean = true)`;
    const field = `id @${directive}(if: $if)`;
    for (const [what, selection, data] of [
      ['at the root', `a one { id @${directive}(if: true) } a2: a @${directive}(if: $if)`, null],
      ['in an object', `a one { ${field} }`, { a: 'A', one: null }],
      ['in each item of a list', `a many { ${field} }`, { a: 'A', many: [null, null, null] }],
      ['in a list that may have no null', `a must { ${field} }`, null],
      ['in a value of an interface', `a node { ${field} }`, { a: 'A', node: null }],
      ['of a fragment', `a one { ... @${directive}(if: $if) { id } }`, { a: 'A', one: null }],
      ['in a field of a field', `one { id other { ${field} } }`, { one: { id: '1', other: null } }],
    ] as const) {
      it(`@${directive}: $if ${what} is null`, async () => {
        deepEqual(await answersOf(`${where} { ${selection} }`, { if: null }), data);
      });
    }

    it(`@${directive}: conditions below a skipped field are not evaluated`, async () => {
      deepEqual(await answersOf(`${where} { a one @include(if: false) { ${field} } }`, { if: null }), { a: 'A' });
    });

    it(`@${directive} without a value, or with an invalid one`, async () => {
      equal(await answersOf(`{ a @${directive} }`), null);
      equal(await answersOf(`{ a @${directive}(if: "yes") }`), null);
    });

    it(`@${directive}: any variable value that is neither boolean nor null includes the field`, async () => {
      deepEqual(await answersOf(`query ($if: String) { a @${directive}(if: $if) }`, { if: 'no' }), { a: 'A' });
      equal(await answersOf(`query ($if: String) { a @${directive}(if: $if) }`), null);
    });
  }

  it('of an object that its type does not accept', async () => {
    const functions = { Item: { isTypeOf: () => false } };
    const text = 'query ($if: Boolean = true) { one { id @skip(if: $if) } }';

    const { data, errors } = await runBoth({ typeDefs, functions, text, variables: { if: null }, rootValue });

    deepEqual(data, { one: null });
    equal(errors?.length, 1);
  });

  it('the first of two equal directives counts', async () => {
    deepEqual(await answersOf('{ a b: a @skip(if: true) @skip(if: false) c: a @skip(if: false) @skip(if: true) }'), { a: 'A', c: 'A' });
  });

  it('@include is not evaluated if @skip is true', async () => {
    deepEqual(await answersOf('query ($if: Boolean = true) { a b: a @include(if: $if) @skip(if: true) }', { if: null }), { a: 'A' });
  });
});

describe('an operation that disables error propagation has the result of the installed graphql-js', () => {
  const types = `
    directive @experimental_disableErrorPropagation on QUERY | MUTATION | SUBSCRIPTION
    type Query { a: String!  rows: [Row!]!  late: [Row!]!  bad: Row! }
    type Row { id: ID!  name: String! }
  `;
  const rows = [{ id: '1', name: 'n' }, { id: null, name: () => Promise.reject(new Error('no')) }, null, new Error('row')];
  const bad = (): never => {
    throw new Error('bad');
  };

  for (const [how, rowsBeforeCode] of [
    ['one by one', Infinity],
    ['by code', 0],
  ] as const) {
    it(`with rows ${how}`, async () => {
      await runBoth({
        typeDefs: types,
        text: 'query @experimental_disableErrorPropagation { a rows { id name } late { id name } bad { id } }',
        rootValue: { a: null, rows, late: async () => rows, bad },
        options: { rowsBeforeCode },
      });
    });
  }
});
