import assert from 'node:assert/strict';
import { test } from 'node:test';

import { defineLazy, lazyRecord } from '../../../../../src/executor/schema/lazy/lazy-property.ts';

test('a lazy property is computed once, when it is first read', () => {
  let computed = 0;
  const object: { value?: number } = {};

  defineLazy(object, 'value', () => (computed += 1));

  assert.equal(computed, 0);
  assert.deepEqual([object.value, object.value], [1, 1]);
  defineLazy(object, 'value', () => (computed += 1));
  object.value = 7;
  assert.deepEqual([object.value, computed], [7, 1]);
});

/** Creates a lazy record with the codes of three letters, and counts the entries that have been created. */
function codes(): { record: Record<string, number>; made: () => number } {
  const entries = Object.create(null) as Record<string, number>;
  const find = (name: string): number | undefined =>
    entries[name] ?? (['c', 'a', 'b'].includes(name) ? (entries[name] = name.charCodeAt(0)) : undefined);
  const whole = (): Record<string, number> => {
    for (const name of ['c', 'a', 'b']) find(name);
    return entries;
  };
  return { record: lazyRecord(entries, find, whole), made: () => Object.keys(entries).length };
}

test('a lazy record creates only the entries that are read, tested with `in`, or described', () => {
  const { record, made } = codes();

  assert.equal(record['a'], 97);
  assert.deepEqual(['a' in record, 'x' in record, Object.hasOwn(record, 'x'), record['toString']], [true, false, false, undefined]);
  assert.equal(made(), 1);
  assert.equal(Object.hasOwn(record, 'b'), true);
  assert.equal(made(), 2);
});

test('a lazy record is complete when its keys are listed, and when it is changed', () => {
  const listed = codes();
  const changed = codes();

  assert.deepEqual(Object.keys(listed.record), ['c', 'a', 'b']);
  changed.record['d'] = 4;
  assert.deepEqual(Object.entries(changed.record), [['c', 99], ['a', 97], ['b', 98], ['d', 4]]); // prettier-ignore
  delete changed.record['d'];
  Object.defineProperty(changed.record, 'e', { value: 5, enumerable: true, configurable: true });
  assert.deepEqual(Object.keys(changed.record), ['c', 'a', 'b', 'e']);
});
