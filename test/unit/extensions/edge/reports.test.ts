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

  const explained = { headers: { 'graphql-functions-explain': '1' } };
  const forged = { headers: { 'content-type': 'text/plain' } };
  const readUser = { context: ({ request: { headers } }: any) => ({ user: headers.get('x-user') }) };
  const failing = { resolvers: { Query: { hello: () => Promise.reject(new Error('failed')) } } };
  const hidden = { plugins: [around({ errors: [new GraphQLError('hidden')] })] };
  const unknown = { plugins: [around({ document: undefined, operation: parse('{ hello }').definitions[0] })] };
  const two = { post: [{ query: '{ hello }' }, { query: '{ hello }' }] };
  const router = { cdn: 'apollo-router' } as const;
  for (const [when, reason, request, server = {}, options = {}] of [
    ['the header asks for it', 'a report was requested', explained],
    ['refused as a forgery', 'no operation was run', forged],
    ['a batch', 'it is a batch', two, { allowBatchedHttpRequests: true }, router],
    ['context reads a header', 'the header x-user was read', {}, readUser],
    ['an unknown field', 'the status is 422', { query: '{ unknown }' }],
    ['a mutation', 'it is not a query with a single answer', { post: { query: 'mutation { change }' } }, {}, router],
    ['a resolver throws', 'it has errors', {}, failing],
    ['a plugin has removed the errors from the answer', 'it has errors', {}, hidden],
    ['a plugin has removed the data', 'it has no data', {}, { plugins: [around({ result: { data: null } })] }],
    ['a plugin sets cache-control', 'its cache-control was set elsewhere', {}, withHeader('cache-control', 'no-cache')],
    ['a plugin sets expires', 'its cache-control was set elsewhere', {}, withHeader('expires', '0')],
    ['a plugin sets a cookie', 'it sets a cookie', {}, withHeader('set-cookie', 'a=1')],
    ['a plugin answers without the document', 'its document is unknown', {}, unknown],
    ['a field without a hint', 'Query.unmarked cannot be stored: the shortest maxAge of its hints is 0', { query: '{ hello unmarked }' }],
    ['a private field', 'the scope of Query.mine is PRIVATE', { query: '{ mine }' }],
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
  for (const [what, order, query, sharing] of [
    ['says that the answer is public', 'line edge', '{hello}', { public: true }],
    ['says why it is not', 'line edge', '{me}', { public: false, reason: 'the header authorization was read' }],
    ['says why a refusal is not', 'line edge', '{', { public: false, reason: 'the status is 400' }],
    [
      'says what to change when costLine is listed after edge',
      'edge line',
      '{hello}',
      { reason: 'not known yet: list costLine before edge' },
    ],
    ['does not mention it without edge', 'line', '{hello}', undefined],
  ] as const)
    test(what, async () => {
      const records: CostRecord[] = [];
      const line = costLine({ write: (_text, record) => void records.push(JSON.parse(JSON.stringify(record)) as CostRecord) });
      const plugins = order.split(' ').map((name) => (name === 'line' ? line : edge({ cdn: 'varnish' })));
      const { fetch } = createHandler({ typeDefs: [cacheControlDefinitions, typeDefs], resolvers, context, plugins });

      await fetch(new Request(`https://api.example/?query=${query}`));

      assert.deepEqual(
        records.map((record) => record.sharing),
        [sharing],
      );
    });
});
