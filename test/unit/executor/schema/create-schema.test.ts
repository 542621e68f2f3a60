import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import {
  buildSchema,
  DirectiveLocation,
  execute,
  GraphQLDirective,
  GraphQLInt,
  GraphQLObjectType,
  GraphQLSchema,
  graphqlSync,
  GraphQLString,
  parse,
  printSchema,
  validate as validateDocument,
} from 'graphql';
import type { ExecutionResult } from 'graphql';

import { findCheck } from '../../../../src/server/startup/load-tools.ts';
import { createSchema } from '../../../../src/executor/schema/create-schema.ts';
import type { SchemaInput } from '../../../../src/executor/schema/create-schema.ts';

const lazily = { checkWhole: false } as const;

function refusal(input: unknown, checkWhole = false): string {
  try {
    createSchema(input as SchemaInput, { checkWhole: checkWhole && findCheck });
  } catch (error) {
    if (error instanceof Error) return error.message;
    throw error;
  }
  throw new Error('It was accepted.');
}

describe('typeDefs', () => {
  test('may be text, documents, and lists of both', () => {
    const schema = createSchema({ typeDefs: ['type Query { a: A }', [parse('"An a." type A { b: B }'), ['scalar B']]] }, lazily);

    assert.equal(printSchema(schema), printSchema(buildSchema('type Query { a: A } "An a." type A { b: B } scalar B')));
  });

  const needed = 'typeDefs takes schema text or a parsed document, got';
  const contain = 'typeDefs take definitions of types, directives and the schema; they contain';
  for (const [typeDefs, message] of [
    ['./schema.graphql', 'typeDefs takes schema text, got a path: "./schema.graphql". Read its text with readFileSync(…, "utf8").'],
    [Promise.resolve(''), `${needed} a promise. Await it first.`],
    [Buffer.from('type Query { a: Int }'), `${needed} an object. It is a file as bytes: read it with "utf8".`],
    [() => '', `${needed} a function. Call it first.`],
    [{ default: '' }, `${needed} an object. Import its default export.`],
    [buildSchema('type Query { a: Int }'), `${needed} an object. It is a GraphQLSchema: give it as \`schema\`.`],
    [' \n', 'typeDefs is empty. Write the schema: type Query { … }.'],
    [[], 'typeDefs is an empty list. Put schema text into it: type Query { … }.'],
    [
      ['type Query { a: Int }', undefined],
      'typeDefs[1] takes schema text or a parsed document, got undefined. Is it imported from a module that imports this one?',
    ],
    ['type Query { a: Int } query Q { a }', `${contain} a query "Q". Move it to the client.`],
    ['type Query { a: Int } fragment F on Query { a }', `${contain} the fragment "F". Move it to the client.`],
    [
      'type Query {\n  a Int\n  b: [Int\n}\ntype A {',
      'The typeDefs cannot be parsed. Syntax Error: Expected ":", found Name "Int".\n\ntypeDefs, line 2, column 5:\n    a Int\n      ^',
    ],
    ['type Book { a: Int } scalar S', 'typeDefs define no "type Query", where every query starts. They define "Book", "S".'],
    [
      'schema { query: Quer } type Query { a: Int }',
      'The schema definition names "Quer" as its query root, but typeDefs do not define it. Did you mean "Query"?',
    ],
    ['interface Query { a: Int }', 'The query root "Query" is defined as "interface Query"; it must be an object type, "type Query".'],
  ] as const)
    test(`are refused, and the error says what to write: ${message}`, () => {
      assert.equal(refusal({ typeDefs }), message);
    });

  test('that use an unknown type are refused with the location when the type is used', () => {
    const schema = createSchema({ typeDefs: 'type Query { ok: Int } type Book { author: Auther } type Author { a: Int }' }, lazily);

    assert.deepEqual({ ...(execute({ schema, document: parse('{ ok }') }) as ExecutionResult).data }, { ok: null });
    assert.throws(() => (schema.getType('Book') as GraphQLObjectType).getFields(), {
      name: 'Error',
      message: 'typeDefs use the type "Auther" in Book.author, but do not define it. Did you mean "Author"?',
    });
  });
});

