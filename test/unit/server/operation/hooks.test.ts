import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { GraphQLError } from 'graphql';

import { createHandler } from '../../../../src/entries/index.ts';
import type { GraphQLRequestContext, GraphQLRequestListener } from '../../../../src/server/operation/apollo-hooks.ts';
import type { ServerPlugin } from '../../../../src/server/operation/plugin.ts';
import type { ServerOptions } from '../../../../src/server/startup/options.ts';
import { echoServer } from '../../../support/echo-server.ts';
import type { EchoServer } from '../../../support/echo-server.ts';
import { json, post } from '../../../support/plain-http.ts';
import type { PlainResponse } from '../../../support/plain-http.ts';
import { httpAPI } from '../../../support/sources.ts';
import { unhandledRejections } from '../../../support/unhandled-rejections.ts';

type Hook = keyof GraphQLRequestListener;

const stages: readonly Hook[] = ['parsingDidStart', 'validationDidStart', 'executionDidStart'];
const moments: readonly Hook[] = [
  'didResolveSource',
  'didResolveOperation',
  'responseForOperation',
  'didEncounterErrors',
  'willSendResponse',
];
const typename = { query: '{ __typename }' };

/** Lets all other work run first, to detect code that does not await a hook. */
const aWhile = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function rejectLate(): Promise<never> {
  await aWhile();
  throw new Error('late');
}

function fail(): never {
  throw new Error('The hook is broken.');
}

/** A plugin that records each of its hooks when it ends, asynchronously. */
function noting(notes: string[], name = ''): ServerPlugin {
  const note = (what: string): number => notes.push(`${what}${name}`);
  const listener: Record<string, unknown> = {};
  for (const hook of moments) listener[hook] = async () => (await aWhile(), note(hook), undefined);
  for (const hook of stages) {
    listener[hook] = async () => {
      await aWhile();
      note(hook);
      return async (error?: unknown) => (await aWhile(), void note(`end of ${hook}${error === undefined ? '' : ' with error'}`));
    };
  }
  return { requestDidStart: async () => (await aWhile(), note('requestDidStart'), listener as GraphQLRequestListener) };
}

function serving(options: Partial<ServerOptions>): EchoServer & { send(body: unknown): Promise<PlainResponse> } {
  const server = echoServer(options);
  const handler = createHandler(server.options);
  return { ...server, send: async (body) => httpAPI.read(await handler(httpAPI.build(post(body)))) };
}

/** A plugin with these hooks of an operation. */
const only = (listener: GraphQLRequestListener): ServerPlugin => ({ requestDidStart: () => listener });

