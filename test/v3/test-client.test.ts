import { deepEqual, equal, throws } from 'node:assert/strict';
import { test } from 'node:test';

import { ApolloServer, AuthenticationError, SchemaDirectiveVisitor } from '../../src/entries/v3.ts';
import { createTestClient, gql, makeExecutableSchema } from '../../src/entries/v3/core.ts';
import { silent } from './server.ts';

test('the client of apollo-server-testing runs queries and mutations, as strings and parsed', async () => {
  const { query, mutate } = createTestClient(
    new ApolloServer({
      logger: silent,
      typeDefs: 'type Query { hello(name: String): String } type Mutation { touch: String }',
      resolvers: { Query: { hello: (_: unknown, { name = 'world' }) => name }, Mutation: { touch: () => 'touched' } },
    }),
  );

  deepEqual({ ...(await query({ query: '{ hello }' })).data }, { hello: 'world' });
  const named = gql`
    query ($name: String) {
      hello(name: $name)
    }
  `;
  deepEqual({ ...(await query({ query: named, variables: { name: 'Ada' } })).data }, { hello: 'Ada' });
  deepEqual({ ...(await mutate({ mutation: 'mutation { touch }' })).data }, { touch: 'touched' });
  throws(() => query({} as never), /Either `query` or `mutation` must be passed/);
});

class SignedIn extends SchemaDirectiveVisitor {
  visitFieldDefinition(field: { resolve?: unknown }): void {
    field.resolve = () => {
      throw new AuthenticationError('Sign in');
    };
  }
}

test('makeExecutableSchema of version 2 runs schema directives, so that access rules are not lost', async () => {
  const schema = makeExecutableSchema({
    typeDefs: 'directive @signedIn on FIELD_DEFINITION type Query { secret: String @signedIn }',
    resolvers: { Query: { secret: () => 'told' } },
    schemaDirectives: { signedIn: SignedIn },
  });

  const { data, errors } = await new ApolloServer({ schema, logger: silent }).executeOperation({ query: '{ secret }' });

  deepEqual({ ...data }, { secret: null });
  equal(errors?.[0]?.extensions?.['code'], 'UNAUTHENTICATED');
});

test('makeExecutableSchema of version 2 refuses options that it would ignore', () => {
  throws(
    () => makeExecutableSchema({ typeDefs: 'type Query { a: String }', directiveResolvers: { a() {} } } as never),
    /does not support directiveResolvers/,
  );
});
