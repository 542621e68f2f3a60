import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';

import { build } from 'esbuild';
import type { Metafile } from 'esbuild';

import { runProgram } from '../../support/run-program.ts';

const root = resolve(import.meta.dirname, '../../..');
const run = promisify(execFile);

/** Asks for the page as a browser does, and prints what it got and which modules of this package the process has loaded. */
const program = `
  import { registerHooks } from 'node:module';
  const loaded = [];
  registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
  const { createHandler } = await import(process.env.ENTRY);
  const handler = createHandler({ typeDefs: 'type Query { hello: String }' });
  const { statusCode, headers, body } = await handler({
    version: '2.0', rawPath: '/graphql', rawQueryString: '', headers: { accept: 'text/html,*/*;q=0.8' },
    requestContext: { http: { method: 'GET', path: '/graphql' }, domainName: 'example.com', stage: '$default' },
  }, {});
  console.log(JSON.stringify({ statusCode, type: headers['content-type'], isPlayground: body.includes('playground'), loaded }));
`;

interface Outcome {
  readonly statusCode: number;
  readonly type: string;
  readonly isPlayground: boolean;
  readonly loaded: readonly string[];
}

function askWith(nodeEnv: string | undefined): Promise<Outcome> {
  return runProgram(program, nodeEnv);
}

const ofPage = ({ loaded }: Outcome): string[] =>
  loaded.filter((url) => /landing-page/.test(url)).map((url) => url.replace(/.*\/src\//, ''));

test('with NODE_ENV development a browser gets the playground, whose code loads for it', async () => {
  const outcome = await askWith('development');

  assert.equal(outcome.statusCode, 200);
  assert.equal(outcome.isPlayground, true);
  assert.ok(ofPage(outcome).includes('development/landing-page/html.ts'), String(ofPage(outcome)));
});

for (const nodeEnv of [undefined, '', 'production', 'test', 'Development', 'development ']) {
  test(`with NODE_ENV ${nodeEnv === undefined ? 'unset' : JSON.stringify(nodeEnv)} it gets the ordinary error, and no code of the page is loaded`, async () => {
    const outcome = await askWith(nodeEnv);

    assert.equal(outcome.statusCode, 400);
    assert.match(outcome.type, /json/);
    assert.equal(outcome.isPlayground, false);
    assert.deepEqual(ofPage(outcome), []);
    assert.ok(outcome.loaded.length > 50);
  });
}

/** A function of a user, bundled as platforms do. */
const functions = {
  'by default': 'plugins: []',
  'as a plugin': 'plugins: [landingPage()]',
};

for (const format of ['cjs', 'esm'] as const) {
  describe(`in a bundle (${format}, no splitting)`, () => {
    let folder: string;
    before(async () => {
      folder = await mkdtemp(join(tmpdir(), 'page-'));
    });
    after(() => rm(folder, { recursive: true, force: true }));

    for (const [how, option] of Object.entries(functions)) {
      test(`the playground, there ${how}, is no part of the file, and is found beside it all the same`, async () => {
        const file = join(folder, `${how.replaceAll(' ', '-')}.${format === 'cjs' ? 'cjs' : 'mjs'}`);
        const { metafile } = await bundle(file, format, option);

        const { stdout } = await run(process.execPath, [file], { cwd: root, env: { ...process.env, NODE_ENV: 'development' } });

        assert.equal(stdout.trim(), '200 playground');
        assert.deepEqual(
          Object.keys(metafile.inputs).filter((path) => /graphiql|monaco|react|playground\.gz/.test(path)),
          [],
        );
        if (how === 'by default')
          assert.deepEqual(
            Object.keys(metafile.inputs).filter((path) => path.includes('landing-page')),
            [],
          );
      });
    }
  });
}

function bundle(outfile: string, format: 'cjs' | 'esm', option: string): Promise<{ metafile: Metafile }> {
  return build({
    stdin: {
      contents: `
        import { createHandler } from ${JSON.stringify(join(root, 'src/index.ts'))};
        import { landingPage } from ${JSON.stringify(join(root, 'src/landing-page.ts'))};
        const handler = createHandler({ typeDefs: 'type Query { hello: String }', ${option} });
        const event = {
          version: '2.0', rawPath: '/', rawQueryString: '', headers: { accept: 'text/html' },
          requestContext: { http: { method: 'GET', path: '/' }, domainName: 'example.com', stage: '$default' },
        };
        handler(event, {}).then(({ statusCode, body }) => console.log(statusCode, /<title>GraphQL (\\w+)/.exec(body)?.[1]));
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
}
