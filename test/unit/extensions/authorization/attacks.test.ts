import { deepEqual } from 'node:assert/strict';
import { describe, it } from 'node:test';

import { GraphQLScalarType, valueFromASTUntyped } from 'graphql';

import { authorization } from '../../../../src/entries/authorization.ts';
import { createHandler } from '../../../../src/entries/index.ts';
import type { ServerPlugin } from '../../../../src/entries/index.ts';
import { subgraph } from '../../../../src/entries/subgraph.ts';
import { executors } from '../../../support/executors.ts';
import { recordingLogger } from '../../../support/recording-logger.ts';

const lower = (value: unknown): string => String(value).toLowerCase();
const Lower = new GraphQLScalarType({ name: 'Lower', parseValue: lower, parseLiteral: (node: any) => lower(node.value) });

const entities = `
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key", { name: "@authenticated", as: "@a" }, { name: "@authenticated", as: "@b" }])
  type Query { twice: Int @a again: Int @b plain: Int @authenticated find(by: Lower): Int self: Query }
  scalar Lower
  enum Name { SAFE }
  type Book @key(fields: "id") { id: ID }
  type User @key(fields: "id") @b { id: ID }`;

/** Returns a function that says what nobody's operation is answered with, and what ran. */
function serve(choice: object, plugins: readonly ServerPlugin[] = [], typeDefs = entities, scalars: object = {}) {
  const ran: string[] = [];
  const [logger] = recordingLogger();
  const find = (name: string) => () => (ran.push(name), { id: 1 });
  const options = {
    ...choice,
    nodeEnv: 'production',
    logger,
    typeDefs,
    resolvers: {
      Query: { ...(typeDefs.includes('twice') && { self: () => ({}), twice: find('twice'), again: find('again') }) },
      ...(typeDefs.includes('scalar Lower') && { Lower, Name: { SAFE: 'User' } }),
      ...scalars,
      Book: { __resolveReference: find('Book') },
      User: { __resolveReference: find('User') },
    },
    plugins: [authorization({ claims: () => undefined }), ...plugins],
  };
  const handler = createHandler(subgraph(options as never) as never) as unknown as (event: object, context: object) => Promise<any>;
  return async (query: string, variables?: object): Promise<readonly unknown[]> => {
    ran.length = 0;
    const { errors = [] } = await handler({ query, variables }, {});
    return [errors[0]?.extensions.code, ...ran];
  };
}

