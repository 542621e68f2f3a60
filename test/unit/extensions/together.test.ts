import assert from 'node:assert/strict';
import { test } from 'node:test';

import { propagation } from '@opentelemetry/api';
import { GraphQLError } from 'graphql';

import { budget, memoryStore as budgetStore } from '../../../src/entries/budget.ts';
import { compression } from '../../../src/entries/compression.ts';
import { costLine } from '../../../src/entries/cost-line.ts';
import { cacheControlDefinitions, edge } from '../../../src/entries/edge.ts';
import { idempotency, idempotencyDefinitions, memoryStore } from '../../../src/entries/idempotency.ts';
import { incrementalDelivery } from '../../../src/entries/incremental.ts';
import { createHandler, HeaderMap } from '../../../src/entries/index.ts';
import type { ServerOptions, ServerPlugin } from '../../../src/entries/index.ts';
import { limits } from '../../../src/entries/limits.ts';
import { mcp, mcpDefinitions } from '../../../src/entries/mcp.ts';
import { openTelemetry } from '../../../src/entries/opentelemetry.ts';
import { subgraph } from '../../../src/entries/subgraph.ts';
import { functionURLEvent } from '../../support/events.ts';
import { get as getRequest, post } from '../../support/plain-http.ts';
import { exporter } from '../../support/spans.ts';

// Two extensions in one server keep the contract of each, in both orders.

type Options = ServerOptions<any, any, any, any>;

/** A server with extensions. */
interface Serving {
  readonly handler: any;
  /** The titles that mutations have added. */
  readonly added: string[];
  readonly lines: string[];
  post(body: object, headers?: Record<string, string>, path?: string): Promise<Response>;
}

/** An extension: what it adds to a server, and what it promises. */
interface Extension {
  readonly plugins?: (lines: string[]) => readonly ServerPlugin[];
  readonly options?: () => Partial<Options>;
  readonly complete?: (options: Options) => Options;
  readonly keepsItsPromise: (serving: Serving) => Promise<void>;
}

const traceId = '0af7651916cd43dd8448eb211c80319c';
/** The fields of a client that is traced. */
const traced = { traceparent: `00-${traceId}-b7ad6b7169203331-01`, tracestate: 'a=1' };

const typeDefs = /* GraphQL */ `
  type Query {
    now: String @cacheControl(maxAge: 60, scope: PUBLIC)
    mine: String @cacheControl(maxAge: 60, scope: PUBLIC)
    baggage: String @cacheControl(maxAge: 60, scope: PUBLIC)
    large: String @cacheControl(maxAge: 60, scope: PUBLIC)
    book: Book
  }
  type Book {
    id: ID!
    title: String
    slow: String
  }
  type Mutation {
    add(title: String!): Int
  }
`;

const preflight = [
  ['Accept-Encoding', 'br'],
  ['Accept', 'application/json'],
  ['GraphQL-Require-Preflight', '1'],
] as const;

const documents = {
  now: 'query Now @mcpTool(description: "The time") { now }',
  refused: 'mutation Refused @mcpTool(description: "Adds a book") { add(title: "refused") }',
};

