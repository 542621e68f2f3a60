import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { GraphQLInt, GraphQLObjectType, GraphQLSchema } from 'graphql';

import type { OperationExecution, ServerPlugin } from '../../../../src/entries/index.ts';
import { authorization, needsAuthorization } from './authorization.ts';
import { serveText } from './text-server.ts';
import type { TextServer } from './text-server.ts';

const rule = 'directive @other on FIELD_DEFINITION';
const link = 'directive @link(url: String!, as: String, import: [Import]) repeatable on SCHEMA scalar Import';

/** Schemas in which a rule would be overlooked. Nobody may send `query`. */
const overlooked: readonly (readonly [title: string, typeDefs: string, query: string])[] = [
  [
    'a directive that a link to its own specification renames',
    `${link} ${rule} extend schema @link(url: "https://specs.apollo.dev/authenticated/v0.1", as: "other")
     type Query { closed: Int @other open: Int @authenticated }`,
    '{ closed }',
  ],
  [
    'a directive with the name of a scalar that a link imports',
    `extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key", { name: "FieldSet", as: "authenticated" }])
     type Query { closed: Int @authenticated }`,
    '{ closed }',
  ],
  [
    'a type beside Query that has _service',
    `interface Node { _service: _Service }
     type Query implements Node { _service: _Service node: Node }
     type Closed implements Node @authenticated { _service: _Service }
     type _Service { sdl: String }`,
    '{ node { _service { sdl } } }',
  ],
  ...['', '(representations: $r)'].map((given): readonly [string, string, string] => [
    `representations that are the default of their argument: ${given || 'no argument'}`,
    `scalar _Any union _Entity = Book | User type Book { id: Int } type User @authenticated { id: Int }
       type Query { _entities(representations: [_Any!]! = [{ __typename: "User" }]): [_Entity] }`,
    `query${given && ' ($r: [_Any!])'} { _entities${given} { ... on Book { id } } }`,
  ]),
];

describe('authorization() does not overlook', needsAuthorization, () => {
  for (const [title, typeDefs, query] of overlooked)
    it(title, async () => {
      const server = serveText(typeDefs, { createRights: authorization!, options: { nodeEnv: 'production' } });

      const { status, body } = await server.send({}, { query });

      assert.deepEqual([status, body.errors?.[0]?.extensions?.['code'], server.ran], [401, 'UNAUTHENTICATED', ['claims']]);
    });

  const changing: Readonly<Record<string, (include: (execution: OperationExecution) => void) => ServerPlugin>> = {
    'admit of a later plugin': (include) => ({ admit: include }),
    'a hook with what admit has got': (include) => {
      let kept: OperationExecution | undefined;
      return {
        admit: (execution) => void (kept = execution),
        requestDidStart: () => ({
          responseForOperation: () => {
            include(kept!);
            return null;
          },
        }),
      };
    },
  };
  for (const [name, create] of Object.entries(changing))
    it(`variables that change in ${name}`, async () => {
      const plugin = create(({ variableValues }) => void Object.assign(variableValues, { t: true }));
      const server = serveText('type Query { open: Int closed: Int @authenticated }', {
        createRights: authorization!,
        options: { plugins: [plugin] },
      });

      const query = 'query ($t: Boolean!) { open closed @include(if: $t) }';
      const { body } = await server.send({}, { query, variables: { t: false } });

      assert.deepEqual([body, server.ran], [{ data: { open: 1 } }, ['Query.open']]);
    });
});

class Getters {
  get authenticated(): boolean {
    return true;
  }
}

/** Extensions that name no rule, although their author meant one. */
const withoutRules: Readonly<Record<string, unknown>> = {
  'an empty object': {},
  'a member that is undefined': { scopes: undefined },
  'getters of a class': new Getters(),
  'a Map': new Map([['authenticated', true]]),
};

describe('authorization() refuses extensions.authorization without a rule', needsAuthorization, () => {
  for (const [title, given] of Object.entries(withoutRules))
    it(title, async () => {
      const closed = { type: GraphQLInt, resolve: () => 1, extensions: { authorization: given } };
      const schema = new GraphQLSchema({ query: new GraphQLObjectType({ name: 'Query', fields: { closed } }) });
      const server: TextServer = serveText('type Query { closed: Int }', {
        createRights: authorization!,
        options: { nodeEnv: 'production', schema } as never,
      });

      const { status, body } = await server.send({ claims: [] }, { query: '{ closed }' });

      assert.deepEqual([status, body.data], [500, undefined]);
      assert.match(
        server.lines.map(({ message, details }) => [message, ...details].join(' ')).join('\n'),
        /authenticated, scopes or policies/,
      );
    });
});
