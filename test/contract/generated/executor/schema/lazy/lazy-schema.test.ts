import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { printSchemaWithDirectives } from '@graphql-tools/utils';
import {
  buildSchema,
  getIntrospectionQuery,
  GraphQLSchema,
  graphqlSync,
  isInterfaceType,
  isObjectType,
  isUnionType,
  parse,
  print,
  printType,
  validate,
  validateSchema,
} from 'graphql';
import type { GraphQLInterfaceType, GraphQLNamedType, GraphQLUnionType } from 'graphql';

import { isGraphQL17 } from '../../../../../../src/executor/graphql-version.ts';
import { createSchema } from '../../../../../../src/executor/schema/create-schema.ts';
import { specifiedRulesForLazySchema } from '../../../../../../src/executor/schema/lazy/lazy-schema.ts';
import type { TypeDefs } from '../../../../../../src/executor/schema/sdl/type-defs.ts';
import { cases } from '../../../../../support/long-form.ts';
import { nastySDL } from '../../../../../support/nasty-sdl.ts';
import { createRandom } from '../../../../../support/random.ts';
import { generateSchema } from '../../../../../support/schema-generator.ts';

const many = cases({ short: 15, long: 300 });

const schemas: Readonly<Record<string, string>> = {
  ...nastySDL,
  'a generated schema of 10 types': generateSchema({ types: 10 }),
  'another generated schema of 10 types': generateSchema({ types: 10, seed: 2 }),
  [`a generated schema of ${many} types`]: generateSchema({ types: many }),
};

function lazily(typeDefs: TypeDefs): GraphQLSchema {
  return createSchema({ typeDefs }, { checkWhole: false });
}

for (const [name, text] of Object.entries(schemas)) compare(name, text, lazily);
for (const [name, text] of Object.entries(nastySDL)) compare(`${name}, given as a document`, text, (given) => lazily(parse(given)));

function compare(name: string, text: string, lazy: (text: string) => GraphQLSchema): void {
  describe(`${name}: the lazy schema equals the one that graphql-js builds`, () => {
    test('introspected by an operation, key by key', () => {
      const source = getIntrospectionQuery({
        specifiedByUrl: true,
        directiveIsRepeatable: true,
        schemaDescription: true,
        inputValueDeprecation: true,
        oneOf: true,
        ...(isGraphQL17 && { experimentalDirectiveDeprecation: true }),
      });

      assert.equal(
        JSON.stringify(graphqlSync({ schema: lazy(text), source })),
        JSON.stringify(graphqlSync({ schema: buildSchema(text), source })),
      );
    });

    test('printed with its directives', () => {
      assert.equal(printSchemaWithDirectives(lazy(text)), printSchemaWithDirectives(buildSchema(text)));
    });

    test('checked by graphql-js', () => {
      assert.deepEqual(
        validateSchema(new GraphQLSchema(lazy(text).toConfig())).map(String),
        validateSchema(buildSchema(text)).map(withoutLocations),
      );
    });

    test('type by type, in any order, before anything has enumerated it', () => {
      const eager = buildSchema(text);
      const schema = lazy(text);
      const names = shuffle(Object.keys(eager.getTypeMap()));

      for (const type of names) assert.deepEqual(facets(schema.getType(type)), facets(eager.getType(type)));
      assert.deepEqual(
        names.map((type) => related(schema, type)),
        names.map((type) => related(eager, type)),
      );
    });

    test('directive by directive', () => {
      assert.deepEqual(lazy(text).getDirectives().map(directiveFacets), buildSchema(text).getDirectives().map(directiveFacets));
    });
  });
}

function withoutLocations(error: { message: string }): string {
  return error.message;
}

function shuffle<T>(list: readonly T[]): T[] {
  const random = createRandom(7);
  return list
    .map((item) => [random.next(), item] as const)
    .toSorted(([a], [b]) => a - b)
    .map(([, item]) => item);
}

/** Returns everything visible in a type as data, so that two schemas can be compared. */
function facets(type: GraphQLNamedType | undefined): unknown {
  if (type === undefined) return undefined;
  return {
    text: printType(type),
    class: Object.prototype.toString.call(type),
    definition: type.astNode && print(type.astNode),
    extensions: type.extensionASTNodes.map(print),
    fields: 'getFields' in type ? Object.values(type.getFields()).map((field) => fieldFacets(field)) : undefined,
    oneOf: 'isOneOf' in type ? type.isOneOf : undefined,
    url: 'specifiedByURL' in type ? type.specifiedByURL : undefined,
  };
}

