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

/** Lets all other work run first, to detect code that does not await a hook. */
const aWhile = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function rejectLate(): Promise<never> {
  await aWhile();
  throw new Error('late');
}

/** A plugin that records each of its hooks when it ends, asynchronously. */
function noting(notes: string[], name = ''): ServerPlugin {
  const note = (what: string): number => notes.push(name === '' ? what : `${what} ${name}`);
  const listener: Record<string, unknown> = {};
  for (const hook of moments) listener[hook] = async () => (await aWhile(), note(hook), undefined);
  for (const hook of stages) {
    listener[hook] = async () => {
      await aWhile();
      note(hook);
      return async (error?: Error | readonly Error[]) => (
        await aWhile(),
        void note(`end of ${hook}${error === undefined ? '' : ' with error'}`)
      );
    };
  }
  return { requestDidStart: async () => (await aWhile(), note('requestDidStart'), listener as GraphQLRequestListener) };
}

function serving(options: Partial<ServerOptions>): EchoServer & { send(body: unknown): Promise<PlainResponse> } {
  const server = echoServer(options);
  const handler = createHandler(server.options);
  return { ...server, send: async (body) => httpAPI.read(await handler(httpAPI.build(post(body)))) };
}

/** A plugin with one hook. */
const only = (listener: GraphQLRequestListener): ServerPlugin => ({ requestDidStart: () => listener });

describe('the hooks of an operation', () => {
  test('are called in the order of the pipeline, and awaited', async () => {
    const notes: string[] = [];

    await serving({ plugins: [noting(notes)] }).send({ query: '{ __typename }' });

    assert.deepEqual(notes, [
      'requestDidStart',
      'didResolveSource',
      'parsingDidStart',
      'end of parsingDidStart',
      'validationDidStart',
      'end of validationDidStart',
      'didResolveOperation',
      'responseForOperation',
      'executionDidStart',
      'end of executionDidStart',
      'willSendResponse',
    ]);
  });

  test('of several plugins are called in the order of the plugins, the end hooks of a step in reverse', async () => {
    const notes: string[] = [];

    await serving({ plugins: [noting(notes, 'a'), noting(notes, 'b'), noting(notes, 'c')] }).send({ query: '{ __typename }' });

    const of = (hook: string): string[] => notes.filter((note) => note.startsWith(`${hook} `)).map((note) => note.at(-1) ?? '');
    for (const hook of ['requestDidStart', ...moments.filter((hook) => hook !== 'didEncounterErrors'), ...stages])
      assert.deepEqual(of(hook), ['a', 'b', 'c'], hook);
    for (const hook of stages) assert.deepEqual(of(`end of ${hook}`), ['c', 'b', 'a'], hook);
  });

  test('of parsing and validation are not called for a cached document', async () => {
    const notes: string[] = [];
    const { send } = serving({ plugins: [noting(notes)] });
    await send({ query: '{ __typename }' });
    notes.length = 0;

    await send({ query: '{ __typename }' });

    assert.deepEqual(
      notes.filter((note) => /parsing|validation/.test(note)),
      [],
    );
    assert.equal(notes.length, 7);
  });

  const failures: readonly [what: string, body: unknown, expected: readonly string[]][] = [
    ['does not parse', { query: '{' }, ['parsingDidStart', 'end of parsingDidStart with error', 'didEncounterErrors', 'willSendResponse']],
    [
      'does not validate',
      { query: '{ nothing }' },
      [
        'parsingDidStart',
        'end of parsingDidStart',
        'validationDidStart',
        'end of validationDidStart with error',
        'didEncounterErrors',
        'willSendResponse',
      ],
    ],
  ];
  for (const [what, body, expected] of failures) {
    test(`of a document that ${what} end with its errors`, async () => {
      const notes: string[] = [];

      await serving({ plugins: [noting(notes)] }).send(body);

      assert.deepEqual(notes, ['requestDidStart', 'didResolveSource', ...expected]);
    });
  }

  test('of an unknown operation name: didEncounterErrors, and no didResolveOperation', async () => {
    const notes: string[] = [];

    await serving({ plugins: [noting(notes)] }).send({ query: 'query A { __typename }', operationName: 'B' });

    assert.deepEqual(notes.slice(-2), ['didEncounterErrors', 'willSendResponse']);
    assert.ok(!notes.includes('didResolveOperation'));
  });

  test('of a resolver that fails: the execution ends without error, didEncounterErrors gets the error', async () => {
    const notes: string[] = [];

    await serving({ plugins: [noting(notes)] }).send({ query: '{ fail }' });

    assert.deepEqual(notes.slice(-3), ['end of executionDidStart', 'didEncounterErrors', 'willSendResponse']);
  });

  test('are called for every operation of a batch', async () => {
    const notes: string[] = [];

    await serving({ plugins: [noting(notes)] }).send([{ query: '{ __typename }' }, { query: '{ echo(text: "x") }' }]);

    assert.equal(notes.filter((note) => note === 'willSendResponse').length, 2);
  });

  test('are optional, and so is requestDidStart', async () => {
    const { send } = serving({ plugins: [{}, only({}), { requestDidStart: () => undefined }, { requestDidStart: () => null as never }] });

    assert.deepEqual(json(await send({ query: '{ __typename }' })), { data: { __typename: 'Query' } });
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

    const response = await serving({ plugins: [new Plugin()] }).send({ query: '{ __typename }' });

    assert.equal(response.headers.get('x-plugin'), 'function');
  });
});

