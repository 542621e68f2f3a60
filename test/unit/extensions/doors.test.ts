import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';

import { budget } from '../../../src/entries/budget.ts';
import { costLine } from '../../../src/entries/cost-line.ts';
import { edge } from '../../../src/entries/edge.ts';
import { graphqlJSExecutor } from '../../../src/entries/graphql-js.ts';
import { idempotency, memoryStore } from '../../../src/entries/idempotency.ts';
import { incrementalDelivery } from '../../../src/entries/incremental.ts';
import { createHandler } from '../../../src/entries/index.ts';
import type { ServerPlugin } from '../../../src/entries/index.ts';
import { limits } from '../../../src/entries/limits.ts';
import { mcp } from '../../../src/entries/mcp.ts';
import { openTelemetry } from '../../../src/entries/opentelemetry.ts';
import { sha256 } from '../../../src/shared/sha256.ts';
import { quiet } from '../../support/clock.ts';
import { recordingLogger } from '../../support/recording-logger.ts';

type Kind = 'query' | 'mutation' | 'subscription';
interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly accept?: string;
}

const query = '{ a { id } }';
const order = 'mutation Order { order { id } }';
const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'order', arguments: {} } };

/** The ways in which an operation reaches a server, each with what it sends. Without `Sent`, the handler is invoked directly. */
const doors: Readonly<Record<string, readonly [kind: Kind, body: unknown, sent?: Sent]>> = {
  POST: ['query', { query }, {}],
  'a mutation by POST': ['mutation', { query: order }, {}],
  GET: ['query', undefined, { method: 'GET', path: `?query=${encodeURIComponent(query)}` }],
  QUERY: ['query', { query }, { method: 'QUERY' }],
  'a batch': ['mutation', [{ query: order }], {}],
  'a trusted document': ['mutation', { documentId: 'order' }, {}],
  'a persisted query': ['query', { query, extensions: { persistedQuery: { version: 1, sha256Hash: sha256(query) } } }, {}],
  'a subscription': ['subscription', { query: 'subscription { ticks { id } }' }, { accept: 'text/event-stream' }],
  'an event stream with a query': ['query', { query }, { accept: 'text/event-stream' }],
  'an answer in parts': ['query', { query: '{ ... @defer { a { id } } }' }, { accept: 'multipart/mixed' }],
  'a tool of MCP': ['mutation', call, { path: 'mcp' }],
  'a direct invocation': ['mutation', { query: order }],
};

const typeDefs = 'type Query { a: Thing } type Mutation { order: Thing } type Subscription { ticks: Thing } type Thing { id: ID! }';

/** Sends the operation by a door to a server with these plugins. Returns the text of the answer, and the fields that have run. */
async function enter(door: string, plugins: readonly unknown[], isPlanned = true): Promise<{ text: string; runs: string[] }> {
  const runs: string[] = [];
  const run = (name: string) => (): object => ({ id: runs.push(name) });
  const handler = createHandler({
    nodeEnv: 'test',
    logger: recordingLogger()[0],
    typeDefs,
    resolvers: {
      Query: { a: run('query') },
      Mutation: { order: run('mutation') },
      Subscription: {
        ticks: {
          subscribe: async function* () {
            yield { ticks: run('subscription')() };
          },
        },
      },
    } as never,
    trustedDocuments: { documents: { order } },
    ...(isPlanned ? { incrementalDelivery: incrementalDelivery() } : { executor: graphqlJSExecutor() }),
    plugins: [
      mcp({ name: 'shop', version: '1', tools: { order: { document: 'order', description: 'Orders.' } } }),
      ...(plugins as ServerPlugin[]),
    ],
  });
  const [, body, sent] = doors[door]!;
  if (sent === undefined) return { text: JSON.stringify(await handler(body as never, {})), runs };
  const { method = 'POST', path = '', accept = 'application/json' } = sent;
  const init = { method, headers: { 'content-type': 'application/json', accept }, ...(method !== 'GET' && { body: JSON.stringify(body) }) };
  const response = await handler(new Request(`https://shop.example/${path}`, init), { waitUntil: () => {} });
  return { text: await response.text(), runs };
}

const everyone = { identity: () => 'everyone' };
const empty = { take: async () => ({ isTaken: false, untilFull: 1_000_000 }) };
const dear = { 'Query.a': 2, 'Mutation.order': 2, 'Subscription.ticks': 2 };

/** Extensions that refuse every operation, or every mutation, and the code of the refusal. */
const refusing: readonly (readonly [name: string, create: () => unknown, code: RegExp, onlyMutations?: true])[] = [
  ['budget', () => budget({ ...everyone, store: empty, whenStoreFails: 'refuse', capacity: 10, refillPerSecond: 1 }), /RATE_LIMITED/],
  ['limits', () => limits({ maxCost: 1, fields: dear }), /GRAPHQL_VALIDATION_FAILED/],
  ['idempotency', () => idempotency({ ...everyone, store: memoryStore(), required: true }), /IDEMPOTENCY_KEY_REQUIRED/, true],
];

for (const [name, create, code, onlyMutations] of refusing)
  describe(`what ${name} refuses does not run:`, () => {
    for (const [door, [kind]] of Object.entries(doors))
      for (const isPlanned of [true, false])
        // graphql-js runs operations without parts.
        if ((onlyMutations !== true || kind === 'mutation') && (isPlanned || door !== 'an answer in parts'))
          test(`by ${door}, ${isPlanned ? 'planned' : 'with graphql-js'}`, async () => {
            const { text, runs } = await enter(door, [create()], isPlanned);

            assert.match(text, code);
            assert.deepEqual(runs, []);
          });
  });

describe('costLine, openTelemetry, budget and edge see an operation once:', () => {
  for (const [door, [kind]] of Object.entries(doors))
    test(`by ${door}`, async (t) => {
      t.mock.timers.enable({ apis: ['setTimeout'] });
      const seen = { lines: [] as unknown[], points: [] as number[], purges: [] as string[] };
      const exporter = new InMemorySpanExporter();
      const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
      const take = async (_id: string, { cost }: { cost: number }) => (seen.points.push(cost / 1_000_000), { isTaken: true, untilFull: 1 });

      const { text, runs } = await enter(door, [
        costLine({ write: (_line, { type }) => void seen.lines.push(type) }),
        openTelemetry({ tracerProvider }),
        budget({ ...everyone, store: { take }, whenStoreFails: 'refuse', capacity: 10, refillPerSecond: 1 }),
        edge({ cdn: 'varnish', purge: async (tags) => void seen.purges.push(...tags.filter((tag) => tag.startsWith('e:'))) }),
      ]);

      await quiet();

      assert.doesNotMatch(text, /"errors"/);
      assert.deepEqual(runs, [kind]);
      const names = exporter.getFinishedSpans().map((span) => span.name);
      assert.deepEqual(names, [door === 'a tool of MCP' ? 'mcp mutation' : kind]);
      assert.deepEqual(seen, { lines: [kind], points: [2], purges: kind === 'mutation' ? ['e:Thing:1'] : [] });
    });
});
