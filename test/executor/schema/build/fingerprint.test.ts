import assert from 'node:assert/strict';
import { test } from 'node:test';

import { fingerprint } from '../../../../src/executor/schema/build/fingerprint.ts';

const text = 'type Query { hello(name: String = "ä"): String! }';

test('a text always has the same fingerprint', () => {
  assert.equal(fingerprint(text), fingerprint(`${text} `.slice(0, -1)));
  assert.equal(fingerprint(text), '1e-1svj8rw-15c9wnx');
});

test('a change of one character at any position in a text of any length changes the fingerprint', () => {
  const texts = Array.from({ length: 40 }, (_, length) => text.slice(0, length));
  const changed = texts.flatMap((one) => Array.from(one, (_, at) => `${one.slice(0, at)}~${one.slice(at + 1)}`));

  assert.equal(new Set([...texts, ...changed].map(fingerprint)).size, texts.length + changed.length);
});

test('swapped, added or removed characters change the fingerprint', () => {
  const variants = ['ab', 'ba', 'a', 'abb', 'ab\0', '\0ab', 'abababab', 'babababa', 'abababababababab', 'abababbabababaab'];

  assert.equal(new Set(variants.map(fingerprint)).size, variants.length);
});

test('100,000 fields with consecutive numbers have 100,000 fingerprints', () => {
  const prints = Array.from({ length: 100_000 }, (_, number) => fingerprint(`type Query { field${number}: Int }`));

  assert.equal(new Set(prints).size, prints.length);
});