describe('what a hook sees', () => {
  const growing = ['source', 'document', 'operation', 'operationName', 'errors'] as const;

  async function seenBy(hook: Hook | 'requestDidStart', body: unknown): Promise<string[]> {
    let seen: string[] = [];
    const look = (context: GraphQLRequestContext): undefined => {
      seen = [...growing.filter((key) => context[key] !== undefined), ...(context.response.result === undefined ? [] : ['result'])];
    };
    const plugin: ServerPlugin = {
      requestDidStart: (context) => {
        if (hook !== 'requestDidStart') return { [hook]: look };
        return look(context);
      },
    };
    await serving({ plugins: [plugin] }).send(body);
    return seen;
  }

  const named = { query: 'query Q { __typename }' };
  const views: readonly [hook: Hook | 'requestDidStart', seen: readonly string[]][] = [
    ['requestDidStart', []],
    ['didResolveSource', ['source']],
    ['parsingDidStart', ['source']],
    ['validationDidStart', ['source', 'document']],
    ['didResolveOperation', ['source', 'document', 'operation', 'operationName']],
    ['responseForOperation', ['source', 'document', 'operation', 'operationName']],
    ['executionDidStart', ['source', 'document', 'operation', 'operationName']],
    ['willSendResponse', ['source', 'document', 'operation', 'operationName', 'result']],
  ];
  for (const [hook, seen] of views) {
    test(`is what its step knows: ${hook}`, async () => {
      assert.deepEqual(await seenBy(hook, named), seen);
    });
  }

  test('includes the errors, in didEncounterErrors', async () => {
    assert.deepEqual(await seenBy('didEncounterErrors', { query: '{ nothing }' }), ['source', 'document', 'errors']);
  });

  test('includes operationName, null for an operation without a name', async () => {
    let name: unknown = 'none';

    await serving({ plugins: [only({ didResolveOperation: ({ operationName }) => void (name = operationName) })] }).send({
      query: '{ __typename }',
    });

    assert.equal(name, null);
  });

  test('includes context, data sources, request, schema, cache and logger from the start', async () => {
    const seen: GraphQLRequestContext<{ user: string; dataSources: object }>[] = [];
    const plugin: ServerPlugin<any> = {
      requestDidStart: (context) => void seen.push({ ...context, contextValue: { ...(context.contextValue as object) } as never }),
    };
    const { send, options } = serving({ context: () => ({ user: 'ada' }), dataSources: () => ({ books: {} }), plugins: [plugin] });

    await send({ query: '{ __typename }', variables: { a: 1 }, extensions: { b: 2 }, operationName: '' });

    const [context] = seen;
    assert.deepEqual(context?.contextValue, { user: 'ada', dataSources: { books: {} } });
    assert.equal(context?.request.query, '{ __typename }');
    assert.deepEqual(context?.request.variables, { a: 1 });
    assert.deepEqual(context?.request.extensions, { b: 2 });
    assert.equal(context?.request.http?.method, 'POST');
    // A wrapper around the user's logger, so that its failures do not reach a request.
    assert.equal(Object.getPrototypeOf(context?.logger), options.logger);
    assert.equal(context?.schema.getQueryType()?.name, 'Query');
    assert.equal(typeof context?.cache.get, 'function');
  });

  test('includes the error as it was thrown, unmasked, in didEncounterErrors', async () => {
    const messages: string[] = [];

    const response = await serving({
      plugins: [only({ didEncounterErrors: ({ errors }) => void messages.push(...errors.map(({ message }) => message)) })],
    }).send({
      query: '{ fail }',
    });

    assert.deepEqual(messages, ['The resolver failed on purpose.']);
    assert.equal(json(response).errors[0].message, 'Internal server error');
  });
});