describe('the hooks of an operation', () => {
  const parsed = ['requestDidStart', 'didResolveSource', 'parsingDidStart', 'end of parsingDidStart'];
  const validated = [...parsed, 'validationDidStart', 'end of validationDidStart'];
  const executed = ['didResolveOperation', 'responseForOperation', 'executionDidStart', 'end of executionDidStart'];
  const failed = ['didEncounterErrors', 'willSendResponse'];
  const orders: readonly [what: string, body: object, expected: readonly string[]][] = [
    ['that is answered', typename, [...validated, ...executed, 'willSendResponse']],
    ['that does not parse', { query: '{' }, [...parsed.slice(0, -1), 'end of parsingDidStart with error', ...failed]],
    ['that does not validate', { query: '{ nothing }' }, [...validated.slice(0, -1), 'end of validationDidStart with error', ...failed]],
    ['with an unknown name', { query: 'query A { __typename }', operationName: 'B' }, [...validated, ...failed]],
    ['whose resolver fails', { query: '{ fail }' }, [...validated, ...executed, ...failed]],
  ];
  for (const [what, body, expected] of orders)
    test(`are called in the order of the pipeline, and awaited: one ${what}`, async () => {
      const notes: string[] = [];

      await serving({ plugins: [noting(notes)] }).send(body);

      assert.deepEqual(notes, expected);
    });

  test('of several plugins are called in the order of the plugins, the end hooks of a step in reverse', async () => {
    const notes: string[] = [];

    await serving({ plugins: [noting(notes, ' a'), noting(notes, ' b')] }).send(typename);

    const forwards = notes.filter((note) => !note.startsWith('end of'));
    const backwards = notes.filter((note) => note.startsWith('end of'));
    assert.deepEqual(
      forwards.map((note) => note.at(-1)),
      Array.from({ length: 8 }, () => ['a', 'b']).flat(),
    );
    assert.deepEqual(
      backwards.map((note) => note.at(-1)),
      ['b', 'a', 'b', 'a', 'b', 'a'],
    );
  });

  test('of parsing and validation are not called for a cached document', async () => {
    const notes: string[] = [];
    const { send } = serving({ plugins: [noting(notes)] });
    await send(typename);
    notes.length = 0;

    await send(typename);

    assert.deepEqual(notes, ['requestDidStart', 'didResolveSource', ...executed, 'willSendResponse']);
  });

  test('are optional, and so is requestDidStart', async () => {
    const { send } = serving({ plugins: [{}, only({}), { requestDidStart: () => undefined }, { requestDidStart: () => null as never }] });

    assert.deepEqual(json(await send(typename)), { data: { __typename: 'Query' } });
  });

  test('keep their "this"', async () => {
    class Plugin implements ServerPlugin {
      header = 'x-plugin';
      requestDidStart(): GraphQLRequestListener {
        const { header } = this;
        return {
          async willSendResponse({ response }) {
            response.http.headers.set(header, typeof this.willSendResponse);
          },
        };
      }
    }

    const response = await serving({ plugins: [new Plugin()] }).send(typename);

    assert.equal(response.headers.get('x-plugin'), 'function');
  });
});

describe('what a hook sees', () => {
  const growing = ['source', 'document', 'operation', 'operationName', 'errors'] as const;
  const named = { query: 'query Q { __typename }' };
  const operation = ['source', 'document', 'operation', 'operationName'];
  const views: readonly [hook: Hook | 'requestDidStart', body: object, seen: readonly string[]][] = [
    ['requestDidStart', named, []],
    ['didResolveSource', named, ['source']],
    ['parsingDidStart', named, ['source']],
    ['validationDidStart', named, ['source', 'document']],
    ['didResolveOperation', named, operation],
    ['responseForOperation', named, operation],
    ['executionDidStart', named, operation],
    ['willSendResponse', named, [...operation, 'result']],
    ['didEncounterErrors', { query: '{ nothing }' }, ['source', 'document', 'errors']],
  ];
  for (const [hook, body, expected] of views) {
    test(`is what its step knows: ${hook}`, async () => {
      let seen: string[] = [];
      const look = (context: GraphQLRequestContext): undefined => {
        seen = [...growing.filter((key) => context[key] !== undefined), ...(context.response.result === undefined ? [] : ['result'])];
      };
      const plugin: ServerPlugin = hook === 'requestDidStart' ? { requestDidStart: look } : only({ [hook]: look });

      await serving({ plugins: [plugin] }).send(body);

      assert.deepEqual(seen, expected);
    });
  }

  test('includes context, data sources, request, schema, cache and logger from the start; the operationName of an operation without one is null', async () => {
    const seen: GraphQLRequestContext<{ user: string; dataSources: object }>[] = [];
    const names: unknown[] = [];
    const plugin: ServerPlugin<any> = {
      requestDidStart: (context) => {
        seen.push({ ...context, contextValue: { ...(context.contextValue as object) } as never });
        return { didResolveOperation: ({ operationName }) => void names.push(operationName) };
      },
    };
    const { send, options } = serving({ context: () => ({ user: 'ada' }), dataSources: () => ({ books: {} }), plugins: [plugin] });

    await send({ ...typename, variables: { a: 1 }, extensions: { b: 2 }, operationName: '' });

    const [context] = seen;
    const { query, variables, extensions, http } = context!.request;
    assert.deepEqual(context?.contextValue, { user: 'ada', dataSources: { books: {} } });
    assert.deepEqual([query, variables, extensions, http?.method], ['{ __typename }', { a: 1 }, { b: 2 }, 'POST']);
    // A wrapper around the user's logger, so that its failures do not reach a request.
    assert.equal(Object.getPrototypeOf(context?.logger), options.logger);
    assert.equal(context?.schema.getQueryType()?.name, 'Query');
    assert.equal(typeof context?.cache.get, 'function');
    assert.deepEqual(names, [null]);
  });

  test('of an error: as it was thrown in didEncounterErrors, as the client gets it in willSendResponse', async () => {
    const messages: unknown[] = [];
    const plugin = only({
      didEncounterErrors: ({ errors }) => void messages.push(...errors.map(({ message }) => message)),
      willSendResponse: ({ response }) => void messages.push(response.result.errors?.[0]?.message),
    });

    const response = await serving({ plugins: [plugin] }).send({ query: '{ fail }' });

    assert.deepEqual(messages, ['The resolver failed on purpose.', 'Internal server error']);
    assert.equal(json(response).errors[0].message, 'Internal server error');
  });
});

