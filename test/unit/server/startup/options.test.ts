import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { inspect } from 'node:util';

import { Keyv } from 'keyv';
import { Keyv as Keyv5 } from 'keyv5';

import { createHandler as createLambdaHandler } from '../../../../src/entries/aws-lambda.ts';
import { createHandler as createFetchHandler } from '../../../../src/entries/fetch.ts';
import { createHandler } from '../../../../src/entries/index.ts';
import { createHandler as createNetlifyHandler } from '../../../../src/entries/netlify.ts';
import { createListener } from '../../../../src/entries/node.ts';
import { echoServer } from '../../../support/echo-server.ts';

const typeDefs = 'type Query { a: Int }';

/** Fails unless createHandler throws synchronously, with a message that says what to write. */
function refuses(options: unknown, message: RegExp): void {
  assert.throws(() => createHandler(options as never), { message });
}

describe('an invalid option value throws at createHandler and says what to write instead', () => {
  const wrong: readonly [option: string, value: unknown, message: RegExp][] = [
    ['context', { user: 1 }, /^Expected the option context to be a function that returns the context value, for example .*, got an object/],
    ['dataSources', { books: {} }, /^Expected the option dataSources to be a function that returns new data sources, for example/],
    ['cache', 'unbounded', /"bounded", or an object with get, set and delete, such as new KeyvAdapter\(keyv\), got "unbounded"/],
    // Takes a lifetime in another form, so that nothing would expire.
    ['cache', new Keyv(), /new KeyvAdapter\(keyv\), got a Keyv\.$/],
    ['cache', new Keyv5(), /new KeyvAdapter\(keyv\), got a Keyv\.$/],
    ['plugins', {}, /a list of plugin objects such as costLine\(\), got an object/],
    ['plugins', [{}, () => ({})], /a list of plugin objects such as costLine\(\), got \[an object, a function\]/],
    ['deadline', Promise.resolve({ ms: 5 }), /false, or \{ ms, reserveMs, partial \}, the first two in milliseconds, got a Promise/],
    ['logger', { log() {} }, /an object with debug, info, warn and error/],
    ['csrfPrevention', 'true', /true, false, or \{ requestHeaders: \[names\] \}, got "true"/],
    ['csrfPrevention', { requestHeader: ['x-a'] }, /^Unknown option "csrfPrevention\.requestHeader"\. Did you mean "requestHeaders"/],
    ['allowBatchedHttpRequests', 5, /true, false, or \{ limit: a positive whole number \}, got 5/],
    ['allowBatchedHttpRequests', {}, /limit: a positive whole number/],
    ['trustedDocuments', { documents: {}, only: 'yes' }, /trustedDocuments\.only to be true or false, got "yes"/],
    ['trustedDocuments', { manifest: {} }, /^Unknown option "trustedDocuments\.manifest"/],
    ['cors', { origin: ['app.example.com', /x/] }, /, got \["app\.example\.com", a RegExp\]\.$/],
    ['httpStatusProfile', 'strict', /"2026-09" or "classic"/],
    ['introspection', 'yes', /true or false, got "yes"/],
    ['formatError', {}, /a function/],
    [
      'executor',
      'graphql-js',
      /^Expected the option executor to be graphqlJSExecutor\(\), imported from "graphql-functions\/graphql-js", got "graphql-js"\.$/,
    ],
    ['validationRules', {}, /a list of validation rules/],
    ['maxBodyBytes', '1mb', /a positive whole number, got "1mb"/],
    ['maxTokens', 1.5, /a positive whole number/],
    ['maxDepth', 5, /^Unknown option "maxDepth"\. Write plugins: \[limits\(\{ maxDepth \}\)\], imported from/],
    ['nodeEnv', false, /a string/],
  ];
  for (const [option, value, message] of wrong)
    test(`${option}: ${inspect(value, { depth: 1, breakLength: Infinity }).slice(0, 80)}`, () =>
      refuses({ typeDefs, [option]: value }, message));

  test('undefined means the default', () => {
    const options = { typeDefs: 'type Query { undefinedIsNone: Int }', maxTokens: undefined, plugins: undefined } as never;
    assert.equal(typeof createHandler(options), 'function');
  });
});

describe('an unknown option throws at createHandler', () => {
  test('and names the closest option, or all', () => {
    refuses({ typeDefs, resolver: {} }, /^Unknown option "resolver"\. Did you mean "resolvers"\?$/);
    refuses({ typeDefs, playground: true }, /^Unknown option "playground"\. Known options: typeDefs, /);
    refuses({ typeDefs, cors: { orgin: 'https://example.com' } }, /^Unknown option "cors\.orgin"\. Did you mean "origin"\?$/);
  });

  for (const name of ['constructor', '__proto__'])
    test(`also if its name is a property of Object.prototype: ${name}`, () =>
      refuses(Object.defineProperty({ typeDefs }, name, { value: 1, enumerable: true }), /^Unknown option/));
});

for (const options of [undefined, null, 'type Query { a: Int }', [{ typeDefs }]])
  test(`${JSON.stringify(options)} instead of an options object throws at createHandler`, () =>
    refuses(options, /^Expected options like \{ typeDefs, resolvers \}, got /));

describe('every entry point throws synchronously', () => {
  const creators: Readonly<Record<string, (options: never) => unknown>> = {
    createHandler,
    createLambdaHandler,
    createNetlifyHandler,
    createFetchHandler,
    createListener,
  };
  for (const [name, create] of Object.entries(creators))
    test(name, () => {
      const options = { ...echoServer().options, maxTokens: 'many' } as never;
      assert.throws(() => create({ typeDefs: 5 } as never));
      assert.throws(() => create(options), /Expected the option maxTokens to be a positive whole number, got "many"/);
    });
});
