import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { limits } from '../../../../src/entries/limits.ts';
import type { OperationOutcome, ServerPlugin } from '../../../../src/entries/index.ts';
import { get, json, post } from '../../../support/plain-http.ts';
import type { PlainRequest } from '../../../support/plain-http.ts';
import { echoTypeDefs, respondAtDeadline, serveEcho } from '../../../support/stage-server.ts';

describe('runOperation', () => {
  /** A plugin that answers with the result of this operation. */
  const running = (request: Parameters<Parameters<NonNullable<ServerPlugin['request']>>[0]['runOperation']>[0]): ServerPlugin => ({
    request: async ({ runOperation }) => {
      const { result, head } = await runOperation(request);
      head.headers.set('content-type', 'application/json');
      return { status: 200, headers: head.headers, body: JSON.stringify(result) };
    },
  });

  test('runs an operation with its context, data sources and the hooks of all plugins', async () => {
    const notes: unknown[] = [];
    const noting: ServerPlugin = {
      operation: async ({ request, call }, next) => (notes.push(request.query, call.request.method), next()),
      requestDidStart: ({ contextValue }) => void notes.push(contextValue),
    };
    const context = ({ response }: { response: OperationOutcome['head'] }) => (response.headers.set('x-context', 'ran'), { user: 'ada' });
    const query = 'query ($text: String) { echo(text: $text) }';
    const send = serveEcho({ plugins: [running({ query, variables: { text: 'own' } }), noting], context });

    const answer = await send(post({ query: 'something else entirely' }));

    assert.deepEqual(json(answer), { data: { echo: 'own' } });
    assert.equal(answer.headers.get('x-context'), 'ran');
    assert.deepEqual(notes, [query, 'POST', { user: 'ada' }]);
  });

  const refused: readonly [what: string, request: PlainRequest, query: string, code: string][] = [
    ['a mutation from a GET request', get({}), 'mutation { first }', 'BAD_REQUEST'],
    ['a subscription', post({}), 'subscription { count }', 'OPERATION_RESOLUTION_FAILURE'],
    ['an invalid document', post({}), '{ nothing }', 'GRAPHQL_VALIDATION_FAILED'],
    ['an operation above the limits', post({}), '{ a: echo b: echo c: echo d: echo }', 'GRAPHQL_VALIDATION_FAILED'],
    ['an empty document', post({}), '', 'GRAPHQL_PARSE_FAILED'],
  ];
  for (const [what, request, query, code] of refused) {
    test(`refuses ${what}, without rejecting`, async () => {
      const ran: string[] = [];
      const resolvers = { Mutation: { first: () => (ran.push('first'), 'a') } };
      const plugins = [running({ query }), limits({ maxCost: 3 })];

      const answer = json(await serveEcho({ plugins, typeDefs: `${echoTypeDefs} type Subscription { count: Int }`, resolvers })(request));

      assert.equal(answer.errors[0].extensions.code, code, JSON.stringify(answer));
      assert.deepEqual([answer.data, ran], [undefined, []]);
    });
  }

  test('ends in time', async (t) => {
    const resolvers = { Query: { echo: () => new Promise<string>(() => {}) } };

    const answer = json(await respondAtDeadline(t, [running({ query: '{ echo }' })], { resolvers }));

    assert.equal(answer.errors[0].extensions.code, 'DEADLINE_EXCEEDED');
    assert.deepEqual(answer.data, { echo: null });
  });
});
