import assert from 'node:assert/strict';
import { test } from 'node:test';

import { defineLazy } from '../../../src/schema/lazy/lazy-property.ts';

test('a lazy property is computed once, when it is first read', () => {
  let computed = 0;
  const object: { value?: number } = {};

  defineLazy(object, 'value', () => (computed += 1));

  assert.equal(computed, 0);
  assert.deepEqual([object.value, object.value], [1, 1]);
});

test('a lazy property is listed where it was defined, before and after it is read', () => {
  const object: Record<string, number> = { first: 1 };
  defineLazy(object, 'second', () => 2);
  object['third'] = 3;

  assert.deepEqual(Object.keys(object), ['first', 'second', 'third']);
  assert.deepEqual(Object.entries(object), [
    ['first', 1],
    ['second', 2],
    ['third', 3],
  ]);
});

test('a lazy property can be assigned, and is not computed then', () => {
  const object: { value?: number } = {};
  defineLazy(object, 'value', () => assert.fail());

  object.value = 5;

  assert.deepEqual(object, { value: 5 });
});
