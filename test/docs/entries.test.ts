import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';

import { measureEntries, page, toCells } from '../../scripts/entries-table.ts';
import { cellsOf } from '../../scripts/options-table.ts';

test('the table "What you carry" of docs/entries.md is what a bundle contains; `npm run docs` writes it', async () => {
  const [, table = ''] = /<!-- carried -->([^]*?)<!-- \/carried -->/.exec(await readFile(page, 'utf8')) ?? [];
  const rows = cellsOf(table.trim()).map((cells) => cells.slice(1, -1));
  const measured = await measureEntries();

  assert.deepEqual(
    rows.map(([entry, , , ...rest]) => [entry, ...rest]),
    measured.map(toCells).map(([entry, , , ...rest]) => [entry, ...rest]),
  );
  // A commit changes sizes by little: the table is written again when it is off by a tenth.
  for (const [at, { entry, lines, gzipKB }] of measured.entries()) {
    const [, shownLines = '', shownKB = ''] = rows[at]!;
    assert.ok(
      Math.abs(Number(shownLines.replaceAll(',', '')) - lines) <= Math.max(lines / 10, 60),
      `${entry}: ${lines} lines, got ${shownLines}`,
    );
    assert.ok(Math.abs(Number(shownKB) - gzipKB) <= Math.max(gzipKB / 10, 0.2), `${entry}: ${gzipKB} KB, got ${shownKB}`);
  }
});
