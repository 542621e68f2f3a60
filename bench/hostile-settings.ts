/** The servers to which hostile requests are sent: with default options, and with extensions. */
import { NodeTracerProvider } from '@opentelemetry/sdk-trace-node';

import { authorization } from '../src/entries/authorization.ts';
import { budget, memoryStore as memoryOfPoints } from '../src/entries/budget.ts';
import { compression } from '../src/entries/compression.ts';
import { costLine } from '../src/entries/cost-line.ts';
import { cacheControlDefinitions, edge } from '../src/entries/edge.ts';
import { idempotency, memoryStore } from '../src/entries/idempotency.ts';
import { incrementalDelivery } from '../src/entries/incremental.ts';
import type { ServerPlugin } from '../src/entries/index.ts';
import { limits } from '../src/entries/limits.ts';
import { mcp } from '../src/entries/mcp.ts';
import { openTelemetry } from '../src/entries/opentelemetry.ts';
import { rest } from '../src/entries/rest.ts';
import { inlineTraces, subgraph } from '../src/entries/subgraph.ts';
import { documents, resolvers, typeDefs } from './hostile-requests.ts';

const plugins: Readonly<Record<string, () => ServerPlugin>> = {
  authorization: () => authorization({ claims: () => undefined }),
  budget: () => budget({ store: memoryOfPoints({ isOnlyProcess: true }), identity: () => 'one', capacity: 1e12, refillPerSecond: 1e12 }),
  compression: () => compression(),
  costLine: () => costLine({ write: () => {} }),
  edge: () => edge({ cdn: 'varnish', purge: async () => undefined }),
  idempotency: () => idempotency({ store: memoryStore({ isOnlyProcess: true }), identity: () => 'one' }),
  limits: () => limits({ maxCost: 1e9, pageLimits: { default: 20, max: 1_000_000 } }),
  mcp: () => mcp({ name: 'hostile', version: '1' }),
  openTelemetry: () => openTelemetry({ tracerProvider: new NodeTracerProvider() }),
  rest: () => rest(),
};

/** Names of extensions. */
export const extensions: readonly string[] = [...Object.keys(plugins), 'incrementalDelivery', 'subgraph'];

/** The options of a server with these extensions. */
export function serverWith(names: readonly string[]): object {
  const text = [...(names.includes('edge') ? [cacheControlDefinitions] : []), typeDefs];
  const options = {
    resolvers,
    nodeEnv: '',
    logger: { debug() {}, info() {}, warn() {}, error() {} },
    plugins: names.flatMap((name) => plugins[name]?.() ?? []),
    ...(names.includes('rest') && { trustedDocuments: { documents } }),
    ...(names.includes('incrementalDelivery') && { incrementalDelivery: incrementalDelivery() }),
  };
  if (!names.includes('subgraph')) return { ...options, typeDefs: text };
  const keyed = [...text, 'extend type Node @key(fields: "id")'];
  return subgraph({ ...options, typeDefs: keyed, traces: inlineTraces() } as never);
}
