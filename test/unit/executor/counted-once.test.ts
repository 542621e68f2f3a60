import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tracingChannel } from 'node:diagnostics_channel';

import { GraphQLScalarType, valueFromASTUntyped, versionInfo } from 'graphql';
import type { ValueNode } from 'graphql';

import { createHandler } from '../../../src/entries/fetch.ts';
import { incrementalDelivery } from '../../../src/entries/incremental.ts';
import type { ServerOptions } from '../../../src/server/startup/options.ts';
import { recordingLogger } from '../../support/recording-logger.ts';

async function answer(options: Partial<ServerOptions>, body: object, accept = 'application/json'): Promise<string> {
  const handler = createHandler({ logger: recordingLogger()[0], ...options } as Parameters<typeof createHandler>[0]);
  const headers = { 'content-type': 'application/json', accept };
  return (await handler(new Request('https://shop.example/', { method: 'POST', headers, body: JSON.stringify(body) }))).text();
}

test('the type of each item of an interface is resolved once, before and after code is generated', async () => {
  let calls = 0;
  const count = 3_000;
  const text = await answer(
    {
      typeDefs: 'type Query { nodes: [Node] } interface Node { id: ID } type A implements Node { id: ID }',
      resolvers: {
        Query: { nodes: () => Array.from({ length: count }, (_, id) => ({ id })) },
        Node: { __resolveType: () => (calls++, 'A') },
      },
    },
    { query: '{ nodes { id } }' },
  );

  assert.equal(JSON.parse(text).data.nodes.length, count);
  assert.equal(calls, count);
});

test('lists in lists count in one budget, also in several @defer', async () => {
  const options = {
    incrementalDelivery: incrementalDelivery(),
    maxResultBytes: 1_000_000,
    typeDefs: 'type Query { lists: [[Int]] }',
    resolvers: { Query: { lists: () => Array.from({ length: 60_000 }, () => []) } },
  };
  const once = await answer(options, { query: '{ __typename ... @defer { lists } }' }, 'multipart/mixed');
  const twice = await answer(options, { query: '{ __typename ... @defer { lists } ... @defer { again: lists } }' }, 'multipart/mixed');

  assert.doesNotMatch(once, /RESULT_TOO_LARGE/);
  assert.match(twice, /RESULT_TOO_LARGE/);
});

test('variables are coerced once, also when the execution is traced', async (t) => {
  let calls = 0;
  const channel = tracingChannel('graphql:execute');
  const handlers = { start: () => {} };
  channel.subscribe(handlers as never);
  t.after(() => channel.unsubscribe(handlers as never));
  await answer(
    {
      typeDefs: 'scalar Any type Query { any(value: Any): Int }',
      resolvers: { Any: { parseValue: (value: unknown) => (calls++, value) }, Query: { any: () => 1 } },
    },
    { query: 'query ($value: Any) { any(value: $value) }', variables: { value: { a: 1 } } },
  );

  assert.equal(calls, 1);
});

test('a literal of a custom scalar counts the variables that it contains, and no others', async () => {
  const literal = (node: ValueNode): unknown => valueFromASTUntyped(node);
  const coercers = versionInfo.major >= 17 && { coerceInputValue: (value: unknown) => value, coerceInputLiteral: literal };
  const JSONValue = new GraphQLScalarType({ name: 'JSON', ...(coercers as object) });
  const fields = 'abcdefghij'.split('');
  const options = {
    typeDefs: `scalar JSON input Row { ${fields.map((name) => `${name}: Int`).join(' ')} } type Query { insert(rows: [Row!]): Int note(data: JSON): ID }`,
    resolvers: { JSON: JSONValue, Query: { insert: (_: unknown, { rows }: { rows: object[] }) => rows.length, note: () => 'noted' } },
  };
  const notes = Array.from({ length: 10 }, (_, at) => `note${at}: note(data: { by: $by })`).join(' ');
  const row = Object.fromEntries(fields.map((name, at) => [name, at]));
  const variables = { by: 'Ada', rows: Array.from({ length: 3_000 }, () => row) };

  const text = await answer(options, { query: `query ($rows: [Row!], $by: ID) { insert(rows: $rows) ${notes} }`, variables });

  const { data, errors } = JSON.parse(text);
  assert.equal(errors, undefined);
  assert.deepEqual([data.insert, data.note9], [3_000, 'noted']);
});
