import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { httpAPIEvent } from '../../support/events.ts';
import { post } from '../../support/plain-http.ts';
import { createFolder } from '../bundle.ts';
import type { Folder } from '../bundle.ts';
import { deploy } from '../lambda-function.ts';
import { needs, partNamed } from '../parts.ts';
import { spansIn, startCollector } from './collector.ts';
import type { Collector, ExportedSpan } from './collector.ts';
import { bundleFunction, classes, options } from './functions.ts';

// ADOT's layer works in this way: a wrapper that is loaded first registers the SDK with X-Ray's propagator and ids, and
// instruments the handler. The function uses only the API, and flushes the provider that is registered there.
const wrapper = `
  import { createRequire, register } from 'node:module';
  import { pathToFileURL } from 'node:url';
  const require = createRequire(process.env.LAYER + '/layer.js');
  register(pathToFileURL(require.resolve('import-in-the-middle/hook.mjs')));
  const { OTLPTraceExporter } = require('@opentelemetry/exporter-trace-otlp-http');
  const { AWSXRayIdGenerator } = require('@opentelemetry/id-generator-aws-xray');
  const { registerInstrumentations } = require('@opentelemetry/instrumentation');
  const { AwsLambdaInstrumentation } = require('@opentelemetry/instrumentation-aws-lambda');
  const { AWSXRayLambdaPropagator } = require('@opentelemetry/propagator-aws-xray-lambda');
  const { BatchSpanProcessor, NodeTracerProvider } = require('@opentelemetry/sdk-trace-node');
  const exporter = new OTLPTraceExporter({ url: process.env.COLLECTOR + '/v1/traces' });
  const provider = new NodeTracerProvider({ idGenerator: new AWSXRayIdGenerator(), spanProcessors: [new BatchSpanProcessor(exporter)] });
  provider.register({ propagator: new AWSXRayLambdaPropagator() });
  registerInstrumentations({ tracerProvider: provider, instrumentations: [new AwsLambdaInstrumentation()] });
`;

const source = `
  import { createHandler, RESTDataSource } from 'graphql-functions';
  import { openTelemetry } from 'graphql-functions/opentelemetry';
  ${classes}
  export const handler = createHandler({ ${options} plugins: [openTelemetry()] });
`;

describe("the shape of ADOT's layer in AWS's runtime client, frozen after each response", needs('aws-lambda-ric', 'adot'), () => {
  let folder: Folder;
  let collector: Collector;

  before(async () => {
    folder = await createFolder();
    collector = await startCollector();
    await writeFile(join(folder.path, 'wrapper.mjs'), wrapper);
    await bundleFunction(source, { part: 'adot', outfile: join(folder.path, 'function.js') });
  });
  after(async () => {
    collector.close();
    await folder.remove();
  });

  test('operations are children of the function’s span, in the trace that Lambda started', async () => {
    const lambda = await deploy({
      taskRoot: folder.path,
      handler: 'function.handler',
      freezes: true,
      environment: {
        COLLECTOR: collector.url,
        NODE_ENV: 'production',
        LAYER: partNamed('adot').folder,
        NODE_OPTIONS: `--import ${join(folder.path, 'wrapper.mjs')}`,
      },
    });
    try {
      const traceId = 'Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1';
      for (let nth = 0; nth < 20; nth++) await lambda.invoke(httpAPIEvent(post({ query: 'query Both { two }' })), { traceId });
    } finally {
      await lambda.end();
    }

    const spans = spansIn(collector);
    assert.equal(spans.length, 80);
    const { function: ofFunction, operation, calls } = oneInvocation(spans);
    assert.equal(ofFunction!.parentSpanId, '53995c3f42cd8ad8');
    assert.equal(operation!.parentSpanId, ofFunction!.spanId);
    assert.deepEqual(
      calls.map(({ name, parentSpanId }) => [name, parentSpanId]),
      [
        ['A GET', operation!.spanId],
        ['B GET', operation!.spanId],
      ],
    );
    assert.ok(ofFunction!.attributes.some(({ key, value }) => key === 'graphql.operation.name' && value.stringValue === 'Both'));
  });
});

function oneInvocation(spans: readonly ExportedSpan[]): {
  readonly function: ExportedSpan | undefined;
  readonly operation: ExportedSpan | undefined;
  readonly calls: readonly ExportedSpan[];
} {
  const operation = spans.find(({ name }) => name === 'query');
  return {
    function: spans.find(({ spanId }) => spanId === operation?.parentSpanId),
    operation,
    calls: spans.filter(({ parentSpanId }) => parentSpanId === operation?.spanId).toSorted((a, b) => (a.name < b.name ? -1 : 1)),
  };
}
