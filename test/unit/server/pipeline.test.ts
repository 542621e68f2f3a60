import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { DataSource } from '../../../src/entries/datasource.ts';
import { createHandler } from '../../../src/entries/index.ts';
import type { ServerOptions } from '../../../src/server/startup/options.ts';
import { echoServer } from '../../support/echo-server.ts';
import type { EchoServer } from '../../support/echo-server.ts';
import { json, post } from '../../support/plain-http.ts';
import type { PlainResponse } from '../../support/plain-http.ts';
import { httpAPI } from '../../support/sources.ts';

const typename = { query: '{ __typename }' };

function serving(options: Partial<ServerOptions>): EchoServer & { send(body: unknown): Promise<PlainResponse> } {
  const server = echoServer(options);
  const handler = createHandler(server.options);
  return { ...server, send: async (body) => httpAPI.read(await handler(httpAPI.build(post(body)))) };
}

class Books extends DataSource {}

describe('the context function', () => {
  test('runs once for every operation, also in a batch, and not for what is refused before', async () => {
    let contexts = 0;
    const { send } = serving({ context: () => ({ number: contexts++ }) });

    await send(typename);
    await send([typename, typename, 'malformed']);
    await send('{"query":');

    assert.equal(contexts, 3);
  });
});

describe('the dataSources function', () => {
  test('is called after the context, and its sources are initialized with context and cache before any resolver', async () => {
    const steps: string[] = [];
    const initialize = async ({ context, cache }: { context: { user: string }; cache: object }): Promise<void> => {
      await new Promise((resolve) => setImmediate(resolve));
      steps.push(`initialize for ${context.user} ${'get' in cache}`);
    };
    const { send } = serving({
      context: () => (steps.push('context'), { user: 'ada' }),
      dataSources: () => (steps.push('dataSources'), { watched: { initialize } }),
      typeDefs: 'type Query { a: Boolean }',
      resolvers: { Query: { a: () => steps.push('resolver') > 0 } },
    });

    await send({ query: '{ a }' });

    assert.deepEqual(steps, ['context', 'dataSources', 'initialize for ada true', 'resolver']);
  });

  const returned = /Expected dataSources\(\) to return an object of data source instances, for example/;
  const mistakes: Readonly<Record<string, readonly [Partial<ServerOptions>, expected: RegExp]>> = {
    'beside a context that has dataSources': [
      { context: () => ({ dataSources: {} }), dataSources: () => ({}) },
      /context\(\) to return a new object without the key "dataSources"/,
    ],
    'that returns nothing': [{ dataSources: (() => undefined) as never }, returned],
    'that returns a text': [{ dataSources: (() => 'x') as never }, returned],
    'that returns a promise': [{ dataSources: (async () => ({})) as never }, returned],
    'that returns a class': [
      { dataSources: () => ({ books: Books }) as never },
      /Expected dataSources\(\)\.books to be an instance, got a class: new Books\(\)\./,
    ],
  };
  for (const [what, [options, expected]] of Object.entries(mistakes))
    test(`${what} is a masked 500 whose log says what to do`, async () => {
      const { send, log } = serving(options);

      assert.equal((await send(typename)).status, 500);
      assert.match(String(log[0]?.message), expected);
    });

  test('that shares an instance between two operations of one batch fails one of them, in development', async () => {
    const books = new Books();
    const { send } = serving({ dataSources: () => ({ books }), nodeEnv: 'development' });

    const [first, second] = json(await send([typename, typename]));

    assert.deepEqual(first, { data: { __typename: 'Query' } });
    assert.match(second.errors[0].message, /was used in an earlier operation/);
  });

  test('that shares an instance is logged once, outside of development', async () => {
    const books = new Books();
    const { send, log } = serving({ dataSources: () => ({ books }) });

    for (let call = 0; call < 4; call++) assert.equal((await send(typename)).status, 200);

    const [line, ...others] = log;
    assert.deepEqual([line?.level, others], ['warn', []]);
    assert.match(line!.message, /The data source "books" was used in an earlier operation/);
  });
});

describe('formatError', () => {
  for (const [what, query, status] of [
    ['an operation', '{ fail }', 200],
    ['a refusal', 1, 422],
  ] as const) {
    test(`that returns extensions for ${what} that are no JSON sends the error without them`, async () => {
      const { send } = serving({ formatError: (formatted) => ({ ...formatted, extensions: { id: 1n } }) });

      const response = await send({ query });

      assert.equal(response.status, status);
      assert.deepEqual(json(response).errors[0].extensions, {});
    });
  }
});
