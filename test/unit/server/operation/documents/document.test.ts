import { deepEqual, equal } from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { GraphQLError } from 'graphql';

import { createEndpoint } from '../../../../support/endpoint.ts';
import { post } from '../../../../support/plain-http.ts';

describe('a document that does not parse', () => {
  it('is an error with its position, for the client and for hooks', async () => {
    const told: (readonly GraphQLError[])[] = [];
    const plugin = {
      requestDidStart: () => ({ didEncounterErrors: ({ errors }: { errors: readonly GraphQLError[] }) => void told.push(errors) }),
    };

    const answer = await createEndpoint({ plugins: [plugin as never] }).send(post({ query: '{ hello' }));

    equal(answer.status, 400);
    const [error] = JSON.parse(answer.body).errors;
    deepEqual([error.extensions.code, error.locations], ['GRAPHQL_PARSE_FAILED', [{ line: 1, column: 8 }]]);
    const found = told.map((errors) => errors.map(({ message }) => message));
    deepEqual(found, [[error.message]]);
  });

  it('is the same error with plugins and without', async () => {
    const plugin = { requestDidStart: () => ({}) };

    const without = await createEndpoint().send(post({ query: '{ hello' }));
    const withPlugin = await createEndpoint({ plugins: [plugin] }).send(post({ query: '{ hello' }));

    deepEqual(withPlugin, without);
  });

  it('leaves errors their stack traces', async () => {
    const { stackTraceLimit } = Error;

    await createEndpoint().send(post({ query: '{ hello' }));

    equal(Error.stackTraceLimit, stackTraceLimit);
  });
});
