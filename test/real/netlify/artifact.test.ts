import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import type { TestContext } from 'node:test';

import catalogue from '../../../functions/catalogue.ts';
import { netlifyEvent } from '../../support/events.ts';
import { json, post } from '../../support/plain-http.ts';
import type { PlainRequest, PlainResponse } from '../../support/plain-http.ts';
import { netlifyV1 } from '../../support/sources.ts';
import { resultsOf } from '../../support/sse.ts';
import { testAnswers } from '../../support/real/answers.ts';
import { createFolder } from '../../support/real/bundle.ts';
import type { Folder } from '../../support/real/bundle.ts';
import { startGateServer } from '../../support/real/gate-server.ts';
import { deploy } from '../../support/real/lambda-function.ts';
import type { Deployment, LambdaFunction } from '../../support/real/lambda-function.ts';
import { needs, pathInPart } from '../../support/real/parts.ts';
import type { Outcome } from '../../support/real/runtime-api.ts';
import { createProject } from './project.ts';

// Netlify deploys a Lambda function. For `export default` it adds a bootstrap, which streams every response.
describe("a function bundled by Netlify, in AWS's runtime client", needs('netlify-cli', 'aws-lambda-ric'), () => {
  let project: Folder;
  let artifacts: Folder;
  before(async () => {
    project = await createProject();
    // The folder is not within the project, whose package.json would determine the module type of the artifact's files.
    artifacts = await createFolder();
    await bundleFunctions(project.path, artifacts.path);
  });
  after(async () => {
    await project.remove();
    await artifacts.remove();
  });

  const artifact = (name: string, file: string): Deployment => ({ taskRoot: `${artifacts.path}/${name}`, handler: `${file}.handler` });
  const entryPoint = '___netlify-entry-point';

  describe('export const handler', () => {
    let v1: LambdaFunction;
    before(async () => {
      v1 = await deploy(artifact('v1', 'v1'));
      assert.equal(v1.initError, undefined, v1.log());
    });
    after(() => v1?.end());

    testAnswers(async (request) => netlifyV1.read(resultOf(await v1.invoke(netlifyEvent(request)))));
  });

  for (const name of ['v2', 'narrow']) {
    describe(`export default, in ${name}.ts`, () => {
      let v2: LambdaFunction;
      before(async () => {
        v2 = await deploy(artifact(name, entryPoint));
        assert.equal(v2.initError, undefined, v2.log());
      });
      after(() => v2?.end());

      testAnswers((request) => sendThrough(v2, request));
    });
  }

  test('work passed to waitUntil ends before the process is frozen', async (t) => {
    const frozen = await deployForTest(t, { ...artifact('v2', entryPoint), freezes: true });

    await sendThrough(frozen, post({ query: '{ work(milliseconds: 30) }' }));
    const response = await sendThrough(frozen, post({ query: '{ worked }' }));

    assert.deepEqual(json(response).data, { worked: 1 });
  });

  test('an event of a subscription is sent before the next arrives', async (t) => {
    const gate = await startGateServer(t);
    const v2 = await deployForTest(t, artifact('v2', entryPoint));
    let text = '';
    const onChunk = (chunk: Buffer): void => {
      text += chunk.toString();
      if (text.includes('before')) gate.open();
    };
    const query = 'subscription ($gate: String!) { gated(gate: $gate) }';
    const request = post({ query, variables: { gate: gate.url } }, { headers: [['accept', 'text/event-stream']] });

    const response = await sendThrough(v2, request, onChunk);

    assert.match(response.headers.get('content-type') ?? '', /^text\/event-stream/);
    assert.deepEqual(resultsOf(response.body), [{ data: { gated: 'before' } }, { data: { gated: 'behind' } }]);
  });

  test('the example reads from its catalogue', async (t) => {
    const environment = { CATALOGUE_URL: await startCatalogue(t) };
    const graphql = await deployForTest(t, { ...artifact('graphql', entryPoint), environment });

    const response = await sendThrough(graphql, post({ query: '{ book(id: "emma") { title author { name } } }' }));

    assert.deepEqual(json(response), { data: { book: { title: 'Emma', author: { name: 'Jane Austen' } } } });
  });
});

interface Bundler {
  zipFunctions(source: string, destination: string, options: object): Promise<unknown>;
}

async function bundleFunctions(project: string, artifacts: string): Promise<void> {
  const { zipFunctions } = (await import(pathInPart('netlify-cli', '@netlify/zip-it-and-ship-it/dist/main.js'))) as Bundler;
  await zipFunctions(`${project}/functions`, artifacts, {
    // Writes the content of the archives without packing it.
    archiveFormat: 'none',
    basePath: project,
    config: { '*': { nodeBundler: 'esbuild' } },
  });
}

async function deployForTest(t: TestContext, deployment: Deployment): Promise<LambdaFunction> {
  const deployed = await deploy(deployment);
  t.after(() => deployed.end());
  assert.equal(deployed.initError, undefined, deployed.log());
  return deployed;
}

function resultOf(outcome: Outcome): unknown {
  assert.ok(outcome.kind === 'result', JSON.stringify(outcome));
  return outcome.value;
}

async function sendThrough(
  deployed: LambdaFunction,
  request: PlainRequest,
  onChunk = (_chunk: Buffer): void => {},
): Promise<PlainResponse> {
  const outcome = await deployed.invoke(netlifyEvent(request), { onChunk });
  assert.ok(outcome.kind === 'streamed' && outcome.failure === undefined, JSON.stringify(outcome));
  assert.equal(outcome.contentType, 'application/vnd.awslambda.http-integration-response');

  const end = outcome.body.indexOf(Buffer.alloc(8));
  const { statusCode, multiValueHeaders } = JSON.parse(outcome.body.subarray(0, end).toString()) as Prelude;
  return {
    status: statusCode,
    headers: new Map(Object.entries(multiValueHeaders).map(([name, values]) => [name, values.join(', ')])),
    setCookies: multiValueHeaders['set-cookie'] ?? [],
    body: outcome.body.subarray(end + 8).toString(),
  };
}

/** The prelude of a streamed response, which ends with eight zero bytes. */
interface Prelude {
  readonly statusCode: number;
  readonly multiValueHeaders: Readonly<Record<string, readonly string[]>>;
}

async function startCatalogue(t: TestContext): Promise<string> {
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const found = await catalogue(new Request(`http://localhost${request.url}`));
  response.writeHead(found.status, Object.fromEntries(found.headers)).end(await found.text());
}