describe('responseForOperation', () => {
  test('with an empty list of errors answers without the list, as the specification requires', async () => {
    const { options } = echoServer({ plugins: [only({ responseForOperation: () => ({ data: { echo: 'cached' }, errors: [] }) })] });

    const body = await createHandler(options)({ query: '{ echo(text: "x") }' });

    assert.deepEqual(body, { data: { echo: 'cached' } });
  });

  test('answers instead of the execution', async () => {
    const notes: string[] = [];
    const { send, tally } = serving({
      plugins: [only({ responseForOperation: () => ({ data: { echo: 'cached' } }), executionDidStart: () => void notes.push('executed') })],
    });

    const response = await send({ query: '{ echo(text: "fresh") }' });

    assert.deepEqual(json(response), { data: { echo: 'cached' } });
    assert.deepEqual([tally.resolved, notes], [0, []]);
  });

  test('of the first plugin with an answer applies', async () => {
    const plugins = [
      only({ responseForOperation: () => null }),
      only({ responseForOperation: async () => ({ data: { from: 2 } }) }),
      only({ responseForOperation: () => ({ data: { from: 3 } }) }),
    ];

    assert.deepEqual(json(await serving({ plugins }).send({ query: '{ __typename }' })), { data: { from: 2 } });
  });
});

describe('willSendResponse', () => {
  test('may change the result, the status and the headers', async () => {
    const plugin = only({
      willSendResponse: ({ response }) => {
        response.result = { ...response.result, extensions: { took: 1 } };
        response.http.status = 203;
        response.http.headers.append('set-cookie', 'a=1');
        response.http.headers.append('set-cookie', 'b=2');
      },
    });

    const response = await serving({ plugins: [plugin] }).send({ query: '{ __typename }' });

    assert.deepEqual(json(response), { data: { __typename: 'Query' }, extensions: { took: 1 } });
    assert.equal(response.status, 203);
    assert.deepEqual(response.setCookies, ['a=1', 'b=2']);
  });

  test('sees masked errors, as the client gets them', async () => {
    const seen: unknown[] = [];

    await serving({ plugins: [only({ willSendResponse: ({ response }) => void seen.push(response.result.errors?.[0]?.message) })] }).send({
      query: '{ fail }',
    });

    assert.deepEqual(seen, ['Internal server error']);
  });
});

describe('a hook that fails', () => {
  for (const hook of [
    'requestDidStart',
    'didResolveSource',
    'parsingDidStart',
    'validationDidStart',
    'didResolveOperation',
    'responseForOperation',
    'executionDidStart',
    'willSendResponse',
  ] as const) {
    test(`is a masked 500 and is logged: ${hook}`, async () => {
      const fail = (): never => {
        throw new Error('The hook is broken.');
      };
      const plugin: ServerPlugin = hook === 'requestDidStart' ? { requestDidStart: fail } : only({ [hook]: fail });
      const { send, log } = serving({ plugins: [plugin] });

      const response = await send({ query: '{ echo(text: "x") }' });

      assert.equal(response.status, 500);
      assert.equal(json(response).errors[0].message, 'Internal server error');
      assert.match(log.map(({ message }) => message).join(), /The hook is broken/);
    });
  }

  test('with an error for the client sends it to the client', async () => {
    const plugin = only({
      didResolveOperation: () => {
        throw new GraphQLError('Too many requests.', {
          extensions: { code: 'RATE_LIMITED', http: { status: 429, headers: { 'retry-after': '60' } } },
        });
      },
    });

    const response = await serving({ plugins: [plugin] }).send({ query: '{ __typename }' });

    assert.equal(response.status, 429);
    assert.equal(response.headers.get('retry-after'), '60');
    assert.deepEqual(json(response), { errors: [{ message: 'Too many requests.', extensions: { code: 'RATE_LIMITED' } }] });
  });

  test('at the start of a step still calls the end hooks of earlier plugins', async () => {
    const notes: string[] = [];
    const broken = only({
      executionDidStart: () => {
        throw new Error('broken');
      },
    });

    await serving({ plugins: [noting(notes), broken] }).send({ query: '{ __typename }' });

    assert.ok(notes.includes('end of executionDidStart with error'), notes.join());
  });

  test('at the end of a step still calls the other end hooks', async () => {
    const notes: string[] = [];
    const broken = only({
      executionDidStart: () => () => {
        throw new Error('broken');
      },
    });

    // End hooks are called in reverse order, so the broken one is first.
    const response = await serving({ plugins: [noting(notes), broken] }).send({ query: '{ __typename }' });

    assert.equal(response.status, 500);
    assert.ok(notes.includes('end of executionDidStart'), notes.join());
  });

  test('in one operation of a batch does not affect the others', async () => {
    const plugin = only({
      didResolveOperation: ({ operationName }) => {
        if (operationName === 'Bad') throw new Error('broken');
      },
    });

    const response = await serving({ plugins: [plugin] }).send([
      { query: 'query Bad { __typename }' },
      { query: 'query Good { __typename }' },
    ]);

    assert.equal(json(response)[0].errors[0].message, 'Internal server error');
    assert.deepEqual(json(response)[1], { data: { __typename: 'Query' } });
  });
});