for (const [name, choice] of executors)
  describe(`authorization() with ${name}`, () => {
    it('reads the name of a representation as its resolver gets it', async () => {
      const ask = serve(choice);
      const represent = (type: string, rest = ''): string =>
        `query ($n: ${type}${rest}) { _entities(representations: [{ __typename: $n, id: 1 }]) { ... on Book { id } } }`;

      deepEqual(
        [
          await ask(represent('String!'), { n: 'User' }),
          await ask(represent('String', ' = "User"')),
          // The scalar changes values, and graphql 17 gives the value of the client to the resolver.
          await ask(represent('Lower!'), { n: 'User' }),
          await ask(represent('Lower', ' = "User"')),
          await ask(represent('Name!'), { n: 'SAFE' }),
          await ask(represent('Lower!').replace('$n, id', '[$n], id'), { n: 'User' }),
          await ask(represent('String!'), { n: 'Book' }),
        ],
        [
          ['UNAUTHENTICATED'],
          ['UNAUTHENTICATED'],
          ['GRAPHQL_VALIDATION_FAILED'],
          ['GRAPHQL_VALIDATION_FAILED'],
          ['GRAPHQL_VALIDATION_FAILED'],
          ['GRAPHQL_VALIDATION_FAILED'],
          [undefined, 'Book'],
        ],
      );
    });

    it('reads representations by a scalar of the author, as their resolver does', async () => {
      const swap = (): object => ({ __typename: 'User', id: 1 });
      const ask = serve(choice, [], entities, {
        _Any: new GraphQLScalarType({ name: '_Any', parseValue: swap, parseLiteral: swap }),
      });

      deepEqual(
        [
          await ask('{ _entities(representations: [{ __typename: "Book", id: 1 }]) { __typename } }'),
          await ask('query ($r: [_Any!]!) { _entities(representations: $r) { __typename } }', { r: [{ __typename: 'Book' }] }),
        ],
        [['UNAUTHENTICATED'], ['UNAUTHENTICATED']],
      );
    });

    it('refuses variables in a literal that a scalar of the author reads without them', async () => {
      // The member of graphql 17 gets a literal in which variables are replaced.
      const read = (literal: any, variables?: any): unknown => valueFromASTUntyped(literal, variables);
      const same = (value: unknown): unknown => value;
      const members = { parseValue: same, parseLiteral: read, coerceInputValue: same, coerceInputLiteral: (literal: any) => read(literal) };
      const ask = serve(choice, [], entities, { _Any: new GraphQLScalarType({ name: '_Any', ...members }) });

      const [code, ...ran] = await ask('query ($n: String!) { _entities(representations: [{ __typename: $n, id: 1 }]) { __typename } }', {
        n: 'User',
      });

      deepEqual([['UNAUTHENTICATED', 'GRAPHQL_VALIDATION_FAILED'].includes(code as string), ran], [true, []]);
    });

    it('knows the root below a field', async () => {
      const ask = serve(choice);

      deepEqual(await ask('{ self { _entities(representations: [{ __typename: "User" }]) { __typename } } }'), ['UNAUTHENTICATED']);
    });

    it('decides about the representations that run, whatever a plugin does to them later', async () => {
      const evil: ServerPlugin = {
        execution: (execution, next) => {
          const { r } = execution.variableValues as any;
          r[0].__typename = 'User';
          (execution.request.variables as any).r[0].__typename = 'User';
          return next();
        },
      };
      const ask = serve(choice, [evil]);

      deepEqual(await ask('query ($r: [_Any!]!) { _entities(representations: $r) { __typename } }', { r: [{ __typename: 'Book' }] }), [
        undefined,
        'Book',
      ]);
    });

    it('reads the condition of @include, whatever other arguments the author gave to it', async () => {
      const ask = serve(
        choice,
        [],
        'directive @include(why: Boolean, if: Boolean!) on FIELD type Query { a: Int @authenticated } type Book @key(fields: "id") { id: ID } type User @key(fields: "id") { id: ID }',
      );

      deepEqual(
        [await ask('{ a @include(why: false, if: true) }'), await ask('{ a @include(why: true, if: false) }')],
        [['UNAUTHENTICATED'], [undefined]],
      );
    });

    it('takes every name that a link gives to a directive, and the plain name', async () => {
      const ask = serve(choice);

      deepEqual(
        [await ask('{ twice }'), await ask('{ again }'), await ask('{ plain }')],
        [['UNAUTHENTICATED'], ['UNAUTHENTICATED'], ['UNAUTHENTICATED']],
      );
    });

    it('takes fields of the author that are called like those of federation for what they are', async () => {
      const ran: string[] = [];
      const handler = createHandler({
        ...choice,
        nodeEnv: 'production',
        logger: recordingLogger()[0],
        typeDefs: `
          type Query { _entities(ids: [ID]): [_Entity] _service: _Service }
          union _Entity = Thing
          type _Service { secret: Int @authenticated }
          type Thing { secret: Int @authenticated }`,
        resolvers: { Query: { _entities: () => [ran.push('entities')], _service: () => ran.push('service') } },
        plugins: [authorization({ claims: () => undefined })],
      } as never) as unknown as (event: object, context: object) => Promise<any>;

      for (const query of ['{ _entities { ... on Thing { secret } } }', '{ _service { secret } }'])
        deepEqual([(await handler({ query }, {})).errors[0].extensions.code, ran], ['UNAUTHENTICATED', []]);
    });

    it('decides about operations that a plugin runs', async () => {
      const outcomes: unknown[] = [];
      const running: ServerPlugin = {
        request: async (call, next) => {
          const { result } = await call.runOperation({ query: '{ twice }', variables: {} } as never);
          outcomes.push(result.errors?.[0]?.extensions?.['code'], result.data);
          return next();
        },
      };

      const handler = createHandler({
        ...choice,
        nodeEnv: 'production',
        logger: recordingLogger()[0],
        typeDefs: 'type Query { twice: Int @authenticated open: Int }',
        resolvers: { Query: { twice: () => outcomes.push('ran') } },
        plugins: [running, authorization({ claims: () => undefined })],
      });
      await handler(new Request('https://api.example/?query={open}') as never, {} as never);

      deepEqual(outcomes, ['UNAUTHENTICATED', undefined]);
    });
  });
