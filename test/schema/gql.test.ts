import assert from 'node:assert/strict';
import { test } from 'node:test';

import { gql } from '../../src/schema/gql.ts';

test('gql returns the text as it stands, escapes and all', () => {
  assert.equal(gql`type Query { a: Int } "\`quoted\`" scalar S`, 'type Query { a: Int } "`quoted`" scalar S');
});

test('gql puts texts into the template', () => {
  const field = 'a: Int';

  assert.equal(gql`type Query { ${field} ${field} }`, 'type Query { a: Int a: Int }');
});

test('gql refuses anything but text, which would become "[object Object]"', () => {
  assert.throws(() => gql`type Query { ${{} as string} }`, { name: 'TypeError', message: 'gql: only text can be put into the template, got object.' });
});

test('gql refuses an escape that JavaScript does not know', () => {
  assert.throws(() => gql`scalar S # \unicode`, { name: 'SyntaxError' });
});
