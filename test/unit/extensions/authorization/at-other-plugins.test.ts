import { deepEqual, equal, match } from 'node:assert/strict';
import { describe, it } from 'node:test';

import { authorization } from '../../../../src/entries/authorization.ts';
import type { AuthorizationOptions } from '../../../../src/entries/authorization.ts';
import { costLine } from '../../../../src/entries/cost-line.ts';
import { edge } from '../../../../src/entries/edge.ts';
import { AuthenticationError, createHandler } from '../../../../src/entries/index.ts';
import type { ServerPlugin } from '../../../../src/entries/index.ts';
import { mcp, mcpDefinitions } from '../../../../src/entries/mcp.ts';
import { recordingLogger } from '../../../support/recording-logger.ts';

const typeDefs = `
  type Query {
    open: Int
    closed: Int @authenticated
    scoped: Int @requiresScopes(scopes: [["a", "b"], ["c"]])
    owned: Int @policy(policies: [["owner"]])
  }`;

const tool = (name: string, selection: string): string => `query ${name} @mcpTool(name: "${name}", description: "A tool.") ${selection}`;
const documents = {
  open: tool('open', '{ open }'),
  closed: tool('closed', '{ closed }'),
  scoped: tool('scoped', '{ scoped }'),
  owned: tool('owned', '{ owned }'),
  sometimes: 'query sometimes($t: Boolean!) @mcpTool(name: "sometimes", description: "A tool.") { open closed @include(if: $t) }',
};

/** `user`: default: that of the header field x-user. */
function serve(options: Partial<AuthorizationOptions>, plugins: readonly ServerPlugin[] = [], user?: object) {
  const [logger, lines] = recordingLogger();
  const asked: string[] = [];
  const rights = authorization({
    claims: ({ context }: any) => {
      asked.push('claims');
      return context.scopes;
    },
    policies: {
      owner: ({ context }: any) => {
        asked.push('owner');
        return context.isOwner === true;
      },
    },
    ...options,
  });
  const handler = createHandler({
    nodeEnv: 'production',
    logger,
    typeDefs: [mcpDefinitions, typeDefs],
    resolvers: { Query: { open: () => 1, closed: () => 1, scoped: () => 1, owned: () => 1 } },
    trustedDocuments: { documents },
    context: user === undefined ? ({ request }: any) => JSON.parse(request.headers.get('x-user') ?? '{}') as object : () => user,
    plugins: [...plugins, rights],
  } as never) as unknown as (request: Request, context: object) => Promise<Response>;
  return { handler, asked, lines };
}

const nobody = {};

describe('the tools of mcp()', () => {
  const list = async (user: object, options: Partial<AuthorizationOptions> = {}) => {
    const { handler, asked, lines } = serve(options, [mcp({ name: 'api', version: '1' })]);
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-11-25',
      'x-user': JSON.stringify(user),
    };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    const response = await handler(new Request('https://api.example/mcp', { method: 'POST', headers, body }), {});
    const { result } = (await response.json()) as { result?: { tools: { name: string }[] } };
    return { status: response.status, names: result?.tools.map(({ name }) => name), asked, lines };
  };

  const rows: readonly (readonly [title: string, user: object, names: readonly string[]])[] = [
    ['for nobody, those that need nothing whatever their variables are', nobody, ['open', 'sometimes']],
    ['for somebody', { scopes: [] }, ['closed', 'open', 'sometimes']],
    ['by scopes', { scopes: ['c'] }, ['closed', 'open', 'scoped', 'sometimes']],
    ['by policies', { isOwner: true }, ['open', 'owned', 'sometimes']],
  ];
  for (const [title, user, names] of rows)
    it(`are listed ${title}, and each right is asked for once`, async () => {
      const { names: listed, asked } = await list(user);

      deepEqual([listed, asked], [names, ['claims', 'owner']]);
    });

  it('are hidden by a policy that fails', async () => {
    const { names, lines } = await list({ scopes: [] }, { policies: { owner: () => Promise.reject(new Error('The database is down.')) } });

    deepEqual(names, ['closed', 'open', 'sometimes']);
    equal(lines.length, 1);
  });

  it('are not listed if claims fail', async () => {
    const { status, names, lines } = await list(nobody, { claims: () => Promise.reject(new AuthenticationError('Expired.')) });

    deepEqual([status, names], [500, undefined]);
    match(String(lines[0]?.details[0]), /For an invalid token, return undefined/);
  });
});

