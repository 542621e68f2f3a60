import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { httpAPIEvent } from '../../support/events.ts';
import { post } from '../../support/plain-http.ts';
import { createFolder } from '../bundle.ts';
import type { Folder } from '../bundle.ts';
import { deploy } from '../lambda-function.ts';
import type { LambdaFunction } from '../lambda-function.ts';
import { needs, partNamed } from '../parts.ts';
import { startCollector } from './collector.ts';
import type { Collector } from './collector.ts';
import { bundleFunction, classes, options } from './functions.ts';

// Datadog's layer installs dd-trace next to the function, and its wrapper starts dd-trace first.
const source = `
  const tracer = require('dd-trace').init();
  const { createHandler, RESTDataSource } = require('graphql-functions');
  const { openTelemetry } = require('graphql-functions/opentelemetry');
  const provider = new tracer.TracerProvider();
  provider.register();
  ${classes}
  exports.handler = createHandler({ ${options}
    plugins: [openTelemetry({ errorMessages: true, flush: () => provider.forceFlush() })],
  });
`;

interface DatadogSpan {
  readonly name: string;
  readonly span_id: string;
  readonly parent_id: string;
  readonly error: number;
  readonly meta: Readonly<Record<string, string>>;
}

describe("dd-trace in AWS's runtime client, frozen after each response", needs('aws-lambda-ric', 'datadog'), () => {
  let folder: Folder;
  let collector: Collector;

  before(async () => {
    folder = await createFolder();
    collector = await startCollector();
    await bundleFunction(source, { part: 'datadog', outfile: join(folder.path, 'datadog.cjs'), external: ['dd-trace'] });
  });
  after(async () => {
    collector.close();
    await folder.remove();
  });

  const start = (environment: Readonly<Record<string, string>> = {}): Promise<LambdaFunction> =>
    deploy({
      taskRoot: folder.path,
      handler: 'datadog.handler',
      freezes: true,
      environment: {
        COLLECTOR: collector.url,
        NODE_ENV: 'production',
        NODE_PATH: join(partNamed('datadog').folder, 'node_modules'),
        DD_INSTRUMENTATION_TELEMETRY_ENABLED: 'false',
        DD_REMOTE_CONFIGURATION_ENABLED: 'false',
        ...environment,
      },
    });
  const ask = (lambda: LambdaFunction, query: string): Promise<unknown> => lambda.invoke(httpAPIEvent(post({ query })));

  test('its log, which the Forwarder reads, has the spans of every operation and of its calls', async () => {
    const lambda = await start();
    try {
      for (let nth = 0; nth < 20; nth++) await ask(lambda, 'query Both { two }');
      await ask(lambda, '{ broken }');
    } finally {
      await lambda.end();
    }

    const spans = spansInLog(lambda.log());
    const operations = spans.filter(({ name }) => name === 'query');
    assert.equal(operations.length, 21);
    const [first] = operations;
    assert.equal(first!.meta['graphql.operation.name'], 'Both');
    assert.deepEqual(
      spans
        .filter(({ parent_id }) => parent_id === first!.span_id)
        .map(({ name }) => name)
        .toSorted(),
      ['A GET', 'B GET'],
    );
    assert.deepEqual([operations.at(-1)!.error, operations.at(-1)!.meta['error.message']], [1, 'the password is 1234']);
  });

  test('its extension receives the spans, if it is installed', async () => {
    const lambda = await start({ DD_TRACE_EXPERIMENTAL_EXPORTER: 'agent', DD_TRACE_AGENT_URL: collector.url });
    try {
      for (let nth = 0; nth < 5; nth++) await ask(lambda, 'query Both { two }');
    } finally {
      await lambda.end();
    }

    const sent = collector.bodies.filter(({ path }) => path.endsWith('/traces')).map(({ text }) => text);
    for (const name of ['query', 'A GET', 'B GET', 'graphql.operation.name']) assert.ok(sent.join('').includes(name), name);
  });
});

/** Lines in the format that the Forwarder reads as traces. */
function spansInLog(log: string): DatadogSpan[] {
  return log
    .split('\n')
    .filter((line) => line.includes('{"traces":['))
    .flatMap((line) => (JSON.parse(line.slice(line.indexOf('{"traces"'))) as { traces: DatadogSpan[][] }).traces)
    .flat();
}
