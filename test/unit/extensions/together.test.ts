import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { propagation } from '@opentelemetry/api';
import { GraphQLError } from 'graphql';

import type { ServerPlugin } from '../../../src/entries/index.ts';
import { mcp } from '../../../src/entries/mcp.ts';
import { openTelemetry } from '../../../src/entries/opentelemetry.ts';
import { edgeServing } from '../../support/edge/serving.ts';
import { serveTools } from '../../support/mcp-serving.ts';
import { exporter } from '../../support/spans.ts';

// What test/contract/generated/extensions/crossings.test.ts does not cross.

describe('openTelemetry and edge', () => {
  const typeDefs = 'type Query { user: String @cacheControl(maxAge: 60) }';
  const resolvers = { Query: { user: () => propagation.getActiveBaggage()?.getEntry('user')?.value ?? 'none' } };
  const traceId = '0af7651916cd43dd8448eb211c80319c';
  const traced = { traceparent: `00-${traceId}-b7ad6b7169203331-01`, tracestate: 'a=1' };

  for (const [what, headers, user, control] of [
    ['is public, though its trace is that of the client', traced, 'none', 'public'],
    ['with baggage, which resolvers can read, is private', { ...traced, baggage: 'user=ada' }, 'ada', 'private'],
  ] as const)
    test(`an answer ${what}`, async () => {
      exporter.reset();
      const { get } = edgeServing({ server: { typeDefs, resolvers, plugins: [openTelemetry()] } });

      const response = await get('{ user }', { headers });

      assert.deepEqual(await response.json(), { data: { user } });
      assert.equal(response.headers.get('cache-control')?.split(',')[0], control);
      assert.equal(exporter.getFinishedSpans()[0]?.spanContext().traceId, traceId);
    });
});

describe('mcp and a plugin that refuses requests', () => {
  const refusing: ServerPlugin = {
    async request() {
      throw new GraphQLError('Too many requests.', { extensions: { http: { status: 429 } } });
    },
  };

  for (const isFirst of [true, false])
    test(`no tool runs, with mcp listed ${isFirst ? 'first' : 'last'}`, async () => {
      const tools = mcp({ name: 'a', version: '1' });
      const { post, runs } = serveTools({}, { plugins: isFirst ? [tools, refusing] : [refusing, tools] });
      const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'get_book', arguments: { id: '1' } } };

      assert.equal((await post(call)).status, 429);
      assert.deepEqual(runs, []);
    });
});
