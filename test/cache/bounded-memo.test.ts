import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { BoundedMemo } from '../../src/cache/bounded-memo.ts';

describe('a bounded memo', () => {
  it('remembers as many entries as it may, and forgets all with the next one', () => {
    const memo = new BoundedMemo<number>({ maxEntries: 3 });
    for (const [index, key] of ['a', 'b', 'c'].entries()) memo.set(key, index);

    assert.deepEqual([memo.get('a'), memo.get('b'), memo.get('c'), memo.size], [0, 1, 2, 3]);
    memo.set('d', 3);
    assert.deepEqual([memo.get('a'), memo.get('d'), memo.size], [undefined, 3, 1]);
  });

  it('forgets nothing for a new value of a key that it has', () => {
    const memo = new BoundedMemo<number>({ maxEntries: 2 });
    memo.set('a', 0);
    memo.set('b', 1);

    memo.set('a', 2);

    assert.deepEqual([memo.get('a'), memo.get('b')], [2, 1]);
  });

  it('does not remember a key that is longer than it takes', () => {
    const memo = new BoundedMemo<number>({ maxEntries: 2, maxLength: 3 });
    memo.set('abc', 0);
    memo.set('abcd', 1);

    assert.deepEqual([memo.get('abc'), memo.get('abcd')], [0, undefined]);
  });
});
