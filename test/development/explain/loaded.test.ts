import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';

import { build } from 'esbuild';

import { runProgram } from '../../support/run-program.ts';

const root = resolve(import.meta.dirname, '../../..');
const run = promisify(execFile);

/** Sends an operation that asks to be explained, and prints whether it was, and which files of the explaining part were loaded before and after. */
const program = `
  import { registerHooks } from 'node:module';
  const loaded = [];
  registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
  const { createHandler } = await import(process.env.ENTRY);
  const handler = createHandler({ typeDefs: 'type Query { hello: String }', landingPage: false });
  const ask = (headers) => handler({
    version: '2.0', rawPath: '/graphql', rawQueryString: '', body: '{"query":"{ hello }"}', headers: { 'content-type': 'application/json', ...headers },
    requestContext: { http: { method: 'POST', path: '/graphql' }, domainName: 'example.com', stage: '$default' },
  }, {});
  const count = () => loaded.filter((url) => /src.(?:development.)?explain[/.]/.test(url)).length;
  await ask({});
  const before = count();
  const { body } = await ask({ 'graphql-functions-explain': '1' });
  console.log(JSON.stringify({ before, after: count(), explained: 'extensions' in JSON.parse(body) }));
`;

function askWith(nodeEnv: string | undefined): Promise<{ before: number; after: number; explained: boolean }> {
  return runProgram(program, nodeEnv);
}

test('in development what explains is loaded with the first request that asks for it', async () => {
  const { before, after, explained } = await askWith('development');

  assert.deepEqual([before, explained], [0, true]);
  assert.ok(after > 5, String(after));
});

for (const nodeEnv of [undefined, '', 'production', 'test', 'Development', 'development ']) {
  test(`with NODE_ENV ${nodeEnv === undefined ? 'unset' : JSON.stringify(nodeEnv)} it is never loaded`, async () => {
    assert.deepEqual(await askWith(nodeEnv), { before: 0, after: 0, explained: false });
  });
}

for (const format of ['cjs', 'esm'] as const) {
  test(`in a bundle (${format}, no splitting) it is no part of the file, and is found beside it all the same`, async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'explain-'));
    t.after(() => rm(folder, { recursive: true, force: true }));
    const outfile = join(folder, `bundle.${format === 'cjs' ? 'cjs' : 'mjs'}`);
    const { metafile } = await build({
      stdin: {
        contents: `
          import { createHandler } from ${JSON.stringify(join(root, 'src/index.ts'))};
          const handler = createHandler({ typeDefs: 'type Query { hello: String }', resolvers: { Query: { hello: () => 'world' } } });
          const headers = { 'content-type': 'application/json', 'graphql-functions-explain': '1' };
          handler(new Request('https://example.com/', { method: 'POST', headers, body: '{"query":"{ hello }"}' }))
            .then((response) => response.json())
            .then(({ data, extensions }) => console.log(data.hello, extensions.explain.executor.ran, extensions.explain.schema.kind));
        `,
        resolveDir: root,
        loader: 'ts',
      },
      outfile,
      bundle: true,
      platform: 'node',
      format,
      metafile: true,
      logLevel: 'silent',
    });

    const { stdout } = await run(process.execPath, [outfile], { cwd: root, env: { ...process.env, NODE_ENV: 'development' } });

    assert.equal(stdout.trim(), 'world planned lazy');
    assert.deepEqual(
      Object.keys(metafile.inputs).filter((path) => /src\/(?:development\/)?explain[/.]/.test(path)),
      [],
    );
  });
}
