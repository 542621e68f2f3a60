import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { limits } from '../../../../src/entries/limits.ts';
import type { OperationOutcome, ServerPlugin } from '../../../../src/entries/index.ts';
import { json, post } from '../../../support/plain-http.ts';
import type { PlainResponse } from '../../../support/plain-http.ts';
import { noting, serveEcho } from '../../../support/stage-server.ts';
import { after } from '../../../support/stages.ts';

const wrapping = (execution: NonNullable<ServerPlugin['execution']>): ServerPlugin => ({ execution });

describe('execution', () => {
  test('may answer from a cache, and nothing is executed', async () => {
    const kept = new Map<string, OperationOutcome>();
    let executed = 0;
    const replay = wrapping(async ({ source: text, variableValues, response }, next) => {
      const key = JSON.stringify([text, variableValues]);
      const known = kept.get(key);
      if (known !== undefined) return { ...known, head: response };
      const outcome = await next();
      kept.set(key, outcome);
      return outcome;
    });
    const resolvers = { Query: { echo: (_: unknown, { text }: { text: string }) => `${text} ${++executed}` } };
    const context = ({ response }: { response: OperationOutcome['head'] }) => (response.headers.set('x-context', 'ran'), {});
    const send = serveEcho({ plugins: [replay], resolvers, context });
    const query = 'query ($text: String = "default") { echo(text: $text) }';

    const answers: PlainResponse[] = [];
    for (const text of [undefined, 'default', 'other']) answers.push(await send(post({ query, variables: { text } })));

    assert.deepEqual(
      answers.map((answer) => [json(answer).data.echo, answer.headers.get('x-context')]),
      ['default 1', 'default 1', 'other 2'].map((echo) => [echo, 'ran']),
    );
  });

  test('gets the coerced variables, the operation and its context', async () => {
    let seen: unknown;
    const plugin = wrapping(async ({ request, variableValues, operation, contextValue, schema, document, call }, next) => {
      const own = [schema.getType('Query')?.name, document.kind, operation.operation, call.request.method];
      seen = [request.variables, { ...variableValues }, contextValue, ...own];
      return next();
    });
    const query = 'query ($text: String = "default") { echo(text: $text) }';

    await serveEcho({ plugins: [plugin], context: () => ({ user: 'ada' }) })(post({ query, variables: {} }));

    assert.deepEqual(seen, [{}, { text: 'default' }, { user: 'ada' }, 'Query', 'Document', 'query', 'POST']);
  });

  const unexecuted: readonly [reason: string, body: object, status: number, calls: number][] = [
    ['does not parse', { query: '{' }, 400, 0],
    ['does not validate', { query: '{ nothing }' }, 422, 0],
    ['has wrong variables', { query: 'mutation ($not: Boolean!) { first @skip(if: $not) }', variables: { not: 1 } }, 422, 0],
    ['lacks a variable', { query: 'mutation ($not: Boolean!) { first @skip(if: $not) }' }, 422, 0],
    ['has no such operation name', { query: '{ echo }', operationName: 'other' }, 422, 0],
    ['costs too much', { query: '{ a: echo b: echo c: echo d: echo }' }, 422, 0],
    ['is answered by responseForOperation', { query: 'query answered { echo }' }, 200, 0],
    ['is answered in place of an execution', { query: 'query replaced { echo }' }, 200, 1],
  ];
  for (const [reason, body, status, entered] of unexecuted)
    test(`of an operation that ${reason} is entered ${entered} times, and the outcome is not executed`, async () => {
      let calls = 0;
      const executed: unknown[] = [];
      const responseForOperation = ({ operationName }: any) => (operationName === 'answered' ? { data: { echo: 'kept' } } : null);
      const plugin: ServerPlugin = {
        operation: after((_call, outcome) => void executed.push(outcome.executed ?? false)),
        requestDidStart: () => ({ responseForOperation }),
        execution: async ({ response, operation, document, source }, next) => {
          calls++;
          return operation.name?.value === 'replaced'
            ? { result: { data: {} }, errors: [], head: response, operation, document, source }
            : next();
        },
      };

      const answer = await serveEcho({ plugins: [plugin, limits({ maxCost: 3 })] })(post(body));

      assert.deepEqual([answer.status, calls, executed], [status, entered, [false]]);
    });

  test('sees the outcome as the client gets it, after the last hooks, with the errors as they were thrown', async () => {
    const notes: unknown[] = [];
    const hooks = ['executionDidStart', 'didEncounterErrors', 'willSendResponse'];
    const replacing = wrapping(async (_execution, next) => {
      const outcome = await next();
      const { result, errors } = outcome;
      notes.push(result.errors?.[0]?.message, errors[0]?.message);
      return { ...outcome, result: { ...result, data: { fail: 'replaced' } } };
    });

    const answer = await serveEcho({ plugins: [replacing, noting(notes, ...hooks)] })(post({ query: '{ fail }' }));

    assert.deepEqual(notes, [...hooks, 'Internal server error', 'the password is hunter2']);
    assert.deepEqual(json(answer).data, { fail: 'replaced' });
  });
});
