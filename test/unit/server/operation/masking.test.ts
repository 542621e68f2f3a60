import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { GraphQLError, GraphQLScalarType, versionInfo } from 'graphql';

import { createHandler } from '../../../../src/entries/index.ts';
import { webRequest } from '../../../support/events.ts';
import { post } from '../../../support/plain-http.ts';
import { recordingLogger } from '../../../support/recording-logger.ts';
import { executors } from '../../../support/executors.ts';

const secret = 'hunter2';

class OwnError extends Error {
  readonly extensions = { code: secret, http: { status: 418, headers: { 'x-secret': secret } } };
}
class Impostor {
  readonly name = 'GraphQLError';
  readonly message = secret;
  readonly extensions = { code: secret };
  readonly locations = [{ line: 1, column: 1 }];
  readonly positions = [0];
  readonly path = [secret];
  toString(): string {
    return secret;
  }
  toJSON(): object {
    return { message: secret };
  }
}

/** Everything that user code can throw, except a GraphQLError on purpose. */
const thrown: Readonly<Record<string, () => unknown>> = {
  'an Error': () => new Error(secret),
  'a TypeError': () => new TypeError(secret),
  'an Error with extensions': () => new OwnError(secret),
  'an Error with a path': () => Object.assign(new Error(secret), { path: [secret], locations: [] }),
  'an Error named GraphQLError without extensions': () => Object.assign(new Error(secret), { name: 'GraphQLError' }),
  'an AggregateError': () => new AggregateError([new Error(secret), new GraphQLError(secret)], secret),
  'an Error with an empty message': () => Object.assign(new Error(''), { detail: secret }),
  'an Error whose message is an object': () => Object.assign(new Error('x'), { message: { toString: () => secret } }),
  'an Error whose message throws': () =>
    Object.defineProperty(new Error('x'), 'message', {
      get() {
        throw new Error(secret);
      },
    }),
  'a GraphQLError around an Error': () => new GraphQLError(secret, { originalError: new Error(secret) }),
  text: () => secret,
  null: () => null,
  undefined: () => undefined,
  'a symbol': () => Symbol(secret),
  'a function': () => () => secret,
  'an object with a message': () => ({ message: secret, extensions: { code: secret } }),
  'an object with a message and a name': () => new Impostor(),
  'an object without prototype': () => Object.assign(Object.create(null), { message: secret }),
  'an array': () => [secret],
  'a proxy that throws': () =>
    new Proxy(
      {},
      {
        get() {
          throw new Error(secret);
        },
        has: () => true,
      },
    ),
};

/** Each calls `fail` in one place where the pipeline runs user code. */
type Place = (fail: () => never) => { query: string; variables?: object; typeDefs?: string; resolvers: object; options?: object };

const input = 'scalar S type Query { f(s: S, l: [S!], n: [S], i: I): String o: S } input I { s: S }';
const field = (f: unknown, type = 'String', more: object = {}): { typeDefs: string; resolvers: object } => ({
  typeDefs: `scalar S type Query { f: ${type} } interface N { id: ID } type A implements N { id: ID } union U = A type B { id: ID } enum E { X }`,
  resolvers: { Query: { f }, ...more },
});
/** A scalar that fails for this argument. */
const argument =
  (query: string, variables?: object): Place =>
  (fail) => ({
    query,
    ...(variables && { variables }),
    typeDefs: input,
    resolvers: { S: scalar({ parseValue: fail, parseLiteral: fail }) },
  });
const option =
  (make: (fail: () => never) => object): Place =>
  (fail) => ({ query: '{ f }', ...field(() => 'x'), options: make(fail) });
const listener = (hook: string): Place => option((fail) => ({ plugins: [{ requestDidStart: () => ({ [hook]: fail }) }] }));

