import { deepEqual, doesNotThrow, equal, match } from 'node:assert/strict';
import { describe, it } from 'node:test';

import { buildASTSchema, buildSchema, parse, printSchema } from 'graphql';

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

describe('_service', () => {
  const text = `# a comment
    ${linkTo('v2.9', '@key')}
    """described { @nothing }""" type Query { ok: Boolean }
    extend type Product @key(fields: "id") { id: ID! }`;

  const rows: readonly (readonly [what: string, sdl: string, options: object])[] = [
    ['the text as it was given, with introspection off', text, { typeDefs: text }],
    ['what a resolver of the author returns', 'my own', { typeDefs: text, resolvers: { Query: { _service: () => ({ sdl: 'my own' }) } } }],
    [
      'several texts and documents in their order',
      `${text}\ntype User @key(fields: "id") {\n  id: ID!\n}`,
      { typeDefs: [text, [parse('type User @key(fields: "id") { id: ID! }')]] },
    ],
  ];
  for (const [what, sdl, options] of rows)
    it(`answers with ${what}`, async () => {
      deepEqual(await serveSubgraph(options as never)('{ _service { sdl } }'), { data: { _service: { sdl } } });
    });
});

describe('the schema of a subgraph', () => {
  it('has no entities field without entities', async () => {
    const { types } = await namesOf('type Query { ok: Boolean }');

    equal(types.includes('_Service'), true);
    equal(types.includes('_Entity'), false);
    const { errors } = await serveSubgraph({ typeDefs: 'type Query { ok: Boolean }' })(entitiesQuery(), { representations: [] });
    match(errors![0]!.message, /_entities/);
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

    const possible = data.__type.possibleTypes.map(({ name }: any) => name);
    deepEqual(possible, ['Direct', 'Later', 'Implements', 'WithArguments']);
  });

  it('may have another query root, one that is only extended, or none', async () => {
    equal((await namesOf('schema { query: Root } type Root { ok: Boolean }')).query, 'Root');
    equal((await namesOf('extend type Query { ok: Boolean }')).query, 'Query');
    equal((await namesOf(`${linkTo('v2.9', '@key')} type User @key(fields: "id") { id: ID! }`)).query, 'Query');
    equal((await namesOf('schema { mutation: Change } type Change { ok: Boolean }')).query, 'Query');
    equal((await namesOf(parse('schema { query: Root } extend type Root { ok: Boolean }'))).query, 'Root');
  });

  it('is the same schema for graphql-js, from text and from documents', async () => {
    const text = `${linkTo('v2.15', '@key', 'FieldSet')} type Query { ok: Boolean } type User @key(fields: "id") { id: ID! }`;
    const printed = [text, parse(text)].map((typeDefs) => {
      const { typeDefs: whole } = subgraph({ typeDefs });
      const parts = (whole as any[]).map((part) => (typeof part === 'string' ? parse(part) : part));
      return printSchema(buildASTSchema({ kind: 'Document' as never, definitions: parts.flatMap(({ definitions }) => definitions) }));
    });

    equal(printed[0], printed[1]);
    doesNotThrow(() => buildSchema(printed[0]!));
  });
});

describe('links', () => {
  const user = 'type Query { ok: Boolean } type User @key(fields: "id") { id: ID! }';
  const specs = 'https://specs.apollo.dev';
  const renamed = `extend schema @link(url: "${specs}/federation/v2.9", as: "fed", import: ["@tag"]) type Query { ok: Boolean @tag(name: "x") }`;
  const renamedLink = `@lnk(url: "${specs}/link/v1.0", as: "lnk") @lnk(url: "${specs}/federation/v2.9", import: ["@key"])`;
  const first = 'type User @key(fields: "id") { id: ID! @external name: String @requires(fields: "id") @tag(name: "x") }';
  const mine = 'extend schema @link(url: "https://example.com/mine/v1.0", import: ["@mine"]) directive @mine on OBJECT';
  const extended = 'type Query { a: A b: B c: C } extend type A @key(fields: "id") { id: ID! } extend interface B { id: ID! }'.concat(
    ' extend union C = A extend enum D { E } extend input F { g: D }',
  );
  const rows: readonly (readonly [what: string, typeDefs: string, names: string, without: string])[] = [
    [
      'give the directives and scalars of their version, by imported, renamed and prefixed names',
      `extend schema @link(url: "${specs}/federation/v2.5", import: [{ name: "@key", as: "@id" }, "@shareable", { name: "FieldSet", as: "Fields" }])
      type Query { ok: Boolean }
      type User @id(fields: "id") { id: ID! @shareable name: String @federation__inaccessible }`,
      'link id shareable federation__requires federation__inaccessible federation__authenticated link__Import Fields federation__Scope _Entity',
      'key federation__key federation__policy requires federation__FieldSet federation__Policy',
    ],
    ['may be renamed', `${renamed} type User @fed__key(fields: "id") { id: ID! }`, 'fed__key _Entity', 'federation__key'],
    ['may rename @link itself', `schema ${renamedLink} { query: Query } ${user}`, 'lnk lnk__Purpose _Entity', 'link'],
    ['are not needed by federation 1', `type Query { me: User } ${first}`, 'key requires provides external extends tag _FieldSet', 'link'],
    ['to other specifications keep federation 1, with @link', `${mine} ${user}`, 'link key _FieldSet', 'federation__key'],
    ['do not need the definition of a type that is only extended', `${linkTo('v2.9', '@key')} ${extended}`, 'A B C D F', ''],
    ...Array.from(
      { length: 16 },
      (_, minor) => [`to v2.${minor} make a valid schema`, `${linkTo(`v2.${minor}`, '@key')} ${user}`, '_Entity key', 'requires'] as const,
    ),
  ];
  for (const [what, typeDefs, expected, without] of rows)
    it(what, async () => {
      const { types, directives } = await namesOf(typeDefs);

      const all = new Set([...types, ...directives]);
      deepEqual(
        [...expected.split(' '), ...without.split(' ')].filter((name) => all.has(name)),
        expected.split(' '),
      );
    });

  it('leave out what the author defines', async () => {
    const typeDefs = `${linkTo('v2.9', '@key')}
      directive @key(fields: federation__FieldSet!, resolvable: Boolean = true, mine: Int) repeatable on OBJECT | INTERFACE
      scalar federation__FieldSet
      type Query { ok: Boolean }
      type User @key(fields: "id", mine: 3) { id: ID! }`;
    const { data } = await serveSubgraph({ typeDefs, introspection: true })(names);

    const key = data.__schema.directives.find(({ name }: any) => name === 'key');
    deepEqual(key.args.map(({ name }: any) => name).join(), 'fields,resolvable,mine');
  });
});
