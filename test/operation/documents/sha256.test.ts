import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { it } from 'node:test';

import { sha256 } from '../../../src/operation/documents/persisted-queries.ts';

for (const text of ['', '{ hello }', 'ä🦊', 'x'.repeat(100_000)]) {
  const expected = createHash('sha256').update(text).digest('hex');

  it(`the hash of ${JSON.stringify(text.slice(0, 10))} is the same by node:crypto`, async () => {
    assert.equal(await sha256(text), expected);
  });

  it(`the hash of ${JSON.stringify(text.slice(0, 10))} is the same by the web's crypto, where there is no Node`, async () => {
    const { getBuiltinModule } = process;
    let hashing: string | Promise<string>;
    try {
      Object.assign(process, { getBuiltinModule: undefined });
      hashing = sha256(text);
    } finally {
      Object.assign(process, { getBuiltinModule });
    }

    assert.ok(hashing instanceof Promise);
    assert.equal(await hashing, expected);
  });
}
