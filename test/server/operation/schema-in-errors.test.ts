import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { GraphQLError, specifiedRules } from 'graphql';

import { createHandler } from '../../../src/entries/index.ts';
import type { ServerOptions } from '../../../src/entries/index.ts';
import { graphqlJSExecutor } from '../../../src/entries/graphql-js.ts';
import { json, post } from '../../support/plain-http.ts';
import { recordingLogger } from '../../support/recording-logger.ts';
import { httpAPI } from '../../support/sources.ts';

// The names that a client of these documents cannot know begin with "secret".
const typeDefs = `
  directive @known(secretFlag: Boolean!) on FIELD
  type SecretQuery {
    book(secretNeeded: SecretFilter!): SecretBook
    find(title: Int, kind: SecretKind, filter: SecretFilter, at: SecretDate, ids: [Int!]): SecretBook
    many(filters: [SecretFilter]): Int
    count: Int
    total: SecretDate
    pet: SecretPet
  }
  type SecretBook { title: String size: Int }
  type SecretDog { name: String }
  type SecretCat { name: Int }
  union SecretPet = SecretDog | SecretCat
  type Magazine { title: String }
  type SecretSubscription { ticks: Int beats: Int }
  enum SecretKind { SECRET_NOVEL SECRET_POEM }
  input SecretFilter { secretText: String! limit: Int inner: SecretFilter }
  scalar SecretDate
  schema { query: SecretQuery subscription: SecretSubscription }
`;

/** For each rule of graphql-js, documents that break it. Most of their messages name what the client has not sent. */
const documents: Readonly<Record<string, readonly string[]>> = {
  ExecutableDefinitionsRule: ['{ count } type A { b: Int }'],
  KnownOperationTypesRule: ['mutation { a }'],
  UniqueOperationNamesRule: ['query A { count } query A { count }'],
  LoneAnonymousOperationRule: ['{ count } { total }'],
  SingleFieldSubscriptionsRule: ['subscription { ticks beats }'],
  KnownTypeNamesRule: ['{ ... on Boook { title } }', 'query ($a: Boook) { count }'],
  FragmentsOnCompositeTypesRule: ['{ ... on Int { a } }', '{ ...F } fragment F on Int { a }'],
  VariablesAreInputTypesRule: ['query ($a: Magazine) { count }'],
  ScalarLeafsRule: ['{ find }', '{ pet }', '{ count { a } }', '{ total { a } }'],
  FieldsOnCorrectTypeRule: ['{ boook }', '{ find { titel } }', '{ pet { name } }', 'subscription { tick }'],
  UniqueFragmentNamesRule: ['{ ...F } fragment F on Magazine { title } fragment F on Magazine { title }'],
  KnownFragmentNamesRule: ['{ ...F }'],
  NoUnusedFragmentsRule: ['{ count } fragment F on Magazine { title }'],
  PossibleFragmentSpreadsRule: ['{ find { ... on Magazine { title } } }', '{ find { ...F } } fragment F on Magazine { title }'],
  NoFragmentCyclesRule: ['{ count } fragment F on Magazine { ...F }'],
  UniqueVariableNamesRule: ['query ($a: Int, $a: Int) { find(title: $a) { title } }'],
  NoUndefinedVariablesRule: ['{ find(title: $a) { title } }'],
  NoUnusedVariablesRule: ['query ($a: Int) { count }'],
  KnownDirectivesRule: ['{ count @unknown }', 'query @known(secretFlag: true) { count }'],
  UniqueDirectivesPerLocationRule: ['{ count @include(if: true) @include(if: true) }'],
  DeferStreamDirectiveOnRootFieldRule: [],
  DeferStreamDirectiveOnValidOperationsRule: [],
  DeferStreamDirectiveLabelRule: [],
  KnownArgumentNamesRule: ['{ find(name: 1) { title } }', '{ count @include(when: true) }', '{ count @known(a: 1) }'],
  UniqueArgumentNamesRule: ['{ find(title: 1, title: 1) { title } }'],
  ValuesOfCorrectTypeRule: [
    '{ find(title: "a") { title } }',
    '{ find(kind: "a") { title } }',
    '{ find(kind: POEM) { title } }',
    '{ find(filter: 1) { title } }',
    '{ find(filter: { limit: 1 }) { title } }',
    '{ find(filter: { text: "a" }) { title } }',
    '{ find(filter: { inner: null, limit: "a" }) { title } }',
    '{ find(ids: [null]) { title } }',
    '{ find(ids: ["a"]) { title } }',
    '{ book(secretNeeded: null) { title } }',
    'query ($a: Int = "a") { find(title: $a) { title } }',
  ],
  ProvidedRequiredArgumentsRule: ['{ book { title } }', '{ count @known }', '{ count @include }'],
  VariablesInAllowedPositionRule: ['query ($a: String) { find(title: $a) { title } }', 'query ($a: Int) { find(ids: [$a]) { title } }'],
  OverlappingFieldsCanBeMergedRule: ['{ count count: total }', '{ pet { ... on SecretDog { name } ... on SecretCat { name } } }'],
  UniqueInputFieldNamesRule: ['{ find(filter: { limit: 1, limit: 1 }) { title } }'],
  StreamDirectiveOnListFieldRule: [],
  MaxIntrospectionDepthRule: [],
};

