import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';

import { build } from 'esbuild';

import { httpAPIEvent } from '../../support/events.ts';
import { post } from '../../support/plain-http.ts';
import { root } from '../../support/pages.ts';
import { createFolder } from '../../support/real/bundle.ts';
import { deploy } from '../../support/real/lambda-function.ts';
import { serveOnLoopback } from '../../support/real/loopback.ts';
import { needs, partNamed } from '../../support/real/parts.ts';

/** A query that calls two data sources. */
const lambdaFunction = `
  import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
  import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
  import { createHandler, RESTDataSource } from 'graphql-functions';
  import { openTelemetry } from 'graphql-functions/opentelemetry';
  class A extends RESTDataSource { baseURL = process.env.COLLECTOR + '/'; memoizeGetRequests = false; }
  class B extends A {}
  const exporter = new OTLPTraceExporter({ url: process.env.COLLECTOR + '/v1/traces' });
  const provider = new NodeTracerProvider({ spanProcessors: [new BatchSpanProcessor(exporter, { scheduledDelayMillis: 1e6 })] });
  provider.register();
  export const handler = createHandler({
    typeDefs: 'type Query { two: String }',
    dataSources: () => ({ a: new A(), b: new B() }),
    resolvers: {
      Query: { two: async (_, __, { dataSources: { a, b } }) => (await Promise.all([a.get('x'), b.get('y')]), 'two') },
    },
    plugins: [openTelemetry({ flush: () => provider.forceFlush() })],
  });
`;

const name = "in AWS's runtime client, frozen after each response, none of 1,002 OpenTelemetry spans is lost or arrives after the freeze";
test(name, needs('aws-lambda-ric', 'telemetry'), async (t) => {
  const folder = await createFolder();
  t.after(() => folder.remove());
  /** The spans received by OTLP. */
  const spans: { readonly name: string; readonly traceId: string }[] = [];
  const collector = await serveOnLoopback(t, async (request, response) => {
    const text = Buffer.concat(await request.toArray()).toString();
    if (request.url === '/v1/traces')
      for (const { scopeSpans } of JSON.parse(text).resourceSpans)
        spans.push(...scopeSpans.flatMap((scope: { spans: object[] }) => scope.spans));
    response.setHeader('content-type', 'application/json').end('{}');
  });
  await build({
    stdin: { contents: lambdaFunction, resolveDir: partNamed('telemetry').folder },
    outfile: join(folder.path, 'traced.cjs'),
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node22',
    logLevel: 'warning',
    tsconfigRaw: {},
    alias: {
      graphql: join(root, 'node_modules/graphql'),
      'graphql-functions/opentelemetry': join(root, 'dist/esm/opentelemetry.js'),
      'graphql-functions': join(root, 'dist/esm/index.js'),
    },
  });
  const environment = { COLLECTOR: collector, NODE_ENV: 'production' };
  const lambda = await deploy(t, { taskRoot: folder.path, handler: 'traced.handler', freezes: true, environment });
  const headers = [['traceparent', '00-5759e988bd862e3fe1be46a994272793-53995c3f42cd8ad8-01']] as const;
  const event = httpAPIEvent(post({ query: '{ two }' }, { headers }));
  const late: number[] = [];
  for (let nth = 1; nth <= 334; nth++) {
    const outcome = await lambda.invoke(event);
    assert.equal(outcome.kind, 'result');
    if (spans.length !== nth * 3) late.push(nth);
  }

  assert.deepEqual([spans.length, late], [1002, []]);
  const first = spans.slice(0, 3);
  assert.deepEqual(first.map(({ name }) => name).toSorted(), ['A GET', 'B GET', 'query']);
  assert.deepEqual([...new Set(first.map(({ traceId }) => traceId))], ['5759e988bd862e3fe1be46a994272793']);
});
