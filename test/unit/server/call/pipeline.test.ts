import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { GraphQLError } from 'graphql';

import { DataSource } from '../../../../src/entries/datasource.ts';
import { createHandler } from '../../../../src/entries/index.ts';
import type { ServerOptions } from '../../../../src/server/startup/options.ts';
import { echoServer } from '../../../support/echo-server.ts';
import type { EchoServer } from '../../../support/echo-server.ts';
import { json, post } from '../../../support/plain-http.ts';
import type { PlainResponse } from '../../../support/plain-http.ts';
import { httpAPI } from '../../../support/sources.ts';

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

  test('may set status, headers and cookies of the response', async () => {
    const { send } = serving({
      context: ({ response }) => {
        response.status = 202;
        response.headers.set('x-request-id', 'r1');
        response.headers.append('set-cookie', 'a=1');
        response.headers.append('set-cookie', 'b=2');
        return {};
      },
    });

    const response = await send(typename);

    assert.equal(response.status, 202);
    assert.equal(response.headers.get('x-request-id'), 'r1');
    assert.deepEqual(response.setCookies, ['a=1', 'b=2']);
  });
});

describe('the dataSources function', () => {
  test('is called for every operation, after the context, and its sources are initialized with context and cache', async () => {
    const steps: string[] = [];
    class Watched {
      initialize({ context, cache }: { context: { user: string }; cache: object }): void {
        steps.push(`initialize for ${context.user} ${'get' in cache}`);
      }
    }
    const { send } = serving({
      context: () => (steps.push('context'), { user: 'ada' }),
      dataSources: () => (steps.push('dataSources'), { watched: new Watched() }),
    });

    await send(typename);
    await send(typename);

    const once = ['context', 'dataSources', 'initialize for ada true'];
    assert.deepEqual(steps, [...once, ...once]);
  });

  test('is awaited if a source initializes asynchronously, before any resolver', async () => {
    const steps: string[] = [];
    class Slow {
      async initialize(): Promise<void> {
        await new Promise((resolve) => setImmediate(resolve));
        steps.push('initialised');
      }
    }
    const { send } = serving({
      dataSources: () => ({ slow: new Slow() }),
      typeDefs: 'type Query { a: Boolean }',
      resolvers: { Query: { a: () => steps.push('resolved') > 0 } },
    });

    await send({ query: '{ a }' });

    assert.deepEqual(steps, ['initialised', 'resolved']);
  });

  test('may return other things than data sources: a connection, a loader', async () => {
    const { send } = serving({
      dataSources: () => ({ db: { find: () => 'found' } }),
      typeDefs: 'type Query { a: String }',
      resolvers: { Query: { a: (_: unknown, _arguments: unknown, { dataSources }: any) => dataSources.db.find() } },
    });

    assert.deepEqual(json(await send({ query: '{ a }' })), { data: { a: 'found' } });
  });

  test('beside a context that already has dataSources is a masked 500 whose log says what to do', async () => {
    const { send, log } = serving({ context: () => ({ dataSources: {} }), dataSources: () => ({}) });

    assert.equal((await send(typename)).status, 500);
    assert.match(String(log[0]?.message), /context\(\) to return a new object without the key "dataSources"/);
  });

  for (const wrong of [undefined, null, 'x', Promise.resolve({})]) {
    test(`that returns ${wrong instanceof Promise ? 'a promise' : String(wrong)} is a masked 500 whose log says what to return`, async () => {
      const { send, log } = serving({ dataSources: (() => wrong) as never });

      assert.equal((await send(typename)).status, 500);
      assert.match(String(log[0]?.message), /Expected dataSources\(\) to return an object of data source instances, for example/);
    });
  }

  test('that returns a class is a masked 500 whose log says to make an instance', async () => {
    const { send, log } = serving({ dataSources: () => ({ books: Books }) as never });

    assert.equal((await send(typename)).status, 500);
    assert.match(String(log[0]?.message), /Expected dataSources\(\)\.books to be an instance, got a class: new Books\(\)\./);
  });

  test('that shares an instance between two operations fails the second, in development', async () => {
    const shared = new Books();
    const { send } = serving({ dataSources: () => ({ books: shared }), nodeEnv: 'development' });
    await send(typename);

    const response = await send(typename);

    assert.equal(response.status, 500);
    assert.match(json(response).errors[0].message, /The data source "books" was used in an earlier operation.*new Books\(\)/s);
  });

  test('that shares an instance between two operations of one batch fails one of them, in development', async () => {
    const shared = new Books();
    const { send } = serving({ dataSources: () => ({ books: shared }), nodeEnv: 'development' });

    const [first, second] = json(await send([typename, typename]));

    assert.deepEqual(first, { data: { __typename: 'Query' } });
    assert.match(second.errors[0].message, /was used in an earlier operation/);
  });

  test('that shares an instance is logged once, outside of development', async () => {
    const shared = new Books();
    const { send, log } = serving({ dataSources: () => ({ books: shared }) });

    for (let call = 0; call < 4; call++) assert.equal((await send(typename)).status, 200);

    assert.deepEqual(
      log.map(({ level }) => level),
      ['warn'],
    );
    assert.match(String(log[0]?.message), /The data source "books" was used in an earlier operation/);
  });
});

describe('formatError', () => {
  test('gets the form about to be sent and the error as it was thrown, and has the last word', async () => {
    const seen: unknown[] = [];
    const { send } = serving({
      formatError: (formatted, error) => {
        seen.push(formatted.message, (error as GraphQLError).originalError?.message);
        return { ...formatted, message: 'Sorry.' };
      },
    });

    const { errors } = json(await send({ query: '{ fail }' }));

    assert.deepEqual(seen, ['Internal server error', 'The resolver failed on purpose.']);
    assert.equal(errors[0].message, 'Sorry.');
    assert.deepEqual(errors[0].path, ['fail']);
  });

  test('is called for a refused request as for an element of a batch', async () => {
    const { send } = serving({ formatError: (formatted) => ({ ...formatted, message: 'Sorry.' }) });

    const single = json(await send({ query: 1 }));
    const [element] = json(await send([{ query: 1 }]));

    assert.equal(single.errors[0].message, 'Sorry.');
    assert.deepEqual(single, element);
  });

  test('that throws is a masked 500, and what it threw is logged', async () => {
    const { send, log } = serving({
      formatError: () => {
        throw new Error('formatError is broken');
      },
    });

    const response = await send({ query: '{ fail }' });

    assert.equal(response.status, 500);
    assert.equal(json(response).errors[0].message, 'Internal server error');
    assert.match(log.map(({ message }) => message).join(), /formatError is broken/);
  });

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

describe('an unexpected error', () => {
  test('has an id that is in the answer and in the log, with the error itself', async () => {
    const { send, log } = serving({});

    const { errorId } = json(await send({ query: '{ fail }' })).errors[0].extensions;

    const [line] = log;
    assert.ok(line !== undefined);
    assert.ok(line.message.includes(errorId));
    assert.ok(line.details[0] instanceof Error);
    assert.equal(line.details[0].message, 'The resolver failed on purpose.');
  });
});
