import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tracingChannel } from 'node:diagnostics_channel';

import { GraphQLScalarType, valueFromASTUntyped, versionInfo } from 'graphql';
import type { ValueNode } from 'graphql';

import { incrementalDelivery } from '../../../src/entries/incremental.ts';
import { createTester } from '../../../src/entries/testing.ts';
import { post } from '../../support/plain-http.ts';
import { recordingLogger } from '../../support/recording-logger.ts';

test('the type of each item of an interface is resolved once, before and after code is generated', async () => {
  let calls = 0;
  const count = 3_000;
  const { run } = createTester({
    typeDefs: 'type Query { nodes: [Node] } interface Node { id: ID } type A implements Node { id: ID }',
    resolvers: {
      Query: { nodes: () => Array.from({ length: count }, (_, id) => ({ id })) },
      Node: { __resolveType: () => (calls++, 'A') },
    },
  });

  assert.equal((await run('{ nodes { id } }')).data.nodes.length, count);
  assert.equal(calls, count);
});

test('lists in lists count in one budget, also in several @defer', async () => {
  const { send } = createTester({
    incrementalDelivery: incrementalDelivery(),
    maxResultBytes: 1_000_000,
    typeDefs: 'type Query { lists: [[Int]] }',
    resolvers: { Query: { lists: () => Array.from({ length: 60_000 }, () => []) } },
    logger: recordingLogger()[0],
  });
  const answer = async (query: string): Promise<string> =>
    (await send(post({ query }, { headers: [['accept', 'multipart/mixed']] }))).text();

  assert.doesNotMatch(await answer('{ __typename ... @defer { lists } }'), /RESULT_TOO_LARGE/);
  assert.match(await answer('{ __typename ... @defer { lists } ... @defer { again: lists } }'), /RESULT_TOO_LARGE/);
});

test('variables are coerced once, also when the execution is traced', async (t) => {
  let calls = 0;
  const channel = tracingChannel('graphql:execute');
  const handlers = { start: () => {} };
  channel.subscribe(handlers as never);
  t.after(() => channel.unsubscribe(handlers as never));
  const { run } = createTester({
    typeDefs: 'scalar Any type Query { any(value: Any): Int }',
    resolvers: { Any: { parseValue: (value: unknown) => (calls++, value) }, Query: { any: () => 1 } },
  });
  await run('query ($value: Any) { any(value: $value) }', { value: { a: 1 } });

  assert.equal(calls, 1);
});

test('a literal of a custom scalar counts the variables that it contains, and no others', async () => {
  const literal = (node: ValueNode): unknown => valueFromASTUntyped(node);
  const coercers = versionInfo.major >= 17 && { coerceInputValue: (value: unknown) => value, coerceInputLiteral: literal };
  const JSONValue = new GraphQLScalarType({ name: 'JSON', ...(coercers as object) });
  const fields = 'abcdefghij'.split('');
  const { run } = createTester({
    typeDefs: `scalar JSON input Row { ${fields.map((name) => `${name}: Int`).join(' ')} } type Query { insert(rows: [Row!]): Int note(data: JSON): ID }`,
    resolvers: {
      JSON: JSONValue,
      Query: { insert: (_: unknown, { rows }: { rows: object[] }) => rows.length, note: () => 'noted' },
    } as never,
  });
  const notes = Array.from({ length: 10 }, (_, at) => `note${at}: note(data: { by: $by })`).join(' ');
  const row = Object.fromEntries(fields.map((name, at) => [name, at]));
  const variables = { by: 'Ada', rows: Array.from({ length: 3_000 }, () => row) };

  const { data, errors } = await run(`query ($rows: [Row!], $by: ID) { insert(rows: $rows) ${notes} }`, variables);

  assert.equal(errors, undefined);
  assert.deepEqual([data.insert, data.note9], [3_000, 'noted']);
});
