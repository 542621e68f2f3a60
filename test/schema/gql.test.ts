import assert from 'node:assert/strict';
import { test } from 'node:test';

// Under another name: formatters put what is tagged `gql` on lines of its own.
import { gql as tag } from '../../src/schema/sdl/type-defs.ts';

test('gql returns the text as it stands, escapes and all', () => {
  assert.equal(tag`type Query { a: Int } "\`quoted\`" scalar S`, 'type Query { a: Int } "`quoted`" scalar S');
});

test('gql puts texts into the template', () => {
  const field = 'a: Int';

  assert.equal(tag`type Query { ${field} ${field} }`, 'type Query { a: Int a: Int }');
});

test('gql refuses anything but text, which would become "[object Object]"', () => {
  assert.throws(() => tag`type Query { ${{} as string} }`, {
    name: 'TypeError',
    message: 'gql: only text can be put into the template, got object.',
  });
});

test('gql refuses an escape that JavaScript does not know', () => {
  assert.throws(() => tag`scalar S # \unicode`, { name: 'SyntaxError' });
});
