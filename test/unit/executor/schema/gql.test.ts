import assert from 'node:assert/strict';
import { test } from 'node:test';

// Imported under another name, because formatters reformat templates that are tagged `gql`.
import { gql as tag } from '../../../../src/executor/schema/sdl/type-defs.ts';

test('gql returns the raw text, including escapes, with the texts that are inserted', () => {
  const field = 'a: Int';

  assert.equal(tag`type Query { ${field} ${field} } "\`quoted\`" scalar S`, 'type Query { a: Int a: Int } "`quoted`" scalar S');
});

test('gql refuses an invalid escape sequence', () => {
  assert.throws(() => tag`type Query { a: Int } "\u"`, {
    name: 'SyntaxError',
    message: /^gql: the template has an invalid escape sequence/,
  });
});

test('gql refuses anything but text, which would become "[object Object]"', () => {
  assert.throws(() => tag`type Query { ${{} as string} }`, {
    name: 'TypeError',
    message: 'gql: the template takes strings only, got object.',
  });
});
