import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { TestContext } from 'node:test';

import { build } from 'esbuild';

import { functionBundle } from '../../support/function-bundle.ts';
import { writeCodeCache } from '../../../src/tools/cli/build/code-cache.ts';
import { json, post } from '../../support/plain-http.ts';
import type { PlainRequest, PlainResponse } from '../../support/plain-http.ts';
import { alb, albMulti, functionURL, httpAPI, httpAPIv1, lambdaSources } from '../../support/sources.ts';
import type { Source } from '../../support/sources.ts';
import { testAnswers } from '../../support/real/answers.ts';
import { bundle, createFolder } from '../../support/real/bundle.ts';
import type { Folder } from '../../support/real/bundle.ts';
import { deploy, resultOf } from '../../support/real/lambda-function.ts';
import { suiteContext } from '../../support/suite-context.ts';
import type { Deployment, LambdaFunction } from '../../support/real/lambda-function.ts';
import { needs, partNamed } from '../../support/real/parts.ts';

describe("AWS's own runtime client", needs('aws-lambda-ric'), () => {
  const suite = suiteContext();
  let folder: Folder;
  let graphql: LambdaFunction;

  before(async () => {
    folder = await createFolder();
    suite.after(folder.remove);
    await bundle('test/support/real/functions/universal.ts', `${folder.path}/graphql.mjs`, 'lambda-esm');
    graphql = await deploy(suite, { taskRoot: folder.path, handler: 'graphql.default' });
  });

  for (const source of lambdaSources) {
    describe(source.name, () => testAnswers((request) => sendThrough(graphql, source, request), source.losses));
  }

  test('an event of no known source is a function error that names its keys', async () => {
    const outcome = await graphql.invoke({ Records: [{ eventSource: 'aws:sqs', messageId: '1', body: '{ "query": "{ hello }" }' }] });

    assert.ok(outcome.kind === 'error');
    assert.equal(outcome.errorType, 'Error');
    assert.match(outcome.errorMessage, /got an object with the keys Records\./);
  });

  test("the context function gets the invocation's context: id, trace, remaining time", async () => {
    const traceId = 'Root=1-5bef4de7-ad49b0e87f6ef6c87fc2e700;Parent=9a9197af755a6419;Sampled=1';
    const query = '{ platform { functionName requestId remainingTime traceId } }';
    const event = httpAPI.build(post({ query }));
    const { platform } = json(await httpAPI.read(resultOf(await graphql.invoke(event, { traceId })))).data;

    assert.equal(platform.functionName, 'graphql');
    assert.match(platform.requestId, /^8476a536-/);
    assert.equal(platform.traceId, traceId);
    assert.ok(platform.remainingTime > 0 && platform.remainingTime <= 10_000, `${platform.remainingTime} ms are left`);
  });

  test('64 concurrent events in one thread of a Managed Instance are isolated', async (t) => {
    const environment = { AWS_LAMBDA_MAX_CONCURRENCY: '64', AWS_LAMBDA_NODEJS_WORKER_COUNT: '1' };
    const concurrent = await deploy(t, { taskRoot: folder.path, handler: 'graphql.default', environment });
    const names = Array.from({ length: 64 }, (_, index) => `name ${index}`);
    const query = '{ calls header(name: "x-name") headerLater(name: "x-name") }';

    const answers = await Promise.all(
      names.map(async (name, index) => {
        const request = post({ query }, { headers: [['x-name', name]] });
        return json(await sendThrough(concurrent, lambdaSources[index % lambdaSources.length]!, request)).data;
      }),
    );

    for (const [index, name] of names.entries()) assert.deepEqual([answers[index].header, answers[index].headerLater], [name, name]);
    assert.equal(Math.max(...answers.map(({ calls }) => calls)), 64);
    assert.ok(concurrent.mostAtOnce() > 1, 'the client has taken one event after the other');
  });

  test('work passed to waitUntil has ended when the process is frozen after the response', async (t) => {
    const frozen = await deploy(t, { taskRoot: folder.path, handler: 'graphql.default', freezes: true });

    await sendThrough(frozen, httpAPI, post({ query: '{ work(milliseconds: 30) }' }));
    const response = await sendThrough(frozen, httpAPI, post({ query: '{ worked }' }));

    assert.deepEqual(json(response).data, { worked: 1 });
  });
});

