import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

import { withCommandTables } from '../../../scripts/command-tables.ts';
import { commands } from '../../../src/tools/cli/command-table.ts';
import { root } from '../../support/pages.ts';

const page = await readFile(join(root, 'docs/command-line.md'), 'utf8');

test('docs/command-line.md has the options of every command; `npm run docs` writes them', () => {
  const named = Array.from(page.matchAll(/<!-- options of (\w+):/g), ([, name]) => name);

  assert.deepEqual(new Set(named), new Set([...Object.keys(commands), 'several']));
  assert.equal(withoutPadding(page), withoutPadding(withCommandTables(page)));
});

/** The formatter pads the cells of tables. */
function withoutPadding(text: string): string {
  return text.replaceAll(/ +\|/g, ' |').replaceAll(/^\| -[-| ]+$/gm, '| --- |');
}
