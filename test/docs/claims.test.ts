import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { cellsOf } from '../../scripts/options-table.ts';
import { root } from './pages.ts';

const read = (path: string): string => readFileSync(join(root, path), 'utf8');

interface Claim {
  readonly claim: string;
  /** The path of a test file, or of a script. */
  readonly file: string;
  /** The title of the test, or the path of the script's results. */
  readonly behind: string;
}

const page = read('docs/claims.md');
const claims = { 'README.md': claimsBelow('README'), 'docs/comparison.md': claimsBelow('Comparison') };

for (const [path, list] of Object.entries(claims)) {
  test(`each claim that docs/claims.md lists is on ${path}`, () => {
    const text = textOf(read(path));
    const labels = comparisonRows().map(([label, cell]) => `${label}: ${cell}`);

    assert.deepEqual(
      list.map(({ claim }) => textOf(claim)).filter((claim) => !text.includes(claim) && !labels.some((row) => row.startsWith(claim))),
      [],
    );
  });

  test(`each claim of ${path} has a test with that title, or a script with results`, () => {
    assert.deepEqual(
      list.filter(({ file, behind }) => !(file.startsWith('test/') ? hasTest(file, behind) : existsBoth(file, behind))),
      [],
    );
  });
}

test('docs/claims.md has each feature that README lists', () => {
  const [, features = ''] = /^## What you get\n([^]*?)^## /m.exec(read('README.md')) ?? [];
  const listed = claims['README.md'].map(({ claim }) => textOf(claim));
  const bullets = features.split('\n').filter((line) => line.startsWith('- '));

  assert.ok(bullets.length > 5);
  assert.deepEqual(
    bullets.map(textOf).filter((bullet) => !listed.some((claim) => bullet.includes(claim))),
    [],
  );
});

test('docs/claims.md has each row of the table of docs/comparison.md', () => {
  const listed = claims['docs/comparison.md'].map(({ claim }) => textOf(claim));
  const rows = comparisonRows();

  assert.ok(rows.length > 15);
  assert.deepEqual(
    rows.filter(([label]) => !listed.some((claim) => claim.startsWith(`${label}: `))),
    [],
  );
});

function claimsBelow(heading: string): Claim[] {
  const section = page.split(/^## /m).find((text) => text.startsWith(`${heading}\n`)) ?? assert.fail(`no section ${heading}`);
  const table = section.split('\n').filter((line) => line.startsWith('| '));
  return cellsOf(table.join('\n')).map(([, claim = '', file = '', behind = '']) => ({ claim, file: file.replaceAll('`', ''), behind }));
}

/** The name of each row, and the cell of this library. */
function comparisonRows(): [label: string, cell: string][] {
  const [, table = ''] = /^## At a glance\n([^]*?)^## /m.exec(read('docs/comparison.md')) ?? [];
  const rows = cellsOf(table.trim());
  return rows.map(([, label = '', cell = '']) => [textOf(label), textOf(cell)]);
}

/** Without links, code and emphasis, so that a claim reads as its page does. */
function textOf(markdown: string): string {
  return markdown
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[`*]/g, '')
    .trim();
}

/** True for a test or a group with this title: a literal, or the text of a template as it stands in the source. */
function hasTest(file: string, title: string): boolean {
  if (!existsSync(join(root, file))) return false;
  const titles = [...read(file).matchAll(/\b(?:test|it|describe)\(\s*(['"`])([^]*?)(?<!\\)\1/g)].map(([, , text = '']) => text);
  return titles.includes(title);
}

function existsBoth(script: string, results: string): boolean {
  return [script, results.replaceAll('`', '')].every((path) => existsSync(join(root, path)));
}
