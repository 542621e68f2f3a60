import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { TestContext } from 'node:test';

import { contracts } from '../../../src/tools/testing/results.ts';
import { post, postJSON } from '../../support/plain-http.ts';
import type { PlainRequest, PlainResponse } from '../../support/plain-http.ts';
import { chunkReader, parseParts } from '../../support/multipart.ts';
import { splitPrelude } from '../../support/response-stream.ts';
import { readResult } from '../../support/results.ts';
import { functionURL, restAPI } from '../../support/sources.ts';
import { eventReader, parseEvents, resultsOf } from '../../support/sse.ts';
import { testAnswers } from '../../support/real/answers.ts';
import { bundle, createFolder } from '../../support/real/bundle.ts';
import type { Folder } from '../../support/real/bundle.ts';
import { suiteContext } from '../../support/suite-context.ts';
import { fetchRuntimes, serveWorker } from '../../support/real/fetch-runtimes.ts';
import type { ServedModule } from '../../support/real/fetch-runtimes.ts';
import { startGateServer, startReportServer } from '../../support/real/loopback.ts';
import { deploy } from '../../support/real/lambda-function.ts';
import type { LambdaFunction, Outcome } from '../../support/real/lambda-function.ts';
import { needs } from '../../support/real/parts.ts';

const events = { headers: [['Accept', 'text/event-stream']] } satisfies Partial<PlainRequest>;
const parts = 'multipart/mixed;incrementalSpec=v0.2, application/json';
const multipart = { headers: [['Accept', parts]] } satisfies Partial<PlainRequest>;
const deferring = 'query ($gate: String!) { hello ... @defer { later(gate: $gate) } }';
const counting = 'subscription { count(to: 3) }';
const counted = [1, 2, 3].map((count) => ({ data: { count } }));

describe("createStreamingHandler in AWS's own runtime client", needs('aws-lambda-ric'), () => {
  const suite = suiteContext();
  let folder: Folder;
  let graphql: LambdaFunction;

  before(async () => {
    folder = await createFolder();
    suite.after(folder.remove);
    await bundle('test/support/real/functions/aws-lambda-stream.ts', `${folder.path}/graphql.mjs`, 'lambda-esm');
    graphql = await deploy(suite, { taskRoot: folder.path, handler: 'graphql.default' });
  });

  for (const { name, build, contract } of [
    { ...functionURL, contract: contracts.payloadV2 },
    { ...restAPI, contract: contracts.restAPI },
  ]) {
    const send = async (request: PlainRequest): Promise<PlainResponse> => {
      const { head, body } = streamed(await graphql.invoke(build(request)));
      return readResult(contract, { ...head, body });
    };

    describe(name, () => {
      testAnswers(send);

      test('a subscription is answered with its events', async () => {
        const response = await send(post({ query: counting }, events));

        assert.equal(response.headers.get('content-type'), 'text/event-stream; charset=utf-8');
        assert.deepEqual(resultsOf(response.body), counted);
        assert.deepEqual(parseEvents(response.body).at(-1), { event: 'complete', data: '' });
      });
    });
  }

  /** What a request streams. The gate opens once the text is sent. */
  const streamUntil = async (t: TestContext, text: string, query: string, accept: Partial<PlainRequest>): Promise<string> => {
    const gate = await startGateServer(t);
    let sent = '';
    const onChunk = (chunk: Buffer): void => {
      sent += chunk.toString();
      if (sent.includes(text)) gate.open();
    };
    const event = functionURL.build(post({ query, variables: { gate: gate.url } }, accept));
    return streamed(await graphql.invoke(event, { onChunk })).body;
  };

  test('an event is sent before the next arrives', async (t) => {
    const body = await streamUntil(t, 'before', 'subscription ($gate: String!) { gated(gate: $gate) }', events);

    assert.deepEqual(resultsOf(body), [{ data: { gated: 'before' } }, { data: { gated: 'behind' } }]);
  });

  test('the first part of an answer is sent before deferred data is ready', async (t) => {
    const body = await streamUntil(t, 'Hello, world!', deferring, multipart);

    assert.deepEqual(parseParts(body), [
      { data: { hello: 'Hello, world!' }, pending: [{ id: '0', path: [] }], hasNext: true },
      { hasNext: false, incremental: [{ id: '0', data: { later: 'at last' } }], completed: [{ id: '0' }] },
    ]);
  });

  test('a response of 20 MB is sent', async () => {
    const { body } = streamed(await graphql.invoke(functionURL.build(post({ query: '{ text(length: 20000000) }' }))));

    assert.equal(JSON.parse(body).data.text.length, 20_000_000);
  });

  test('work passed to waitUntil has ended when the process is frozen after the response', async (t) => {
    const frozen = await deploy(t, { taskRoot: folder.path, handler: 'graphql.default', freezes: true });

    await frozen.invoke(functionURL.build(post({ query: '{ work(milliseconds: 30) }' })));
    const { body } = streamed(await frozen.invoke(functionURL.build(post({ query: '{ worked }' }))));

    assert.deepEqual(JSON.parse(body).data, { worked: 1 });
  });

  test('an event that is not HTTP fails the invocation', async () => {
    const outcome = await graphql.invoke({ Records: [{ eventSource: 'aws:sqs', messageId: '1', body: '{}' }] });

    assert.ok(outcome.kind === 'streamed');
    assert.equal(outcome.failure, 'Error');
  });
});

for (const runtime of fetchRuntimes) {
  describe(`streams on ${runtime.name}`, needs(runtime.part), () => {
    const suite = suiteContext();
    let served: ServedModule;
    before(async () => {
      served = await serveWorker(suite, runtime, 'fetch.ts');
    });
    const subscribe = (query: string, variables: object): Promise<Response> =>
      postJSON(served.url, { query, variables }, { accept: 'text/event-stream' });

    test('an event is sent before the next arrives', async (t) => {
      const gate = await startGateServer(t);
      const reader = eventReader(await subscribe('subscription ($gate: String!) { gated(gate: $gate) }', { gate: gate.url }));

      assert.deepEqual(await reader.next(), { event: 'next', data: { data: { gated: 'before' } } });
      gate.open();
      assert.deepEqual(await reader.next(), { event: 'next', data: { data: { gated: 'behind' } } });
      assert.deepEqual(await reader.next(), { event: 'complete', data: '' });
    });

    test('the first part of an answer is sent before deferred data is ready', async (t) => {
      const gate = await startGateServer(t);
      const reader = chunkReader(await postJSON(served.url, { query: deferring, variables: { gate: gate.url } }, { accept: parts }));

      const first = await reader.next();
      gate.open();
      let rest = '';
      for (let chunk = await reader.next(); chunk !== undefined; chunk = await reader.next()) rest += chunk;

      assert.match(first!, /Hello, world!/);
      assert.deepEqual((parseParts(first! + rest).at(-1) as { incremental: unknown }).incremental, [
        { id: '0', data: { later: 'at last' } },
      ]);
    });

    test('a client that disconnects ends the source', async (t) => {
      const report = await startReportServer(t);
      const reader = eventReader(await subscribe('subscription ($report: String!) { endless(report: $report) }', { report: report.url }));
      await reader.next();

      await reader.leave();

      await report.received;
    });
  });
}

function streamed(outcome: Outcome): { head: Record<string, unknown>; body: string } {
  assert.ok(outcome.kind === 'streamed', JSON.stringify(outcome).slice(0, 500));
  assert.equal(outcome.contentType, 'application/vnd.awslambda.http-integration-response');
  assert.equal(outcome.failure, undefined);
  return splitPrelude(outcome.body.toString());
}
