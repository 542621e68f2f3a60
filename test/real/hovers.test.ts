import assert from 'node:assert/strict';
import { test } from 'node:test';

import { readHovers } from '../../scripts/hovers.ts';

test("TypeScript's language server shows every comment of the public types completely", { timeout: 60_000 }, async () => {
  const hovers = await readHovers();

  const cut = hovers.filter(({ comment, text }) => !plain(text).includes(plain(comment)));
  assert.ok(hovers.length > 500, `only ${hovers.length} comments were found`);
  assert.deepEqual(
    cut.map(({ file, line, name }) => `${file}:${line} ${name}`),
    [],
  );
});

/** Only the words, because links and examples are formatted differently. */
function plain(text: string): string {
  return text
    .replaceAll(/\{@link ([^}]+)\}/g, '$1')
    .replaceAll(/```\w*/g, '')
    .replaceAll(/\s+/g, '');
}
