import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Lexer, Source } from 'graphql';

import { assertSource, endOfString } from '../../../../../src/server/operation/limits/nesting.ts';

/** Every text of six of these characters, after a quote. */
const alphabet = ['"', '\\', 'n', '\n', '{'];

test('finds the end of a string where the lexer of graphql-js does', () => {
  const differing = [...textsOf(6)].filter((text) => {
    const end = endInGraphQL(text);
    return end !== undefined && endOfString(text, 0) !== end;
  });

  assert.deepEqual(differing, []);
});

test('finds the end of a string in every JSON text', () => {
  const differing = [...textsOf(6)].filter((text) => {
    const end = endInJSON(text);
    return end !== undefined && endOfString(`[${text.slice(0, end + 1)},1]`, 1) !== end + 1;
  });

  assert.deepEqual(differing, []);
});

test('finds no nesting in a block string without an end, which the parser refuses', () => {
  const deep = '{'.repeat(201);
  assert.doesNotThrow(() => assertSource(`{ a(b: """ ${deep} \\""" ${deep}`, 0));
  assert.throws(() => assertSource(`{ a(b: """ ${deep} """ ${deep}`, 0), /nests deeper than 200 levels/);
});

const documents: Readonly<Record<string, string>> = {
  'nests 200 levels': `${'{a'.repeat(200)}${'}'.repeat(200)}`,
  'nests 201 levels': `${'{a'.repeat(201)}${'}'.repeat(201)}`,
  'has many brackets side by side': `{${'a(b:[1])'.repeat(150)}}`,
  'has a name of 256 characters': `{${'a'.repeat(256)}}`,
  'has a name of 257 characters': `{${'a'.repeat(257)}}`,
  'has a name of 257 characters after a letter that is none of a name': `{é${'a'.repeat(257)}}`,
  'has a number of 300 digits': `{a(b:${'1'.repeat(300)})}`,
  'has a long word in a string': `{a(b:"${'a'.repeat(300)}")}`,
  'has 201 brackets in a string': `{a(b:"${'['.repeat(201)}")}`,
};

for (const [what, document] of Object.entries(documents)) {
  test(`the short check says the same as the long one of a document that ${what}`, () => {
    // Only documents of at most so many characters as comments are allowed get the short check.
    assert.equal(refusalOf(document, document.length), refusalOf(document, 0));
  });
}

function refusalOf(document: string, maxComments: number): string | undefined {
  try {
    assertSource(document, maxComments);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

function* textsOf(length: number, text = '"'): Generator<string> {
  if (text.length > length) yield text;
  else for (const character of alphabet) yield* textsOf(length, text + character);
}

/** Undefined if the text does not begin with a string. */
function endInGraphQL(text: string): number | undefined {
  try {
    return new Lexer(new Source(text)).advance().end - 1;
  } catch {
    return undefined;
  }
}

function endInJSON(text: string): number | undefined {
  for (let end = text.indexOf('"', 1); end >= 0; end = text.indexOf('"', end + 1)) if (isJSON(text.slice(0, end + 1))) return end;
  return undefined;
}

function isJSON(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
