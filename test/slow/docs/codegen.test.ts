import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

import { runCommandHere } from '../../support/command-here.ts';
import { createProject, linkPackage } from '../../support/functions-project.ts';
import { codeBlocks } from '../../support/markdown.ts';
import { runTypeScript } from '../../support/run-typescript.ts';
import { root } from '../../support/pages.ts';
import { surroundings } from './surroundings.ts';

test('the files of docs/codegen.md fit a project of init: they compile with its settings, and check finds nothing', async (context) => {
  const page = await readFile(join(root, 'docs/codegen.md'), 'utf8');
  // The generator's output; test/real/recipes/pages.test.ts compares it.
  const generated = await readFile(join(root, 'test/slow/docs/resolvers-types.txt'), 'utf8');
  const blocks = codeBlocks(page.slice(0, page.indexOf('## Other ways')));
  const named = blocks.flatMap(({ notes: { file }, text }): [string, string][] => (file === undefined ? [] : [[file, text]]));
  const { directory, write } = await createProject(context, {});
  await runCommandHere(directory, 'init', '--platform', 'netlify');
  await linkPackage({ directory }, 'graphql', '@types');
  const packages = Object.entries(surroundings.packages).map(([path, text]): [string, string] => [`node_modules/${path}`, text]);

  await write(Object.fromEntries([...packages, ...named, ['graphql/resolvers-types.ts', generated]]));

  assert.deepEqual(await runTypeScript(directory), []);
  assert.match((await runCommandHere(directory, 'documents', '--schema', 'graphql/schema.ts', '--check')).stderr, /^$/);
  assert.equal((await runCommandHere(directory, 'check')).stdout, 'No problems in graphql.\n');
});
