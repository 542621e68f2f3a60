import assert from 'node:assert/strict';
import { test } from 'node:test';

import { unclearComments } from '../../scripts/check-comments.ts';

for (const [source, expected] of [
  ['/** Those of a type. */', [[1, 'Those of a type. */']]],
  ['/**\n * What a stage returns.\n */', [[2, 'What a stage returns.']]],
  ['let a: number; // Its size.', [[1, 'Its size.']]],
  ['/** Undefined: no batch. */', [[1, 'Undefined: no batch. */']]],
  ['/** Undefined for null. */', [[1, 'Undefined for null. */']]],
  ['// One of two.', [[1, 'One of two.']]],
  ['/** Undefined if the request is no batch. */', []],
  ['/** Items of a list. */', []],
  ['// A sentence that goes on:\n// What follows is its end.', []],
  ["const text = 'https://example.com';", []],
] as const)
  test(`lint ${expected.length === 0 ? 'accepts' : 'refuses'} ${JSON.stringify(source)}`, () => {
    assert.deepEqual(unclearComments(source), expected);
  });
