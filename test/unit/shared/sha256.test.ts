import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { it } from 'node:test';

import { sha256 } from '../../../src/shared/sha256.ts';
import { createRandom } from '../../support/random.ts';

it('sha256 is that of node:crypto, for texts of every length and script', () => {
  const random = createRandom(7);
  const characters = ['a', '\u00e9', '\u4e16', '\u{1f30d}', '\0', '\n', '\ud800'];
  for (const length of [...Array.from({ length: 300 }, (_, index) => index), 100_000]) {
    const text = Array.from({ length }, () => random.pick(characters)).join('');
    assert.equal(sha256(text), createHash('sha256').update(text).digest('hex'));
  }
});
