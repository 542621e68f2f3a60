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
    'a rule that throws a GraphQLError without a code': ruleThat(() => {
      throw new GraphQLError('Too many fields.');
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

  /** Any: hooks get different arguments. */
  const plugins: Readonly<Record<string, (fail: () => Promise<never>) => any>> = {
    'a stage document that fails before next()': (fail) => ({ document: fail }),
    'a stage document that fails after next()': (fail) => ({
      document: (_subject: unknown, next: () => Promise<unknown>) => next().then(fail),
    }),
    ...Object.fromEntries(
      ['didResolveSource', 'parsingDidStart', 'validationDidStart', 'didResolveOperation'].map((hook) => [
        hook,
        (fail: () => Promise<never>) => ({ requestDidStart: () => ({ [hook]: fail }) }),
      ]),
    ),
  };
  const thrown: Readonly<Record<string, [error: Error, status: number, code: string | RegExp]>> = {
    'with an unknown code': [withCode('SOLD_OUT'), 422, 'SOLD_OUT'],
    'without a code': [new GraphQLError('Not today.'), 422, /^GRAPHQL_VALIDATION_FAILED$|^OPERATION_RESOLUTION_FAILURE$/],
    'with the code FORBIDDEN': [withCode('FORBIDDEN'), 403, 'FORBIDDEN'],
    'with an ordinary error': [new Error('broken'), 500, 'INTERNAL_SERVER_ERROR'],
  };
  for (const [where, plugin] of Object.entries(plugins))
    for (const [how, [error, status, code]] of Object.entries(thrown))
      test(`${status}: a plugin that refuses in ${where}, ${how}`, async () => {
        const endpoint = createEndpoint({ typeDefs, resolvers, plugins: [plugin(() => Promise.reject(error))] });

        const response = await endpoint.send(post({ query: '{ a }' }));

        assert.equal(response.status, status);
        assert.match(json(response).errors[0].extensions.code, new RegExp(code));
        assert.equal(endpoint.lines.length, status === 500 ? 1 : 0);
      });

  for (const hook of ['requestDidStart', 'responseForOperation', 'willSendResponse'])
    test(`500: a plugin that fails in ${hook} with an unknown code`, async () => {
      const fail = (): Promise<never> => Promise.reject(withCode('SOLD_OUT'));
      const plugin: ServerPlugin = hook === 'requestDidStart' ? { requestDidStart: fail } : { requestDidStart: () => ({ [hook]: fail }) };

      const response = await createEndpoint({ typeDefs, resolvers, plugins: [plugin] }).send(post({ query: '{ a }' }));

      assert.equal(response.status, 500);
    });
});
