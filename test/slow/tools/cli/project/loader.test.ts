import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { pathToFileURL } from 'node:url';

import { CompileError, loadFunction } from '../../../../../src/tools/cli/project/loader.ts';
import { createProject } from '../../../../support/functions-project.ts';

/** The exports of functions/one.ts. */
async function load(context: TestContext, files: Readonly<Record<string, string>>): Promise<any> {
  const { directory } = await createProject(context, files);
  const { exports, compiled } = await loadFunction({ name: 'one', file: join(directory, 'functions/one.ts') });
  return { ...exports, directory, compiled };
}

test('each source file has its own import.meta.url, __dirname and __filename, also beside constants of these names', async (context) => {
  const { directory, own, other, old } = await load(context, {
    'functions/one.ts': `import { fileURLToPath } from 'node:url';
      import { other } from '../lib/other.ts';
      import old from '../lib/old.cjs';
      const __filename = fileURLToPath(import.meta.url);
      export { old, other };
      export const own = [__filename, import.meta.dirname];`,
    'lib/other.ts': 'export const other = [import.meta.url, import.meta.filename];',
    'lib/old.cjs': "module.exports = [__dirname, __filename, require('node:path').sep];",
  });
  const at = (path: string): string => join(directory, path);

  assert.deepEqual(own, [at('functions/one.ts'), at('functions')]);
  assert.deepEqual(other, [pathToFileURL(at('lib/other.ts')).href, at('lib/other.ts')]);
  assert.deepEqual(old.slice(0, 2), [at('lib'), at('lib/old.cjs')]);
});

test('packages are imported from where they are installed; linked packages and aliases are compiled', async (context) => {
  const { compiled, directory, values } = await load(context, {
    'functions/one.ts': `import installed from 'installed';
      import { linked } from 'linked';
      import { alias } from '@/alias';
      export const values = [installed, linked, alias];`,
    'tsconfig.json': '{ "compilerOptions": { "paths": { "@/*": ["./lib/*"] } } }',
    'lib/alias.ts': "export const alias: string = 'an alias';",
    'node_modules/installed/package.json': '{ "name": "installed", "exports": { "module": "./bundlers.js", "default": "./index.js" } }',
    'node_modules/installed/index.js': "module.exports = require('path').basename(__filename);",
    'node_modules/linked/package.json': '{ "name": "linked", "main": "index.ts" }',
    'node_modules/linked/index.ts': "export const linked: string = 'not JavaScript';",
  });

  assert.deepEqual(values, ['index.js', 'not JavaScript', 'an alias']);
  assert.match(compiled.code, /from "file:\/\/[^"]*node_modules\/installed\/index\.js"/);
  assert.deepEqual(await readdir(join(directory, 'node_modules/.cache/graphql-functions')), ['functions-one.ts.mjs']);
});

test('a name that Node does not find in a CommonJS module is a problem with file and line', async (context) => {
  const loading = load(context, {
    'functions/one.ts': "import { found } from 'old';\n\nimport {\n  hidden,\n} from 'old';\nexport default () => [found, hidden];",
    'node_modules/old/package.json': '{ "name": "old" }',
    'node_modules/old/index.js': "exports.found = 1; exports[['hidden'].join()] = 2;",
  });

  await assert.rejects(loading, (error) => {
    assert.ok(error instanceof CompileError);
    const [{ file, line, column } = {}] = error.problems;
    assert.match(
      `${file}:${line}:${column} ${error.message}`,
      /functions\/one\.ts:4:3 "old" does not export hidden\. [^]*import all from 'old'; const \{ hidden \} = all;/,
    );
    return true;
  });
});
