import { deepEqual } from 'node:assert/strict';
import { describe, test } from 'node:test';

import { GraphQLInt, GraphQLObjectType, GraphQLSchema } from 'graphql';

import { createHandler } from '../../../../src/entries/index.ts';
import type { ServerOptions } from '../../../../src/entries/index.ts';
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
