import { deepEqual, doesNotThrow, equal, match, throws } from 'node:assert/strict';
import { describe, it } from 'node:test';

import { buildASTSchema, buildSchema, parse, printSchema } from 'graphql';

import { createHandler } from '../../../../src/entries/index.ts';
import { subgraph } from '../../../../src/entries/subgraph.ts';
import { entitiesQuery, linkTo, serveSubgraph } from './serving.ts';

const names =
  '{ __schema { types { name } directives { name isRepeatable args { name type { kind name ofType { name } } } } queryType { name } } }';

/** The names of types and directives that introspection shows. */
async function namesOf(typeDefs: any): Promise<{ readonly types: string[]; readonly directives: string[]; readonly query: string }> {
  const { data, errors } = await serveSubgraph({ typeDefs, introspection: true })(names);
  equal(errors, undefined);
  const { types, directives, queryType } = data.__schema;
  return { types: types.map(({ name }: any) => name), directives: directives.map(({ name }: any) => name), query: queryType.name };
}

async function sdlOf(typeDefs: any): Promise<string> {
  return (await serveSubgraph({ typeDefs })('{ _service { sdl } }')).data._service.sdl;
}

describe('_service', () => {
  const text = `# a comment
    ${linkTo('v2.9', '@key')}
    """described { @nothing }""" type Query { ok: Boolean }
    extend type Product @key(fields: "id") { id: ID! }`;

  it('answers with the text as it was given, with introspection off', async () => {
    equal(await sdlOf(text), text);
  });

  it('answers with what a resolver of the author returns', async () => {
    const { data } = await serveSubgraph({ typeDefs: text, resolvers: { Query: { _service: () => ({ sdl: 'my own' }) } } })(
      '{ _service { sdl } }',
    );

    equal(data._service.sdl, 'my own');
  });

  it('answers with several texts and documents in their order', async () => {
    const sdl = await sdlOf([text, [parse('type User @key(fields: "id") { id: ID! }')]]);

    match(sdl, /^# a comment[\s\S]*\ntype User @key\(fields: "id"\) \{\n {2}id: ID!\n\}$/);
  });
});

describe('the schema of a subgraph', () => {
  it('has no entities field without entities', async () => {
    const { types } = await namesOf('type Query { ok: Boolean }');

    equal(types.includes('_Service'), true);
    equal(types.includes('_Entity'), false);
    match(
      (await serveSubgraph({ typeDefs: 'type Query { ok: Boolean }' })(entitiesQuery(), { representations: [] })).errors![0]!.message,
      /_entities/,
    );
  });

  it('takes object types with @key for entities, on extensions and by interfaces, also if not resolvable', async () => {
    const typeDefs = `${linkTo('v2.9', '@key')}
      type Query { ok: Boolean }
      "@key { " type Commented # @key(
        { id: ID! @deprecated(reason: "@key(") }
      type Direct @key(fields: "id", resolvable: false) { id: ID! }
      type Later { id: ID! }
      extend type Later @key(fields: "id")
      interface Keyed @key(fields: "id") { id: ID! }
      type Implements implements Keyed { id: ID! }
      type WithArguments @deprecatedType(reason: "(") @key(fields: "id") { id: ID! }
      directive @deprecatedType(reason: String) on OBJECT
      type Keys @keys { id: ID! }
      directive @keys on OBJECT
    `;
    const ask = serveSubgraph({ typeDefs, introspection: true });

    const { data } = await ask('{ __type(name: "_Entity") { possibleTypes { name } } }');

    deepEqual(
      data.__type.possibleTypes.map(({ name }: any) => name),
      ['Direct', 'Later', 'Implements', 'WithArguments'],
    );
  });

  it('may have another query root, one that is only extended, or none', async () => {
    equal((await namesOf('schema { query: Root } type Root { ok: Boolean }')).query, 'Root');
    equal((await namesOf('extend type Query { ok: Boolean }')).query, 'Query');
    equal((await namesOf(`${linkTo('v2.9', '@key')} type User @key(fields: "id") { id: ID! }`)).query, 'Query');
    equal((await namesOf('schema { mutation: Change } type Change { ok: Boolean }')).query, 'Query');
    equal((await namesOf(parse('schema { query: Root } extend type Root { ok: Boolean }'))).query, 'Root');
  });

  it('takes a type that is only extended as defined, of every kind', async () => {
    const { types } = await namesOf(`${linkTo('v2.9', '@key')}
      type Query { a: A b: B c: C }
      extend type A @key(fields: "id") { id: ID! }
      extend interface B { id: ID! }
      extend union C = A
      extend enum D { E }
      extend input F { g: D }`);

    for (const name of ['A', 'B', 'C', 'D', 'F']) equal(types.includes(name), true, name);
  });

  it('is the same schema for graphql-js, from text and from documents', async () => {
    const text = `${linkTo('v2.15', '@key', 'FieldSet')} type Query { ok: Boolean } type User @key(fields: "id") { id: ID! }`;
    const printed = [text, parse(text)].map((typeDefs) => {
      const { typeDefs: whole } = subgraph({ typeDefs });
      const parts = (whole as readonly unknown[]).map((part) => (typeof part === 'string' ? parse(part) : part)) as ReturnType<
        typeof parse
      >[];
      return printSchema(buildASTSchema({ kind: 'Document' as never, definitions: parts.flatMap(({ definitions }) => definitions) }));
    });

    equal(printed[0], printed[1]);
    doesNotThrow(() => buildSchema(printed[0]!));
  });
});

describe('links', () => {
  it('give the directives and scalars of their version, by imported, renamed and prefixed names', async () => {
    const { types, directives } = await namesOf(`
      extend schema @link(url: "https://specs.apollo.dev/federation/v2.5", import: [{ name: "@key", as: "@id" }, "@shareable", { name: "FieldSet", as: "Fields" }])
      type Query { ok: Boolean }
      type User @id(fields: "id") { id: ID! @shareable name: String @federation__inaccessible }`);

    for (const name of ['link', 'id', 'shareable', 'federation__requires', 'federation__inaccessible', 'federation__authenticated'])
      equal(directives.includes(name), true, name);
    for (const name of ['key', 'federation__key', 'federation__policy', 'requires']) equal(directives.includes(name), false, name);
    for (const name of ['link__Import', 'Fields', 'federation__Scope', '_Entity']) equal(types.includes(name), true, name);
    for (const name of ['federation__FieldSet', 'federation__Policy']) equal(types.includes(name), false, name);
  });

  it('may be renamed, and so may @link itself', async () => {
    const renamed = await namesOf(`
      extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", as: "fed", import: ["@tag"])
      type Query { ok: Boolean @tag(name: "x") }
      type User @fed__key(fields: "id") { id: ID! }`);
    equal(renamed.directives.includes('fed__key'), true);
    equal(renamed.types.includes('_Entity'), true);

    const own = await namesOf(`
      schema @lnk(url: "https://specs.apollo.dev/link/v1.0", as: "lnk") @lnk(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key"]) { query: Query }
      type Query { ok: Boolean }
      type User @key(fields: "id") { id: ID! }`);
    equal(own.directives.includes('lnk'), true);
    equal(own.types.includes('lnk__Purpose'), true);
    equal(own.types.includes('_Entity'), true);
  });

  it('leave out what the author defines', async () => {
    const typeDefs = `${linkTo('v2.9', '@key')}
      directive @key(fields: federation__FieldSet!, resolvable: Boolean = true, mine: Int) repeatable on OBJECT | INTERFACE
      scalar federation__FieldSet
      type Query { ok: Boolean }
      type User @key(fields: "id", mine: 3) { id: ID! }`;
    const { data } = await serveSubgraph({ typeDefs, introspection: true })(names);

    const key = data.__schema.directives.find(({ name }: any) => name === 'key');
    deepEqual(
      key.args.map(({ name }: any) => name),
      ['fields', 'resolvable', 'mine'],
    );
  });

  it('are not needed by federation 1, whose names cannot change', async () => {
    const { types, directives } = await namesOf(`
      extend type Query { me: User }
      extend type User @key(fields: "id") { id: ID! @external name: String @requires(fields: "id") @tag(name: "x") }`);

    for (const name of ['key', 'requires', 'provides', 'external', 'extends', 'tag']) equal(directives.includes(name), true, name);
    equal(directives.includes('link'), false);
    equal(types.includes('_FieldSet'), true);
  });

  it('to other specifications keep federation 1, with @link', async () => {
    const { directives } = await namesOf(`
      extend schema @link(url: "https://example.com/mine/v1.0", import: ["@mine"])
      directive @mine on OBJECT
      type Query { ok: Boolean }
      type User @key(fields: "id") @mine { id: ID! }`);

    equal(directives.includes('link'), true);
    equal(directives.includes('key'), true);
  });

  for (let minor = 0; minor <= 15; minor++) {
    it(`to v2.${minor} make a valid schema`, async () => {
      const { types } = await namesOf(
        `${linkTo(`v2.${minor}`, '@key')} type Query { ok: Boolean } type User @key(fields: "id") { id: ID! }`,
      );

      equal(types.includes('_Entity'), true);
    });
  }
});

describe('refused at start', () => {
  const query = 'type Query { ok: Boolean }';
  const user = 'type User @key(fields: "id") { id: ID! }';
  const refusals: readonly (readonly [string, any, RegExp])[] = [
    ['two links to federation', `${linkTo('v2.9', '@key')}${linkTo('v2.8', '@tag')}${query} ${user}`, /got ".*v2\.9" and ".*v2\.8"\. Remove one/],
    ['an unknown version', `\n${linkTo('v2.16', '@key')}${query}`, /got "https:\/\/specs\.apollo\.dev\/federation\/v2\.16"/],
    ['a version with three numbers', `${linkTo('v2.15.0')}${query}`, /got ".*v2\.15\.0"/],
    ['federation 3', `${linkTo('v3.0')}${query}`, /got ".*v3\.0"/],
  ]; // prettier-ignore

  for (const [what, typeDefs, message] of refusals) {
    it(what, () => {
      throws(() => subgraph({ typeDefs }), message);
    });
  }

  it('a directive that is not imported, outside of production', () => {
    const options = subgraph({ typeDefs: `${linkTo('v2.9', '@key')} ${query} type A @shareable { b: Int }`, nodeEnv: 'test' });

    throws(() => createHandler(options), /Unknown directive "@shareable"/);
  });

  it('a schema in place of typeDefs, and neither', () => {
    throws(() => subgraph({ schema: buildSchema(query) } as never), /expects `typeDefs` with `resolvers`, got a `schema`/);
    throws(() => subgraph({ resolvers: {} }), /got neither/);
  });
});
