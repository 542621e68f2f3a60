import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { buildSchema, isEnumType, isObjectType, isUnionType } from 'graphql';
import type { GraphQLSchema } from 'graphql';

import { findChanges } from '../../src/tools/cli/against/find-changes.ts';
import { createRandom } from '../support/random.ts';
import { generateSchema } from '../support/schema-generator.ts';
import { needs, pathInPart } from './parts.ts';

/** Names of types in the generated schema that a change applies to. */
interface Names {
  readonly object: string;
  readonly enum: string;
  readonly union: string;
}

/** The text that is added to the schema before and after the change. */
type Change = (names: Names) => readonly [before: string, after: string];

const field =
  (before: string, after: string): Change =>
  ({ object }) => [extension(`type ${object}`, before), extension(`type ${object}`, after)];
/** A field of a separate input type, because default values in the generated schema do not have the field. */
const inputField =
  (before: string, after: string): Change =>
  ({ object }) => {
    const taking = `extend type ${object} { own(own: Own): Int }`;
    return [`${taking} input Own { id: ID ${before} }`, `${taking} input Own { id: ID ${after} }`];
  };
const argument = (before: string, after: string): Change => field(`f${before}: Int`, `f${after}: Int`);
const directive =
  (before: string, after: string): Change =>
  () => [before, after];

function extension(type: string, content: string): string {
  return content === '' ? '' : `extend ${type} { ${content} }`;
}

/** Each change of the table in docs/command-line.md. */
const changes: Readonly<Record<string, Change>> = {
  'A type is removed': () => ['type Removed { a: Int }', ''],
  'A type is added': () => ['', 'type Added { a: Int }'],
  'A type becomes one of another kind': () => ['type Changed { a: Int }', 'interface Changed { a: Int }'],
  'A field is removed': field('f: Int', ''),
  'A deprecated field is removed': field('f: Int @deprecated', ''),
  'A field is added': field('', 'f: Int'),
  'A field gets another type': field('f: Int', 'f: String'),
  'A field may be null': field('f: Int!', 'f: Int'),
  'A field may not be null': field('f: Int', 'f: Int!'),
  'A field is deprecated': field('f: Int', 'f: Int @deprecated'),
  'A description changes': field('"one" f: Int', '"two" f: Int'),
  'An argument is removed': argument('(a: Int)', ''),
  'An optional argument is added': argument('', '(a: Int)'),
  'A required argument is added': argument('', '(a: Int!)'),
  'An argument gets another type': argument('(a: Int)', '(a: String)'),
  'An argument becomes required': argument('(a: Int)', '(a: Int!)'),
  'An argument becomes optional': argument('(a: Int!)', '(a: Int)'),
  'The default of an argument changes': argument('(a: Int = 1)', '(a: Int = 2)'),
  'The default of an argument is removed': argument('(a: Int = 1)', '(a: Int)'),
  'An argument gets a default': argument('(a: Int)', '(a: Int = 1)'),
  'An input field is removed': inputField('f: Int', ''),
  'An optional input field is added': inputField('', 'f: Int'),
  'A required input field is added': inputField('', 'f: Int!'),
  'A required input field with a default is added': inputField('', 'f: Int! = 1'),
  'An input field gets another type': inputField('f: Int', 'f: String'),
  'An input field becomes required': inputField('f: Int', 'f: Int!'),
  'An input field becomes optional': inputField('f: Int!', 'f: Int'),
  'The default of an input field changes': inputField('f: Int = 1', 'f: Int = 2'),
  'The default of an input field is removed': inputField('f: Int = 1', 'f: Int'),
  'A value of an enum is removed': (names) => [extension(`enum ${names.enum}`, 'GONE'), ''],
  'A value of an enum is added': (names) => ['', extension(`enum ${names.enum}`, 'NEW')],
  'A type is removed from a union': ({ union }) => [`type M { a: Int } extend union ${union} = M`, 'type M { a: Int }'],
  'A type is added to a union': ({ union }) => ['type M { a: Int }', `type M { a: Int } extend union ${union} = M`],
  'A type no longer implements an interface': () => [
    'interface I { a: Int } type M implements I { a: Int }',
    'interface I { a: Int } type M { a: Int }',
  ],
  'A type implements another interface': () => [
    'interface I { a: Int } type M { a: Int }',
    'interface I { a: Int } type M implements I { a: Int }',
  ],
  'A directive is removed': directive('directive @d on FIELD', ''),
  'A directive is added': directive('', 'directive @d on FIELD'),
  'A directive loses a location': directive('directive @d on FIELD | QUERY', 'directive @d on FIELD'),
  'A directive is no longer repeatable': directive('directive @d repeatable on FIELD', 'directive @d on FIELD'),
  'An argument of a directive is removed': directive('directive @d(a: Int) on FIELD', 'directive @d on FIELD'),
  'A required argument of a directive is added': directive('directive @d on FIELD', 'directive @d(a: Int!) on FIELD'),
  'The schema loses its mutations, but keeps their type': () => ['schema { query: Query mutation: Mutation }', 'schema { query: Query }'],
};

type Level = 'breaking' | 'dangerous' | 'safe';

interface Inspector {
  readonly diff: (before: object, after: object) => Promise<readonly { readonly criticality: { readonly level: string } }[]>;
}

const seeds = [1, 2, 3, 4, 5];

/** The rows of the table: how serious each change is for `check` and for graphql-inspector. */
function documented(): Record<string, [string, string]> {
  const page = readFileSync(join(import.meta.dirname, '../../docs/command-line.md'), 'utf8');
  const [, section = ''] = page.split('### Rules');
  const rows = [...section.matchAll(/^\| ([A-Z].*?) +\| (breaking|dangerous|safe) +\| (breaking|dangerous|safe) +\|$/gm)];
  return Object.fromEntries(rows.map(([, change = '', ours = '', theirs = '']) => [change, [ours, theirs]]));
}

function namesOf(schema: GraphQLSchema, seed: number): Names {
  const random = createRandom(seed);
  const types = Object.values(schema.getTypeMap()).filter(({ name }) => !name.startsWith('__'));
  const pick = (isKind: (type: unknown) => boolean): string => random.pick(types.filter(isKind)).name;
  return { object: pick(isObjectType), enum: pick(isEnumType), union: pick(isUnionType) };
}

function worst(levels: readonly string[]): Level {
  return (['breaking', 'dangerous'] as const).find((level) => levels.includes(level)) ?? 'safe';
}

describe('changes of generated schemas', needs('graphql-inspector'), () => {
  test('the table of docs/command-line.md has every change', () => {
    assert.deepEqual(Object.keys(documented()), Object.keys(changes));
  });

  for (const [name, change] of Object.entries(changes)) {
    test(`${name}: check and graphql-inspector report what the table says`, async () => {
      const load = createRequire(pathInPart('graphql-inspector', '.package-lock.json'));
      const { diff } = load('@graphql-inspector/core') as Inspector;
      const { buildSchema: buildTheirs } = load('graphql') as { buildSchema: (text: string) => object };

      for (const seed of seeds) {
        const text = generateSchema({ types: 40, seed });
        const [before, after] = change(namesOf(buildSchema(text), seed)).map((part) => `${text}\n${part}`) as [string, string];
        const ours = worst(findChanges(buildSchema(before), buildSchema(after), []).map(({ level }) => level));
        const found = await diff(buildTheirs(before), buildTheirs(after));
        const theirs = worst(found.map(({ criticality }) => criticality.level.toLowerCase()));

        assert.deepEqual([ours, theirs], documented()[name], `seed ${seed}`);
      }
    });
  }
});