describe('what an operation needs', () => {
  it('makes its answer private at the edge', async () => {
    const reasons: (string | undefined)[] = [];
    const { handler } = serve(
      {},
      [edge({ cdn: 'fastly', defaultMaxAge: 60, onDecision: (one) => void reasons.push(one.public ? undefined : one.reason) })],
      {
        scopes: [],
        isOwner: true,
      },
    );
    const get = async (query: string): Promise<string | null> => {
      const headers = { 'graphql-require-preflight': '1' };
      return (await handler(new Request(`https://api.example/?${query}`, { headers }), {})).headers.get('cache-control');
    };

    const values = [
      await get('query={open}'),
      await get('query={owned}'),
      await get('documentId=sometimes&variables={"t":false}'),
      await get('documentId=sometimes&variables={"t":true}'),
    ];

    deepEqual(
      values.map((value) => value?.includes('no-store')),
      [false, true, false, true],
    );
    deepEqual(reasons, [undefined, 'it needs rights', undefined, 'it needs rights']);
  });

  it('keeps its answer out of the store of the edge, where a refused mutation purges nothing', async () => {
    const kept = new Map<string, string>();
    const store = {
      get: async (key: string) => kept.get(key),
      set: async (key: string, value: string) => void kept.set(key, value),
      delete: async (key: string) => kept.delete(key),
    };
    const ran: string[] = [];
    const run = (name: string) => () => (ran.push(name), { id: 1 });
    const handler = createHandler({
      nodeEnv: 'production',
      typeDefs: `type Query { open: Thing closed: Thing @authenticated } type Mutation { change: Thing @authenticated }
        type Thing { id: ID }`,
      resolvers: { Query: { open: run('open'), closed: run('closed') }, Mutation: { change: run('change') } },
      context: ({ request }: any) => ({ scopes: () => (request.headers.get('x-user') === null ? undefined : []) }),
      plugins: [
        authorization({ claims: ({ context }) => context.scopes() }),
        edge({ store, deploy: 'one', varyHeaders: [], defaultMaxAge: 60 }),
      ],
    } as never) as unknown as (request: Request, context: object) => Promise<Response>;
    const ask = async (query: string, user: object): Promise<number> => {
      const work: Promise<unknown>[] = [];
      const init = { method: 'POST', headers: { 'content-type': 'application/json', ...user }, body: JSON.stringify({ query }) };
      const { status } = await handler(new Request('https://api.example/', init), { waitUntil: (one: Promise<unknown>) => work.push(one) });
      await Promise.all(work);
      return status;
    };
    const ada = { 'x-user': 'ada' };

    const statuses = [
      await ask('{ open { id } }', ada),
      await ask('{ closed { id } }', ada),
      await ask('mutation { change { id } }', {}),
      await ask('{ open { id } }', {}),
      await ask('{ closed { id } }', {}),
      await ask('{ closed { id } }', ada),
      await ask('mutation { change { id } }', ada),
      await ask('{ open { id } }', {}),
    ];

    deepEqual(statuses, [200, 200, 401, 200, 401, 200, 200, 200]);
    deepEqual(ran, ['open', 'closed', 'closed', 'change', 'open']);
  });

  it('is in the report of explain', async () => {
    const [logger] = recordingLogger();
    const handler = createHandler({
      nodeEnv: 'development',
      logger,
      typeDefs,
      plugins: [authorization({ claims: () => [], policies: { owner: () => true } })],
    } as never) as unknown as (request: Request, context: object) => Promise<Response>;
    const ask = async (query: string): Promise<unknown> => {
      const headers = { 'content-type': 'application/json', 'graphql-functions-explain': '1' };
      const init = { method: 'POST', headers, body: JSON.stringify({ query }) };
      const answer = (await (await handler(new Request('http://localhost/', init), {})).json()) as any;
      return answer.extensions.explain.needs;
    };

    deepEqual([await ask('{ open }'), await ask('{ closed scoped }')], [undefined, ['authenticated', 'scopes a & b | c']]);
  });

  it('is in the cost line', async () => {
    const records: unknown[] = [];
    const { handler } = serve({}, [costLine({ write: (_line, { needs }) => void records.push(needs) })]);
    const ask = async (query: string): Promise<number> => {
      const headers = { 'content-type': 'application/json' };
      return (await handler(new Request('https://api.example/', { method: 'POST', headers, body: JSON.stringify({ query }) }), {})).status;
    };

    deepEqual([await ask('{ open }'), await ask('{ closed scoped owned }')], [200, 401]);
    deepEqual(records, [undefined, ['authenticated', 'scopes a & b | c', 'policies owner']]);
  });
});
