import assert from 'node:assert/strict';
import { exec } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';

import { build } from 'esbuild';

import { createProject } from '../../support/functions-project.ts';

// test/real/runtimes/example.test.ts runs the functions, bundled and configured as in template.yaml, in AWS's runtime client.

const root = join(import.meta.dirname, '../../..');

test('template.yaml names the two functions of the example, and routes the endpoint of tools and its authorization to GraphQL', async () => {
  const template = (await readFile(join(root, 'template.yaml'), 'utf8')).replaceAll(/^ *#.*\n/gm, '');
  const [graphql = '', catalogue = ''] = template.split('  CatalogueFunction:');

  assert.match(graphql, /Handler: graphql\.default[^]*EntryPoints: \[functions\/graphql\.ts\]/);
  assert.match(catalogue, /Handler: catalogue\.lambda[^]*EntryPoints: \[functions\/catalogue\.ts\]/);
  for (const path of ['/graphql/health', '/graphql/rest/{proxy+}', '/graphql/mcp', '/.well-known/oauth-protected-resource/graphql/mcp'])
    assert.ok(graphql.includes(`Path: ${path}\n`), path);
});

test('netlify.toml deploys what its build command writes, and names the function it redirects to', async (context) => {
  const toml = await readFile(join(root, 'netlify.toml'), 'utf8');
  // dist/ is already built.
  const [, command = ''] = /^command = '''npm run build && (.+)'''$/m.exec(toml) ?? [];
  const { directory } = await createProject(context, {});

  // Runs in a shell, which expands functions/*.ts.
  await promisify(exec)(command.replace('--outdir=built', `--outdir=${directory}`), {
    cwd: root,
    env: { ...process.env, PATH: `${join(root, 'node_modules/.bin')}:${process.env['PATH']}` },
  });

  assert.deepEqual((await readdir(directory)).toSorted(), ['catalogue.mjs', 'graphql.mjs']);
  assert.match(toml, /^directory = "built"$/m);
  assert.match(command, / --outdir=built /);
  assert.match(toml, /\[context\.dev\.environment\]\nNODE_ENV = "development"/);
  assert.match(toml, /^to = "\/\.netlify\/functions\/graphql"$/m);
  assert.match(toml, /^from = "\/rest\/\*"\nto = "\/\.netlify\/functions\/graphql\/rest\/:splat"$/m);
});

test('graphql.ts has only a default export, because a handler export would make it a version-1 function on Netlify', async () => {
  const entryPoints = ['functions/graphql.ts', 'functions/catalogue.ts'];
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints,
    outdir: 'unused',
    write: false,
    bundle: true,
    platform: 'node',
    format: 'esm',
    metafile: true,
    logLevel: 'silent',
  });

  assert.deepEqual(
    Object.values(metafile.outputs).map(({ entryPoint, exports }) => [entryPoint, exports]),
    [
      ['functions/graphql.ts', ['default']],
      ['functions/catalogue.ts', ['default', 'lambda']],
    ],
  );
});
