import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { GraphQLScalarType, parse } from 'graphql';

import { findCheck } from '../../../../src/server/startup/load-tools.ts';
import { findInSchema } from '../../../../src/tools/checks/schema-findings.ts';
import { createSchema } from '../../../../src/executor/schema/create-schema.ts';
import { nastySDL } from '../../../support/nasty-sdl.ts';
import { generateSchema } from '../../../support/schema-generator.ts';

/** The findings, each with the text from its position to the end of the line. */
function find(typeDefs: unknown, resolvers?: unknown): string[] {
  return findInSchema(typeDefs, resolvers).map(({ message, sdl, resolver }) => {
    const place = sdl === undefined ? resolver?.join('.') : sdl.text.slice(sdl.offset).split('\n')[0]?.trim();
    return place === undefined ? message : `${message} AT ${place}`;
  });
}

describe('finds no problem in what the server accepts', () => {
  for (const [what, text] of Object.entries({ ...nastySDL, 'a generated one': generateSchema({ types: 60 }) })) {
    test(`${what}, as text and as a document`, () => {
      assert.doesNotThrow(() => createSchema({ typeDefs: text }, { checkWhole: findCheck }));

      assert.deepEqual(find(text), []);
      assert.deepEqual(find(parse(text)), []);
    });
  }

  test('resolvers of every kind', () => {
    class Books {
      title(): string {
        return this.constructor.name;
      }
    }
    const typeDefs =
      'type Query { a: Int b: S } interface N { a: Int } union U = Query enum E { ONE } scalar S type B { title: String } type Subscription { a: Int }';
    const resolvers = [
      { Query: { a: () => 1 }, B: new Books(), S: new GraphQLScalarType({ name: 'S' }), U: { __resolveType: () => 'Query' } },
      [
        {
          Query: { b: { resolve: () => 1 } },
          E: { ONE: 1 },
          N: { __resolveType: () => 'Query' },
          Subscription: { a: { subscribe: () => [] } },
        },
      ],
    ];

    assert.doesNotThrow(() => createSchema({ typeDefs, resolvers: resolvers.flat() as never }, { checkWhole: findCheck }));
    assert.deepEqual(find(typeDefs, resolvers), []);
  });
});

describe('finds all problems', () => {
  test('the first syntax error of each text, and no problem that may only follow from it', () => {
    const typeDefs = ['type Query { a: A b( : Int } type A { x', 'type B { c: C }', 'input I { i }'];

    assert.deepEqual(find(typeDefs), [
      'Syntax Error: Expected Name, found ":". AT : Int } type A { x',
      'Syntax Error: Expected ":", found "}". AT }',
    ]);
  });

  test('an unknown type is reported where it is used, and hides only what complete types are checked for', () => {
    const typeDefs = `type Query implements Gone { a: Missing }
      union U = Missing | Query
      interface I { id: ID }
      type T implements I { b: Int }`;

    assert.deepEqual(find(typeDefs), [
      'Unknown type "Gone". Define it in typeDefs. AT Gone { a: Missing }',
      'Unknown type "Missing". Define it in typeDefs. AT Missing }',
      'Unknown type "Missing". Define it in typeDefs. AT Missing | Query',
    ]);
    assert.deepEqual(find(typeDefs.replaceAll(/Gone|Missing/g, 'I').replace('I | Query', 'Query')), [
      'Interface field I.id expected but Query does not provide it. AT type Query implements I { a: I }',
      'Interface field I.id expected but T does not provide it. AT type T implements I { b: Int }',
    ]);
  });

  test('the server’s messages about whole definitions get the place of the definition', () => {
    assert.deepEqual(find('type A { a: Int }').length, 1);
    assert.match(find('type Query { a: Int }\ninput Query { a: Int }')[0] ?? '', /for two things.* AT input Query/);
    assert.match(find('type Query { a: Int }\nextend type Book { a: Int }')[0] ?? '', /do not define it.* AT extend type Book/);
    assert.match(find('schema { query: Q }\ntype R { a: Int }').join('\n'), /names "Q" as its query root.* AT schema \{ query: Q \}/);
  });

  test('misused directives and arguments', () => {
    const typeDefs = `directive @tag(name: String!) on OBJECT
      type Query @tag { a(x: Int, x: Int): Int @deprecated(because: "old") @nope }`;

    const found = find(typeDefs).join('\n');

    assert.match(found, /Unknown directive "@nope"\. Define it in typeDefs\. AT @nope/);
    assert.match(found, /Unknown argument "because" on directive "@deprecated"\. AT because:/);
    assert.match(found, /"Query\.a\(x:\)" can only be defined once\./);
    assert.match(found, /"@tag\(?.*name.*" of type "String!" is required/);
  });

  test('a field or enum value that is defined twice is reported at the second, in the first run', () => {
    assert.deepEqual(find('type Query { a: Int\n a: String b: E }\nenum E { X\n X }\ninput I { i: Missing\n i: Int }'), [
      'Field "Query.a" can only be defined once. AT a: String b: E }',
      'Enum value "E.X" can only be defined once. AT X }',
      'Field "I.i" can only be defined once. AT i: Int }',
      'Unknown type "Missing". Define it in typeDefs. AT Missing',
    ]);
    assert.match(find(['type Query { a: Int }', 'type Query { a: Int }']).join('\n'), /^typeDefs define Query\.a twice\. Define it once\./);
  });

  test('each wrong resolver by its name, once', () => {
    const typeDefs = 'type Query { a: Int b: Int } input I { a: Int }';
    const resolvers = { Query: { c: () => 1, a: 5, b: () => 1 }, Gone: { x: () => 1, y: () => 2 }, I: { a: () => 1 }, Int: {}, B: 3 };

    const names = findInSchema(typeDefs, resolvers).map(({ resolver }) => resolver?.join('.'));
    assert.deepEqual(names, ['Query.c', 'Query.a', 'Gone', 'I.a', 'Int', 'B']);
    assert.match(find(typeDefs, 5)[0] ?? '', /resolvers take a resolver map/);
  });

  test('invalid typeDefs', () => {
    assert.match(find(5)[0] ?? '', /typeDefs takes schema text/);
    assert.match(find('./schema.graphql')[0] ?? '', /got a path/);
  });
});