describe('the hooks beside operations', () => {
  test('contextCreationDidFail gets an error in context(), with its cause', async () => {
    const told: string[] = [];
    const { send } = serving({
      context: () => Promise.reject(new Error('no session')),
      plugins: [{ contextCreationDidFail: ({ error }) => void told.push(error.message), requestDidStart: () => void told.push('started') }],
    });

    await send({ query: '{ __typename }' });

    assert.deepEqual(told, ['no session']);
  });

  test('contextCreationDidFail that fails is logged, the next plugin is called, and the client gets the first error', async () => {
    const told: string[] = [];
    const { send, log } = serving({
      context: () => Promise.reject(new GraphQLError('Log in first.', { extensions: { code: 'UNAUTHENTICATED' } })),
      plugins: [{ contextCreationDidFail: rejectLate }, { contextCreationDidFail: ({ error }) => void told.push(error.message) }],
    });

    const response = await send({ query: '{ __typename }' });

    assert.equal(response.status, 401);
    assert.equal(json(response).errors[0].message, 'Log in first.');
    assert.deepEqual(told, ['Log in first.']);
    assert.deepEqual(
      log.map(({ message }) => message),
      ['The contextCreationDidFail hook of a plugin failed.'],
    );
  });

  test('didEncounterErrors that fails is logged, the next plugin is called, and the client gets the first error', async () => {
    const told: string[] = [];
    const { send, log } = serving({
      plugins: [
        only({ didEncounterErrors: rejectLate }),
        only({
          didEncounterErrors: ({ errors }) => void told.push(errors[0]!.message),
          willSendResponse: ({ response }) => response.http.headers.set('x-sent', 'yes'),
        }),
      ],
    });

    const response = await send({ query: '{ unknown }' });

    assert.equal(response.status, 422);
    assert.equal(json(response).errors[0].extensions.code, 'GRAPHQL_VALIDATION_FAILED');
    assert.equal(response.headers.get('x-sent'), 'yes');
    assert.match(told.join(), /unknown/);
    assert.deepEqual(
      log.map(({ message }) => message),
      ['The didEncounterErrors hook of a plugin failed.'],
    );
  });

  test('invalidRequestWasReceived is called for a request that is refused before an operation is found', async () => {
    const told: string[] = [];
    const { send } = serving({ plugins: [{ invalidRequestWasReceived: ({ error }) => void told.push(error.message) }] });

    const response = await send('{"query":');

    assert.equal(response.status, 400);
    assert.match(told.join(), /^Expected the body to be JSON/);
  });

  test('invalidRequestWasReceived that fails is logged, and the client gets the refusal', async () => {
    const { send, log } = serving({ plugins: [{ invalidRequestWasReceived: () => Promise.reject(new Error('broken')) }] });

    const response = await send('{"query":');

    assert.equal(response.status, 400);
    assert.equal(log.length, 1);
  });
});

describe('executionDidStart', () => {
  test('may return an object with executionDidEnd, as in the version-3 generation', async () => {
    const notes: string[] = [];

    await serving({
      plugins: [only({ executionDidStart: () => ({ executionDidEnd: async () => (await aWhile(), void notes.push('ended')) }) })],
    }).send({
      query: '{ __typename }',
    });

    assert.deepEqual(notes, ['ended']);
  });
});

test('a plugin that throws at once leaves no rejection of another one unhandled', async () => {
  const plugins: ServerPlugin[] = [
    { requestDidStart: rejectLate },
    {
      requestDidStart() {
        throw new Error('at once');
      },
    },
  ];

  const unhandled = await unhandledRejections(async () => {
    assert.equal((await serving({ plugins }).send({ query: '{ __typename }' })).status, 500);
  });

  assert.equal(unhandled, 0);
});

test('a data source that throws at once leaves no rejection of another one unhandled', async () => {
  const dataSources = (): object => ({
    slow: { initialize: rejectLate },
    wrong: {
      initialize() {
        throw new Error('at once');
      },
    },
  });

  const unhandled = await unhandledRejections(async () => {
    assert.equal((await serving({ dataSources }).send({ query: '{ __typename }' })).status, 500);
  });

  assert.equal(unhandled, 0);
});

test('a result removed by willSendResponse only fails its operation of a batch', async () => {
  const plugin: ServerPlugin = {
    requestDidStart: ({ request }) => ({
      willSendResponse({ response }) {
        if (request.operationName === 'Bad') Object.assign(response, { result: undefined });
      },
    }),
  };

  const response = await serving({ plugins: [plugin] }).send([
    { query: 'query Bad { __typename }', operationName: 'Bad' },
    { query: '{ __typename }' },
  ]);

  const [bad, good] = json(response);
  assert.equal(bad.errors[0].message, 'Internal server error');
  assert.deepEqual(good, { data: { __typename: 'Query' } });
});
