import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { GraphQLError, GraphQLObjectType, GraphQLScalarType, GraphQLSchema, GraphQLString } from 'graphql';

import { toGraphQLError } from '../../../../src/server/operation/errors.ts';
import { describe as inWords, isGraphQLError } from '../../../../src/shared/index.ts';
import { createEndpoint } from '../../../support/endpoint.ts';
import { json, post } from '../../../support/plain-http.ts';

const cause = new Error('The password is hunter2');
const explode = (): never => {
  throw cause;
};
const explodes = { resolvers: { Query: { hello: explode } } };

describe('an unexpected error', () => {
  it('is masked, keeps its position, and has the id that is logged with its cause', async () => {
    const endpoint = createEndpoint(explodes);

    const response = await endpoint.send(post({ query: '{ hello }' }));

    const [error] = json(response).errors;
    const { errorId, errorHash: _hash, ...extensions } = error.extensions;
    assert.deepEqual(
      { ...error, extensions },
      {
        message: 'Internal server error',
        locations: [{ line: 1, column: 3 }],
        path: ['hello'],
        extensions: { code: 'INTERNAL_SERVER_ERROR' },
      },
    );
    assert.match(errorId, /^[0-9a-z]{12,}$/);
    assert.equal(endpoint.lines.length, 1);
    const [line] = endpoint.lines;
    assert.equal(line?.level, 'error');
    assert.ok(line?.message.includes(errorId) && line.message.includes('hello'));
    assert.equal(line?.details[0], cause);
  });

  for (const nodeEnv of ['development', 'test']) {
    it(`is shown where NODE_ENV is ${nodeEnv}`, async () => {
      const response = await createEndpoint({ ...explodes, nodeEnv }).send(post({ query: '{ hello }' }));

      assert.equal(json(response).errors[0].message, cause.message);
      assert.equal('stacktrace' in json(response).errors[0].extensions, nodeEnv === 'development');
    });
  }

  it('has a stack in development that begins with the calls of the user’s code', async () => {
    const error = new Error('failed');
    error.stack =
      'Error: failed\n    at read (/app/node_modules/db/read.js:1:1)\n    at book (/app/functions/graphql.ts:9:9)\n    at node:internal/a:1:1';
    const fails = { typeDefs: 'type Query { hello: String }', resolvers: { Query: { hello: () => Promise.reject(error) } } };

    const response = await createEndpoint({ ...fails, nodeEnv: 'development' }).send(post({ query: '{ hello }' }));

    assert.deepEqual(json(response).errors[0].extensions.stacktrace, [
      'Error: failed',
      '    at book (/app/functions/graphql.ts:9:9)',
      '    at read (/app/node_modules/db/read.js:1:1)',
      '    at node:internal/a:1:1',
    ]);
  });

  for (const [name, options, query, hasStack] of [
    ['thrown by context', { context: explode }, '{ hello }', true],
    [
      'thrown on purpose by a resolver',
      { resolvers: { Query: { hello: () => Promise.reject(new GraphQLError('no')) } } },
      '{ hello }',
      true,
    ],
    ['thrown on purpose by context', { context: () => Promise.reject(new GraphQLError('no')) }, '{ hello }', false],
    ['about syntax', {}, '{ hello', false],
    ['about an unknown field', {}, '{ unknown }', false],
  ] as const) {
    it(`has ${hasStack ? 'a' : 'no'} stack in development: one ${name}`, async () => {
      const response = await createEndpoint({ ...options, nodeEnv: 'development' }).send(post({ query }));

      assert.equal('stacktrace' in json(response).errors[0].extensions, hasStack);
    });
  }

  it('is masked or shown as maskErrors says, whatever NODE_ENV is', async () => {
    const shown = await createEndpoint({ ...explodes, maskErrors: false }).send(post({ query: '{ hello }' }));
    const masked = await createEndpoint({ ...explodes, nodeEnv: 'development', maskErrors: true }).send(post({ query: '{ hello }' }));

    assert.equal(json(shown).errors[0].message, cause.message);
    assert.equal(json(masked).errors[0].message, 'Internal server error');
  });
});

