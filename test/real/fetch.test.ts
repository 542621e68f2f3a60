import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { TestContext } from 'node:test';

import { bundle, createFolder } from './bundle.ts';
import type { Folder } from './bundle.ts';
import { bun, deno, fetchRuntimes, workerd } from './fetch-runtimes.ts';
import type { FetchRuntime, ServedModule } from './fetch-runtimes.ts';
import { needs } from './parts.ts';
import { startReportServer } from './report-server.ts';

for (const runtime of fetchRuntimes) {
  describe(runtime.name, needs(runtime.part), () => {
    for (const entry of ['fetch.ts', 'universal-fetch.ts']) {
      describe(`export default { fetch }, bundled from ${entry}`, () => {
        let folder: Folder;
        let served: ServedModule;

        before(async () => {
          folder = await createFolder();
          await bundle(entry, `${folder.path}/worker.mjs`, 'worker');
          served = await runtime.serve(folder.path);
        });
        after(async () => {
          await served?.program.end();
          await folder.remove();
        });

        const post = (body: unknown): Promise<Response> => postTo(served.url, body);

        test('a POST is answered', async () => {
          const response = await post({ query: 'query ($name: String) { hello(name: $name) }', variables: { name: 'Ada' } });

          assert.equal(response.status, 200);
          assert.match(response.headers.get('content-type') ?? '', /^application\/json/);
          assert.deepEqual(await response.json(), { data: { hello: 'Hello, Ada!' } });
        });

        test('a GET is answered, with every character of its query', async () => {
          const parameters = new URLSearchParams({
            query: 'query ($name: String) { hello(name: $name) }',
            variables: '{"name":"50 % + 1 & ü 🦉"}',
          });
          const response = await fetch(`${served.url}?${parameters.toString()}`, { headers: { 'vendor-require-preflight': '1' } });

          assert.deepEqual(await response.json(), { data: { hello: 'Hello, 50 % + 1 & ü 🦉!' } });
        });

        test('a batch is answered with an array in the same order', async () => {
          const response = await post([{ query: '{ hello(name: "1") }' }, { query: 'mutation { echo(text: "שלום 🦉") }' }]);

          assert.deepEqual(await response.json(), [{ data: { hello: 'Hello, 1!' } }, { data: { echo: 'שלום 🦉' } }]);
        });

        test('two cookies stay two', async () => {
          const cookies = ['a=1; Path=/; HttpOnly', 'b=2; Expires=Wed, 21 Oct 2026 07:28:00 GMT'];
          const response = await post({
            query: 'query ($values: [String!]!) { cookies(values: $values) }',
            variables: { values: cookies },
          });

          assert.deepEqual(response.headers.getSetCookie(), cookies);
          await response.body?.cancel();
        });

        test('health checks, OPTIONS and HEAD are answered', async () => {
          const health = await fetch(`${served.url}/health`);
          const options = await fetch(served.url, { method: 'OPTIONS' });
          const head = await fetch(served.url, { method: 'HEAD' });

          assert.deepEqual([health.status, options.status, head.status], [200, 204, 405]);
          assert.deepEqual(await health.json(), { status: 'pass' });
          assert.deepEqual([await options.text(), await head.text()], ['', '']);
        });

        test('a body over the limit is refused with an answer', async () => {
          const response = await post({ query: '{ hello }', variables: { padding: 'x'.repeat(2 ** 20) } });

          assert.equal(response.status, 413);
          assert.equal((await errorsOf(response)).length, 1);
        });

        test('an unexpected error is masked, since nothing says that this is development', async () => {
          const response = await post({ query: '{ fails }' });

          assert.equal((await errorsOf(response))[0].message, 'Internal server error');
        });

        test('work that outlasts the answer is done', async (t) => {
          const report = await startReportServer(t);
          const work = `query ($report: String) { work(milliseconds: 20, report: $report) }`;

          const response = await post({ query: work, variables: { report: report.url } });

          assert.deepEqual(await response.json(), { data: { work: true } });
          await report.received;
        });

        test('the context function gets what the platform has', async () => {
          const response = await post({ query: '{ platform { hasContext hasProcess } }' });

          assert.deepEqual(await response.json(), { data: { platform: { hasContext: true, hasProcess: runtime.hasProcess } } });
        });
      });
    }
  });
}

describe('the handler itself as the default export: a function that has a fetch property', () => {
  for (const runtime of [deno, bun]) {
    test(`is served by ${runtime.name}`, needs(runtime.part), async (t) => {
      const served = await serveForTest(t, runtime, (folder) => bundle('fetch-function.ts', `${folder.path}/worker.mjs`, 'worker'));
      const response = await postTo(served.url, { query: '{ hello }' });

      assert.deepEqual(await response.json(), { data: { hello: 'Hello, world!' } });
    });
  }

  test('is not served by workerd, which takes a function for a class', needs('workerd'), async (t) => {
    const served = await serveForTest(t, workerd, (folder) => bundle('fetch-function.ts', `${folder.path}/worker.mjs`, 'worker'));

    await assert.rejects(postTo(served.url, { query: '{ hello }' }));
    assert.match(served.program.output(), /Exported actor class as default entrypoint/);
  });
});

describe('the package in node_modules, without a bundler', () => {
  for (const runtime of [deno, bun]) {
    test(`is served by ${runtime.name}`, needs(runtime.part), async (t) => {
      const served = await serveForTest(t, runtime, async (folder) => {
        await folder.install('graphql-functions', 'graphql');
        await folder.write('package.json', '{ "type": "module" }');
        await folder.write('worker.mjs', moduleBesideThePackage);
      });
      const response = await postTo(served.url, { query: '{ hello }' });

      assert.deepEqual(await response.json(), { data: { hello: 'world' } });
    });
  }

  const moduleBesideThePackage = `
    import { createHandler } from 'graphql-functions/fetch';
    const { fetch } = createHandler({ typeDefs: 'type Query { hello: String }', resolvers: { Query: { hello: () => 'world' } } });
    export default { fetch };`;
});

async function serveForTest(t: TestContext, runtime: FetchRuntime, fill: (folder: Folder) => Promise<void>): Promise<ServedModule> {
  const folder = await createFolder();
  t.after(() => folder.remove());
  await fill(folder);
  const served = await runtime.serve(folder.path);
  t.after(() => served.program.end());
  return served;
}

function postTo(url: string, body: unknown): Promise<Response> {
  return fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
}

async function errorsOf(response: Response): Promise<any> {
  return ((await response.json()) as { errors: unknown }).errors;
}
