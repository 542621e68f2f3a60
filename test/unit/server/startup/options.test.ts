import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { createHandler as createLambdaHandler } from '../../../../src/entries/aws-lambda.ts';
import { createHandler as createFetchHandler } from '../../../../src/entries/fetch.ts';
import { createHandler } from '../../../../src/entries/index.ts';
import { createHandler as createNetlifyHandler } from '../../../../src/entries/netlify.ts';
import { createListener } from '../../../../src/entries/node.ts';
import { echoServer } from '../../../support/echo-server.ts';

const typeDefs = 'type Query { a: Int }';

/** Fails unless createHandler throws synchronously, with a message that says what to write. */
function refuses(options: unknown, message: RegExp): void {
  assert.throws(
    () => createHandler(options as never),
    (error: Error) => error instanceof Error && message.test(error.message),
  );
}

describe('an invalid option value throws at createHandler and says what to write instead', () => {
  const wrong: readonly [option: string, value: unknown, message: RegExp][] = [
    ['context', { user: 1 }, /^Expected the option context to be a function that returns the context value, for example .*, got an object/],
    ['dataSources', { books: {} }, /^Expected the option dataSources to be a function that returns new data sources, for example/],
    ['cache', 'unbounded', /"bounded", or an object with get, set and delete, got "unbounded"/],
    ['cache', { get() {} }, /"bounded", or an object with get, set and delete/],
    ['cache', true, /got true/],
    ['plugins', {}, /a list of plugin objects, got an object/],
    ['plugins', [{}, () => ({})], /a list of plugin objects, got \[an object, a function\]/],
    ['plugins', [null], /a list of plugin objects, got \[null\]/],
    ['deadline', Promise.resolve({ ms: 5 }), /false, or \{ ms, reserveMs, partial \}, the first two in milliseconds, got a Promise/],
    ['cors', Promise.resolve({}), /an object like \{ origin: .*, got a Promise/],
    ['persistedQueries', Promise.resolve(true), /true or false, got a Promise/],
    ['logger', { log() {} }, /an object with debug, info, warn and error/],
    ['csrfPrevention', 'true', /true, false, or \{ requestHeaders: \[names\] \}, got "true"/],
    ['csrfPrevention', { requestHeaders: 'x-a' }, /the option csrfPrevention\.requestHeaders to be a list of names like .*, got "x-a"/],
    ['csrfPrevention', { requestHeader: ['x-a'] }, /^Unknown option "csrfPrevention\.requestHeader"\. Did you mean "requestHeaders"/],
    ['csrfPrevention', {}, /requestHeaders: \[names\]/],
    ['allowBatchedHttpRequests', 5, /true, false, or \{ limit: a positive whole number \}, got 5/],
    ['allowBatchedHttpRequests', { limit: 0 }, /the option allowBatchedHttpRequests\.limit to be a positive whole number, got 0/],
    ['allowBatchedHttpRequests', {}, /limit: a positive whole number/],
    ['trustedDocuments', { documents: {}, only: 'yes' }, /trustedDocuments\.only to be true or false, got "yes"/],
    ['trustedDocuments', { manifest: {} }, /^Unknown option "trustedDocuments\.manifest"/],
    ['cors', true, /an object like \{ origin: /],
    ['cors', { credentials: true }, /cors\.credentials needs a cors\.origin like "https:\/\/example\.com"/],
    ['cors', { origin: true }, /^Expected the option cors\.origin to be "\*", an origin like .*, got true\.$/],
    ['cors', { origin: ['app.example.com', /x/] }, /, got \["app\.example\.com", a RegExp\]\.$/],
    ['httpStatusProfile', 'strict', /"2026-09" or "classic"/],
    ['introspection', 'yes', /true or false, got "yes"/],
    ['maskErrors', null, /true or false, got null/],
    ['includeStacktraceInErrorResponses', 'no', /true or false/],
    ['formatError', {}, /a function/],
    ['fieldResolver', 'x', /a function/],
    [
      'executor',
      'graphql-js',
      /^Expected the option executor to be graphqlJSExecutor\(\), imported from "graphql-functions\/graphql-js", got "graphql-js"\.$/,
    ],
    ['executor', () => ({}), /graphqlJSExecutor\(\), imported from/],
    ['validationRules', {}, /a list of validation rules/],
    ['validationRules', ['NoUnusedVariables'], /a list of validation rules/],
    ['maxBodyBytes', '1mb', /a positive whole number, got "1mb"/],
    ['maxBodyBytes', 0, /a positive whole number/],
    ['maxTokens', 1.5, /a positive whole number/],
    ['maxTokens', Infinity, /a positive whole number/],
    ['maxDepth', 5, /^Unknown option "maxDepth"\. Write plugins: \[limits\(\{ maxDepth \}\)\], imported from/],
    ['nodeEnv', false, /a string/],
  ];
  for (const [option, value, message] of wrong) {
    test(`${option}: ${JSON.stringify(value) ?? String(value)}`, () => {
      refuses({ typeDefs, [option]: value }, message);
    });
  }

  test('undefined means the default', () => {
    assert.equal(
      typeof createHandler({ typeDefs: 'type Query { undefinedIsNone: Int }', maxTokens: undefined, plugins: undefined } as never),
      'function',
    );
  });
});

describe('an unknown option throws at createHandler', () => {
  test('and names the closest option, or all', () => {
    refuses({ typeDefs, resolver: {} }, /^Unknown option "resolver"\. Did you mean "resolvers"\?$/);
    refuses({ typeDefs, playground: true }, /^Unknown option "playground"\. Known options: typeDefs, /);
    refuses({ typeDefs, cors: { orgin: 'https://example.com' } }, /^Unknown option "cors\.orgin"\. Did you mean "origin"\?$/);
  });

  for (const name of ['constructor', 'toString', '__proto__', 'hasOwnProperty']) {
    test(`also if its name is a property of Object.prototype: ${name}`, () => {
      refuses(Object.defineProperty({ typeDefs }, name, { value: 1, enumerable: true }), /^Unknown option/);
    });
  }
});

describe('anything but an options object throws at createHandler', () => {
  for (const options of [undefined, null, 'type Query { a: Int }', 5, [], [{ typeDefs }]]) {
    test(String(JSON.stringify(options)), () => {
      refuses(options, /^Expected options like \{ typeDefs, resolvers \}, got /);
    });
  }
});

describe('an invalid schema throws at createHandler', () => {
  const wrong: readonly [what: string, options: object, message: RegExp][] = [
    ['none at all', {}, /typeDefs|schema/],
    ['text that does not parse', { typeDefs: 'type Query {' }, /./],
    ['typeDefs and schema together', { typeDefs, schema: {} }, /typeDefs|schema/],
    ['a resolver of an unknown field', { typeDefs, resolvers: { Query: { b: () => 1 } }, nodeEnv: 'test' }, /\bb\b/],
    ['a resolver of an unknown type', { typeDefs, resolvers: { Book: { title: () => '' } } }, /Book/],
    ['a promise instead of text', { typeDefs: Promise.resolve(typeDefs) }, /promise/i],
    ['a number', { typeDefs: 5 }, /5|number/],
  ];
  for (const [what, options, message] of wrong) {
    test(what, () => {
      refuses(options, message);
    });
  }
});

describe('every entry point throws synchronously', () => {
  const creators: Readonly<Record<string, (options: never) => unknown>> = {
    createHandler,
    createLambdaHandler,
    createNetlifyHandler,
    createFetchHandler,
    createListener,
  };
  for (const [name, create] of Object.entries(creators)) {
    test(name, () => {
      assert.throws(() => create({ typeDefs: 5 } as never));
      assert.throws(
        () => create({ ...echoServer().options, maxTokens: 'many' } as never),
        /Expected the option maxTokens to be a positive whole number, got "many"/,
      );
    });
  }
});
