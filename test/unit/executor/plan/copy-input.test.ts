import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { executePlanned } from '../../../../src/executor/execute.ts';
import { createTester } from '../../../../src/entries/testing.ts';
import { executionOf } from '../../../support/differential/both-executors.ts';

const fields =
  'f(input: In = { tags: ["given"] }, list: [In!] = [{ a: 1 }], json: JSON = { deep: { x: [1] } }): String g(input: In): String';
const typeDefs = `
  scalar JSON
  enum Genre { NOVEL POEM }
  input In { a: Int = 3, tags: [String!] = ["x"], sub: Sub = { text: "d", list: [1] }, json: JSON = { k: [1] }, genres: [Genre!] = [NOVEL] }
  input Sub { text: String = "z", list: [Int] }
  type Query { ${fields} }
  type Mutation { ${fields} }
`;

/** Modifies its arguments, and returns their original values. */
function spoil(_: unknown, args: object): string {
  const given = JSON.stringify(args);
  write(args);
  return given;
}

function write(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const member of Object.values(value)) write(member);
  if (Array.isArray(value)) value.push('written');
  else (value as Record<string, unknown>)['written'] = true;
}

describe('no later operation sees what a resolver writes to its arguments', () => {
  const operations: readonly (readonly [query: string, variables?: Record<string, unknown>])[] = [
    ['{ f }'],
    ['{ f(input: { a: 1, sub: {} }) }'],
    ['{ f(list: [{ a: 2 }, {}]) }'],
    ['{ f(json: { a: [1] }) }'],
    ['query ($input: In) { f(input: $input) }', { input: {} }],
    ['query ($input: In) { f(input: $input) }', { input: { sub: { list: [1, 2] } } }],
    ['query ($input: In = { a: 5, json: { z: [1] } }) { f(input: $input) }', {}],
    ['query ($list: [In!] = [{}]) { f(list: $list) }', {}],
    ['query ($json: JSON = { q: [1] }) { f(json: $json) }', {}],
    ['query ($a: Int = 4) { f(input: { a: $a, sub: { list: [$a] } }) }', {}],
    ['query ($sub: Sub) { f(input: { sub: $sub }) }', {}],
    // The argument is the variable itself, so only the defaults of its type apply.
    ['query ($input: In) { f: g(input: $input) }', { input: {} }],
    ['query ($input: In = {}) { f: g(input: $input) }', {}],
  ];
  for (const [query, variables] of operations) {
    for (const [kind, text] of [['query', query] as const, ['mutation', query.replace(/^(?:query )?/, 'mutation ')] as const]) {
      test(`${kind}: ${query} ${JSON.stringify(variables ?? {})}`, async () => {
        const { run } = createTester({ typeDefs, resolvers: { Query: { f: spoil, g: spoil }, Mutation: { f: spoil, g: spoil } } });

        const answers = [];
        for (let count = 0; count < 3; count++) answers.push(await run(text, variables));

        const [first] = answers;
        assert.equal(first?.errors, undefined);
        assert.doesNotMatch(String(first?.data?.['f']), /written/);
        assert.deepEqual(answers, [first, first, first]);
      });
    }
  }
});

test('nor does an operation of a document without validation, whose arguments graphql-js coerces', async () => {
  const execution = executionOf({
    typeDefs: 'input One @oneOf { a: Int, b: Int } type Query { f(one: One, tags: [String!] = ["x"]): String }',
    functions: { Query: { f: spoil } },
    text: '{ f(one: { a: 1, a: 1 }) }',
  });

  const [first, second] = [await executePlanned(execution), await executePlanned(execution)];

  assert.deepEqual(JSON.parse(String(first.data?.['f'])), { one: { a: 1 }, tags: ['x'] });
  assert.deepEqual(second.data, first.data);
});
