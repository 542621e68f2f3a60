import assert from 'node:assert/strict';
import { test } from 'node:test';

import { serveExplorer } from '../../../../support/explore-serving.ts';

for (const [what, query, variables, expected] of [
  ['a field', '{ book(id: 1) { titel } }', {}, 'Cannot query field "titel" on type "Book".'],
  ['a field of a subgraph', '{ _service { sdl } }', {}, 'Cannot query field "_service" on type "Query".'],
  ['introspection', '{ __schema { types { name } } }', {}, 'Cannot query field "__schema" on type "Query".'],
  ['the name of a type by introspection', '{ __type(name: "Book") { name } }', {}, 'Cannot query field "__type" on type "Query".'],
  ['a mutation', 'mutation { rename(id: 1) { id } }', {}, 'Expected a query, got a mutation.'],
  ['a subscription', 'subscription { ticks }', {}, 'Expected a query, got a subscription.'],
  ['a second query', '{ book(id: 1) { title } } query Other { book(id: 2) { title } }', {}, 'Expected one query, got several.'],
  ['@defer', '{ ... @defer { book(id: 1) { id } } }', {}, 'Unknown directive "@defer".'],
  ['@stream', '{ books @stream { id } }', {}, 'Unknown directive "@stream".'],
] as const)
  test(`run_query refuses ${what}`, async () => {
    const { call, runs } = serveExplorer();

    const { isError, text } = await call('run_query', { query, variables });

    const { errors, cost } = JSON.parse(text);
    assert.deepEqual([isError, cost, runs], [true, 0, []]);
    assert.equal(errors[0].message.split(' The search finds')[0], expected);
  });

test('run_query runs a text although only trusted documents may, and says the cost and what is left', async () => {
  const { call, send, runs } = serveExplorer();
  const query = 'query ($id: ID!) { book(id: $id) { __typename title } }';

  const { structuredContent, text } = await call('run_query', { query, variables: { id: '1' } });
  const response = await send({
    method: 'POST',
    path: '/',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query, isTrusted: true }),
  });

  const data = { book: { __typename: 'Book', title: 'Emma' } };
  assert.deepEqual([structuredContent, text], [{ data, cost: 2, left: 98 }, JSON.stringify({ data, cost: 2, left: 98 })]);
  assert.match(await response.text(), /Expected one of the server's trusted documents/);
  assert.deepEqual(runs, ['book']);
});

for (const [what, query, cost, message] of [
  ['is left', '{ books(first: 90) { title } a: book(id: 1) { title } }', 93, /costs 93 points, and the client has \d+ left/],
  [
    'a client can have',
    '{ ...F } fragment F on Query { shelf: books(first: 100) { title } }',
    101,
    /costs 101 points, and the client can have at most 100/,
  ],
  ['limits() allows', 'query ($n: Int! = 2000) { books(first: $n) { title } }', 2001, /costs at most 1000, got one that costs 2001/],
] as const)
  test(`a query that costs more than ${what} is refused with its cost, and the field that costs most`, async () => {
    const { call, runs } = serveExplorer();
    await call('run_query', { query: '{ books(first: 20) { title } }' });

    const { text } = await call('run_query', { query });

    const answer = JSON.parse(text);
    assert.match(answer.errors[0].message, message);
    assert.deepEqual([answer.cost, answer.costliest, runs], [cost, what === 'a client can have' ? 'shelf' : 'books', ['books']]);
  });

for (const [name, given, expected] of [
  ['run_query', {}, 'Expected query to be a string.'],
  ['run_query', { query: '{ a }', variables: [] }, 'Expected variables to be an object.'],
  ['run_query', { query: '{ a }', isTrusted: true }, 'Unknown argument "isTrusted". The tool takes query, variables.'],
  ['search_schema', { query: 'a', limit: 51 }, 'Expected limit to be a whole number from 1 to 50.'],
  ['search_schema', { query: 'a', variables: {} }, 'Unknown argument "variables". The tool takes query, limit.'],
] as const)
  test(`${name} refuses ${JSON.stringify(given)}`, async () => {
    assert.deepEqual(await serveExplorer().call(name, given), {
      content: [{ type: 'text', text: expected }],
      isError: true,
      text: expected,
      code: undefined,
    });
  });

test('a wrong name is answered with what the search finds', async () => {
  const { text } = await serveExplorer().call('run_query', { query: '{ book(id: 1) { bookTitle } }' });

  assert.match(JSON.parse(text).errors[0].message, /^Cannot query field "bookTitle" on type "Book"\. The search finds Book\.title, /);
});
