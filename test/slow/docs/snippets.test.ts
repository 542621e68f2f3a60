import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';

import { writeSnippets } from '../../support/snippets.ts';
import type { SnippetFolder } from '../../support/snippets.ts';
import { readPages, root } from '../../support/pages.ts';
import { surroundings } from './surroundings.ts';

let folder: SnippetFolder;

before(async () => {
  const agents = await readFile(join(root, 'AGENTS.md'), 'utf8');
  folder = await writeSnippets({ ...(await readPages()), 'AGENTS.md': agents }, surroundings);
});
after(() => folder.remove());

test('every TypeScript block of README.md, AGENTS.md and docs/ compiles, strictly', async () => {
  assert.ok(folder.snippets.length > 50);
  assert.deepEqual(await folder.compile(), []);
});

test('every TypeScript block of README.md, AGENTS.md and docs/ runs, logs what it says, and its handler answers', async () => {
  const files = folder.snippets
    .filter(({ block }) => block.notes['not run'] === undefined)
    .map(({ place, file, block }) => ({
      file: place,
      path: join(folder.directory, file),
      expected: expectedOutput(block.text),
      takesEvents: block.text.includes("'graphql-functions/aws-lambda'"),
    }));
  const program = join(root, 'test/support/run-snippets.ts');

  // NODE_TEST_CONTEXT would turn the child process into a test runner.
  const { NODE_TEST_CONTEXT: _, NODE_ENV: __, ...environment } = process.env;
  const { stdout } = await promisify(execFile)(process.execPath, ['--no-warnings', program, JSON.stringify(files)], {
    cwd: folder.directory,
    env: environment,
  });

  assert.deepEqual(JSON.parse(stdout), []);
});

/** The comments `// → …` of a block. */
function expectedOutput(text: string): string[] {
  return [...text.matchAll(/\/\/ → (.*)$/gm)].map(([, line = '']) => line);
}