describe('what a hook changes', () => {
  test('responseForOperation answers instead of the execution: the first plugin with an answer, without an empty list of errors', async () => {
    const notes: string[] = [];
    const plugins = [
      only({ responseForOperation: () => null, executionDidStart: () => void notes.push('executed') }),
      only({ responseForOperation: async () => ({ data: { echo: 'cached' }, errors: [] }) }),
      only({ responseForOperation: () => ({ data: { from: 3 } }) }),
    ];
    const { send, tally } = serving({ plugins });

    assert.deepEqual(json(await send({ query: '{ echo(text: "fresh") }' })), { data: { echo: 'cached' } });
    assert.deepEqual([tally.resolved, notes], [0, []]);
  });

  test('willSendResponse may change the result, the status and the headers', async () => {
    const plugin = only({
      willSendResponse: ({ response }) => {
        response.result = { ...response.result, extensions: { took: 1 } };
        response.http.status = 203;
        response.http.headers.append('set-cookie', 'a=1');
        response.http.headers.append('set-cookie', 'b=2');
      },
    });

    const response = await serving({ plugins: [plugin] }).send(typename);

    assert.deepEqual(json(response), { data: { __typename: 'Query' }, extensions: { took: 1 } });
    assert.deepEqual([response.status, response.setCookies], [203, ['a=1', 'b=2']]);
  });

  test('executionDidStart may return an object with executionDidEnd, as in the version-3 generation', async () => {
    const notes: string[] = [];
    const executionDidEnd = async (): Promise<void> => (await aWhile(), void notes.push('ended'));

    await serving({ plugins: [only({ executionDidStart: () => ({ executionDidEnd }) })] }).send(typename);

    assert.deepEqual(notes, ['ended']);
  });
});