function serve(extensions: readonly Extension[]): Serving {
  const added: string[] = [];
  const lines: string[] = [];
  const options: Options = {
    nodeEnv: 'test',
    csrfPrevention: true,
    logger: { debug() {}, info() {}, warn() {}, error() {} },
    typeDefs: [cacheControlDefinitions, mcpDefinitions, idempotencyDefinitions, typeDefs],
    trustedDocuments: { documents },
    context: ({ request }: any) => ({ request }),
    resolvers: {
      Query: {
        now: () => 'noon',
        mine: (_: unknown, __: unknown, { request }: any) => request.headers.get('authorization') ?? 'nobody',
        baggage: () => propagation.getActiveBaggage()?.getEntry('user')?.value ?? 'none',
        large: () => 'large '.repeat(20_000),
        book: () => ({ id: '1', title: 'Emma', slow: new Promise((resolve) => setImmediate(resolve, 'slow')) }),
      },
      Mutation: { add: (_: unknown, { title }: { title: string }) => added.push(title) },
    },
    ...Object.assign({}, ...extensions.map((extension) => extension.options?.() ?? {})),
    plugins: extensions.flatMap((extension) => extension.plugins?.(lines) ?? []),
  };
  const handler: any = createHandler(extensions.reduce((complete, extension) => extension.complete?.(complete) ?? complete, options));
  return {
    handler,
    added,
    lines,
    post: (body, headers = {}, path = '/graphql') =>
      handler(
        new Request(`https://books.example${path}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
          body: JSON.stringify(body),
        }),
      ),
  };
}

const get = (handler: any, query: string, headers: Record<string, string> = {}, path = '/graphql'): Promise<Response> =>
  handler(
    new Request(`https://books.example${path}?${new URLSearchParams({ query }).toString()}`, {
      headers: { accept: 'application/json', 'graphql-require-preflight': '1', ...headers },
    }),
  );

const callTools = (send: Serving['post'], method: string, params: object, path = '/graphql'): Promise<Response> =>
  send({ jsonrpc: '2.0', id: 1, method, params }, { 'mcp-protocol-version': '2025-06-18' }, `${path}/mcp`);

const extensions: Readonly<Record<string, Extension>> = {
  edge: {
    plugins: () => [edge({ cdn: 'netlify' })],
    async keepsItsPromise({ handler, post: send }) {
      const shared = await get(handler, '{ now }', { ...traced, 'accept-encoding': 'br' });
      const personal = await get(handler, '{ mine }', { authorization: 'ada' });
      const byBaggage = await get(handler, '{ baggage }', { ...traced, baggage: 'user=ada' });
      const changed = await send({ query: 'mutation { add(title: "edge") }' });
      const onLambda = await handler(functionURLEvent(getRequest({ query: '{ large }' }, { headers: preflight })), {});

      assert.match(shared.headers.get('netlify-cdn-cache-control') ?? '', /public, s-maxage=60|max-age=60/);
      for (const { headers } of [personal, changed]) assert.equal(headers.get('cache-control'), 'private, no-store');
      assert.match(onLambda.headers['netlify-cdn-cache-control'], /s-maxage=60|max-age=60/);
      // Without openTelemetry() nobody reads the field, and the answer is the same for all.
      const isShared = byBaggage.headers.get('netlify-cdn-cache-control') !== null;
      assert.equal(isShared, (await byBaggage.text()).includes('none'));
    },
  },
  compression: {
    plugins: () => [compression()],
    async keepsItsPromise({ handler }) {
      const event = (query: string): object => functionURLEvent(post({ query }, { headers: [['Accept-Encoding', 'br']] }));
      const large = await handler(event('{ large }'), {});
      const small = await handler(event('{ now }'), {});

      assert.deepEqual([large.headers['content-encoding'], large.isBase64Encoded], ['br', true]);
      assert.match(large.headers['vary'], /accept-encoding/i);
      assert.equal(small.headers['content-encoding'], undefined);
    },
  },
  mcp: {
    plugins: () => [mcp({ name: 'books', version: '1' })],
    async keepsItsPromise({ post: send }) {
      const list = (await (await callTools(send, 'tools/list', {})).json()) as any;
      const answer = (await (await callTools(send, 'tools/call', { name: 'now', arguments: {} })).json()) as any;

      assert.deepEqual(
        list.result.tools.map(({ name }: { name: string }) => name),
        ['now', 'refused'],
      );
      assert.deepEqual(answer.result.structuredContent, { now: 'noon' });
    },
  },
  idempotency: {
    plugins: () => [idempotency({ store: memoryStore(), identity: () => 'ada' })],
    async keepsItsPromise({ post: send, added }) {
      const title = `idempotency ${added.length}`;
      const mutation = { query: 'mutation ($title: String!) { add(title: $title) }', variables: { title } };
      const key = { 'idempotency-key': `"${title}"` };
      const first = await send(mutation, key);
      const second = await send(mutation, key);

      assert.deepEqual(await second.json(), await first.json());
      assert.equal(added.filter((one) => one === title).length, 1);
    },
  },
  openTelemetry: {
    plugins: () => [openTelemetry()],
    async keepsItsPromise({ post: send }) {
      exporter.reset();
      await send({ query: 'query Traced { now baggage }' }, traced);

      const span = exporter.getFinishedSpans().find(({ attributes }) => attributes['graphql.operation.name'] === 'Traced');
      assert.deepEqual([span?.name, span?.spanContext().traceId], ['query', traceId]);
    },
  },
  costLine: {
    plugins: (lines) => [costLine({ write: (line) => void lines.push(line) })],
    async keepsItsPromise({ post: send, lines }) {
      await send({ query: 'query Counted { now }' });

      assert.equal(lines.filter((line) => line.includes('Counted')).length, 1, lines.join('\n'));
    },
  },
  budget: {
    plugins: () => [
      budget({ store: budgetStore(), identity: () => 'everybody', capacity: 1000, refillPerSecond: 1, whenStoreFails: 'refuse' }),
    ],
    async keepsItsPromise({ post: send }) {
      const answer = await send({ query: '{ now }' });
      const refused = await send({ query: `{ ${Array.from({ length: 1001 }, (_, at) => `a${at}: book { id }`).join(' ')} }` });

      assert.match(answer.headers.get('ratelimit') ?? '', /r=\d+/);
      assert.equal(refused.status, 422, await refused.text());
    },
  },
  limits: {
    plugins: () => [limits({ maxAliases: 1500 })],
    async keepsItsPromise({ post: send }) {
      const refused = await send({ query: `{ ${Array.from({ length: 1600 }, (_, at) => `a${at}: now`).join(' ')} }` });

      assert.equal(refused.status, 422, await refused.text());
    },
  },
  incrementalDelivery: {
    options: () => ({ incrementalDelivery: incrementalDelivery() }),
    async keepsItsPromise({ post: send }) {
      const response = await send({ query: '{ book { id ... @defer { slow } } }' }, { accept: 'multipart/mixed, application/json' });

      assert.match(response.headers.get('content-type') ?? '', /^multipart\/mixed/);
      assert.match(await response.text(), /"slow":"slow"/);
    },
  },
  subgraph: {
    complete: (options) => subgraph(options as never) as Options,
    async keepsItsPromise({ post: send }) {
      const { data } = (await (await send({ query: '{ _service { sdl } }' })).json()) as any;

      assert.match(data._service.sdl, /type Book/);
    },
  },
  'a plugin that refuses operations': {
    plugins: () => [
      {
        async requestDidStart() {
          return {
            async didResolveOperation({ operationName }) {
              if (operationName === 'Refused') throw new GraphQLError('No.', { extensions: { code: 'FORBIDDEN' } });
            },
          };
        },
      },
    ],
    async keepsItsPromise({ post: send, added }) {
      const before = added.length;
      const refused = await send({ query: 'mutation Refused { add(title: "refused") }' });
      await callTools(send, 'tools/call', { name: 'refused', arguments: {} });

      assert.match(await refused.text(), /FORBIDDEN/);
      assert.equal(refused.headers.get('cache-control'), 'private, no-store');
      assert.equal(added.length, before);
    },
  },
  'a plugin that refuses requests': {
    plugins: () => [
      {
        async request({ request }, next) {
          if (!request.path.startsWith('/closed')) return next();
          return { status: 401, headers: new HeaderMap({ 'content-type': 'application/json' }), body: '{"errors":[{"message":"No."}]}' };
        },
      },
    ],
    async keepsItsPromise({ handler, post: send, added }) {
      const before = added.length;
      const refused = [
        await send({ query: 'mutation { add(title: "refused") }' }, { 'idempotency-key': '"refused"' }, '/closed'),
        await get(handler, '{ now }', {}, '/closed'),
        await callTools(send, 'tools/call', { name: 'now', arguments: {} }, '/closed'),
      ];

      for (const { status, headers } of refused) assert.deepEqual([status, headers.get('cache-control')], [401, 'private, no-store']);
      assert.equal(added.length, before);
    },
  },
};

for (const [first, one] of Object.entries(extensions))
  for (const [second, other] of Object.entries(extensions))
    test(one === other ? `${first} keeps its promise` : `${first}, then ${second}: both keep their promises`, async () => {
      const both = one === other ? [one] : [one, other];
      const serving = serve(both);

      for (const { keepsItsPromise } of both) await keepsItsPromise(serving);
    });
