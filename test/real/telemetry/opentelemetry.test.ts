import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { httpAPIEvent } from '../../support/events.ts';
import { post } from '../../support/plain-http.ts';
import { createFolder } from '../../support/real/bundle.ts';
import type { Folder } from '../../support/real/bundle.ts';
import { deploy } from '../../support/real/lambda-function.ts';
import { needs } from '../../support/real/parts.ts';
import { spansIn, startCollector } from './collector.ts';
import type { Collector } from './collector.ts';
import { bundleFunction, classes, options } from './functions.ts';

const lambdaFunction = `
  import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
  import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
  import { createHandler, RESTDataSource } from 'graphql-functions';
  import { openTelemetry } from 'graphql-functions/opentelemetry';
  const exporter = new OTLPTraceExporter({ url: process.env.COLLECTOR + '/v1/traces' });
  const provider = new NodeTracerProvider({ spanProcessors: [new BatchSpanProcessor(exporter, { scheduledDelayMillis: 1e6 })] });
  provider.register();
  ${classes}
  export const handler = createHandler({ ${options}
    plugins: [openTelemetry({ flush: () => provider.forceFlush() })],
  });
`;

describe("telemetry in AWS's runtime client, frozen after each response", needs('aws-lambda-ric', 'telemetry'), () => {
  let folder: Folder;
  let collector: Collector;

  before(async () => {
    folder = await createFolder();
    collector = await startCollector();
    await bundleFunction(lambdaFunction, { part: 'telemetry', outfile: join(folder.path, 'traced.cjs') });
  });
  after(async () => {
    collector.close();
    await folder.remove();
  });

  const start = (handler: string) =>
    deploy({ taskRoot: folder.path, handler, freezes: true, environment: { COLLECTOR: collector.url, NODE_ENV: 'production' } });
  const headers = [['traceparent', '00-5759e988bd862e3fe1be46a994272793-53995c3f42cd8ad8-01']] as const;
  const event = (query: string) => httpAPIEvent(post({ query }, { headers }));

  test('none of 1,002 OpenTelemetry spans is lost or arrives after the freeze', async () => {
    const lambda = await start('traced.handler');
    const late: number[] = [];
    try {
      for (let nth = 1; nth <= 334; nth++) {
        const outcome = await lambda.invoke(event('{ two }'));
        assert.equal(outcome.kind, 'result');
        if (spansIn(collector).length !== nth * 3) late.push(nth);
      }
    } finally {
      await lambda.end();
    }

    assert.deepEqual([spansIn(collector).length, late], [1002, []]);
    const first = spansIn(collector).slice(0, 3);
    assert.deepEqual(first.map(({ name }) => name).toSorted(), ['A GET', 'B GET', 'query']);
    assert.deepEqual([...new Set(first.map(({ traceId }) => traceId))], ['5759e988bd862e3fe1be46a994272793']);
  });
});
