import assert from 'node:assert/strict';
import { test } from 'node:test';

import { serveExplorer } from '../../../../support/explore-serving.ts';

const cannot = (name: string, type: string): string => `Cannot query field "${name}" on type "${type}".`;

for (const [what, query, variables, expected] of [
  ['a field', '{ internal }', {}, cannot('internal', 'Query')],
  ['a field, with a selection that it cannot have', '{ internal { id } }', {}, cannot('internal', 'Query')],
  ['a field of an object', '{ book(id: 1) { purchasePrice } }', {}, cannot('purchasePrice', 'Book')],
  ['a field that returns a hidden type', '{ ledger { total } }', {}, cannot('ledger', 'Query')],
  ['a field that returns a type of which everything is hidden', '{ all { hidden } }', {}, cannot('all', 'Query')],
  ['a field that needs a hidden argument', '{ needs(secret: 1) }', {}, cannot('needs', 'Query')],
  ['a field that needs an argument with a hidden field', '{ audited(by: { key: "a" }) }', {}, cannot('audited', 'Query')],
  ['a field that is hidden in an interface', '{ book(id: 1) { margin } }', {}, cannot('margin', 'Book')],
  ['a field of an interface that is hidden in an object', '{ named { alias } }', {}, cannot('alias', 'Named')],
  ['a hidden type', '{ item(id: 1) { ... on Ledger { total } } }', {}, 'Unknown type "Ledger".'],
  ['a hidden type in a fragment', '{ item(id: 1) { ...F } } fragment F on Ledger { nope }', {}, 'Unknown type "Ledger".'],
  ['the name of a hidden type', '{ item(id: 1) { __typename } }', {}, cannot('__typename', 'Item')],
  ['a type of mutations', 'query ($a: OnlyOfMutations) { books { id } }', {}, 'Unknown type "OnlyOfMutations".'],
  ['an argument', '{ book(id: 1, draft: true) { id } }', {}, 'Unknown argument "draft" on field "Query.book".'],
  ['an argument, with a wrong value', '{ book(id: 1, draft: 5) { id } }', {}, 'Unknown argument "draft" on field "Query.book".'],
  ['a value', '{ books(sort: MARGIN) { id } }', {}, 'Value "MARGIN" does not exist in "BookSort" enum.'],
  [
    'a value by a variable',
    'query ($s: BookSort) { books(sort: $s) { id } }',
    { s: 'MARGIN' },
    'Value "MARGIN" does not exist in "BookSort" enum.',
  ],
  [
    'a value as a default',
    'query ($s: BookSort = MARGIN) { books(sort: $s) { id } }',
    {},
    'Value "MARGIN" does not exist in "BookSort" enum.',
  ],
  ['an input field', '{ books(filter: { and: [{ minMargin: 1 }] }) { id } }', {}, 'Field "minMargin" is not defined by type "BookFilter".'],
  [
    'an input field by a variable',
    'query ($f: BookFilter) { books(filter: $f) { id } }',
    { f: { and: { minMargin: 'no number' } } },
    'Field "minMargin" is not defined by type "BookFilter".',
  ],
] as const)
  test(`run_query refuses ${what} that is hidden as if it did not exist`, async () => {
    const { call, runs } = serveExplorer();

    const { isError, text } = await call('run_query', { query, variables });

    assert.deepEqual([isError, runs], [true, []]);
    assert.equal(JSON.parse(text).errors[0].message.split(' The search finds')[0], expected);
  });

for (const [query, variables] of [
  ['{ books(sort: "MARGI") { id } }', {}],
  ['query ($s: BookSort) { books(sort: $s) { id } }', { s: 'MARGI' }],
  ['{ books(sort: MARGI) { id } }', {}],
  ['query ($s: BookSort) { books(sort: $s) { id } }', { s: ['TITLE'] }],
  ['{ book(id: 1) { purchasePric } }', {}],
  ['{ book(id: 1, draf: true) { id } }', {}],
  ['{ books(filter: { minMargi: 1 }) { id } }', {}],
  ['query ($f: BookFilter) { books(filter: $f) { id } }', { f: { minMargi: 1 } }],
  ['{ item(id: 1) { ... on Ledge { total } } }', {}],
] as const)
  test(`no suggestion names what is hidden, also in development: ${query}`, async () => {
    const { call } = serveExplorer({}, { nodeEnv: 'development', introspection: true });

    const { text } = await call('run_query', { query, variables });

    assert.doesNotMatch(text, /MARGIN|TITLES|purchasePrice|draft|minMargin|Ledger|Did you mean/);
  });

test('search_schema shows nothing that is hidden', async () => {
  const { call } = serveExplorer();

  const { text } = await call('search_schema', {
    query: 'internal ledger total everything audited secret needs book draft margin alias purchase price sort filter item named',
    limit: 50,
  });

  assert.doesNotMatch(text, /internal|Ledger|Everything|audited|Secret|needs|draft|MARGIN|margin|purchasePrice|OnlyOf/i);
  assert.match(text, /Query\.book\.author\.alias|Query\.named/);
});
