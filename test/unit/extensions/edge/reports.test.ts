import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { GraphQLError, parse } from 'graphql';

import type { CostRecord } from '../../../../src/entries/cost-line.ts';
import { costLine } from '../../../../src/entries/cost-line.ts';
import { cacheControlDefinitions, edge } from '../../../../src/entries/edge.ts';
import { createHandler } from '../../../../src/entries/fetch.ts';
import type { EdgeOptions } from '../../../../src/entries/edge.ts';
import type { ServerOptions, ServerPlugin } from '../../../../src/entries/index.ts';
import { edgeServing } from '../../../support/edge/serving.ts';

const typeDefs = `type Query { hello: String @cacheControl(maxAge: 60) me: String @cacheControl(maxAge: 60) unmarked: String }`;
const resolvers: any = {
  Query: { hello: () => 'world', me: (_: unknown, __: unknown, { user }: { user: () => unknown }) => String(user()) },
};
const context = ({ request }: any): object => ({ user: () => request.headers.get('authorization') });

describe('onDecision gets the reason of a private answer', () => {
  const around = (change: object): ServerPlugin => ({ operation: async (_call, next) => ({ ...(await next()), ...change }) });
  const withHeader = (name: string, value: string): Partial<ServerOptions> => ({
    plugins: [{ requestDidStart: () => ({ willSendResponse: ({ response }) => response.http.headers.set(name, value) }) }],
  });

  for (const [when, reason, request, server = {}, options = {}] of [
    ['the header asks for it', 'a report was requested', { headers: { 'graphql-functions-explain': '1' } }],
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
  const recordsOf = async (plugins: (line: ServerPlugin) => readonly ServerPlugin[], ...queries: string[]): Promise<CostRecord[]> => {
    const records: CostRecord[] = [];
    const line = costLine({ write: (_text, record) => void records.push(JSON.parse(JSON.stringify(record)) as CostRecord) });
    const { fetch } = createHandler({ typeDefs: [cacheControlDefinitions, typeDefs], resolvers, context, plugins: plugins(line) });
    for (const query of queries) await fetch(new Request(`https://api.example/?query=${query}`));
    return records;
  };

  test('says whether the answer was public, and why not', async () => {
    const records = await recordsOf((line) => [line, edge({ cdn: 'varnish' })], '{hello}', '{me}', '{');

    assert.deepEqual(
      records.map(({ sharing }) => sharing),
      [{ public: true }, { public: false, reason: 'the header authorization was read' }, { public: false, reason: 'the status is 400' }],
    );
  });

  test('says what to change when costLine is listed after edge', async () => {
    const [record] = await recordsOf((line) => [edge({ cdn: 'varnish' }), line], '{hello}');

    assert.deepEqual(record!.sharing, { reason: 'not known yet: list costLine before edge' });
  });

  test('does not mention it without edge', async () => {
    const [record] = await recordsOf((line) => [line], '{hello}');

    assert.equal('sharing' in record!, false);
  });
});
