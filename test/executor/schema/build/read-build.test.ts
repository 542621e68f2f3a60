import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { lexicographicSortSchema, parse, printSchema, version } from 'graphql';
import type { DocumentNode, GraphQLSchema } from 'graphql';

import { makeArtifact } from '../../../../src/tools/cli/project/make-artifact.ts';
import type { BuildArtifact } from '../../../../src/executor/schema/build/build-artifact.ts';
import { createSchemaIndex } from '../../../../src/executor/schema/sdl/create-index.ts';
import { sealOf } from '../../../../src/executor/schema/build/build-artifact.ts';
import { readBuild, typeDefsMark } from '../../../../src/executor/schema/build/read-build.ts';
import { LazySchema } from '../../../../src/executor/schema/lazy/lazy-schema.ts';
import type { OpenedBuild } from '../../../../src/executor/schema/build/read-build.ts';
import type { TypeDefs } from '../../../../src/executor/schema/sdl/type-defs.ts';
import { nastySDL } from '../../../support/nasty-sdl.ts';
import { generateSchema } from '../../../support/schema-generator.ts';

const sdl = 'type Query { "A title." title: String }';
const fromFiles = { schema: ['schema/*.graphql'], documents: [], descriptions: true };

/** Creates a build as it is read from a file. */
function artifactOf(typeDefs: readonly (string | ReturnType<typeof parse>)[], from: BuildArtifact['from'] = fromFiles): BuildArtifact {
  return JSON.parse(JSON.stringify(makeArtifact(typeDefs, from, ['{ title }']))) as BuildArtifact;
}

function withSeal(artifact: BuildArtifact): BuildArtifact {
  return { ...artifact, seal: sealOf(artifact) };
}

function open(artifact: object, typeDefs?: TypeDefs, strict = false): OpenedBuild & { readonly problems: readonly string[] } {
  const problems: string[] = [];
  return { ...readBuild(artifact).open({ typeDefs, strict, report: (problem) => void problems.push(problem) }), problems };
}

/** The schema of an artifact, without resolvers. */
function schemaOf(artifact: BuildArtifact): LazySchema {
  return new LazySchema(open(artifact, undefined, true).index!, new Map());
}

describe('a schema from a build equals the original', () => {
  for (const [what, typeDefs] of Object.entries<readonly (string | DocumentNode)[]>({
    'a small one': [generateSchema({ types: 10 })],
    'one whose root types are read field by field': [generateSchema({ types: 150 })],
    ...Object.fromEntries(Object.entries(nastySDL).map(([what, text]) => [what, [text]])),
    'definitions of one name, merged': [
      'type Query { a: Int } "Twice." enum E { A }',
      'type Query { b: Int "again" a: Int c(x: Int): E } "Again." enum E { A B @deprecated }',
      'extend type Query { d: Int }',
    ],
    'parsed documents beside text': [
      parse('type Query { a: Int } directive @d(b: Int) on FIELD'),
      'extend type Query { "B" b: U } union U = Query',
    ],
    'a schema definition, extended': ['"All." schema { query: Q } type Q { a: Int } type M { a: Int }', 'extend schema { mutation: M }'],
    'types and fields called like members of objects': ['type Query { constructor: __proto } type __proto { toString: Int }'],
  })) {
    test(what, () => {
      const eager = new LazySchema(createSchemaIndex(typeDefs), new Map());

      const built = schemaOf(artifactOf(typeDefs));

      assert.equal(printSchema(built), printSchema(eager));
    });
  }

  for (const [what, text] of Object.entries({ ...nastySDL, 'a generated one': generateSchema({ types: 60 }) })) {
    test(`${what}: a build without descriptions differs in nothing else`, () => {
      const built = schemaOf(artifactOf([text], { ...fromFiles, descriptions: false }));
      const whole = new LazySchema(createSchemaIndex([text]), new Map());

      assert.equal(printSchema(undescribed(built)), printSchema(undescribed(whole)));
      assert.deepEqual(descriptionsIn(built), []);
    });
  }

  test('single types and fields are found without creating the others', () => {
    const schema = schemaOf(artifactOf([generateSchema({ types: 300 })]));

    const field = schema.getQueryType()?.getFields()['query7'];

    assert.equal(field?.name, 'query7');
    assert.equal(schema.getType('Nobody'), undefined);
    assert.deepEqual([schema.getType('constructor'), schema.getType('')], [undefined, undefined]);
  });
});

test('a build that matches provides the schema and its known documents', () => {
  const { typeDefs, index, knownDocuments, problems } = open(artifactOf([sdl]));

  assert.deepEqual(
    [typeDefs, index?.roots.query, knownDocuments, problems],
    ['type Query{"A title." title:String}', 'Query', new Set(['{ title }']), []],
  );
});

