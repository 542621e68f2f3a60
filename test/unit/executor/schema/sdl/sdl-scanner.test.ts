import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { buildSchema, introspectionFromSchema, parse, printSchema } from 'graphql';
import type { ASTNode } from 'graphql';

import { createSchema } from '../../../../../src/executor/schema/create-schema.ts';
import { isParsed } from '../../../../../src/executor/schema/sdl/location.ts';
import type { DefinitionLocation, FoundDefinition, Span } from '../../../../../src/executor/schema/sdl/location.ts';
import { definitionsIn, definitionsOf, membersAt } from '../../../../../src/executor/schema/sdl/sdl-definitions.ts';
import { scanDefinitions } from '../../../../../src/executor/schema/sdl/sdl-scanner.ts';
import { nastySDL } from '../../../../support/nasty-sdl.ts';
import { createRandom } from '../../../../support/random.ts';
import type { Random } from '../../../../support/random.ts';
import { respaceSDL } from '../../../../support/respace-sdl.ts';
import { generateSchema } from '../../../../support/schema-generator.ts';

const texts: readonly string[] = [
  ...Object.values(nastySDL),
  ...[1, 2, 3].map((seed) => generateSchema({ types: 12, seed, described: 0.4 })),
  `type Query implements A & B @a(b: { c: [1, { d: "}" }] }) { a(in: In = { b: { c: { d: 1 } } }): Int @a(b: {}) b: Int c: [[Int!]!]! }
   interface A{a:Int}interface B@a{b:Int}input In{b:In c:Any={b:{c:{}}}d:In}scalar Any directive @a(b:Any) on OBJECT|INTERFACE|FIELD_DEFINITION`,
];

interface Found {
  readonly definition: { readonly at: Span | undefined };
  readonly members: readonly { readonly name: string; readonly at: Span | undefined }[];
}

/** Returns everything that the scanner finds about the definitions in a text and their members. */
function found(definitions: readonly FoundDefinition[], text: string): Found[] {
  const indexed = { text, sources: [[0, text.length]] as const };
  return definitions.map(({ kind, name, extends: extending, at, interfaces }) => ({
    definition: { kind, name, extends: extending, at: spanOf(at), interfaces: [...interfaces] },
    members: kind === 'schema' ? [] : membersAt(indexed, at).map((member) => ({ name: member.name, at: spanOf(member.at) })),
  }));
}

function scanned(text: string): Found[] {
  return found(definitionsIn(text, { number: 0, count: 1, offset: 0 }), text);
}

function parsed(text: string): Found[] {
  return found(definitionsOf(parse(text)), text);
}

/** Compares the scan with the expected definitions. A text or definition that the scanner leaves to the parser has syntax trees instead of positions. */
function assertFound(text: string, expected: readonly Found[]): void {
  const actual = scanned(text);
  const known = expected.map(({ definition, members }, one) => ({
    definition: actual[one]?.definition.at === undefined ? { ...definition, at: undefined } : definition,
    members: members.map((member, at) => (actual[one]?.members[at]?.at === undefined ? { ...member, at: undefined } : member)),
  }));
  assert.deepEqual(actual, known);
}

function spanOf(place: DefinitionLocation<ASTNode>): Span | undefined {
  if (!isParsed<ASTNode>(place)) return place as Span;
  return place.loc && [place.loc.start, place.loc.end];
}

function attempt<T>(run: () => T): T | Error {
  try {
    return run();
  } catch (error) {
    return error as Error;
  }
}

test('1,000 schemas with random white space and comments are scanned as graphql-js parses them', () => {
  const random = createRandom(17);

  for (let times = 0; times < 1000; times += 1) {
    const text = respaceSDL(random.pick(texts), random);
    assertFound(text, parsed(text));
  }
});

const marks = ['"', '"""', '\\"""', '\\', '{', '}', '(', ')', '[', ']', '#', '\n', '\r', '@a', '|', '&', '=', ':', '!', ',', 'a', '""'];
const words = [' type ', ' extend ', ' implements ', ' enum B ', ' interface ', '"}"', '#{\n', '{}', '\uFEFF'];

