/**
 * GraphQL, September 2026: what this edition adds, as rules and examples of our own, through every way in which a schema and an
 * operation come in.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { buildASTSchema, execute, parse } from 'graphql';
import type { ExecutionResult } from 'graphql';

import { createHandler, gql } from '../../../src/entries/index.ts';
import type { ServerOptions } from '../../../src/entries/index.ts';
import { createTester } from '../../../src/entries/testing.ts';
import { isGraphQL17 } from '../../../src/executor/graphql-version.ts';
import { createEndpoint } from '../../support/endpoint.ts';
import { executors } from '../../support/executors.ts';
import { json, post } from '../../support/plain-http.ts';
import { recordingLogger } from '../../support/recording-logger.ts';

const skip = !isGraphQL17 && 'graphql 16 does not read this edition';

/** The ways in which a schema comes in. */
const ways: readonly (readonly [name: string, (text: string) => Partial<ServerOptions>])[] = [
  ['text', (text) => ({ typeDefs: text })],
  ['a list of texts', (text) => ({ typeDefs: splitDefinitions(text) })],
  ['a document', (text) => ({ typeDefs: parse(text) })],
  ['gql', (text) => ({ typeDefs: gql([text] as never) })],
  ['the lazy schema of production', (text) => ({ typeDefs: text, nodeEnv: 'production' })],
  ['a schema made in code', (text) => ({ schema: buildASTSchema(parse(text)) })],
];

/** Each definition as a text of its own, with extensions before what they extend. */
function splitDefinitions(text: string): string[] {
  const texts = parse(text).definitions.map(({ loc }) => text.slice(loc!.start, loc!.end));
  return texts.toSorted((a, b) => Number(b.startsWith('extend')) - Number(a.startsWith('extend')));
}

const handlerFor = (options: Partial<ServerOptions>): ReturnType<typeof createHandler> =>
  createHandler({ nodeEnv: 'test', introspection: true, logger: recordingLogger()[0], ...options } as ServerOptions);

const run = async (options: Partial<ServerOptions>, query: string): Promise<ExecutionResult> =>
  createTester(handlerFor(options)).run(query) as Promise<unknown> as Promise<ExecutionResult>;