// Any: a field of an object, an interface or an input object.
function fieldFacets(field: any): unknown {
  const { name, type, description, deprecationReason, astNode } = field;
  const args = field.args?.map((arg: any) => [arg.name, String(arg.type), arg.description, arg.deprecationReason, defaultOf(arg)]);
  const parent = 'parentType' in field ? String(field.parentType) : undefined;
  return {
    name,
    type: String(type),
    description,
    deprecationReason,
    args,
    parent,
    default: defaultOf(field),
    definition: astNode && print(astNode),
  };
}

/** Returns the default of an input, which graphql 16 has as a value and graphql 17 as a literal. */
function defaultOf(input: object): unknown {
  const { defaultValue, default: given } = input as { defaultValue?: unknown; default?: { literal?: Parameters<typeof print>[0] } };
  return given?.literal ? print(given.literal) : defaultValue;
}

/** Returns the possible types and subtypes as sets, because enumerating a schema determines the order of implementations. */
function related(schema: GraphQLSchema, name: string): unknown {
  const type = schema.getType(name);
  if (isUnionType(type)) return { possible: names(schema.getPossibleTypes(type)), ...subTypes(schema, type) };
  if (!isInterfaceType(type)) return isObjectType(type) ? names(type.getInterfaces()) : undefined;
  const { objects, interfaces } = schema.getImplementations(type);
  return {
    objects: names(objects),
    interfaces: names(interfaces),
    possible: names(schema.getPossibleTypes(type)),
    ...subTypes(schema, type),
  };
}

function subTypes(schema: GraphQLSchema, abstract: GraphQLInterfaceType | GraphQLUnionType): object {
  const all = Object.values(schema.getTypeMap()).filter((type) => isObjectType(type) || isInterfaceType(type));
  return { sub: names(all.filter((type) => schema.isSubType(abstract, type))) };
}

function names(types: readonly GraphQLNamedType[]): string[] {
  return types.map(({ name }) => name).toSorted();
}

function directiveFacets(directive: ReturnType<GraphQLSchema['getDirectives']>[number]): unknown {
  const { name, description, locations, isRepeatable, args, astNode } = directive;
  return {
    name,
    description,
    locations,
    isRepeatable,
    args: args.map((arg) => [arg.name, String(arg.type), arg.description, defaultOf(arg)]),
    definition: astNode && print(astNode),
  };
}

const wrongDocuments = [
  '{ nothing }',
  '{ query1 { feild1 } quer1 }',
  'query ($a: Strin, $b: BookInput, $c: Float, $d: ID) { query0 }',
  '{ ...on Bok { id } ...on Nothing { id } ... on String { id } }',
  'fragment f on Querry { a }',
  '{ __type(name: 1) { name } __schema { tipes { name } } }',
  '{ query0(frist: 1) query1(first: "x") query2(kind: WRONG, filter: { feild0: 1 }) }',
  'query @nothing { query0 @skip }',
  'mutation { nothing } ',
  'subscription { nothing }',
  '{ query0 { ... on Node0 { id } id label0 } query3 { label1 } query4 { id } query5 { id } query6 { field0 } }',
];

for (const types of [10, many]) {
  test(`every message and suggestion about an invalid document is the same, for ${types} types`, () => {
    const text = generateSchema({ types });

    for (const source of wrongDocuments) {
      const document = parse(source);

      assert.deepEqual(
        validate(lazily(text), document).map((error) => error.toJSON()),
        validate(buildSchema(text), document).map((error) => error.toJSON()),
        source,
      );
    }
  });
}

test('a type that no operation uses is never parsed', () => {
  const schema = lazily('type Query { a: Int b: Broken } type Broken { ::: }');

  assert.deepEqual(validate(schema, parse('{ a }'), specifiedRulesForLazySchema), []);
  assert.throws(() => validate(schema, parse('{ b { c } }'), specifiedRulesForLazySchema), /typeDefs, line 1, column 47/);
});

test('a field of a large type is parsed when it is named, and never before', () => {
  const fields = Array.from({ length: 300 }, (_, number) => `"Field ${number}." field${number}(first: Int = 1): String`);
  const schema = lazily(`type Query { ${fields.join(' ')} broken(a: Int = ]): Int } type T { a: Int }`);

  assert.deepEqual(validate(schema, parse('{ field299(first: 2) __typename }'), specifiedRulesForLazySchema), []);
  assert.throws(() => validate(schema, parse('{ broken }'), specifiedRulesForLazySchema), /typeDefs, line 1/);
});
