import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { build } from 'esbuild';

import { findCheck } from '../../../../src/server/startup/load-tools.ts';

const root = resolve(import.meta.dirname, '../../../..');

test('the schema check is found next to the sources', () => {
  const check = findCheck();

  assert.equal(typeof check, 'function');
});

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

for (const format of ['cjs', 'esm'] as const) {
  describe(`in a bundle (${format}, no splitting)`, () => {
    let project: string;
    let inputs: readonly string[];
    let warnings: number;
    const bundle = (): string => join(project, `function.${format === 'cjs' ? 'cjs' : 'mjs'}`);

    before(async () => {
      project = mkdtempSync(join(tmpdir(), 'bundle-'));
      const result = await build({
        stdin: { contents: userFunction, resolveDir: root, loader: 'ts' },
        outfile: bundle(),
        bundle: true,
        platform: 'node',
        format,
        metafile: true,
        logLevel: 'silent',
      });
      inputs = Object.keys(result.metafile.inputs);
      warnings = result.warnings.length;
    });
    after(() => rmSync(project, { recursive: true, force: true }));

    const run = (check: 'yes' | 'no'): unknown =>
      JSON.parse(execFileSync(process.execPath, [bundle()], { cwd: project, env: { ...process.env, CHECK: check }, encoding: 'utf8' }));

    test('the bundle contains neither @graphql-tools nor the schema check, and nothing is warned about', () => {
      assert.deepEqual(
        inputs.filter((file) => /@graphql-tools|check-schema|checks\.[jt]s/.test(file)),
        [],
      );
      assert.doesNotMatch(readFileSync(bundle(), 'utf8'), /makeExecutableSchema/);
      assert.equal(warnings, 0);
    });

    test('production does not load the schema check', () => {
      assert.deepEqual(run('no'), { warnings: [] });
    });

    test('a missing schema check logs a warning, and only graphql-js checks the schema', () => {
      const { refusal, warnings: told } = run('yes') as { refusal?: string; warnings: string[] };

      assert.equal(refusal, undefined);
      assert.match(
        told.join('\n'),
        /^The schema was checked by graphql-js, but not by @graphql-tools\/schema, which could not be loaded: Cannot find module 'graphql-functions\/package\.json'/,
      );
    });

    test('an installed schema check is found from the bundle', () => {
      const library = join(project, 'node_modules/graphql-functions');
      mkdirSync(join(library, 'dist/cjs'), { recursive: true });
      writeFileSync(
        join(library, 'package.json'),
        JSON.stringify({ name: 'graphql-functions', type: 'module', exports: { './package.json': './package.json' } }),
      );
      // A link, which Node follows before it decides what to do with TypeScript in node_modules.
      symlinkSync(join(root, 'src/tools/checks/check-schema.ts'), join(library, 'dist/cjs/checks.js'));

      const { refusal, warnings: told } = run('yes') as { refusal?: string; warnings: string[] };

      assert.deepEqual(told, []);
      assert.match(refusal ?? '', /Unknown directive "@nothing"/);
    });
  });
}