describe('directives on directive definitions (section 3.13)', { skip }, () => {
  const valid = {
    'a definition with a directive': 'directive @owned on DIRECTIVE_DEFINITION directive @auth @owned on FIELD_DEFINITION',
    'between arguments and locations, with an argument, before repeatable':
      'directive @owned(by: String!) on DIRECTIVE_DEFINITION "signs" directive @auth(role: String) @owned(by: "core") repeatable on OBJECT | FIELD_DEFINITION',
    'several, one of them repeatable':
      'directive @tag(name: String) repeatable on DIRECTIVE_DEFINITION directive @auth @tag(name: "a") @tag(name: "b") @deprecated on QUERY',
    'a deprecated definition': 'directive @auth @deprecated(reason: "Use @policy.") on FIELD_DEFINITION',
    'a deprecation without a reason': 'directive @auth @deprecated on FIELD',
    'an extension': 'directive @auth on FIELD extend directive @auth @deprecated(reason: "later")',
    'an extension with several directives':
      'directive @owned on DIRECTIVE_DEFINITION directive @auth on FIELD extend directive @auth @owned @deprecated',
    'two extensions':
      'directive @owned on DIRECTIVE_DEFINITION directive @auth on FIELD extend directive @auth @owned extend directive @auth @deprecated',
    'a deprecated argument of a deprecated directive': 'directive @auth(a: Int @deprecated, b: Int) @deprecated on FIELD',
    'a deprecated directive that is used': 'directive @auth @deprecated on FIELD_DEFINITION extend type Query { b: Int @auth }',
    'a location that no directive uses': 'directive @owned on DIRECTIVE_DEFINITION | SCHEMA',
  };
  for (const [what, more] of Object.entries(valid))
    for (const [way, options] of ways)
      test(`${what}, as ${way}, is introspected as by graphql-js`, async () => {
        const text = `type Query { a: Int } ${more}`;
        const query = `{ __schema {
          all: directives(includeDeprecated: true) { ...D } current: directives { ...D } none: directives(includeDeprecated: false) { name }
        } }
        fragment D on __Directive {
          name description locations isRepeatable isDeprecated deprecationReason
          args(includeDeprecated: true) { name isDeprecated type { kind name } }
        }`;

        const actual = await run(options(text), query);

        const schema = buildASTSchema(parse(text));
        const { data } = (await execute({ schema, document: parse(query) })) as ExecutionResult;
        assert.equal(JSON.stringify(actual.data), JSON.stringify(data));
        assert.equal(actual.errors, undefined);
      });

  test('a deprecated directive is not listed unless the client asks for it, and still applies', async () => {
    const typeDefs = 'directive @old @deprecated on FIELD directive @new on FIELD type Query { a: Int }';
    const query = '{ a @old __schema { directives { name } all: directives(includeDeprecated: true) { name isDeprecated } } }';

    const { data } = (await run({ typeDefs }, query)) as { data: any };

    const { directives, all } = data.__schema as Record<string, { name: string; isDeprecated?: boolean }[]>;
    const listed = directives!.map(({ name }) => name);
    assert.deepEqual([data.a, listed.includes('old'), listed.includes('new')], [null, false, true]);
    assert.deepEqual(all!.filter(({ isDeprecated }) => isDeprecated).map(({ name }) => name), ['old']); // prettier-ignore
  });

  test('the introspection system describes itself with the new entries', async () => {
    const query = `{
      directive: __type(name: "__Directive") { fields { name } }
      schema: __type(name: "__Schema") { fields { name args { name defaultValue type { kind ofType { name } } } } }
      locations: __type(name: "__DirectiveLocation") { enumValues { name } }
      deprecated: __schema { directives { name locations } }
    }`;

    const { data } = (await run({ typeDefs: 'type Query { a: Int }' }, query)) as { data: any };

    const namesOf = (list: { name: string }[]): Set<string> => new Set(list.map(({ name }) => name));
    for (const name of ['isDeprecated', 'deprecationReason']) assert.ok(namesOf(data.directive.fields).has(name));
    const named = (list: { name: string }[], name: string): any => list.find((one) => one.name === name);
    assert.equal(
      JSON.stringify(named(data.schema.fields, 'directives').args),
      '[{"name":"includeDeprecated","defaultValue":"false","type":{"kind":"NON_NULL","ofType":{"name":"Boolean"}}}]',
    );
    assert.ok(namesOf(data.locations.enumValues).has('DIRECTIVE_DEFINITION'));
    assert.ok(named(data.deprecated.directives, 'deprecated').locations.includes('DIRECTIVE_DEFINITION'));
  });

  const invalid = {
    'directive @auth @unknown on FIELD': /Unknown directive "@unknown"/,
    'directive @auth @field on FIELD directive @field on FIELD': /"@field" may not be used on DIRECTIVE_DEFINITION/,
    'directive @auth @owned @owned on FIELD directive @owned on DIRECTIVE_DEFINITION': /"@owned" can only be used once at this location/,
    'directive @auth @owned on FIELD directive @owned(by: Int!) on DIRECTIVE_DEFINITION': /"@owned\(by:\)" of type "Int!" is required/,
    'directive @auth @owned(from: 1) on FIELD directive @owned(by: Int) on DIRECTIVE_DEFINITION':
      /Unknown argument "from" on directive "@owned"/,
    'directive @auth @deprecated(reason: null) on FIELD': /"@deprecated\(reason:\)" has invalid value/,
    'directive @auth on FIELD extend directive @oth @deprecated': /extend the directive "@oth", but do not define it/,
    'directive @auth on FIELD extend directive @auth': /Syntax Error/,
    'directive @auth repeatable @owned on FIELD directive @owned on DIRECTIVE_DEFINITION': /Syntax Error: Expected "on", found "@"/,
  };
  for (const [definitions, message] of Object.entries(invalid))
    test(`${definitions} is an error at start`, () => {
      assert.throws(() => handlerFor({ typeDefs: `type Query { a: Int } ${definitions}` }), message);
    });

  for (const [query, message] of [
    ['{ a @owned }', /Directive "@owned" may not be used on FIELD/],
    ['{ a } extend directive @owned @deprecated', /not executable/],
  ] as const)
    test(`the operation ${query} is not valid`, async () => {
      const { errors } = await run({ typeDefs: 'directive @owned on DIRECTIVE_DEFINITION type Query { a: Int }' }, query);

      assert.match(errors![0]!.message, message);
    });
});