const places: Readonly<Record<string, Place>> = {
  'parseLiteral of an argument': argument('{ f(s: "x") }'),
  'parseLiteral of an item': argument('{ f(l: ["x", 1]) }'),
  'parseLiteral of an input field': argument('{ f(i: { s: 1 }) }'),
  'parseLiteral beside a variable': argument('query ($v: S) { f(n: [$v, 2]) }', {}),
  'parseLiteral of a default value of a variable': argument('query ($v: S = 4) { f(s: $v) }'),
  'parseLiteral that validation passes': (fail) => {
    let calls = 0;
    const later = (): unknown => (++calls > 1 ? fail() : 1);
    return { query: '{ f(s: 3) }', typeDefs: input, resolvers: { S: scalar({ parseValue: fail, parseLiteral: later }) } };
  },
  'parseValue of a variable': argument('query ($v: S) { f(s: $v) }', { v: 'x' }),
  'parseValue of a list': argument('query ($v: [S!]) { f(l: $v) }', { v: ['x', 'y'] }),
  'parseValue of an input object': argument('query ($v: I) { f(i: $v) }', { v: { s: 'x' } }),
  serialize: (fail) => ({ query: '{ f }', ...field(() => 1, 'S', { S: scalar({ serialize: fail }) }) }),
  'serialize of an item': (fail) => ({ query: '{ f }', ...field(() => [1, 2], '[S]', { S: scalar({ serialize: fail }) }) }),
  'a resolver': (fail) => ({ query: '{ f }', ...field(fail) }),
  'a resolver that returns a promise': (fail) => ({ query: '{ f }', ...field(async () => fail()) }),
  'a resolver that returns what it should throw': (fail) => ({ query: '{ f { id } }', ...field(() => thrownBy(fail), 'B') }),
  // oxlint-disable-next-line unicorn/no-thenable
  'a thenable': (fail) => ({ query: '{ f }', ...field(() => ({ then: fail })) }),
  'a method of the parent': (fail) => ({ query: '{ f { id } }', ...field(() => ({ id: fail }), 'B') }),
  'a getter of the parent': (fail) => ({ query: '{ f { id } }', ...field(() => Object.defineProperty({}, 'id', { get: fail }), 'B') }),
  'an iterator': (fail) => ({ query: '{ f }', ...field(() => ({ [Symbol.iterator]: fail }), '[String]') }),
  'an iterator that fails later': (fail) => ({
    query: '{ f }',
    ...field(function* () {
      yield 'x';
      fail();
    }, '[String]'),
  }),
  'an async iterator': (fail) => ({
    query: '{ f }',
    ...field(async function* () {
      yield 'x';
      fail();
    }, '[String]'),
  }),
  'a list of failures': (fail) => ({ query: '{ f { id } }', ...field(() => [Promise.resolve().then(fail), thrownBy(fail)], '[B]') }),
  resolveType: (fail) => ({ query: '{ f { id } }', ...field(() => ({ id: 1 }), 'N', { N: { __resolveType: fail } }) }),
  'a getter of __typename': (fail) => ({
    query: '{ f { id } }',
    ...field(() => Object.defineProperty({}, '__typename', { get: fail }), 'N'),
  }),
  isTypeOf: (fail) => ({ query: '{ f { id } }', ...field(() => ({ id: 1 }), 'A', { A: { __isTypeOf: fail } }) }),
  'toString of an ID': (fail) => ({ query: '{ f }', ...field(() => ({ toString: fail, valueOf: fail }), 'ID') }),
  'toJSON of a string': (fail) => ({ query: '{ f }', ...field(() => ({ toJSON: fail }), 'String') }),
  'toJSON of a custom scalar': (fail) => ({ query: '{ f }', ...field(() => ({ toJSON: fail }), 'S') }),
  context: option((fail) => ({ context: fail })),
  dataSources: option((fail) => ({ dataSources: fail })),
  'initialize of a data source': option((fail) => ({ dataSources: () => ({ a: { initialize: async () => fail() } }) })),
  'a plugin': option((fail) => ({ plugins: [{ requestDidStart: fail }] })),
  didResolveOperation: listener('didResolveOperation'),
  executionDidStart: listener('executionDidStart'),
  willSendResponse: listener('willSendResponse'),
  formatError: (fail) => ({ query: '{ f }', ...field(fail), options: { formatError: fail } }),
  'a directive of validation': option((fail) => ({ validationRules: [fail] })),
};

function thrownBy(fail: () => never): unknown {
  try {
    return fail();
  } catch (error) {
    return error;
  }
}

function scalar(config: object): unknown {
  return new GraphQLScalarType({ name: 'S', ...config });
}

/** The answer in production, as text with its headers. */
async function answerOf(place: Place, make: () => unknown, executor: object): Promise<{ text: string; ran: boolean }> {
  let ran = false;
  const fail = (): never => {
    ran = true;
    throw make();
  };
  const { query, variables, typeDefs, resolvers, options } = place(fail);
  const [logger] = recordingLogger();
  const handler = createHandler({ typeDefs, resolvers, nodeEnv: 'production', logger, ...executor, ...options } as any);
  const response = await handler.fetch(webRequest(post({ query, variables })));
  return { text: `${JSON.stringify([...response.headers])}${await response.text()}`, ran };
}

for (const [name, executor] of executors) {
  describe(`what user code throws reaches no client in production (${name})`, () => {
    for (const [where, place] of Object.entries(places)) {
      it(`from ${where}`, async () => {
        if (where === 'an async iterator' && versionInfo.major < 17) return;
        for (const [what, make] of Object.entries(thrown)) {
          // graphql-js 16 reads the message of a rejected item without a catch, which causes another, unhandled rejection.
          if (what === 'an Error whose message throws' && where === 'a list of failures' && versionInfo.major < 17 && name === 'graphql-js')
            continue;
          const { text, ran } = await answerOf(place, make, executor);

          assert.ok(ran, `${where} did not run`);
          assert.doesNotMatch(text, /hunter2/, `${what}: ${text}`);
          assert.match(text, /\{"errors":\[\{|\{"data":/, `${what}: ${text}`);
        }
      });
    }
  });
}

describe('an error about a value of the wrong type', () => {
  const typeDefs = `
    enum Kind { BOOK } interface Named { name: String } type Book implements Named { name: String }
    type Query { number: Int kind: Kind list: [Int] named: Named purpose: Int }`;
  const resolvers = {
    Query: {
      number: () => 'hunter2',
      kind: () => 'hunter2',
      list: () => 'hunter2',
      named: () => ({ __typename: 'hunter2' }),
      purpose: () => {
        throw new GraphQLError('Int cannot represent such an amount.');
      },
    },
  };

  for (const [name, executor] of executors)
    it(`is masked by the place where it is made: the same words on purpose reach the client with a plan (${name})`, async () => {
      const [logger] = recordingLogger();
      const handler = createHandler({ typeDefs, resolvers, nodeEnv: 'production', logger, ...executor } as any);

      const response = await handler.fetch(webRequest(post({ query: '{ number kind list named { name } purpose }' })));
      const { errors } = (await response.json()) as { errors: { message: string; path: string[] }[] };

      const messages = Object.fromEntries(errors.map(({ path, message }) => [path[0], message]));
      const masked = 'Internal server error';
      const purpose = name === 'graphql-js' ? masked : 'Int cannot represent such an amount.';
      assert.deepEqual(messages, { number: masked, kind: masked, list: masked, named: masked, purpose });
    });
});
