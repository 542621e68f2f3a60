import { deepEqual } from 'node:assert/strict';
import { describe, test } from 'node:test';

import { GraphQLInt, GraphQLObjectType, GraphQLSchema } from 'graphql';

import { batch, createHandler } from '../../../../src/entries/index.ts';
import type { GraphQLRequestListener, ServerOptions, ServerPlugin } from '../../../../src/entries/index.ts';
import { misnamedMembers } from '../../../../src/tools/checks/option-check.ts';
import { createHandler as createFetchHandler } from '../../../../src/entries/fetch.ts';
import { recordingLogger } from '../../../support/recording-logger.ts';

let schemas = 0;

/** The warnings that are logged when the handler is created. */
function warningsFor(options: ServerOptions, nodeEnv = 'development'): string[] {
  const [logger, lines] = recordingLogger();
  const typeDefs = `type Query { hello: String } type Subscription { ticks: Int } # options ${++schemas}`;
  createHandler({ nodeEnv, logger, ...(options.schema === undefined && { typeDefs }), ...options });
  return lines.filter(({ level }) => level === 'warn').map(({ message }) => message);
}

const ticks = { Subscription: { ticks: { subscribe: () => [] } } };

describe('warns about a subscription field without events in development', () => {
  test('when it has no resolver, or a generator in place of an object', () => {
    const remedy = 'so it emits no events. Write Subscription: { ticks: { subscribe: async function* () { … } } }.';
    const resolvers = { Subscription: { async *ticks() {} } };

    deepEqual(warningsFor({}), [`Subscription.ticks has no resolver, ${remedy}`]);
    deepEqual(warningsFor({ resolvers }), [`Subscription.ticks has a resolver without subscribe, ${remedy}`]);
    deepEqual(warningsFor({}, 'production'), []);
  });

  test('does not warn when one of several maps, a schema built in code, or rootValue provides the events', () => {
    const schema = new GraphQLSchema({
      query: new GraphQLObjectType({ name: 'Query', fields: { a: { type: GraphQLInt } } }),
      subscription: new GraphQLObjectType({ name: 'Subscription', fields: { ticks: { type: GraphQLInt, subscribe: () => [] } } }),
    });

    deepEqual(warningsFor({ resolvers: [{ Subscription: { ticks: { resolve: () => 1 } } }, ticks] }), []);
    deepEqual(warningsFor({ schema }), []);
    deepEqual(warningsFor({ rootValue: { ticks: () => [] } }), []);
  });
});

describe('warns about a non-null root field without a resolver, of which no operation gets a value', () => {
  const typeDefs = 'type Query { books: [String!]! title: String } type Mutation { buy: Int! }';
  const resolved = { Query: { books: () => [] }, Mutation: { buy: () => 1 } };

  test('in Query and Mutation', () => {
    deepEqual(warningsFor({ typeDefs, resolvers: { Query: { title: () => '' } } }), [
      'Query.books has the non-null type [String!]! but no resolver, so every operation that selects it fails. Write Query: { books: () => … }.',
      'Mutation.buy has the non-null type Int! but no resolver, so every operation that selects it fails. Write Mutation: { buy: () => … }.',
    ]);
  });

  test('not if a map, a batched resolver, rootValue or fieldResolver provides it', () => {
    const { Query, Mutation } = resolved;
    const batched = { Query: { books: batch((parents: readonly unknown[]) => parents.map(() => [])) }, Mutation };

    deepEqual(warningsFor({ typeDefs: `${typeDefs} # 1`, resolvers: [{ Query }, { Mutation }] }), []);
    deepEqual(warningsFor({ typeDefs: `${typeDefs} # 2`, resolvers: batched }), []);
    deepEqual(warningsFor({ typeDefs: `${typeDefs} # 3`, rootValue: {} }), []);
    deepEqual(warningsFor({ typeDefs: `${typeDefs} # 4`, fieldResolver: () => 1 }), []);
  });
});

describe('warns about hooks that are never called', () => {
  const plugins = [
    { operatoin() {}, stop() {} },
    { requestDidStart: () => ({ willSendRespons() {} }), willSendResponse() {} },
    { helper() {} },
  ];

  test('because their name is misspelled, or belongs into an object that another hook returns', () => {
    deepEqual(warningsFor({ plugins: plugins as never, resolvers: ticks }), [
      'stop of a plugin is never called: it belongs in the object that start returns.',
      'willSendRespons of a plugin is never called. Did you mean "willSendResponse"?',
      'willSendResponse of a plugin is never called: it belongs in the object that requestDidStart returns.',
    ]);
  });

  test('but knows all that are called', () => {
    const stages: Record<Exclude<keyof ServerPlugin, 'position' | 'onlyWatches' | 'corsHeaders' | 'documentDirectives' | 'once'>, true> = {
      admit: true,
      check: true,
      contextCreationDidFail: true,
      document: true,
      doors: true,
      encode: true,
      execution: true,
      invalidRequestWasReceived: true,
      operation: true,
      pageDefaults: true,
      payload: true,
      request: true,
      requestDidStart: true,
      schemaWillBuild: true,
      serverWillStart: true,
      sourceCall: true,
      start: true,
      startupDidFail: true,
    };
    const listeners: Record<keyof GraphQLRequestListener, true> = {
      didResolveSource: true,
      parsingDidStart: true,
      validationDidStart: true,
      didResolveOperation: true,
      responseForOperation: true,
      executionDidStart: true,
      didEncounterErrors: true,
      willSendResponse: true,
      didEncounterSubsequentErrors: true,
      willSendSubsequentPayload: true,
    };
    const called = Object.fromEntries(Object.keys(stages).map((name) => [name, () => undefined]));

    deepEqual(misnamedMembers(called, 'a plugin', 'plugin'), []);
    deepEqual(
      Object.keys(listeners).flatMap((name) => misnamedMembers({ [name]: () => undefined }, 'it', 'plugin')),
      Object.keys(listeners).map((name) => `${name} of it is never called: it belongs in the object that requestDidStart returns.`),
    );
  });
});

test('warns about a handler that is created for each request, and not about several that are created before the first', async () => {
  const [logger, lines] = recordingLogger();
  const create = (): ReturnType<typeof createFetchHandler> =>
    createFetchHandler({ nodeEnv: 'development', logger, typeDefs: 'type Query { made: Int }' });
  const answer = (handler: ReturnType<typeof create>): Promise<unknown> => handler(new Request('https://api.example/?query={made}'));

  const [first, second] = [create(), create(), create()];
  await Promise.all([answer(first!), answer(second!)]);
  const before = [...lines];
  for (let request = 0; request < 3; request++) await answer(create());

  deepEqual(before, []);
  deepEqual(
    lines.map(({ message }) => message),
    [
      'createHandler was called again for the same schema. Call it once, outside of your function: each call creates the schema again, with empty caches.',
    ],
  );
});
