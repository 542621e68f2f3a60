import { deepEqual, equal, match } from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';

const root = join(import.meta.dirname, '../../..');
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest;
const entries = Object.keys(manifest.exports).filter((entry) => entry !== './package.json');

interface Manifest {
  readonly version: string;
  readonly type: string;
  readonly sideEffects: boolean;
  readonly exports: Readonly<Record<string, unknown>>;
}

const lists = /^export (type )?\{([^}]*)\}/gm;
const stars = /^export \* from '([^']+)';/gm;
const declarations = /^export (?:async )?(interface|type|function|class|const) (\w+)/gm;

for (const entry of entries) {
  // Adding or removing a name is a decision: `node --test --test-update-snapshots test/slow/package/package.test.ts` records it.
  test(`${entry} exports the names of the snapshot and no others`, (t) => {
    const names = namesIn(join(root, 'src/entries', sourceOf(entry)));

    // A function has a declaration for each of its signatures.
    t.assert.snapshot([...new Set(names)].toSorted());
  });
}

test('the entries are those of the snapshot, and each has a source and separate builds for import and require', (t) => {
  t.assert.snapshot(entries);
  deepEqual(
    entries.filter((entry) => !existsSync(join(root, 'src/entries', sourceOf(entry)))),
    [],
  );
  for (const entry of entries) {
    const build = sourceOf(entry).replace('.ts', '').replaceAll('/', '-');
    deepEqual(manifest.exports[entry], { import: `./dist/esm/${build}.js`, require: `./dist/cjs/${build}.js` });
  }
});

test('bundlers can drop unused code', () => {
  equal(manifest.sideEffects, false);
  equal(manifest.type, 'module');
});

test('the changelog has an entry for this version', () => {
  const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');

  match(changelog, new RegExp(`^## ${manifest.version.replaceAll('.', '\\.')}\\b`, 'm'));
});

/** `./aws-lambda` → `aws-lambda.ts`, `./v3/core` → `v3/core.ts`, a path below src/entries/. */
function sourceOf(entry: string): string {
  if (entry === '.') return 'index.ts';
  return `${entry.slice(2)}.ts`;
}

/** The names that a file exports, including those of files that it re-exports completely. */
function namesIn(file: string): string[] {
  const text = readFileSync(file, 'utf8');
  const listed = [...text.matchAll(lists)].flatMap(([, type, names = '']) =>
    names
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '')
      .map((name) => (type !== undefined && !name.startsWith('type ') ? `type ${name}` : name)),
  );
  const declared = [...text.matchAll(declarations)].map(([, kind = '', name = '']) =>
    kind === 'interface' || kind === 'type' ? `type ${name}` : name,
  );
  const starred = [...text.matchAll(stars)].flatMap(([, path = '']) => namesIn(join(dirname(file), path)));
  return [...listed, ...declared, ...starred];
}
