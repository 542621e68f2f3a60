import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

// Editors show the comments of the built types.

const types = join(import.meta.dirname, '../../../dist/esm');
const files = readdirSync(types, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.d.ts'))
  .map((file) => ({ file, text: readFileSync(join(types, file), 'utf8') }));

test('no comment contains a word that editors read as a tag, at which they would cut it off', () => {
  // A tag is an @ at the start of a line or after white space, outside of code.
  const tags = files.flatMap(({ file, text }) =>
    [...text.matchAll(/\/\*\*[^]*?\*\//g)].flatMap(([comment]) =>
      [...comment.replaceAll(/```[^]*?```|`[^`]*`/g, '').matchAll(/\s(@\w+)/g)].map(([, tag = '']) => ({ file, tag, comment })),
    ),
  );

  assert.ok(tags.some(({ tag }) => tag === '@example'));
  assert.deepEqual(
    tags.filter(({ tag }) => tag !== '@example'),
    [],
  );
});

test('classes and interfaces have the names under which they are imported: "DataSource", not "DataSource$1"', () => {
  const renamed = files.flatMap(
    ({ file, text }) => text.match(/^.*(?:class|interface|function) \w+\$\d.*$/gm)?.map((line) => `${file}: ${line}`) ?? [],
  );

  assert.deepEqual(renamed, []);
});