describe('the source of the schema', () => {
  const ready = buildSchema('type Query { a: Int }');
  for (const [what, input, message] of [
    ['is required', {}, 'Set `typeDefs` (schema text) with `resolvers`, or `schema` (a GraphQLSchema).'],
    ['must be either typeDefs or schema', { typeDefs: 'type Query { a: Int }', schema: ready }, 'Set `typeDefs` or `schema`, not both.'],
    [
      'cannot be a schema with resolvers',
      { resolvers: {}, schema: ready },
      '`resolvers` belong to `typeDefs`: a `schema` contains its res',
    ],
  ] as const)
    test(what, () => {
      assert.ok(refusal(input).startsWith(message));
    });

  test('may be a ready schema, which is used unchanged', () => {
    assert.equal(createSchema({ schema: ready }, { checkWhole: findCheck }), ready);
  });
});

describe('the check of the whole schema', () => {
  for (const [what, typeDefs, message] of [
    ['a type that nothing defines', 'type Query { a: Int } type B { c: Cc } type C { c: Int }', /typeDefs use the type "Cc" in B.c/],
    [
      'an input type in the place of an output type',
      'type Query { a: In } input In { a: Int }',
      /The type of Query.a must be Output Type but got: In/,
    ],
    ['a type without fields', 'type Query { a: Int } type Empty', /Type Empty must define one or more fields/],
    ['text that only a parser notices', 'type Query { a: Int } type B { c: : Int }', /typeDefs, line 1, column 35/],
  ] as const) {
    test(`finds ${what}`, () => {
      assert.match(refusal({ typeDefs }, true), message);
    });
  }

  test('finds errors in a ready schema', () => {
    const schema = new GraphQLSchema({ query: new GraphQLObjectType({ name: 'Query', fields: { __a: { type: GraphQLString } } }) });

    assert.match(refusal({ schema }, true), /must not begin with "__"/);
  });

  test('does not build the types of the served schema, which are created when they are needed', () => {
    const calls: string[] = [];
    const resolvers = { Query: { a: (): number => calls.push('a') } };

    const schema = createSchema({ typeDefs: 'type Query { a: Int }', resolvers }, { checkWhole: findCheck });

    assert.deepEqual({ ...graphqlSync({ schema, source: '{ a }' }).data }, { a: 1 });
    assert.deepEqual(calls, ['a']);
  });
});

describe('directives that the server adds', () => {
  const late = new GraphQLDirective({
    name: 'late',
    locations: [DirectiveLocation.FIELD],
    args: { by: { type: GraphQLInt, defaultValue: 1 } },
  });
  const settings = { ...lazily, directives: [late] };
  const validate = (schema: GraphQLSchema, text: string): string[] => validateDocument(schema, parse(text)).map(({ message }) => message);

  test('are in the schema with the types of their arguments, even if the text does not mention these types', () => {
    const schema = createSchema({ typeDefs: 'type Query { a: String }' }, settings);

    assert.deepEqual(validate(schema, 'query ($by: Int) { a @late(by: $by) }'), []);
    assert.match(printSchema(schema), /^directive @late\(by: Int = 1\) on FIELD$/m);
    assert.equal(schema.getType('Int'), GraphQLInt);
  });

  test('are added to a ready schema that lacks them, which keeps its types; a schema that has them is unchanged', () => {
    const ready = buildSchema('type Query { a: String }');

    const added = createSchema({ schema: ready }, settings);

    assert.equal(added.getQueryType(), ready.getQueryType());
    assert.equal(added.getDirective('late'), late);
    assert.equal(createSchema({ schema: added }, settings), added);
  });
});