for (const text of ['directive @a @deprecated on FIELD', 'directive @a on FIELD extend directive @a @deprecated'])
  test(`${text} is an error that names graphql 17`, { skip: isGraphQL17 && 'graphql 17 reads it' }, () => {
    assert.throws(() => handlerFor({ typeDefs: `type Query { a: Int } ${text}` }), /Directives on directive definitions need graphql 17/);
  });

describe('empty selection sets (section 2.4)', { skip }, () => {
  const typeDefs = `
    type Query { launch(id: ID): Launch launches: [Launch!]! any: Any named: Named count: Int }
    type Mutation { start: Launch }
    type Subscription { started: Launch }
    union Any = Launch | Site
    interface Named { name: String }
    type Launch implements Named { name: String site: Site }
    type Site { id: ID }
  `;
  const launch = { __typename: 'Launch', name: 'One', site: {} };
  const rootValue = { launch, launches: [launch, launch], any: launch, named: launch, count: 1, start: launch };

  const valid = {
    '{ }': {},
    'query { }': {},
    'query Named($id: ID) { launch(id: $id) { } }': { launch: {} },
    '{ launches { } }': { launches: [{}, {}] },
    '{ launch { site { } } }': { launch: { site: {} } },
    '{ any { } named { } }': { any: {}, named: {} },
    '{ any { ... on Site { } } }': { any: {} },
    '{ launch { ... { } name } }': { launch: { name: 'One' } },
    '{ launch { ... @include(if: false) { name } } }': { launch: {} },
    '{ launch { ...F } } fragment F on Launch { }': { launch: {} },
    '{ launch { } launch { name } }': { launch: { name: 'One' } },
    '{ launch { name } ...F } fragment F on Query { launch { } }': { launch: { name: 'One' } },
    '{ a: launch { } b: launch { __typename } }': { a: {}, b: { __typename: 'Launch' } },
    'mutation { }': {},
    'mutation { start { } }': { start: {} },
    '{ __schema { } __type(name: "Query") { } }': { __schema: {}, __type: {} },
  };
  for (const [executor, option] of executors)
    for (const [query, data] of Object.entries(valid))
      test(`${query} is answered, with ${executor}`, async () => {
        const result = await run({ ...option, typeDefs, rootValue }, query);

        assert.deepEqual(JSON.parse(JSON.stringify({ data: result.data, errors: result.errors })), { data });
      });

  const invalid = {
    '{ count { } }': /Field "count" must not have a selection since type "Int" has no subfields/,
    '{ launch }': /Field "launch" of type "Launch" must have a selection of subfields/,
    '{ launch { name { } } }': /must not have a selection/,
    '{ launch { ... on Unknown { } } }': /Unknown type "Unknown"/,
    '{ launch { ... on Site { } } }': /can never be of type "Site"/,
    '{ launch { } launch(id: 1) { } }': /Fields "launch" conflict/,
    '{ launch { ...F } } fragment F on Launch { } fragment G on Launch { }': /Fragment "G" is never used/,
    'query ($id: ID) { launch { } }': /Variable "\$id" is never used/,
    'subscription { }': /./,
  };
  for (const [query, message] of Object.entries(invalid))
    test(`${query} is refused`, async () => {
      const response = await createEndpoint({ typeDefs, resolvers: {} } as never).send(post({ query }));

      const { data, errors } = json(response);
      assert.equal(data, undefined);
      assert.match(errors[0].message, message);
      assert.ok(response.status >= 400);
    });
});

test('empty selection sets are a syntax error with graphql 16', { skip: isGraphQL17 && 'graphql 17 parses them' }, async () => {
  const response = await createEndpoint().send(post({ query: '{ books { } }' }));

  assert.equal(response.status, 400);
  assert.match(json(response).errors[0].message, /Syntax Error/);
});