test('a build matches its typeDefs, as text or parsed', () => {
  const artifact = artifactOf([sdl], { ...fromFiles, schema: [], typeDefs: typeDefsMark(sdl) });

  assert.ok(open(artifact, sdl, true).index);
  assert.ok(open(artifact, [sdl], true).index);
  assert.ok(open(artifact, undefined, true).index);
});

const ownTypeDefs = { ...fromFiles, schema: [], typeDefs: typeDefsMark(sdl) };
const misfits: Readonly<Record<string, readonly [artifact: object, typeDefs: TypeDefs, expected: RegExp]>> = {
  'of typeDefs that have changed': [artifactOf([sdl], ownTypeDefs), sdl.replace('String', 'ID'), /is stale: `typeDefs` have changed/],
  'of files, beside typeDefs': [artifactOf([sdl]), sdl, /was made from schema\/\*\.graphql: remove `typeDefs`/],
  'of another version of graphql': [
    withSeal({ ...artifactOf([sdl], ownTypeDefs), graphql: '15.8' }),
    sdl,
    new RegExp(`made with graphql 15\\.8, but this is graphql ${version.split('.', 2).join('\\.')}`),
  ],
  'of another format': [withSeal({ ...artifactOf([sdl], ownTypeDefs), format: 99 }), sdl, /format 3/],
  'whose text was changed': [
    { ...artifactOf([sdl], ownTypeDefs), text: 'type Query{"A title."titel:String}' },
    sdl,
    /was changed after it was made/,
  ],
  'whose index was changed': [{ ...artifactOf([sdl], ownTypeDefs), types: 'Query type 0 12' }, sdl, /was changed after/],
  'that got a document more': [{ ...artifactOf([sdl], ownTypeDefs), documents: ['{ title }', '{ wrong }'] }, sdl, /was changed after/],
  'without a seal': [{ ...artifactOf([sdl], ownTypeDefs), seal: undefined }, sdl, /was changed after/],
  'with parts missing': [{ format: 3, from: {} }, sdl, /was changed after/],
  'without a part that was empty': [{ ...artifactOf([sdl], ownTypeDefs), members: undefined }, sdl, /was changed after/],
  'with parts of wrong types': [{ ...artifactOf([sdl], ownTypeDefs), documents: 7 }, sdl, /was changed after/],
  'that is empty': [{}, sdl, /^(?:Error: )?This version of graphql-functions cannot read/],
};

test('a value that is not the content of a file is an error that says so', () => {
  for (const wrong of [undefined, null, 'text', [1]])
    assert.throws(() => readBuild(wrong as never), /readBuild expects the content of <function>\.build\.json, got/);
});

describe('a build that does not match', () => {
  for (const [what, [artifact, typeDefs, expected]] of Object.entries(misfits)) {
    test(`${what} is rejected in development`, () => {
      assert.throws(() => open(artifact, typeDefs, true), expected);
    });

    test(`${what} is logged and ignored in production`, () => {
      const opened = open(artifact, typeDefs);

      assert.deepEqual([opened.typeDefs, opened.index, opened.knownDocuments], [typeDefs, undefined, undefined]);
      assert.match(String(opened.problems), expected);
      assert.match(String(opened.problems), /npx graphql-functions build/);
    });
  }

  test('of another version of graphql, without typeDefs, still provides the text', () => {
    const opened = open(withSeal({ ...artifactOf([sdl]), graphql: '15.8' }));

    assert.deepEqual([opened.typeDefs, opened.index, opened.problems.length], ['type Query{"A title." title:String}', undefined, 1]);
  });

  test('whose text cannot be trusted is an error without typeDefs', () => {
    assert.throws(() => open({ ...artifactOf([sdl]), text: 'type Query { other: Int }' }), /was changed after it was made/);
    assert.throws(() => open({}), /^(?:Error: )?This version of graphql-functions cannot read/);
  });
});

/** Returns everything in a schema that may have a description. */
function describable(schema: GraphQLSchema): { name?: string; description?: string | null | undefined }[] {
  const types = Object.values(schema.getTypeMap()).filter(({ name }) => !/^(__.*|ID|Int|Float|String|Boolean)$/.test(name));
  const fields = types.flatMap((type) => ('getFields' in type ? Object.values(type.getFields()) : []));
  const args = fields.flatMap((field) => ('args' in field ? field.args : []));
  const values = types.flatMap((type) => ('getValues' in type ? type.getValues() : []));
  const directives = schema.getDirectives().filter(({ astNode }) => astNode);
  return [schema, ...types, ...fields, ...args, ...values, ...directives, ...directives.flatMap((one) => one.args)] as never;
}

function descriptionsIn(schema: GraphQLSchema): unknown[] {
  return describable(schema).filter(({ description }) => description !== undefined && description !== null);
}

function undescribed(schema: GraphQLSchema): GraphQLSchema {
  for (const one of describable(schema)) one.description = undefined;
  return lexicographicSortSchema(schema);
}
