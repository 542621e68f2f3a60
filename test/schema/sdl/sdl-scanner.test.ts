import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { parse } from 'graphql';
import type { ASTNode, DocumentNode } from 'graphql';

import type { DefinitionLocation, Span } from '../../../src/schema/sdl/location.ts';
import { UnexpectedSDL } from '../../../src/schema/sdl/sdl-cursor.ts';
import { definitionsOf, membersAt } from '../../../src/schema/sdl/sdl-definitions.ts';
import { scanDefinitions, scanMembers } from '../../../src/schema/sdl/sdl-scanner.ts';
import { nastySDL } from '../../support/nasty-sdl.ts';
import { createRandom } from '../../support/random.ts';
import type { Random } from '../../support/random.ts';
import { generateSchema } from '../../support/schema-generator.ts';

const schemas = {
  ...nastySDL,
  'a generated schema of 10 types': generateSchema({ types: 10 }),
  'a generated schema of 300 types': generateSchema({ types: 300 }),
};

describe('the scan finds what graphql-js parses', () => {
  for (const [name, text] of Object.entries(schemas)) {
    test(name, () => {
      const scanned = scanDefinitions(text);

      assert.deepEqual(scanned, parsedDefinitions(text));
    });

    test(`${name}: the members of each definition`, () => {
      const definitions = scanDefinitions(text);

      for (const { at } of definitions) assert.deepEqual(scanMembers(text, at), parsedMembers(text, at));
    });
  }
});

test('4,000 schemas with random changes are scanned as they are parsed, or left to the parser', () => {
  const random = createRandom(1);
  const texts = Object.values(nastySDL);

  for (let times = 0; times < 4000; times += 1) {
    const text = damage(random.pick(texts), random);
    const parsed = attempt(() => parsedDefinitions(text));
    const scanned = attempt(() => scanDefinitions(text));
    if (!(parsed instanceof Error) && !(scanned instanceof Error)) assert.deepEqual(scanned, parsed, text);
  }
});

for (const [what, text] of Object.entries({
  'a query': 'query { a }',
  'a body that does not end': 'type Query { a: Int',
  'a string that does not end': 'type Query { "a: Int }',
  'a block string that does not end': 'type Query { """a: Int \\""" }',
  'arguments that do not end': 'type Query { a: Int } directive @a(b: Int on FIELD',
  'a misspelled keyword': 'typ Query { a: Int }',
  'a described extension': '"no" extend type Query { a: Int }',
  'a character the language does not have': 'type Query { a: Int } ;',
  'a space the language does not have': 'type\u00a0Query { a: Int }',
  'a directive without locations': 'directive @a',
})) {
  test(`${what} is left to the parser`, () => {
    assert.throws(() => scanDefinitions(text), UnexpectedSDL);
  });
}

test('members that the scan cannot read are parsed, and what is wrong with them is said', () => {
  const text = 'type Query { a: Int ; b: Int }';

  assert.throws(() => membersAt({ text, sources: [[0, text.length]] }, [0, text.length]), /line 1, column 21/);
});

test('a million unmatched brackets, quotes or comment signs take no time that grows with their square', () => {
  for (const character of ['{', '(', '"', '#', '[', '@', ',', '\n#']) {
    const text = `type Query { a: Int } ${character.repeat(1_000_000)}`;

    attempt(() => scanDefinitions(text));
  }
});

const pieces = [
  '"',
  '"""',
  '\\"""',
  '{',
  '}',
  '(',
  ')',
  '#',
  '\n',
  '@a',
  '|',
  '&',
  '=',
  ':',
  ' type ',
  ' extend ',
  ' implements ',
  'on ',
  ',',
  '[',
  ']',
  '!',
  'a',
  '\\',
];

/** The text with up to three pieces put in or taken out, somewhere. */
function damage(text: string, random: Random): string {
  let damaged = text;
  for (let changes = 1 + random.below(3); changes > 0; changes -= 1) {
    const at = random.below(damaged.length);
    damaged = damaged.slice(0, at) + (random.chance(0.7) ? random.pick(pieces) : '') + damaged.slice(at + random.below(3));
  }
  return damaged;
}

/** What the scan should find: everything that graphql-js parses, with places in the text. */
function parsedDefinitions(text: string): unknown[] {
  return definitionsOf(parse(text)).map((definition) => ({ ...definition, at: spanOf(definition.at) }));
}

function parsedMembers(text: string, at: Span): unknown[] {
  const [definition] = (parse(text.slice(...at)) satisfies DocumentNode).definitions;
  const members = definition?.kind.startsWith('Schema') ? [] : membersAt({ text, sources: [] }, definition as DefinitionLocation);
  return members.map((member) => ({ ...member, at: spanOf(member.at).map((position) => position + at[0]) }));
}

function spanOf(place: DefinitionLocation<ASTNode>): number[] {
  const { loc } = place as ASTNode;
  return [loc?.start ?? 0, loc?.end ?? 0];
}

function attempt<T>(run: () => T): T | Error {
  try {
    return run();
  } catch (error) {
    return error as Error;
  }
}
