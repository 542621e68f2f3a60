import { deepEqual, throws } from 'node:assert/strict';
import { test } from 'node:test';

import { ApolloServer } from '../../../src/entries/v3.ts';
import { makeExecutableSchema } from '../../../src/entries/v3/core.ts';
import { silent } from '../../support/v3-server.ts';

const typeDefs = 'type Query { a: String }';

test('makeExecutableSchema builds the schema of a server', async () => {
  const schema = makeExecutableSchema({ typeDefs: [typeDefs], resolvers: { Query: { a: () => 'told' } } });

  const { data } = await new ApolloServer({ schema, logger: silent }).executeOperation({ query: '{ a }' });

  deepEqual({ ...data }, { a: 'told' });
});

test('options of version 2 that may contain access rules are refused', () => {
  throws(() => makeExecutableSchema({ typeDefs, directiveResolvers: { a() {} } }), /does not support directiveResolvers/);
  throws(() => makeExecutableSchema({ typeDefs, schemaDirectives: { a: Date } }), /does not support schemaDirectives.*mapSchema/);
  throws(
    () => new ApolloServer({ typeDefs, schemaDirectives: { a: Date } } as never),
    /The option schemaDirectives does not exist here\..*mapSchema/,
  );
});
