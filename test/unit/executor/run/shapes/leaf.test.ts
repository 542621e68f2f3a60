import { deepEqual, equal, match } from 'node:assert/strict';
import { describe, it } from 'node:test';

import { GraphQLString } from 'graphql';

import { executePlanned } from '../../../../../src/executor/execute.ts';
import { executionOf, runBoth } from '../../../../support/differential/both-executors.ts';

const typeDefs = `
  scalar Odd  enum Color { RED GREEN }
  type Query { string: String  int: Int  float: Float  boolean: Boolean  id: ID  odd: Odd  color: Color }
`;
/** Values that random operations do not have. */
const values: readonly unknown[] = [
  '',
  'RED',
  2 ** 31 - 1,
  2 ** 31,
  1.5,
  NaN,
  Infinity,
  10n,
  { valueOf: () => 3 },
  { toString: () => 'text' },
];

/** A custom scalar accepts every value, but JSON has none of these types. */
const isJSON = (value: unknown): boolean => !['bigint', 'symbol', 'function'].includes(typeof value);

describe('leaves', () => {
  for (const field of ['string', 'int', 'float', 'boolean', 'id', 'color', 'odd']) {
    it(`of the field ${field} are converted and refused as by graphql-js`, async () => {
      for (const value of field === 'odd' ? values.filter(isJSON) : values)
        await runBoth({ typeDefs, text: `{ ${field} }`, rootValue: { [field]: value } });
    });
  }

  for (const value of [10n, Symbol('odd'), () => 1])
    it(`of a custom scalar are an error if JSON has no ${typeof value}, and the rest of the answer is sent`, async () => {
      const late = async (): Promise<unknown> => value;
      const functions = { Query: { odd: () => value }, Odd: { serialize: (given: unknown) => given } };
      for (const rootValue of [{ int: 1 }, { int: 1, odd: late }]) {
        const { data, errors } = await executePlanned(
          executionOf({ typeDefs, text: '{ odd int other: odd }', rootValue, functions: 'odd' in rootValue ? {} : functions }),
        );

        equal(JSON.stringify(data), '{"odd":null,"int":1,"other":null}');
        equal(errors?.map(({ path }) => path?.join()).join(' '), 'odd other');
        for (const { message } of errors!) match(message, /to return a value that JSON has, returned: /);
      }
    });

  it('of a custom scalar may be a bigint that has a toJSON method', async () => {
    const prototype = BigInt.prototype as { toJSON?: unknown };
    prototype.toJSON = function toJSON(this: bigint) {
      return String(this);
    };
    try {
      const { data } = await executePlanned(executionOf({ typeDefs, text: '{ odd }', rootValue: { odd: 10n } }));

      equal(JSON.stringify(data), '{"odd":"10"}');
    } finally {
      delete prototype.toJSON;
    }
  });

  for (const [answer, expected, errorCount] of [
    [undefined, null, 1],
    [null, null, 1],
    [Promise.resolve('late'), 'late', undefined],
    ['now', 'now', undefined],
  ] as const)
    it(`of a custom scalar that serializes to ${String(answer)} are ${expected}`, async () => {
      const functions = { Odd: { serialize: () => answer } };

      const { data, errors } = await runBoth({ typeDefs, functions, text: '{ odd }', rootValue: { odd: 1 } });

      deepEqual([data?.['odd'], errors?.length], [expected, errorCount]);
    });

  it('call a function that replaces a built-in one', async () => {
    const { serialize, coerceOutputValue } = GraphQLString as typeof GraphQLString & { coerceOutputValue?: object };
    const shout = (value: unknown): string => String(value).toUpperCase();
    try {
      Object.assign(GraphQLString, { serialize: shout, ...(coerceOutputValue === undefined ? {} : { coerceOutputValue: shout }) });
      const { data } = await executePlanned(executionOf({ typeDefs, text: '{ string }', rootValue: { string: 'quiet' } }));
      equal(data?.['string'], 'QUIET');
    } finally {
      Object.assign(GraphQLString, { serialize, ...(coerceOutputValue === undefined ? {} : { coerceOutputValue }) });
    }
  });
});
