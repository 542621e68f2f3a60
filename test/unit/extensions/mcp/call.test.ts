import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { GraphQLError } from 'graphql';

import { idempotency, idempotencyDefinitions, memoryStore } from '../../../../src/entries/idempotency.ts';
import type { ServerPlugin } from '../../../../src/entries/index.ts';
import { mcp, mcpDefinitions } from '../../../../src/entries/mcp.ts';
import { serveTools, typeDefs } from '../../../support/mcp-serving.ts';
import { recordingLogger } from '../../../support/recording-logger.ts';

const fail = (): never => {
  throw new Error('secret');
};

describe('a call', () => {
  test('refuses unknown arguments, hidden ones too, before anything runs', async () => {
    const { call, runs } = serveTools();

    for (const args of [{ id: '1', more: 1 }, JSON.parse('{ "id": "1", "__proto__": {} }')])
      assert.equal((await call('get_book', args)).isError, true);
    assert.equal((await call('mine', { tenant: '1' })).isError, true);
    for (const args of [[], 'x', null]) assert.equal((await call('get_book', args)).code, -32_602);
    assert.deepEqual(runs, []);
  });

  test('fills hidden variables from the context', async () => {
    const { call, runs } = serveTools();

    assert.deepEqual((await call('mine')).structuredContent, { book: { title: 'Frankenstein' } });
    assert.deepEqual(runs, ['book {"id":"2"}']);
  });

  test('shows neither names nor values of hidden variables when they are invalid', async () => {
    const [logger, lines] = recordingLogger();
    for (const value of [{ apiKey: 'SECRET' }, undefined, null]) {
      const { call, runs } = serveTools({ hidden: { tenant: () => value } }, { logger });

      const { isError, text } = await call('mine');

      assert.equal(isError, true);
      assert.doesNotMatch(text, /SECRET|tenant/);
      assert.deepEqual(runs, []);
    }
    assert.equal(lines.filter(({ level }) => level === 'error').length, 3);
  });

  test('fills only the hidden variables of the called tool', async () => {
    const { call } = serveTools({ hidden: { tenant: fail } });

    assert.deepEqual([(await call('get_book', { id: '1' })).isError, (await call('mine')).isError], [undefined, true]);
  });

  test('does not show a hidden variable in an error that quotes an argument with its name', async () => {
    const a = 'query A($tenant: ID!, $id: ID!) @mcpTool(description: "x") { book(id: $tenant) { id } other: book(id: $id) { id } }';
    const book = (_: unknown, { id }: { id: string }): never => {
      throw new GraphQLError(`There is no book "${id}".`);
    };
    const { call } = serveTools(
      { hidden: { tenant: () => '1' } },
      { trustedDocuments: { documents: { a } }, resolvers: { Query: { book } } },
    );

    assert.match((await call('a', { id: '$tenant' })).text, /There is no book/);
  });

  test('with an invalid argument returns a result that tells a model what to correct', async () => {
    const { isError, text } = await serveTools().call('get_book', { id: {} });

    assert.equal(isError, true);
    assert.match(text, /Variable .*\$id.* invalid value/);
  });

  test('with an error returns masked messages, the partial data, and no structured content', async () => {
    const { text, structuredContent } = await serveTools().call('fails');

    const { data, errors } = JSON.parse(text) as any;
    assert.deepEqual([data, errors[0].message], [{ fails: null, book: { title: 'Emma' } }, 'Internal server error']);
    assert.equal(structuredContent, undefined);
    assert.doesNotMatch(text, /password/);
  });

  test('has the extensions of its result in _meta, and an explanation in development', async () => {
    const willSendResponse = ({ response }: { response: any }): void =>
      void (response.result = { ...response.result, extensions: { cost: 3 } });
    const plugins: ServerPlugin[] = [{ requestDidStart: () => ({ willSendResponse }) }, mcp({ name: 'a', version: '1' })];
    const { post, call: callLegacy, modern } = serveTools({}, { nodeEnv: 'development', plugins });
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'get_book', arguments: { id: '1' } } };

    const newer = ((await (await modern('tools/call', { name: 'get_book', arguments: { id: '1' } })).json()) as any).result._meta;
    const explained = ((await (await post(body, { 'graphql-functions-explain': '1' })).json()) as any).result._meta;

    assert.deepEqual((await callLegacy('get_book', { id: '1' }))._meta, { 'graphql-functions/extensions': { cost: 3 } });
    assert.equal(newer['graphql-functions/extensions'].cost, 3);
    assert.equal(newer['io.modelcontextprotocol/serverInfo'].name, 'a');
    assert.ok('calls' in explained['graphql-functions/extensions'].explain, JSON.stringify(explained));
  });

  test('applies the limits and the deadline of operations', async () => {
    const book = () => ({ title: 'x'.repeat(1_100_000) });
    const late = serveTools({}, { deadline: { ms: 20 }, resolvers: { Query: { book: () => new Promise(() => {}) } } });

    for (const limit of [{}, { maxResultBytes: 1_000_000 }]) {
      const { isError, text } = await serveTools({}, { ...limit, resolvers: { Query: { book } } }).call('get_book', { id: '1' });
      assert.deepEqual([isError, text], [true, 'The answer is too large. Request less, for example fewer items.']);
    }
    const { isError, text } = await late.call('get_book', { id: '1' });
    assert.equal(isError, true);
    assert.match(text, /DEADLINE_EXCEEDED/);
  });

  test("has at most the server's maxBodyBytes", async () => {
    const { post } = serveTools({ maxBodyBytes: 10_000 }, { maxBodyBytes: 1_000 });

    assert.equal((await post(`{"a":"${'x'.repeat(2_000)}"}`)).status, 413);
  });
});

