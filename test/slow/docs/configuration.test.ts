import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

import { cellsOf, readOptions, rowsIn, toMarkdown } from '../../../scripts/options-table.ts';
import { codeBlocks } from '../../support/markdown.ts';
import { root } from '../../support/pages.ts';

const page = await readFile(join(root, 'docs/configuration.md'), 'utf8');

test('the table of docs/configuration.md is what src/server/startup/options.ts says; `npm run docs` writes it', async () => {
  assert.deepEqual(rowsIn(page), cellsOf(toMarkdown(await readOptions())));
});

test('docs/configuration.md has an example of every option', async () => {
  const code = codeBlocks(page).map(({ text }) => text);
  // `name:` sets an option, and so does `name,`, which a variable of that name gives its value.
  const isShown = (name: string): boolean => code.some((text) => new RegExp(`(?:^|[{,])\\s*(?:async )?${name}(?::|,|\\()`, 'm').test(text));

  assert.deepEqual(
    (await readOptions()).map(({ name }) => name).filter((name) => !isShown(name)),
    [],
  );
});