describe("the forms in which AWS's runtime client loads a function", needs('aws-lambda-ric'), () => {
  let folder: Folder;

  before(async () => {
    folder = await createFolder();
    await folder.install();
  });
  after(() => folder.remove());

  const options = `{ typeDefs: 'type Query { hello: String }', resolvers: { Query: { hello: () => 'world' } } }`;
  const cachedFunction = `import { createHandler } from 'graphql-functions/aws-lambda';\nexport default createHandler(${options});`;

  /** Each writes a function below the folder, and names its handler. */
  const forms: Readonly<Record<string, () => Promise<Deployment>>> = {
    'a bundle in ESM': async () => {
      await bundle('test/support/real/functions/aws-lambda.ts', `${folder.path}/esm/graphql.mjs`, 'lambda-esm');
      return { taskRoot: `${folder.path}/esm`, handler: 'graphql.default' };
    },
    'a bundle in CommonJS': async () => {
      await bundle('test/support/real/functions/universal.ts', `${folder.path}/cjs/graphql.js`, 'lambda-cjs');
      return { taskRoot: `${folder.path}/cjs`, handler: 'graphql.handler' };
    },
    'the folder that `build` writes for a default export': async () => {
      const file = await folder.write('functions/graphql.mjs', cachedFunction);
      const taskRoot = `${folder.path}/code-cache`;
      await writeCodeCache({ file, folder: taskRoot, flags: ['--expose-gc'] });
      return { taskRoot, handler: 'index.handler' };
    },
    ...Object.fromEntries(
      ['graphql-functions', 'graphql-functions/aws-lambda'].map((entry) => [
        `require('${entry}') next to the package, with require() of ES modules turned off`,
        async () => {
          const name = `required-${entry.length}`;
          await folder.write(`${name}.cjs`, `const { createHandler } = require('${entry}');\nexports.handler = createHandler(${options});`);
          return { taskRoot: folder.path, handler: `${name}.handler` };
        },
      ]),
    ),
  };
  for (const [name, write] of Object.entries(forms)) test(name, async (t) => assertAnswers(t, await write()));

  for (const [name, part] of [
    ['redis', 'recipes'],
    ['@opentelemetry/exporter-trace-otlp-http', 'telemetry'],
  ] as const)
    test(`a bundle with ${name}, made with the options of the pages`, needs(part), async (t) => {
      const taskRoot = `${folder.path}/with-${part}`;
      await folder.write('packages.mjs', `import * as dependency from '${name}';\n${cachedFunction}\nexport { dependency };`);
      await build({
        ...functionBundle,
        entryPoints: [`${folder.path}/packages.mjs`],
        outfile: `${taskRoot}/graphql.mjs`,
        nodePaths: [join(partNamed(part).folder, 'node_modules')],
        minify: true,
        logLevel: 'warning',
      });

      await assertAnswers(t, { taskRoot, handler: 'graphql.default' });
    });

  test('a resolver that never settles is abandoned before the invocation times out', async (t) => {
    await folder.write(
      'never.mjs',
      `import { createHandler } from 'graphql-functions/aws-lambda';
       export const handler = createHandler({
         typeDefs: 'type Query { hello: String never: String }',
         resolvers: { Query: { hello: () => 'world', never: () => new Promise(() => {}) } },
       });`,
    );
    const deployed = await deploy(t, { taskRoot: folder.path, handler: 'never.handler', timeout: 1000 });

    const response = await sendThrough(deployed, httpAPI, post({ query: '{ hello never }' }));

    assert.deepEqual(json(response).data, { hello: 'world', never: null });
    assert.equal(json(response).errors[0].extensions.code, 'DEADLINE_EXCEEDED');
  });

  test('an answer of 7 MB is sent if it is compressed, and refused if it is not', async (t) => {
    await folder.write(
      'compressed.mjs',
      `import { createHandler } from 'graphql-functions/aws-lambda';
       import { compression } from 'graphql-functions/compression';
       export const handler = createHandler({
         typeDefs: 'type Query { text: String }',
         rootValue: { text: 'some text '.repeat(700_000) },
         plugins: [compression()],
       });`,
    );
    const deployed = await deploy(t, { taskRoot: folder.path, handler: 'compressed.handler' });

    for (const source of [httpAPI, functionURL, httpAPIv1, alb, albMulti]) {
      for (const coding of ['br', 'gzip']) {
        const response = await sendThrough(deployed, source, post({ query: '{ text }' }, { headers: [['Accept-Encoding', coding]] }));

        assert.equal(response.headers.get('content-encoding'), coding, source.name);
        assert.equal(json(response).data.text.length, 7_000_000);
      }
      const refused = await sendThrough(deployed, source, post({ query: '{ text }' }));
      assert.match(json(refused).errors[0].message, /bytes/);
    }
  });

  test('a wrong option fails the init with a message that names it', async (t) => {
    await folder.write(
      'wrong.mjs',
      `import { createHandler } from 'graphql-functions';\nexport const handler = createHandler({ ...${options}, playground: true });`,
    );
    const { initError } = await deploy(t, { taskRoot: folder.path, handler: 'wrong.handler', mayFail: true });

    assert.ok(initError?.kind === 'error');
    assert.match(initError.errorMessage, /Unknown option "playground"/);
  });
});

async function assertAnswers(t: TestContext, deployment: Deployment): Promise<void> {
  const deployed = await deploy(t, deployment);

  const response = await sendThrough(deployed, httpAPI, post({ query: '{ __typename hello }' }));

  assert.equal(response.status, 200);
  assert.equal(json(response).data.__typename, 'Query');
  assert.match(json(response).data.hello, /world/);
}

async function sendThrough(deployed: LambdaFunction, { build, read }: Source, request: PlainRequest): Promise<PlainResponse> {
  return read(resultOf(await deployed.invoke(build(request))));
}