describe('an error that was thrown on purpose', () => {
  const thrownAs = (thrown: Error) => ({ resolvers: { Query: { hello: () => Promise.reject(thrown) } } });

  it('keeps message, code and extensions, and is not logged', async () => {
    const endpoint = createEndpoint(thrownAs(new GraphQLError('No such book', { extensions: { code: 'NOT_FOUND', isbn: '1' } })));

    const response = await endpoint.send(post({ query: '{ hello }' }));

    assert.equal(json(response).errors[0].message, 'No such book');
    assert.deepEqual(json(response).errors[0].extensions, { code: 'NOT_FOUND', isbn: '1' });
    assert.deepEqual(endpoint.lines, []);
  });

  it('without a code has INTERNAL_SERVER_ERROR', async () => {
    const response = await createEndpoint(thrownAs(new GraphQLError('No such book'))).send(post({ query: '{ hello }' }));

    assert.equal(json(response).errors[0].message, 'No such book');
    assert.equal(json(response).errors[0].extensions.code, 'INTERNAL_SERVER_ERROR');
  });

  it('may come from another copy of graphql, and is recognized by its name', () => {
    const foreign = Object.assign(new Error('x'), { name: 'GraphQLError', extensions: { code: 'X' } });
    const impostor = Object.assign(new Error('x'), { name: 'GraphQLError', extensions: null });

    assert.equal(isGraphQLError(foreign), true);
    assert.equal(isGraphQLError(impostor), false);
    assert.equal(toGraphQLError(impostor).originalError, impostor);
  });

  it('keeps a long message, but one that quotes the request is cut', async () => {
    const endpoint = createEndpoint({
      typeDefs: 'type Query { hello(number: Int): String }',
      ...thrownAs(new GraphQLError('x'.repeat(2_000))),
      nodeEnv: 'development',
    });

    const thrown = await endpoint.send(post({ query: '{ hello }' }));
    const quoting = await endpoint.send(
      post({ query: 'query ($number: Int) { hello(number: $number) }', variables: { number: 'x'.repeat(5_000) } }),
    );

    assert.equal(json(thrown).errors[0].message.length, 2_000);
    assert.match(json(quoting).errors[0].message, /"xxx/);
    assert.equal(json(quoting).errors[0].message.length, 1_001);
  });

  for (const nodeEnv of ['development', 'test'])
    it(`shows its upstream response with NODE_ENV ${nodeEnv}`, async () => {
      const error = new GraphQLError('404', { extensions: { code: 'NOT_FOUND', response: { status: 404 } } });

      const shown = await createEndpoint({ ...thrownAs(error), nodeEnv }).send(post({ query: '{ hello }' }));

      assert.deepEqual(json(shown).errors[0].extensions.response, { status: 404 });
    });
});

describe('a value that a scalar refused with an ordinary error', () => {
  const refuse = (): never => {
    throw new TypeError('hunter2 is the password');
  };
  const serving = (options: object = {}) =>
    createEndpoint({
      schema: new GraphQLSchema({
        query: new GraphQLObjectType({
          name: 'Query',
          fields: {
            at: {
              type: GraphQLString,
              args: { day: { type: new GraphQLScalarType({ name: 'Day', parseValue: refuse, parseLiteral: refuse }) } },
            },
          },
        }),
      }),
      ...options,
    });
  const requests = {
    BAD_USER_INPUT: { query: 'query ($day: Day) { at(day: $day) }', variables: { day: 'x' } },
    GRAPHQL_VALIDATION_FAILED: { query: '{ at(day: "x") }' },
  };
  for (const [code, request] of Object.entries(requests)) {
    it(`is an error of the client (${code}), without the message of that error`, async () => {
      const endpoint = serving();

      const response = await endpoint.send(post(request));

      assert.equal(response.status, 422);
      const [error] = json(response).errors;
      assert.deepEqual(error.extensions, { code });
      assert.match(error.message, /Day/);
      assert.doesNotMatch(error.message, /hunter2/);
      const found = endpoint.lines.map(({ level, message }) => [level, /hunter2/.test(message)]);
      assert.deepEqual(found, [['warn', true]]);
    });

    it(`has the message of that error if nothing is masked (${code})`, async () => {
      const response = await serving({ maskErrors: false }).send(post(request));

      assert.equal(response.status, 422);
      assert.match(json(response).errors[0].message, /hunter2/);
    });
  }
});

it('the log line of an unexpected error leaves the message to the error itself on the console, which prints both', async (t) => {
  const printed = t.mock.method(console, 'error', () => {});

  await createEndpoint({ ...explodes, logger: console }).send(post({ query: '{ hello }' }));

  const [text, error] = printed.mock.calls[0]?.arguments ?? [];
  assert.match(text, /^Unexpected error \w+ \(errorHash \w+\) at hello$/);
  assert.match((error as Error).message, /hunter2/);
});

it('the log has the URL of an upstream server that failed, which the client does not get', async () => {
  const extensions = { code: 'INTERNAL_SERVER_ERROR', response: { url: 'https://books.internal/1', status: 500 } };
  const fails = { Query: { hello: () => Promise.reject(new GraphQLError('500: Internal Server Error', { extensions })) } };
  const endpoint = createEndpoint({ resolvers: fails });

  const response = await endpoint.send(post({ query: '{ hello }' }));

  assert.equal(endpoint.lines[0]!.message, 'Upstream error at hello: 500: Internal Server Error (https://books.internal/1)');
  assert.doesNotMatch(String(response.body), /books\.internal/);
});

it('a logger that throws does not fail the answer', async (t) => {
  t.mock.method(console, 'error', () => {});
  const fail = (): never => {
    throw new Error('disk full');
  };
  const endpoint = createEndpoint({ ...explodes, logger: { debug: fail, info: fail, warn: fail, error: fail } });

  const response = await endpoint.send(post([{ query: '{ hello }' }, { query: '{ __typename }' }]));

  const [failed, fine] = json(response);
  assert.equal(failed.errors[0].message, 'Internal server error');
  assert.deepEqual(fine, { data: { __typename: 'Query' } });
});

describe('formatError', () => {
  it('gets the form that is about to be sent and the error as it was thrown, and has the last word', async () => {
    const seen: unknown[] = [];
    const endpoint = createEndpoint({
      ...explodes,
      formatError: (formatted, error) => {
        seen.push(formatted.message, (error as GraphQLError).originalError);
        return { message: 'Sorry', extensions: { code: 'SORRY' } };
      },
    });

    const response = await endpoint.send(post({ query: '{ hello }' }));

    assert.deepEqual(seen, ['Internal server error', cause]);
    assert.deepEqual(json(response).errors, [{ message: 'Sorry', extensions: { code: 'SORRY' } }]);
  });

  it('is called for errors of every step', async () => {
    const codes: unknown[] = [];
    const endpoint = createEndpoint({
      formatError: (formatted) => {
        codes.push(formatted.extensions?.['code']);
        return formatted;
      },
    });

    for (const query of [1, '{', '{ nothing }', 'query ($n: [Int!]!) { sum(numbers: $n) }', '{ explode }'])
      await endpoint.send(post({ query }));

    assert.deepEqual(codes, [
      'BAD_REQUEST',
      'GRAPHQL_PARSE_FAILED',
      'GRAPHQL_VALIDATION_FAILED',
      'BAD_USER_INPUT',
      'INTERNAL_SERVER_ERROR',
    ]);
  });
});

describe('a formatError that does not return an error', () => {
  const cases: Record<string, readonly [formatError: () => unknown, got: string]> = {
    'but nothing': [() => undefined, 'undefined'],
    'but a promise': [async () => ({ message: 'sorry' }), 'a Promise'],
    'but a promise that rejects': [() => Promise.reject(new Error('lost')), 'a Promise'],
  };
  for (const [name, [formatError, got]] of Object.entries(cases)) {
    it(`is logged with what it returned, and the client gets a masked error: ${name}`, async () => {
      let calls = 0;
      const counted = (): unknown => (calls++, formatError());
      const endpoint = createEndpoint({ ...explodes, formatError: counted as never });

      const response = await endpoint.send(post({ query: '{ nothing }' }));

      assert.equal(response.status, 500);
      assert.equal(calls, 1);
      assert.deepEqual(json(response).errors.length, 1);
      assert.match(
        endpoint.lines.at(-1)!.message,
        new RegExp(`Expected formatError to return an error like \\{ message, extensions \\}, got ${got}`),
      );
    });
  }
});

describe('a value in words', () => {
  const cases: readonly (readonly [unknown, string])[] = [
    [null, 'null'],
    ['x', '"x"'],
    ['x'.repeat(100), 'a string of 100 characters'],
    [[1, 2], 'an array of 2'],
    [Object.create(null), 'an object'],
    [{ constructor: null }, 'an object'],
    [new Map(), 'a Map'],
    [() => 1, 'a function'],
    [5, '5'],
  ];
  for (const [value, words] of cases) {
    it(words, () => {
      assert.equal(inWords(value), words);
    });
  }
});
