import { deepEqual, equal } from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { GraphQLObjectType } from 'graphql';

import { executePlanned } from '../../../../src/executor/execute.ts';
import { createBell } from '../../../support/bell.ts';
import { executionOf, runBoth } from '../../../support/differential/both-executors.ts';

const typeDefs = `
  type Query { rows: [Row] }
  type Row { id: ID!  name: String!  age: Int  score: Float  active: Boolean  tags: [String!]  next: Row }
`;
const row = { id: 1, name: 'Ann', age: 30, score: 1.5, active: true, tags: ['a'], next: { id: 'n' } };
const atOnce = { rowsBeforeCode: 0 };

describe('rows made by generated code', () => {
  it('read every property once, even of a row that is not plain', async () => {
    let reads = 0;
    const counted = {
      ...row,
      get age(): string {
        reads++;
        return '7';
      },
    };

    await executePlanned(executionOf({ typeDefs, text: '{ rows { age name } }', rootValue: { rows: [counted] }, options: atOnce }));

    equal(reads, 1);
  });

  for (const wide of [199, 200, 201, 250, 400, 401, 501])
    it(`have the values of the loop with ${wide} fields and nested objects`, async () => {
      const names = Array.from({ length: wide - 2 }, (_, at) => `n${at}: ${['name', 'age', 'id', 'active'][at % 4]}`);
      const nested = `{ rows { next { id ${names.join(' ')} } ${names.join(' ')} tags } }`;
      const late = { ...row, name: Promise.resolve('Late'), next: { ...row, name: async () => 'below' } };
      const given = [row, { ...row, name: null }, late, { ...row, age: 'old', next: row }];

      const { data } = await runBoth({ typeDefs, text: nested, rootValue: { rows: given }, options: atOnce });

      equal(Object.keys((data!['rows'] as object[])[2]!).length, wide);
    });

  it('contain the finished fields at the deadline', async () => {
    const { invocation, ring } = createBell();
    const functions = { Row: { age: () => new Promise(() => {}) } };
    const rows = { rows: [{ id: 1, next: { id: 2, next: new Promise(() => {}) } }] };
    const text = '{ rows { id age next { id age next { id } } } }';

    const answer = executePlanned(executionOf({ typeDefs, functions, text, rootValue: rows, options: { ...atOnce, invocation } }));
    ring();
    const { data, errors } = await answer;

    equal(JSON.stringify(data), '{"rows":[{"id":"1","age":null,"next":{"id":"2","age":null,"next":null}}]}');
    equal(errors?.filter(({ message }) => message === 'Time is up').length, 3);
  });
});

describe('a resolver that generated code calls', () => {
  const list = 'type Query { rows: [Row] } type Row { id(least: Int! = 1): Int  name: String  other: [String] }';
  const rows = [{ id: 1 }, { id: 2 }, { id: 3 }];
  const Query = { rows: () => rows };

  it('receives the parameters that it declares, and a copy of its arguments', async () => {
    const seen: unknown[] = [];
    const Row = {
      id: (parent: { id: number }, values: Record<string, unknown>) => {
        seen.push(values);
        return parent.id;
      },
      name: (_: unknown, __: unknown, context: object, info: { path: { prev: { key: number } } }) =>
        `${info.path.prev.key} ${JSON.stringify(context)}`,
      other(this: unknown, ...given: unknown[]) {
        return [String(this), String(given.length)];
      },
    };

    const example = { typeDefs: list, functions: { Query, Row }, text: '{ rows { id name other } }' };
    await runBoth({ ...example, options: atOnce });

    equal(new Set(seen).size, 6);
    deepEqual(seen[0], seen[5]);
  });

  it('is replaced from the next row on when another one is set', async () => {
    const execution = executionOf({ typeDefs: list, text: '{ rows { id } }', functions: { Query }, options: atOnce });
    const field = (execution.schema.getType('Row') as GraphQLObjectType).getFields()['id']!;
    const first = (parent: { id: number }): number => {
      field.resolve = () => 7;
      return parent.id;
    };
    const run = async (): Promise<string> => JSON.stringify((await executePlanned(execution)).data?.['rows']).replaceAll(/\D/g, '');

    field.resolve = first as never;
    const replacedInside = await run();
    const afterwards = await run();
    delete field.resolve;
    const removed = await run();

    deepEqual([replacedInside, afterwards, removed], ['177', '777', '123']);
  });
});