/** Requests whose variables or arguments cannot be coerced. */
const coercions: Readonly<Record<string, object>> = {
  'a scalar': { query: 'query ($a: Int) { find(title: $a) { title } }', variables: { a: 'x' } },
  'a list': { query: 'query ($a: [Int!]) { find(ids: $a) { title } }', variables: { a: [1, null] } },
  'an enum': { query: 'query ($a: SecretKind) { find(kind: $a) { title } }', variables: { a: 'POEM' } },
  'a missing field': { query: 'query ($a: SecretFilter) { find(filter: $a) { title } }', variables: { a: { limit: 1 } } },
  'an unknown field': { query: 'query ($a: SecretFilter) { find(filter: $a) { title } }', variables: { a: { text: 1 } } },
  'a field below': { query: 'query ($a: SecretFilter) { find(filter: $a) { title } }', variables: { a: { inner: { inner: 7 } } } },
  'a custom scalar': { query: 'query ($a: SecretDate) { find(at: $a) { title } }', variables: { a: 'x' } },
  'a missing variable': { query: 'query ($a: SecretFilter!) { book(secretNeeded: $a) { title } }' },
  'a null': { query: 'query ($a: SecretFilter!) { book(secretNeeded: $a) { title } }', variables: { a: null } },
  'very large variables': {
    query: 'query ($a: [SecretFilter]) { many(filters: $a) }',
    variables: { a: [...Array.from({ length: 3000 }, () => ({ secretText: 'a' })), { limit: 1 }] },
  },
  'a literal of a custom scalar': { query: '{ find(at: "x") { title } }' },
  'a literal of a custom scalar with a variable': { query: 'query ($a: String) { find(at: [$a]) { title } }', variables: { a: 'x' } },
  'a null in the place of an argument': {
    query: 'query ($a: Int = 1) { find(ids: [1], title: $a) { title } many: find(ids: [$a]) { title } }',
    variables: { a: null },
  },
};

const parseSecretDate = (value: unknown): never => {
  throw new TypeError(`SecretDate cannot read ${String(value)} with secretCalendar`);
};

async function ask(request: object, options: Partial<ServerOptions>): Promise<readonly { readonly message: string }[]> {
  const handler = createHandler({
    typeDefs,
    resolvers: { SecretDate: { parseValue: parseSecretDate, parseLiteral: parseSecretDate } } as never,
    nodeEnv: 'production',
    logger: recordingLogger()[0],
    ...options,
  });
  return json(await httpAPI.read(await handler(httpAPI.build(post(request)) as never, {} as never))).errors ?? [];
}

/** The words of messages that begin with "secret" and are not in the request. Built-in types count, because the client did not name them. */
function foreignWords(errors: readonly { readonly message: string }[], request: object): readonly string[] {
  const sent = new Set(JSON.stringify(request).match(/\w+/g));
  const words = errors.flatMap(({ message }) => message.match(/\w+/g) ?? []);
  return words.filter((word) => (/^secret/i.test(word) || ['Int', 'String', 'Boolean'].includes(word)) && !sent.has(word));
}

const executors: Readonly<Record<string, Partial<ServerOptions>>> = { plans: {}, 'graphql-js': { executor: graphqlJSExecutor() } };

describe('schemaInErrors: false leaves names that the client has not sent out of', () => {
  for (const { name } of specifiedRules)
    for (const query of documents[name] ?? assert.fail(`No document breaks ${name}.`))
      it(`messages of ${name}: ${query}`, async () => {
        for (const suggestions of [true, false]) {
          const errors = await ask({ query }, { schemaInErrors: false, suggestions });

          assert.notDeepEqual(errors, []);
          assert.deepEqual(foreignWords(errors, { query }), []);
        }
      });

  for (const [executor, options] of Object.entries(executors))
    for (const [name, request] of Object.entries(coercions))
      it(`messages about values that cannot be coerced: ${name}, with ${executor}`, async () => {
        for (const maskErrors of [true, false]) {
          const errors = await ask(request, { schemaInErrors: false, maskErrors, ...options });

          assert.notDeepEqual(errors, []);
          assert.deepEqual(foreignWords(errors, request), []);
        }
      });
});

describe('schemaInErrors: false', () => {
  it('messages say what is invalid, with names from the request', async () => {
    const messages = [
      ...(await ask({ query: '{ boook find(name: 1) { title } ...F @unknown }' }, { schemaInErrors: false })),
      ...(await ask(coercions['an enum']!, { schemaInErrors: false })),
    ].map(({ message }) => message);

    assert.deepEqual(messages.toSorted(), [
      'Argument "name" is not valid here.',
      'Field "boook" is not valid here.',
      'Unknown directive "@unknown".',
      'Unknown fragment "F".',
      'Variable "$a" is not valid, or has an invalid value.',
    ]);
  });

  it('keeps messages that resolvers throw for the client', async () => {
    const resolvers = { Query: { boom: () => Promise.reject(new GraphQLError('No such book')) } };

    const [error] = await ask({ query: '{ boom }' }, { schemaInErrors: false, typeDefs: 'type Query { boom: Int }', resolvers });

    assert.equal(error!.message, 'No such book');
  });

  it('keeps the locations and codes of errors', async () => {
    const [error] = await ask({ query: '{ boook }' }, { schemaInErrors: false });

    assert.deepEqual(error, {
      message: 'Field "boook" is not valid here.',
      locations: [{ line: 1, column: 3 }],
      extensions: { code: 'GRAPHQL_VALIDATION_FAILED' },
    });
  });
});

it('without the option, messages name types', async () => {
  assert.deepEqual(foreignWords(await ask({ query: '{ boook }' }, {}), {}), ['SecretQuery']);
});
