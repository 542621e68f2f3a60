/** A plugin around all others that answers by `runOperation`, so that their stages `request` are not entered. */
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';

import { budget, memoryStore as points } from '../../../src/entries/budget.ts';
import { compression } from '../../../src/entries/compression.ts';
import { costLine } from '../../../src/entries/cost-line.ts';
import { edge } from '../../../src/entries/edge.ts';
import { createHandler } from '../../../src/entries/fetch.ts';
import { idempotency, memoryStore } from '../../../src/entries/idempotency.ts';
import { HeaderMap } from '../../../src/entries/index.ts';
import type { ServerPlugin } from '../../../src/entries/index.ts';
import { limits } from '../../../src/entries/limits.ts';
import { openTelemetry } from '../../../src/entries/opentelemetry.ts';
import { recordingLogger } from '../../support/recording-logger.ts';

const outermost: ServerPlugin = {
  position: 'first',
  onlyWatches: true,
  async request({ runOperation }) {
    const { result, errors } = await runOperation({ query: 'mutation { add }' });
    return { status: errors.length === 0 ? 200 : 500, headers: new HeaderMap(), body: JSON.stringify(result) };
  },
};

const all: Readonly<Record<string, () => ServerPlugin>> = {
  'budget()': () => budget({ store: points(), identity: () => 'a', capacity: 100, refillPerSecond: 1 }),
  'compression()': () => compression(),
  'costLine()': () => costLine(),
  'edge()': () => edge({ cdn: 'varnish', purge: async () => {} }),
  'idempotency()': () => idempotency({ store: memoryStore(), identity: () => 'a' }),
  'limits()': () => limits({ maxCost: 100 }),
  'openTelemetry()': () => openTelemetry(),
};

for (const [name, create] of [...Object.entries(all), ['all', undefined] as const])
  test(`runs its operation outside of ${name}`, async () => {
    const [logger, lines] = recordingLogger();
    const plugins = [outermost, ...(create === undefined ? Object.values(all).map((one) => one()) : [create()])];
    const handler = createHandler({
      typeDefs: 'type Query { a: Int } type Mutation { add: Int }',
      resolvers: { Mutation: { add: () => 1 } },
      nodeEnv: 'test',
      logger,
      plugins,
    });
    const headers = { 'content-type': 'application/json' };

    const response = await handler.fetch(new Request('https://api.example/', { method: 'POST', headers, body: '{}' }));

    deepEqual([response.status, await response.text()], [200, '{"data":{"add":1}}']);
    equal(lines.filter(({ level }) => level === 'error').length, 0);
  });
