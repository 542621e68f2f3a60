import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { test } from 'node:test';

import { build } from 'esbuild';

const root = resolve(import.meta.dirname, '../../../..');

/** As Turbopack writes the places of files: like those of the package, where there is none. */
const placeOfTurbopack = '"file:///ROOT/node_modules/graphql-functions/dist/esm/chunks/package-files.js"';

/** A function of a user, as a platform bundles it: graphql and this library in one file. */
const userFunction = `
  import { createSchema } from ${JSON.stringify(join(root, 'src/executor/schema/create-schema.ts'))};
  import { findCheck } from ${JSON.stringify(join(root, 'src/server/startup/load-tools.ts'))};
  const warnings = [];
  let refusal;
  try {
    createSchema({ typeDefs: 'type Query { a: Int @nothing }' }, { checkWhole: process.env.CHECK === 'yes' && findCheck, warn: (message) => warnings.push(message) });
  } catch (error) {
    refusal = error.message;
  }
  console.log(JSON.stringify({ refusal, warnings }));
`;

for (const [format, place, define] of [
  ['cjs', 'an ordinary place', {}],
  ['esm', 'an ordinary place', {}],
  ['esm', 'a place of Turbopack', { 'import.meta.url': placeOfTurbopack }],
] as const)
  test(`a bundle (${format}, ${place}, no splitting) has no schema check: production needs none, and development finds an installed one`, async (t) => {
    const project = mkdtempSync(join(tmpdir(), 'bundle-'));
    t.after(() => rmSync(project, { recursive: true, force: true }));
    const outfile = join(project, `function.${format === 'cjs' ? 'cjs' : 'mjs'}`);
    const { metafile, warnings } = await build({
      stdin: { contents: userFunction, resolveDir: root, loader: 'ts' },
      outfile,
      bundle: true,
      platform: 'node',
      format,
      define,
      metafile: true,
      logLevel: 'silent',
    });
    const run = (check: 'yes' | 'no'): { refusal?: string; warnings: string[] } =>
      JSON.parse(execFileSync(process.execPath, [outfile], { cwd: project, env: { ...process.env, CHECK: check }, encoding: 'utf8' }));
    const tools = Object.keys(metafile.inputs).filter((file) => /@graphql-tools|check-schema|checks\.[jt]s/.test(file));
    assert.deepEqual([tools, warnings], [[], []]);

    assert.deepEqual(run('no'), { warnings: [] });
    const missing = run('yes');
    assert.equal(missing.refusal, undefined);
    assert.match(
      missing.warnings.join('\n'),
      /^The schema was checked by graphql-js, but not by @graphql-tools\/schema, which could not be loaded: Cannot find module 'graphql-functions\/package\.json'/,
    );

    const library = join(project, 'node_modules/graphql-functions');
    mkdirSync(join(library, 'dist/cjs'), { recursive: true });
    writeFileSync(
      join(library, 'package.json'),
      JSON.stringify({ name: 'graphql-functions', type: 'module', exports: { './package.json': './package.json' } }),
    );
    // A link, which Node follows before it decides what to do with TypeScript in node_modules.
    symlinkSync(join(root, 'src/tools/checks/check-schema.ts'), join(library, 'dist/cjs/checks.js'));
    const installed = run('yes');
    assert.deepEqual(installed.warnings, []);
    assert.match(installed.refusal ?? '', /Unknown directive "@nothing"/);
  });