describe('a hook that fails', () => {
  for (const hook of ['requestDidStart', ...stages, ...moments.filter((one) => one !== 'didEncounterErrors')])
    test(`is a masked 500 and is logged: ${hook}`, async () => {
      const plugin: ServerPlugin = hook === 'requestDidStart' ? { requestDidStart: fail } : only({ [hook]: fail });
      const { send, log } = serving({ plugins: [plugin] });

      const response = await send({ query: '{ echo(text: "x") }' });

      assert.equal(response.status, 500);
      assert.equal(json(response).errors[0].message, 'Internal server error');
      assert.match(log.map(({ message }) => message).join(), /The hook is broken/);
    });

  test('with an error for the client sends it to the client', async () => {
    const http = { status: 429, headers: { 'retry-after': '60' } };
    const error = new GraphQLError('Too many requests.', { extensions: { code: 'RATE_LIMITED', http } });

    const response = await serving({ plugins: [only({ didResolveOperation: () => Promise.reject(error) })] }).send(typename);

    assert.deepEqual([response.status, response.headers.get('retry-after')], [429, '60']);
    assert.deepEqual(json(response), { errors: [{ message: 'Too many requests.', extensions: { code: 'RATE_LIMITED' } }] });
  });

  // End hooks are called in reverse order, so the broken one is first.
  for (const [when, broken, note] of [
    ['start', fail, 'end of executionDidStart with error'],
    ['end', () => fail, 'end of executionDidStart'],
  ] as const)
    test(`at the ${when} of a step still calls the end hooks of earlier plugins`, async () => {
      const notes: string[] = [];

      const response = await serving({ plugins: [noting(notes), only({ executionDidStart: broken })] }).send(typename);

      assert.equal(response.status, 500);
      assert.ok(notes.includes(note), notes.join());
    });

  for (const [what, listener] of Object.entries<GraphQLRequestListener>({
    'throws in didResolveOperation': { didResolveOperation: fail },
    'removes the result in willSendResponse': {
      willSendResponse: ({ response }) => void Object.assign(response, { result: undefined }),
    },
  }))
    test(`in one operation of a batch does not affect the others: one that ${what}`, async () => {
      const plugin: ServerPlugin = { requestDidStart: ({ request }) => (request.operationName === 'Bad' ? listener : {}) };

      const response = await serving({ plugins: [plugin] }).send([{ query: 'query Bad { __typename }', operationName: 'Bad' }, typename]);

      const [bad, good] = json(response);
      assert.equal(bad.errors[0].message, 'Internal server error');
      assert.deepEqual(good, { data: { __typename: 'Query' } });
    });

  for (const [what, options] of Object.entries<Partial<ServerOptions>>({
    plugin: { plugins: [{ requestDidStart: rejectLate }, { requestDidStart: fail }] },
    'data source': { dataSources: () => ({ slow: { initialize: rejectLate }, wrong: { initialize: fail } }) },
  }))
    test(`at once leaves no rejection of another ${what} unhandled`, async () => {
      const unhandled = await unhandledRejections(async () => {
        assert.equal((await serving(options).send(typename)).status, 500);
      });

      assert.equal(unhandled, 0);
    });
});

describe('a hook that is told of an error', () => {
  const unauthenticated = new GraphQLError('Log in first.', { extensions: { code: 'UNAUTHENTICATED' } });
  const contextFails = { context: () => Promise.reject(unauthenticated) };
  const told: string[] = [];
  const tell = ({ error }: { error: Error }): void => void told.push(error.message);
  const hooks: Readonly<
    Record<string, readonly [good: ServerPlugin, bad: ServerPlugin, request: unknown, options: object, status: number]>
  > = {
    contextCreationDidFail: [{ contextCreationDidFail: tell }, { contextCreationDidFail: rejectLate }, typename, contextFails, 401],
    invalidRequestWasReceived: [{ invalidRequestWasReceived: tell }, { invalidRequestWasReceived: rejectLate }, '{"query":', {}, 400],
    didEncounterErrors: [
      only({ didEncounterErrors: ({ errors }) => tell({ error: errors[0]! }) }),
      only({ didEncounterErrors: rejectLate }),
      { query: '{ unknown }' },
      {},
      422,
    ],
  };
  for (const [hook, [good, bad, request, options, status]] of Object.entries(hooks))
    test(`and fails itself is logged, the next plugin is told, and the client gets the first error: ${hook}`, async () => {
      told.length = 0;
      const { send, log } = serving({ ...options, plugins: [bad, good] });

      const response = await send(request);

      assert.equal(response.status, status);
      assert.deepEqual(told, [json(response).errors[0].message]);
      assert.deepEqual(
        log.map(({ message }) => message),
        [`The ${hook} hook of a plugin failed.`],
      );
    });

  test('gets an unexpected error of context as it was thrown, and no operation starts', async () => {
    told.length = 0;
    const context = (): Promise<never> => Promise.reject(new Error('no session'));
    const plugin: ServerPlugin = { contextCreationDidFail: tell, requestDidStart: () => void told.push('started') };

    await serving({ context, plugins: [plugin] }).send(typename);

    assert.deepEqual(told, ['no session']);
  });
});
