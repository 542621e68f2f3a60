import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { describe, test } from 'node:test';

import { authorization } from '../../../../src/entries/authorization.ts';
import { budget } from '../../../../src/entries/budget.ts';
import { compression } from '../../../../src/entries/compression.ts';
import { costLine } from '../../../../src/entries/cost-line.ts';
import { idempotency, memoryStore } from '../../../../src/entries/idempotency.ts';
import type { ContextArgument, CORSOptions, ServerPlugin } from '../../../../src/entries/index.ts';
import { limits } from '../../../../src/entries/limits.ts';
import { mcp } from '../../../../src/entries/mcp.ts';
import { openTelemetry } from '../../../../src/entries/opentelemetry.ts';
import { rest } from '../../../../src/entries/rest.ts';
import { edgeServing } from '../../../support/edge/serving.ts';

/** The context reads the token only when it is asked. */
interface Context {
  readonly token: () => string | null;
}

const typeDefs = `
  type Query {
    news: String @cacheControl(maxAge: 60)
    me: String @cacheControl(maxAge: 60)
    mine: String @cacheControl(maxAge: 60, scope: PRIVATE)
    admin: String @requiresScopes(scopes: [["admin"]]) @cacheControl(maxAge: 60)
  }
  directive @requiresScopes(scopes: [[String!]!]!) on FIELD_DEFINITION`;
const resolvers = {
  Query: { news: () => 'Today', me: (_: unknown, __: unknown, { token }: Context) => token(), mine: () => 'hidden', admin: () => 'secret' },
};
const documents = { news: 'query News @http(method: GET, route: "/news") { news }' };
const points = { capacity: 10, refillPerSecond: 1 };
const budgetFor = (identity: (context: Context, call: any) => string | null | undefined): ServerPlugin =>
  budget({
    ...points,
    identity,
    anonymous: points,
    clientAddress: () => '192.0.2.1',
    store: { take: async () => ({ isTaken: true, untilFull: 1 }) },
    whenStoreFails: 'refuse',
  });

/** By the folder of the extension. */
const extensions: Readonly<Record<string, () => ServerPlugin>> = {
  authorization: () => authorization({ claims: ({ context }) => (context.token() === null ? undefined : ['admin']) }),
  budget: () => budgetFor((_context, { request }) => (request.method === 'GET' ? undefined : request.headers.get('cookie'))),
  compression: () => compression(),
  'cost-line': () => costLine({ write: () => {} }),
  idempotency: () => idempotency({ store: memoryStore(), identity: ({ token }: Context) => token() ?? undefined } as never),
  limits: () => limits({ maxCost: 100 }),
  mcp: () => mcp({ name: 'a', version: '1' }),
  opentelemetry: () => openTelemetry(),
  rest: () => rest(),
};

async function decide(plugins: readonly ServerPlugin[], query: string, options: { readonly cors?: CORSOptions } = {}): Promise<string> {
  const { get, decisions } = edgeServing({
    server: {
      typeDefs,
      resolvers: resolvers as never,
      trustedDocuments: { documents },
      nodeEnv: 'test',
      context: ({ request }: ContextArgument): Context => ({ token: () => request.headers.get('authorization') }),
      plugins,
      ...options,
    },
  });
  const headers = { authorization: 'Bearer ada', cookie: 'user=ada', 'accept-encoding': 'gzip', origin: 'https://shop.example' };
  const response = await get(query, { headers });
  const [decision] = decisions;
  assert.equal(response.status, 200, await response.clone().text());
  assert.equal(response.headers.get('cache-control')?.split(',')[0], decision?.public === true ? 'public' : 'private');
  return decision?.public === false ? decision.reason : 'public';
}

const all = (): ServerPlugin[] => Object.values(extensions).map((create) => create());
const servers: Readonly<Record<string, () => readonly ServerPlugin[]>> = {
  ...Object.fromEntries(Object.entries(extensions).map(([name, create]) => [name, () => [create()]])),
  'all extensions': all,
};

describe('beside another extension, edge still knows what is public:', () => {
  test('every extension with a plugin is here', () => {
    const others = ['README.md', 'edge', 'json-schema', 'operation-record', 'stores', 'subgraph'];
    const folders = readdirSync(new URL('../../../../src/extensions', import.meta.url)).filter((name) => !others.includes(name));
    assert.deepEqual(Object.keys(extensions), folders);
  });

  for (const [name, plugins] of Object.entries(servers))
    test(name, async () => {
      assert.equal(await decide(plugins(), '{ news }'), 'public');
      assert.equal(await decide(plugins(), '{ me }'), 'the header authorization was read');
      assert.equal(await decide(plugins(), '{ mine }'), 'the scope of Query.mine is PRIVATE');
      assert.equal(await decide(plugins(), '{ news }', { cors: { origin: ['https://shop.example'] } }), 'public');
    });

  for (const name of ['authorization', 'all extensions'])
    test(`${name}, with a field that needs a scope`, async () => {
      assert.equal(await decide(servers[name]!(), '{ admin }'), 'it needs rights');
    });

  test('budget, with an identity that reads the request: what it has read may be in the context', async () => {
    const ofCookie = budgetFor((_context, { request }) => request.headers.get('cookie'));
    const ofContext = budgetFor(({ token }) => token());

    assert.equal(await decide([ofCookie], '{ news }'), 'the header cookie was read');
    assert.equal(await decide([ofContext], '{ news }'), 'the header authorization was read');
  });
});
