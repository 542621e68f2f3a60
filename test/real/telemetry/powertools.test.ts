import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import type { Socket } from 'node:dgram';
import { once } from 'node:events';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { httpAPIEvent } from '../../support/events.ts';
import { post } from '../../support/plain-http.ts';
import { createFolder } from '../bundle.ts';
import type { Folder } from '../bundle.ts';
import { deploy } from '../lambda-function.ts';
import { needs } from '../parts.ts';
import { startCollector } from './collector.ts';
import type { Collector } from './collector.ts';
import { bundleFunction, classes, options } from './functions.ts';

// The plugin is the one in docs/observability.md.
const source = `
  import { Logger } from '@aws-lambda-powertools/logger';
  import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
  import { Tracer } from '@aws-lambda-powertools/tracer';
  import { createHandler, RESTDataSource } from 'graphql-functions';
  const tracer = new Tracer({ serviceName: 'graphql' });
  const metrics = new Metrics({ namespace: 'Shop', serviceName: 'graphql' });
  const powertools = {
    operation: (call, next) =>
      tracer.provider.captureAsyncFunc('graphql', async (subsegment) => {
        const outcome = await next();
        subsegment?.addAnnotation('operation', outcome.operation?.name?.value ?? 'unnamed');
        for (const error of outcome.errors) subsegment?.addError(error.originalError ?? error);
        subsegment?.close();
        metrics.addMetric('errors', MetricUnit.Count, outcome.errors.length);
        return outcome;
      }),
    async request(call, next) {
      const response = await next();
      metrics.publishStoredMetrics();
      return response;
    },
  };
  ${classes}
  export const handler = createHandler({ ${options} logger: new Logger(), plugins: [powertools] });
`;

interface Segment {
  readonly id: string;
  readonly name: string;
  readonly trace_id?: string;
  readonly parent_id?: string;
  readonly annotations?: Readonly<Record<string, unknown>>;
  readonly cause?: { readonly exceptions: readonly { readonly message: string }[] };
}

/** Receives the packets that are sent to the daemon of X-Ray. */
async function startDaemon(): Promise<{ readonly address: string; readonly segments: Segment[]; readonly socket: Socket }> {
  const segments: Segment[] = [];
  const socket = createSocket('udp4', (message) => void segments.push(JSON.parse(message.toString().split('\n')[1]!) as Segment));
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return { address: `127.0.0.1:${socket.address().port}`, segments, socket };
}

describe("Powertools for AWS in AWS's runtime client, frozen after each response", needs('aws-lambda-ric', 'powertools'), () => {
  let folder: Folder;
  let collector: Collector;

  before(async () => {
    folder = await createFolder();
    collector = await startCollector();
    await bundleFunction(source, { part: 'powertools', outfile: join(folder.path, 'powertools.cjs') });
  });
  after(async () => {
    collector.close();
    await folder.remove();
  });

  test('X-Ray gets a subsegment of each operation, with its calls below; metrics and errors are log lines', async () => {
    const daemon = await startDaemon();
    const environment = { COLLECTOR: collector.url, NODE_ENV: 'production', AWS_XRAY_DAEMON_ADDRESS: daemon.address };
    const lambda = await deploy({ taskRoot: folder.path, handler: 'powertools.handler', freezes: true, environment });
    const root = '1-5759e988-bd862e3fe1be46a994272793';
    try {
      const traceId = `Root=${root};Parent=53995c3f42cd8ad8;Sampled=1`;
      for (const query of ['query Both { two }', 'query Broken { broken }'])
        await lambda.invoke(httpAPIEvent(post({ query })), { traceId });
    } finally {
      await lambda.end();
      daemon.socket.close();
    }

    const [both, broken] = daemon.segments.filter(({ name }) => name === 'graphql');
    assert.deepEqual([both!.trace_id, both!.parent_id, both!.annotations], [root, '53995c3f42cd8ad8', { operation: 'Both' }]);
    const below = daemon.segments.filter(({ parent_id }) => parent_id === both!.id);
    assert.deepEqual(
      below.map(({ name }) => name),
      ['127.0.0.1', '127.0.0.1'],
    );
    assert.equal(broken!.cause!.exceptions[0]!.message, 'the password is 1234');
    const lines = lambda
      .log()
      .split('\n')
      .flatMap((line) => (line.startsWith('{') ? [JSON.parse(line) as Record<string, unknown>] : []));
    assert.deepEqual(
      lines.flatMap((line) => ('_aws' in line ? [line['errors']] : [])),
      [0, 1],
    );
    assert.ok(lines.some(({ level, message }) => level === 'ERROR' && String(message).startsWith('Unexpected error')));
  });
});
