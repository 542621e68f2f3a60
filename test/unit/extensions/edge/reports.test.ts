import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { GraphQLError, parse } from 'graphql';

import { costLine } from '../../../../src/entries/cost-line.ts';
import { edge } from '../../../../src/entries/edge.ts';
import { createHandler } from '../../../../src/entries/fetch.ts';
import type { EdgeOptions } from '../../../../src/entries/edge.ts';
import type { ServerOptions, ServerPlugin } from '../../../../src/entries/index.ts';
import { edgeServing } from '../../../support/edge/serving.ts';

const typeDefs = `type Query { hello: String @cacheControl(maxAge: 60) me: String @cacheControl(maxAge: 60) unmarked: String }`;
const resolvers: any = {
  Query: { hello: () => 'world', me: (_: unknown, __: unknown, { user }: { user: () => unknown }) => String(user()) },
};
const context = ({ request }: any): object => ({ user: () => request.headers.get('authorization') });

describe('the header that requests a report', () => {
  test('makes a response in production private, because a report contains more', async () => {
    const { get, decisions } = edgeServing({ server: { typeDefs, resolvers } });

    const response = await get('{ hello }', { headers: { 'graphql-functions-explain': '1' } });

    assert.equal(response.headers.get('cache-control'), 'private, no-store');
    assert.deepEqual(decisions, [{ public: false, reason: 'a report was requested' }]);
  });
});

describe('onDecision gets the reason of a private answer', () => {
  const around = (change: object): ServerPlugin => ({ operation: async (_call, next) => ({ ...(await next()), ...change }) });
  const withHeader = (name: string, value: string): Partial<ServerOptions> => ({
    plugins: [{ requestDidStart: () => ({ willSendResponse: ({ response }) => response.http.headers.set(name, value) }) }],
  });

  for (const [when, reason, request, server = {}, options = {}] of [
    ['refused as a forgery', 'no operation was run', { headers: { 'content-type': 'text/plain' } }],
    [
      'a batch',
      'it is a batch',
      { post: [{ query: '{ hello }' }, { query: '{ hello }' }] },
      { allowBatchedHttpRequests: true },
      { cdn: 'apollo-router' },
    ],
    [
      'context reads a header',
      'the header x-user was read',
      {},
      { context: (({ request: { headers } }: any) => ({ user: headers.get('x-user') })) as never },
    ],
    ['an unknown field', 'the status is 422', { query: '{ unknown }' }],
    ['a mutation', 'it is not a query with a single answer', { post: { query: 'mutation { change }' } }, {}, { cdn: 'apollo-router' }],
    ['a resolver throws', 'it has errors', {}, { resolvers: { Query: { hello: () => Promise.reject(new Error('failed')) } } }],
    [
      'a plugin has removed the errors from the answer',
      'it has errors',
      {},
      { plugins: [around({ errors: [new GraphQLError('hidden')] })] },
    ],
    ['a plugin has removed the data', 'it has no data', {}, { plugins: [around({ result: { data: null } })] }],
    ['a plugin sets cache-control', 'its cache-control was set elsewhere', {}, withHeader('cache-control', 'no-cache')],
    ['a plugin sets expires', 'its cache-control was set elsewhere', {}, withHeader('expires', '0')],
    ['a plugin sets a cookie', 'it sets a cookie', {}, withHeader('set-cookie', 'a=1')],
    [
      'a plugin answers without the document',
      'its document is unknown',
      {},
      { plugins: [around({ document: undefined, operation: parse('{ hello }').definitions[0] })] },
    ],
    ['a field without a hint', 'a field cannot be stored: the shortest maxAge of its hints is 0', { query: '{ hello unmarked }' }],
    ['a private field', 'the scope of a field is PRIVATE', { query: '{ mine }' }],
  ] as readonly [string, string, { query?: string; headers?: Record<string, string>; post?: object }, object?, Partial<EdgeOptions>?][]) {
    test(`${reason}: ${when}`, async () => {
      const types = `type Mutation { change: String }
        extend type Query { mine: String @cacheControl(maxAge: 60, scope: PRIVATE) }`;
      const { get, post, decisions } = edgeServing({ server: { typeDefs: typeDefs + types, ...server }, ...options });

      if (request.post === undefined) await get(request.query ?? '{ hello }', { headers: request.headers ?? {} });
      else await post(request.post);

      assert.deepEqual(decisions, [{ public: false, reason }]);
    });
  }
});

describe('the cost line', () => {
  const linesOf = async (plugins: (line: ServerPlugin) => readonly ServerPlugin[], queries: readonly string[]): Promise<unknown[]> => {
    const records: unknown[] = [];
    const line = costLine({ write: (_text, { sharing }) => void records.push(JSON.parse(JSON.stringify(sharing))) });
    const { get } = edgeServing({ server: { typeDefs, resolvers, context, plugins: plugins(line) } as never });
    for (const query of queries) await get(query);
    return records;
  };

  test('says whether the answer was public, and why not', async () => {
    assert.deepEqual(await linesOf((line) => [line], ['{ hello }', '{ me }', '{']), [
      { public: true },
      { public: false, reason: 'the header authorization was read' },
      { public: false, reason: 'the status is 400' },
    ]);
  });

  test('says what to change when costLine is listed after edge', async () => {
    const records: unknown[] = [];
    const line = costLine({ write: (_text, { sharing }) => void records.push(JSON.parse(JSON.stringify(sharing))) });
    const handler = createHandler({ typeDefs: 'type Query { a: Int }', plugins: [edge({ cdn: 'varnish' }), line] });

    await handler(new Request('https://api.example/?query={a}'));

    assert.deepEqual(records, [{ reason: 'not known yet: list costLine before edge' }]);
  });

  test('does not mention it without edge', async () => {
    const records: object[] = [];
    const handler = createHandler({
      typeDefs: 'type Query { a: Int }',
      plugins: [costLine({ write: (_text, record) => void records.push(record) })],
    });

    await handler(new Request('https://api.example/?query={a}'));

    assert.equal('sharing' in records[0]!, false);
  });
});
