import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';

import { sendTo, testAnswers } from '../../support/real/answers.ts';
import { suiteContext } from '../../support/suite-context.ts';
import { postJSON } from '../../support/plain-http.ts';
import type { Folder } from '../../support/real/bundle.ts';
import { bun, deno, fetchRuntimes, serveWorker, workerd, workerdWithNode } from '../../support/real/fetch-runtimes.ts';
import type { ServedModule } from '../../support/real/fetch-runtimes.ts';
import { needs } from '../../support/real/parts.ts';
import { startReportServer } from '../../support/real/loopback.ts';

for (const runtime of fetchRuntimes) {
  describe(runtime.name, needs(runtime.part), () => {
    for (const entry of ['fetch.ts', 'universal-fetch.ts', 'netlify-fetch.ts']) {
      describe(`export default { fetch }, bundled from ${entry}`, () => {
        const suite = suiteContext();
        let served: ServedModule;
        before(async () => {
          served = await serveWorker(suite, runtime, entry);
        });

        testAnswers((request) => sendTo(served.url, request));

        test('a response larger than a third of maxResultBytes is sent complete, as an event and as a part', async () => {
          const length = 12_000_000;
          const whole = await postJSON(served.url, { query: `{ text(length: ${length}) }` });
          const event = await postJSON(served.url, { query: `subscription { text(length: ${length}) }` }, { accept: 'text/event-stream' });
          const part = await postJSON(
            served.url,
            { query: `{ hello ... @defer { text(length: ${length}) } }` },
            { accept: 'multipart/mixed;incrementalSpec=v0.2, application/json' },
          );

          for (const answer of [whole, event, part]) {
            const body = await answer.text();
            assert.ok(body.includes('x'.repeat(length)), `${answer.status} ${body.slice(0, 500)}`);
          }
        });

        test('work that outlasts the response is completed', async (t) => {
          const report = await startReportServer(t);
          const work = `query ($report: String) { work(milliseconds: 20, report: $report) }`;

          const response = await postJSON(served.url, { query: work, variables: { report: report.url } });

          assert.deepEqual(await response.json(), { data: { work: true } });
          await report.received;
        });

        test('the context function gets the platform’s arguments', async () => {
          const response = await postJSON(served.url, { query: '{ platform { hasContext hasProcess } }' });

          assert.deepEqual(await response.json(), { data: { platform: { hasContext: true, hasProcess: runtime.hasProcess } } });
        });
      });
    }
  });
}

describe('extensions in a worker', () => {
  for (const [path, runtime] of ['graphql', 'graphql-js'].flatMap((one) => [[one, workerd] as const, [one, workerdWithNode] as const])) {
    describe(`/${path}, ${runtime.name}`, needs('workerd'), () => {
      const suite = suiteContext();
      let served: ServedModule;
      before(async () => {
        served = await serveWorker(suite, runtime, 'every-entry.ts');
      });

      testAnswers((request) => sendTo(served.url.replace(/graphql$/, path), request));

      test('a data source reads', async (t) => {
        const report = await startReportServer(t);
        const url = served.url.replace(/graphql$/, path);
        const response = await postJSON(url, { query: `query ($url: String!) { fetched(url: $url) }`, variables: { url: report.url } });

        assert.equal(response.status, 200, await response.text());
        await report.received;
      });
    });
  }
});

describe('the edge extension in a worker', () => {
  test('its header fields are sent by workerd, and a mutation purges in waitUntil', needs('workerd'), async (t) => {
    const served = await serveWorker(t, workerd, 'edge.ts');
    const fieldsOf = async (query: string): Promise<unknown> => {
      const headers = { 'vendor-require-preflight': '1', authorization: 'Bearer x' };
      const answer = await fetch(`${served.url}?query=${encodeURIComponent(query)}`, { headers });
      assert.equal(answer.status, 200, await answer.text());
      return ['cache-control', 'cloudflare-cdn-cache-control', 'cache-tag'].map((name) => answer.headers.get(name));
    };

    const fields = [await fieldsOf('{ product(id: 1) { id } }'), await fieldsOf('{ me }')];
    // The purges of a call do not wait for those of another call, which might never end.
    await postJSON(served.url, { query: 'mutation { change(id: "stuck") { id } }' });
    await postJSON(served.url, { query: 'mutation { change(id: 1) { id } }' });
    const purged = await (await fetch(new URL('/purged', served.url))).json();

    assert.deepEqual(fields, [
      ['public, max-age=0, must-revalidate', 'public, max-age=60', 't:Product,q:product,e:Product:1'],
      ['private, no-store', null, null],
    ]);
    assert.deepEqual(purged, ['e:Product:1', 'u:Product', 'l:Product']);
  });
});

/** Modules that export something else, and whether a runtime serves them. */
const modules: Readonly<Record<string, string | ((folder: Folder) => Promise<unknown>)>> = {
  'the handler itself as the default export, a function that has a fetch property': 'fetch-function.ts',
  'the package in node_modules, without a bundler': async (folder) => {
    await folder.install();
    await folder.write('package.json', '{ "type": "module" }');
    await folder.write(
      'worker.mjs',
      `import { createHandler } from 'graphql-functions/fetch';
       const { fetch } = createHandler({ typeDefs: 'type Query { hello: String }', rootValue: { hello: 'Hello, world!' } });
       export default { fetch };`,
    );
  },
};
for (const [name, fill] of Object.entries(modules))
  for (const runtime of [deno, bun])
    test(`${name}, is served by ${runtime.name}`, needs(runtime.part), async (t) => {
      const served = await serveWorker(t, runtime, fill);
      const response = await postJSON(served.url, { query: '{ hello }' });

      assert.deepEqual(await response.json(), { data: { hello: 'Hello, world!' } });
    });

test('the handler itself is not served by workerd, which treats a function as a class', needs('workerd'), async (t) => {
  const served = await serveWorker(t, workerd, 'fetch-function.ts');

  await assert.rejects(postJSON(served.url, { query: '{ hello }' }));
  assert.match(served.program.output(), /Exported actor class as default entrypoint/);
});
