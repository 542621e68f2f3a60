import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { BoundedMemo } from '../../../src/datasources/cache/bounded-memo.ts';

describe('a bounded memo', () => {
  it('keeps entries up to its limit, and clears all of them at the next one', () => {
    const memo = new BoundedMemo<number>({ maxEntries: 3 });
    for (const [index, key] of ['a', 'b', 'c'].entries()) memo.set(key, index);

    assert.deepEqual([memo.get('a'), memo.get('b'), memo.get('c')], [0, 1, 2]);
    memo.set('d', 3);
    assert.deepEqual(
      ['a', 'b', 'c', 'd'].map((key) => memo.get(key)),
      [undefined, undefined, undefined, 3],
    );
  });

  it('keeps all entries when an existing key gets a new value', () => {
    const memo = new BoundedMemo<number>({ maxEntries: 2 });
    memo.set('a', 0);
    memo.set('b', 1);

    memo.set('a', 2);

    assert.deepEqual([memo.get('a'), memo.get('b')], [2, 1]);
  });

  it('does not store a key over its length limit', () => {
    const memo = new BoundedMemo<number>({ maxEntries: 2, maxLength: 3 });
    memo.set('abc', 0);
    memo.set('abcd', 1);

    assert.deepEqual([memo.get('abc'), memo.get('abcd')], [0, undefined]);
  });
});