describe('OneOf input objects must have a finite value (section 3.10)', () => {
  const impossible = [
    'input A @oneOf { a: A }',
    'input A @oneOf { b: B } input B { a: A! }',
    'input A @oneOf { b: B } input B @oneOf { a: A }',
    'input A @oneOf { b: B c: C } input B @oneOf { a: A } input C { a: A! }',
    'input A { b: B! } input B @oneOf { a: A }',
    'input A { a: A! }',
  ];
  const possible = [
    'input A @oneOf { a: A b: Int }',
    'input A @oneOf { a: [A] }',
    'input A @oneOf { a: [A!] }',
    'input A @oneOf { b: B } input B { a: A }',
    'input A @oneOf { b: B c: C } input B @oneOf { a: A } input C { a: [A!]! }',
    'input A { b: B! } input B @oneOf { a: A i: Int }',
    'input A { a: A }',
  ];
  const textOf = (inputs: string): string => `type Query { a(x: A): Int } ${inputs}`;
  const named = isGraphQL17 ? impossible : impossible.slice(-1);

  for (const [way, options] of ways) {
    const whole = way === 'the lazy schema of production' ? { nodeEnv: 'test' } : {};
    for (const inputs of named)
      test(`${inputs}, as ${way}, is refused`, () => {
        assert.throws(() => handlerFor({ ...options(textOf(inputs)), ...whole }), /references itself|within itself/);
      });
    for (const inputs of possible)
      test(`${inputs}, as ${way}, is accepted`, async () => {
        const { errors } = await run({ ...options(textOf(inputs)), ...whole }, '{ a }');

        assert.equal(errors, undefined);
      });
  }
});

describe('errors and null propagation (sections 6.4.4 and 7.1.2)', () => {
  const typeDefs = `
    type Query { hero: Hero strict: Hero! rows: [Hero!] loose: [Hero] }
    type Hero { id: ID! name: String must: String! other: String! friends: [Hero!] peers: [Hero!]! inner: Hero }
  `;
  const fail = (what: string) => (): never => {
    throw new Error(what);
  };
  const failLater = (what: string) => () => Promise.resolve().then(fail(what));
  const good = { id: 1, name: 'R2-D2', must: 'm', other: 'o', friends: [], peers: [] };
  const bad = { ...good, must: fail('must'), other: failLater('other') };
  const hero = { ...good, friends: [good, { ...good, name: fail('name') }, bad], peers: [bad, bad], inner: bad };
  const rootValue = { hero, strict: bad, rows: [good, bad, bad], loose: [good, bad, { ...bad, must: null }] };

  /** Operations, and the data that propagation leaves. */
  const operations: readonly (readonly [query: string, data: unknown])[] = [
    ['{ hero { name friends { name } } }', { hero: { name: 'R2-D2', friends: [{ name: 'R2-D2' }, { name: null }, { name: 'R2-D2' }] } }],
    ['{ hero { id friends { must } } }', { hero: { id: '1', friends: null } }],
    ['{ hero { id peers { must other } } }', { hero: null }],
    ['{ hero { inner { must other name } } }', { hero: { inner: null } }],
    ['{ hero { a: inner { must } b: inner { must } } }', { hero: { a: null, b: null } }],
    ['{ strict { must } hero { id } }', null],
    ['{ rows { must other } }', { rows: null }],
    ['{ loose { must other } }', { loose: [{ must: 'm', other: 'o' }, null, null] }],
  ];
  for (const [executor, option] of executors)
    for (const [query, data] of operations)
      test(`${query}: each null has an error at or below it, and no two errors have one path, with ${executor}`, async () => {
        const result = await run({ ...option, typeDefs, rootValue }, query);

        assert.deepEqual(JSON.parse(JSON.stringify(result.data)), data);
        const paths = result.errors!.map(({ path }) => JSON.stringify(path));
        assert.equal(new Set(paths).size, paths.length, paths.join(' '));
        for (const at of nullsIn(result.data)) {
          const prefix = JSON.stringify(at).slice(0, -1);
          assert.ok(at.length === 0 || paths.some((path) => path.startsWith(prefix)), `${prefix} in ${paths.join(' ')}`);
        }
      });
});

/** The paths of all nulls. */
function nullsIn(value: unknown, path: readonly (string | number)[] = []): (readonly (string | number)[])[] {
  if (value === null) return [path];
  if (typeof value !== 'object') return [];
  return Object.entries(value!).flatMap(([key, part]) => nullsIn(part, [...path, Array.isArray(value) ? Number(key) : key]));
}