describe('after a mutation has run', () => {
  for (const [what, title, maxResultBytes, scalar] of [
    ['too large', 'x'.repeat(300_000), undefined, 'String'],
    ['too large in bytes', 'ä'.repeat(200_000), undefined, 'String'],
    ['larger than maxResultBytes', 'x'.repeat(600), 1_000, 'String'],
    ['an object whose toJSON throws', { toJSON: fail }, undefined, 'Odd'],
  ] as const)
    test(`an answer that is ${what} says in JSON-RPC that the tool has run and must not be called again`, async () => {
      let runs = 0;
      const types = [mcpDefinitions, typeDefs.replace('title: String! pages', `title: ${scalar}! pages`)];
      const resolvers = { Mutation: { rename: () => ({ id: ++runs, title }) } };
      const { call } = serveTools({}, { typeDefs: types, resolvers, maxResultBytes });

      const { isError, text } = await call('rename', { id: '1', title: 'a' });

      assert.match(text, /^The tool has run.* Do not call it again\.$/);
      assert.deepEqual([isError, runs], [true, 1]);
    });

  test('its replay whose answer is too large says the same', async () => {
    const rename = 'mutation R($id: ID!, $key: String!) @mcpTool(description: "x") { rename(id: $id) @idempotent(key: $key) { title } }';
    let runs = 0;
    const { call } = serveTools(
      { hidden: {} },
      {
        typeDefs: [mcpDefinitions, idempotencyDefinitions, typeDefs],
        trustedDocuments: { documents: { rename } },
        resolvers: { Mutation: { rename: () => ({ title: `${++runs}`.repeat(150_000) }) } },
        plugins: [idempotency({ store: memoryStore(), identity: () => 'everyone', maxAnswerBytes: 1_000_000 }) as ServerPlugin],
        maxResultBytes: 200_000,
      },
    );

    for (let round = 0; round < 2; round++)
      assert.equal((await call('r', { id: '1', key: 'k' })).text, 'The tool has run, but its answer is too large. Do not call it again.');
    assert.equal(runs, 1);
  });
});