/** Inserts or removes up to three random pieces of the text. */
function damage(text: string, random: Random): string {
  let damaged = text;
  for (let changes = 1 + random.below(3); changes > 0; changes -= 1) {
    const at = random.below(damaged.length);
    damaged =
      damaged.slice(0, at) +
      (random.chance(0.7) ? random.pick(random.chance(0.7) ? marks : words) : '') +
      damaged.slice(at + random.below(3));
  }
  return damaged;
}

test('those of 2,000 damaged schemas that graphql-js can parse are scanned as they are parsed', () => {
  const random = createRandom(4);
  let read = 0;

  for (let times = 0; times < 2000; times += 1) {
    const text = damage(random.chance(0.5) ? random.pick(texts) : respaceSDL(random.pick(texts), random), random);
    const expected = attempt(() => parsed(text));
    if (expected instanceof Error) continue;
    read += 1;
    assertFound(text, expected);
  }

  assert.ok(read > 250);
});

test('a lazy schema of text with random white space equals the schema of graphql-js', () => {
  const random = createRandom(5);

  for (let times = 0; times < 40; times += 1) {
    const text = respaceSDL(random.pick(texts), random);
    const lazy = createSchema({ typeDefs: text }, { checkWhole: false });
    const whole = buildSchema(text, { assumeValidSDL: true });
    // graphql 16 cannot print every default value. Then printing fails for both schemas.
    const [shown, expected] = [lazy, whole].map((schema) => [
      attempt(() => printSchema(schema)),
      attempt(() => introspectionFromSchema(schema)),
    ]);
    assert.deepEqual(shown, expected);
  }
});

for (const [what, text] of Object.entries({
  'a query': 'query { a }',
  'a body that does not end': 'type Query { a: Int',
  'a string that does not end': 'type Query { "a: Int }',
  'arguments that do not end': 'type Query { a: Int } directive @a(b: Int on FIELD',
  'a misspelled keyword': 'typ Query { a: Int }',
  'a character the language does not have': 'type Query { a: Int } ;',
  'a directive with directives and without locations': 'directive @a @b',
  'an extension of a directive with locations': 'extend directive @a @b on FIELD',
})) {
  test(`${what} is left to the parser`, () => {
    assert.equal(scanDefinitions(text), undefined);
  });
}

test('members that the scanner cannot read are parsed, and their errors are reported', () => {
  const text = 'type Query { a: Int ; b: Int }';

  assert.throws(() => membersAt({ text, sources: [[0, text.length]] }, [0, text.length]), /line 1, column 21/);
});

describe('malicious text is read quickly or refused', () => {
  const many = 50_000;
  const wrong = {
    'a body that does not end': `type Query { ${'a: Int '.repeat(many)}`,
    'a block string that does not end': `type Query { a: Int """${'\\""" " "" '.repeat(many)} }`,
    'arguments that do not end': `type Query { a(${'b: Int = "x" '.repeat(many)} }`,
    'directives whose body does not end': `type Query ${'@a(b: "c") '.repeat(many)} {`,
    'a field whose type goes on': `type Query { a: Int ${'# b\n'.repeat(many)} @ }`,
  };
  for (const [what, text] of Object.entries(wrong)) {
    test(what, () => {
      assert.throws(() => createSchema({ typeDefs: text }, { checkWhole: false }).getQueryType()?.getFields());
    });
  }

  test('a type with 50,000 described fields', () => {
    const fields = Array.from({ length: many }, (_, at) => `"{" f${at}(a: String = "}"): Int @deprecated # }\n`).join('');
    const schema = createSchema({ typeDefs: `type Query { ${fields} }` }, { checkWhole: false });

    assert.equal(schema.getQueryType()?.getFields()['f49999']?.deprecationReason, 'No longer supported');
  });
});
