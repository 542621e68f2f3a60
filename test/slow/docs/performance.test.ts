import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

import { cellsOf } from '../../../scripts/options-table.ts';
import { pages, readResults, resultsIn, tables } from '../../../scripts/results-tables.ts';
import { root } from '../../support/pages.ts';

const results = await readResults();

for (const path of pages) {
  const page = await readFile(join(root, path), 'utf8');

  for (const [name, cells] of resultsIn(page)) {
    test(`the table "${name}" of ${path} is what bench/results.json says; \`npm run docs\` writes it`, () => {
      assert.deepEqual(cells, cellsOf(tables[name]!(results)));
    });
  }

  test(`${path} has measured figures only in its tables, where they cannot differ from the measurement`, () => {
    const prose = page.replaceAll(/<!-- results: [^]*?<!-- \/results -->/g, '').replaceAll(/```[^]*?```/g, '');

    assert.deepEqual(prose.match(/\d[\d.,]*\s?(?:×|%|µs|times (?:faster|less|as))/g), null);
  });
}

test('every table is shown on a page', async () => {
  const texts = await Promise.all(pages.map((path) => readFile(join(root, path), 'utf8')));

  assert.deepEqual(new Set(texts.flatMap((page) => resultsIn(page).map(([name]) => name))), new Set(Object.keys(tables)));
});
