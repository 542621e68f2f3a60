import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { GraphQLError, GraphQLScalarType } from 'graphql';
import type { ASTVisitor, ValidationContext } from 'graphql';

import type { ServerPlugin } from '../../../../src/entries/index.ts';
import { createEndpoint } from '../../../support/endpoint.ts';
import { json, post } from '../../../support/plain-http.ts';

const withCode = (code: string): GraphQLError => new GraphQLError(`The code is ${code}.`, { extensions: { code } });
const code = new GraphQLScalarType({
  name: 'Code',
  parseValue: (value) => {
    throw withCode(String(value));
  },
});
const typeDefs = 'scalar Code type Query { a(code: Code): String b(n: Int): String } type Mutation { a(code: Code): String }';
const resolvers = { Code: code, Query: { a: () => 'a', b: () => 'b' }, Mutation: { a: () => 'a' } };

const ruleThat =
  (fail: (context: ValidationContext) => void) =>
  (context: ValidationContext): ASTVisitor => {
    fail(context);
    return {};
  };
const reporting = (...codes: readonly string[]) => ruleThat((context) => codes.forEach((one) => context.reportError(withCode(one))));

describe('the step that failed decides about the status, whatever code the error carries (ruling 33)', () => {
  const rules = {
    'a rule that reports an error with a code of its own': reporting('NOT_ON_THE_LIST'),
    'a rule that reports two errors, the unknown code first': reporting('NOT_ON_THE_LIST', 'GRAPHQL_VALIDATION_FAILED'),
    'a rule that reports two errors, the unknown code last': reporting('GRAPHQL_VALIDATION_FAILED', 'NOT_ON_THE_LIST'),
    'a rule that throws a GraphQLError': ruleThat(() => {
      throw withCode('NOT_ON_THE_LIST');
    }),
  };
  for (const [what, rule] of Object.entries(rules)) {
    test(`422: ${what}`, async () => {
      const response = await createEndpoint({ typeDefs, resolvers, validationRules: [rule] }).send(post({ query: '{ a }' }));

      assert.equal(response.status, 422);
    });
  }

  test('500: a rule that throws an ordinary error', async () => {
    const rule = ruleThat(() => {
      throw new Error('broken');
    });

    const response = await createEndpoint({ typeDefs, resolvers, validationRules: [rule] }).send(post({ query: '{ a }' }));

    assert.equal(response.status, 500);
  });

  for (const [what, body] of Object.entries({
    'a scalar of a query, in a variable': { query: 'query ($c: Code) { a(code: $c) }', variables: { c: 'SOLD_OUT' } },
    'a scalar of a mutation, in a variable': { query: 'mutation ($c: Code) { a(code: $c) }', variables: { c: 'SOLD_OUT' } },
    'a scalar beside another wrong variable': {
      query: 'query ($c: Code, $n: Int) { a(code: $c) b(n: $n) }',
      variables: { c: 'SOLD_OUT', n: 'x' },
    },
  })) {
    test(`422: ${what}`, async () => {
      const response = await createEndpoint({ typeDefs, resolvers }).send(post(body));

      assert.equal(response.status, 422);
      assert.equal(json(response).data, undefined);
    });
  }

  for (const hook of ['didResolveOperation', 'responseForOperation', 'willSendResponse'])
    test(`500: a plugin that fails in ${hook} with an unknown code`, async () => {
      const plugin: ServerPlugin = { requestDidStart: () => ({ [hook]: () => Promise.reject(withCode('SOLD_OUT')) }) };

      const response = await createEndpoint({ typeDefs, resolvers, plugins: [plugin] }).send(post({ query: '{ a }' }));

      assert.equal(response.status, 500);
    });
});
