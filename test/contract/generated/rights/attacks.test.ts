import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { makeExecutableSchema } from '@graphql-tools/schema';
import { MapperKind, mapSchema } from '@graphql-tools/utils';
import {
  buildSchema,
  extendSchema,
  GraphQLInputObjectType,
  GraphQLInt,
  GraphQLObjectType,
  GraphQLScalarType,
  GraphQLSchema,
  GraphQLUnionType,
  Kind,
  parse,
} from 'graphql';
import type { GraphQLEnumType } from 'graphql';

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
  ...['interface Closed @authenticated { id: Int }', 'interface Closed { id: Int @authenticated }'].map(
    (closed): readonly [string, string, string] => [
      `an interface that a type does not list, in production: ${closed}`,
      `${closed} interface Node implements Closed { id: Int } type Book implements Node { id: Int } type Query { book: Book }`,
      '{ book { id } }',
    ],
  ),
  [
    'a type beside Query that has _entities, which answers with any type',
    `interface Node { _entities(representations: [_Any!]!): [_Entity] }
     type Query implements Node { _entities(representations: [_Any!]!): [_Entity] node: Node }
     type Other implements Node { _entities(representations: [_Any!]!): [_Entity] }
     scalar _Any union _Entity = Book | User type Book { id: Int } type User @authenticated { id: Int }`,
    '{ node { _entities(representations: [{ __typename: "Book" }]) { ... on User { id } } } }',
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

  it('a representation whose type is a list, which is its name as the key of an object', async () => {
    const references: Readonly<Record<string, object>> = { User: { is: 'User', id: 1 } };
    const text = `scalar _Any union _Entity = Book | User type Book { id: Int } type User @authenticated { id: Int }
      type Query { _entities(representations: [_Any!]!): [_Entity] }`;
    const schema = buildSchema(`directive @authenticated on OBJECT ${text}`);
    schema.getQueryType()!.getFields()['_entities']!.resolve = (_, { representations }) =>
      representations.map((one: any) => references[one.__typename]);
    (schema.getType('_Entity') as GraphQLUnionType).resolveType = (value: any) => value.is;
    const server = serveText('', { createRights: authorization!, options: { schema } as never });

    const query = 'query ($r: [_Any!]!) { _entities(representations: $r) { __typename } }';
    const answers = [];
    for (const name of ['User', ['User'], [['User']]])
      answers.push((await server.send({}, { query, variables: { r: [{ __typename: name }] } })).status);

    assert.deepEqual(answers, [401, 401, 401]);
  });

  it('rules of a type that isTypeOf finds', async () => {
    const closed = { fields: { id: { type: GraphQLInt } }, extensions: { authorization: { authenticated: true } } };
    const User = new GraphQLObjectType({ name: 'User', ...closed, isTypeOf: () => true });
    const Book = new GraphQLObjectType({ name: 'Book', fields: { id: { type: GraphQLInt } }, isTypeOf: () => false });
    const find = { type: new GraphQLUnionType({ name: 'Found', types: [Book, User] }), resolve: () => ({ id: 1 }) };
    const schema = new GraphQLSchema({ query: new GraphQLObjectType({ name: 'Query', fields: { find } }) });
    const server = serveText('', { createRights: authorization!, options: { schema } as never });

    const found = await server.send({ claims: [] }, { query: '{ find { ... on User { id } } }' });
    const { status, body } = await server.send({}, { query: '{ find { ... on User { id } } }' });

    assert.deepEqual([found.body, status, body.data], [{ data: { find: { id: 1 } } }, 401, undefined]);
  });

  it('rules of a second schema for a document that a first has run', async () => {
    const ask = async (typeDefs: string): Promise<unknown> => {
      const server = serveText(typeDefs, { createRights: authorization!, options: { nodeEnv: 'production' } });
      const answers = [];
      for (let at = 0; at < 3; at++) answers.push((await server.send({}, { query: '{ one two }' })).status);
      return answers;
    };

    const answers = [
      await ask('type Query { one: Int two: Int other: Int @authenticated }'),
      await ask('type Query { one: Int two: Int @authenticated }'),
    ];

    assert.deepEqual(answers, [
      [200, 200, 200],
      [401, 401, 401],
    ]);
  });

  for (const hook of ['didResolveOperation', 'responseForOperation'])
    it(`a field that a plugin writes into a document in ${hook}`, async () => {
      const open = { kind: Kind.FIELD, name: { kind: Kind.NAME, value: 'closed' } };
      let isWritten = false;
      const write = ({ operation }: { operation: any }): null => {
        if (isWritten) operation.selectionSet.selections.push(open);
        return null;
      };
      const server = serveText('type Query { open: Int closed: Int @authenticated }', {
        createRights: authorization!,
        options: { plugins: [{ requestDidStart: () => ({ [hook]: write }) }] },
      });

      const first = await server.send({}, { query: '{ open }' });
      isWritten = true;
      const { status, body } = await server.send({}, { query: '{ open }' });

      assert.deepEqual([first.status, status, body.data, server.ran], [200, 500, undefined, []]);
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

/** Transforms of a schema, each of which loses nodes of its text. `closed`: the field that needs a caller. */
const transforms: readonly {
  readonly title: string;
  readonly text?: string;
  readonly closed?: string;
  readonly transform: (schema: GraphQLSchema) => GraphQLSchema;
  /** The status of `{ open }`. */
  readonly open?: number;
  readonly answer: number;
}[] = [
  {
    title: 'a field whose type keeps its own: the rule counts',
    transform: (schema) => {
      schema.getQueryType()!.getFields()['closed']!.astNode = undefined;
      return schema;
    },
    answer: 401,
  },
  {
    title: 'the directives of a field alone: the rule counts',
    transform: (schema) => {
      const field = schema.getQueryType()!.getFields()['closed']!;
      field.astNode = { ...field.astNode!, directives: [] };
      return schema;
    },
    answer: 401,
  },
  {
    title: 'a field, also in its type',
    transform: (schema) =>
      mapSchema(schema, { [MapperKind.OBJECT_FIELD]: ({ astNode, ...field }) => (astNode!.name.value === 'closed' ? field : undefined) }),
    answer: 500,
  },
  {
    title: 'a field of an interface',
    text: 'type Query implements Closed { open: Int closed: Int user: User } interface Closed { closed: Int @authenticated }',
    transform: (schema) => mapSchema(schema, { [MapperKind.INTERFACE_FIELD]: ({ astNode: _node, ...field }) => field }),
    answer: 500,
  },
  {
    title: 'a renamed field',
    closed: 'renamed',
    transform: (schema) => {
      const query = schema.getQueryType()!.toConfig();
      const { open, closed, user } = query.fields;
      const fields = { open: open!, user: user!, renamed: { ...closed!, astNode: undefined } };
      return new GraphQLSchema({ ...schema.toConfig(), query: new GraphQLObjectType({ ...query, fields }), types: [] });
    },
    answer: 500,
  },
  {
    title: 'a type whose fields keep theirs',
    closed: 'user { id }',
    transform: (schema) =>
      mapSchema(schema, {
        [MapperKind.OBJECT_TYPE]: (type) =>
          type.name === 'User' ? new GraphQLObjectType({ ...type.toConfig(), astNode: undefined }) : undefined,
      }),
    answer: 500,
  },
  {
    title: 'an enum whose values keep theirs',
    text: 'type Query { open: Int closed: Closed user: User } enum Closed @authenticated { A }',
    transform: (schema) => {
      (schema.getType('Closed') as GraphQLEnumType).astNode = undefined;
      return schema;
    },
    answer: 500,
  },
  {
    title: 'a type that is made anew, with its fields',
    closed: 'user { id }',
    transform: (schema) =>
      mapSchema(schema, {
        [MapperKind.OBJECT_TYPE]: ({ name }) =>
          name === 'User' ? new GraphQLObjectType({ name, fields: { id: { type: GraphQLInt } } }) : undefined,
      }),
    answer: 500,
  },
  {
    title: 'a type alone, which an extension has, too',
    text: 'type Query { open: Int closed: Closed user: User } type Closed @authenticated { id: Int } extend type Closed { more: Int }',
    closed: 'closed { more }',
    transform: (schema) => {
      schema.getType('Closed')!.astNode = undefined;
      return schema;
    },
    answer: 500,
  },
  {
    title: 'each type, whose fields keep theirs',
    text: 'type Query { open: Int } extend type Query { closed: Int @authenticated user: User }',
    open: 500,
    transform: (schema) => {
      for (const { name } of [schema.getQueryType()!, schema.getType('User')!]) schema.getType(name)!.astNode = undefined;
      return schema;
    },
    answer: 500,
  },
  {
    title: 'each field, also in their types',
    transform: (schema) => mapSchema(schema, { [MapperKind.OBJECT_FIELD]: ({ astNode: _node, ...field }) => field }),
    open: 500,
    answer: 500,
  },
  {
    title: 'a field that returns a type of subgraphs, under another name',
    text: 'type Query { open: Int closed: _Entity @authenticated user: User } union _Entity = Found type Found { id: Int }',
    closed: 'closed { ... on Found { id } }',
    transform: (schema) =>
      mapSchema(schema, { [MapperKind.OBJECT_FIELD]: ({ astNode, ...field }) => (astNode!.name.value === 'closed' ? field : undefined) }),
    answer: 500,
  },
  {
    title: 'a scalar, because another has taken its place',
    text: 'type Query { open: Int closed: Closed user: User } scalar Closed @authenticated',
    transform: (schema) => mapSchema(schema, { [MapperKind.SCALAR_TYPE]: ({ name }) => new GraphQLScalarType({ name }) }),
    answer: 500,
  },
];

describe('authorization() notices a transform that loses the node of', needsAuthorization, () => {
  const sources = transforms.flatMap((row) => [false, true].map((noLocation) => ({ ...row, noLocation })));
  for (const {
    title,
    text = 'type Query { open: Int closed: Int @authenticated user: User }',
    closed = 'closed',
    transform,
    open = 200,
    answer,
    noLocation,
  } of sources)
    it(`${title}${noLocation ? ', in a text without locations' : ''}`, async () => {
      const serve = (nodeEnv: string): TextServer => {
        const schema = buildSchema(
          `directive @authenticated on OBJECT | FIELD_DEFINITION | ENUM | SCALAR ${text} type User @authenticated { id: Int }`,
          { noLocation },
        );
        return serveText('', { createRights: authorization!, options: { nodeEnv, schema: transform(schema) } as never });
      };
      const server = serve('production');

      const first = await server.send({}, { query: '{ open }' });
      const { status, body } = await server.send({}, { query: `{ ${closed} }` });
      const inTests = await serve('test').send({}, { query: '{ open }' });

      assert.deepEqual([first.status, status, body.data, inTests.status], [open, answer, undefined, answer === 500 ? 500 : 200]);
    });
});

/** Types and fields that lack a node, although none was lost. */
const complete: Readonly<Record<string, () => GraphQLSchema>> = {
  'code with nodes for directives': () => {
    const { definitions } = parse('type Query @authenticated', { noLocation: true });
    const fields = { closed: { type: GraphQLInt, resolve: () => 1 } };
    return new GraphQLSchema({ query: new GraphQLObjectType({ name: 'Query', astNode: definitions[0] as never, fields }) });
  },
  'code that a text extends': () => {
    const query = new GraphQLObjectType({ name: 'Query', fields: { closed: { type: GraphQLInt, resolve: () => 1 } } });
    return extendSchema(new GraphQLSchema({ query }), parse('extend type Query @authenticated { open: Int }'), { assumeValidSDL: true });
  },
  'a text to which code adds a field without a rule': () => {
    const schema = buildSchema('directive @authenticated on OBJECT type Query @authenticated { open: Int }');
    const query = schema.getQueryType()!.toConfig();
    const closed = { type: GraphQLInt, resolve: () => 1, extensions: { authorization: null } };
    const fields = { ...query.fields, closed };
    return new GraphQLSchema({ ...schema.toConfig(), query: new GraphQLObjectType({ ...query, fields }), types: [] });
  },
  'a text whose input type a transform has made anew': () => {
    const schema = buildSchema(
      'directive @authenticated on FIELD_DEFINITION type Query { closed(in: In): Int @authenticated } input In { a: Int }',
    );
    schema.getQueryType()!.getFields()['closed']!.resolve = () => 1;
    const fields = { a: { type: GraphQLInt } };
    return mapSchema(schema, { [MapperKind.INPUT_OBJECT_TYPE]: ({ name }) => new GraphQLInputObjectType({ name, fields }) });
  },
  'code to which a text adds types, if the schema says so': () => {
    const closed = { type: GraphQLInt, resolve: () => 1, extensions: { authorization: { authenticated: true } } };
    const query = new GraphQLObjectType({ name: 'Query', fields: { closed } });
    const schema = extendSchema(new GraphQLSchema({ query }), parse('extend type Query { new: New } type New { id: Int }'));
    // graphql 16 drops the extensions of a schema that it extends.
    schema.extensions = { authorization: null };
    return schema;
  },
  ...Object.fromEntries(
    [{ authenticated: {} }, { authenticated: [{}] }, [{ name: 'authenticated' }]].map((directives) => [
      `code with directives in extensions: ${JSON.stringify(directives)}`,
      () => {
        const closed = { type: GraphQLInt, resolve: () => 1, extensions: { directives } };
        return new GraphQLSchema({ query: new GraphQLObjectType({ name: 'Query', fields: { closed } }) });
      },
    ]),
  ),
};

describe('authorization() refuses a schema', needsAuthorization, () => {
  const rights = 'directive @requiresScopes(scopes: [[String!]!]!) on OBJECT | FIELD_DEFINITION';
  const linked = `${link} extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: [{ name: "@authenticated", as: "@other" }])`;
  const schemas: Readonly<Record<string, readonly [message: RegExp, create: () => Parameters<typeof startWith>[1]]>> = {
    'whose @link a transform has dropped, with the names that it gives': [
      /Expected the schema, which has @link, to have its astNode/,
      () => {
        const schema = buildSchema(
          `${linked} ${rule} ${rights} type Query { closed: Int @other open: Int @requiresScopes(scopes: [["a"]]) }`,
        );
        return { schema: new GraphQLSchema({ ...schema.toConfig(), astNode: undefined, extensionASTNodes: [] }) };
      },
    ],
    'in which a tool has joined two lists, which would be a OR b': [
      /Expected one @requiresScopes of Query, because a tool/,
      () => {
        const typeDefs = [
          `${rights} type Query @requiresScopes(scopes: [["a"]]) { a: Int }`,
          'extend type Query @requiresScopes(scopes: [["b"]]) { closed: Int }',
        ];
        return { schema: makeExecutableSchema({ typeDefs }) };
      },
    ],
    ...Object.fromEntries(
      [
        'scalar ID @authenticated',
        'scalar ID extend scalar ID @authenticated',
        'scalar ID @specifiedBy(url: "https://ids.example") @authenticated',
        'scalar # @ID\n ID ,@authenticated',
      ].map((scalar) => [
        `with ${scalar.replace('\n', ' ')}, which graphql-js drops`,
        [
          /Expected the built-in scalar ID without @authenticated/,
          () => ({ typeDefs: `${scalar} type Query { closed: ID open: Int @authenticated }` }),
        ],
      ]),
    ),
  };
  const startWith = async (nodeEnv: string, parts: { readonly typeDefs?: string; readonly schema?: GraphQLSchema }): Promise<string> => {
    try {
      const server = serveText(parts.typeDefs ?? '', { createRights: authorization!, options: { nodeEnv, schema: parts.schema } as never });
      const { status, body } = await server.send({ claims: ['a'] }, { query: '{ closed }' });
      assert.deepEqual([status, body.data], [500, undefined]);
      return server.lines.map((line) => [line.message, ...line.details].join(' ')).join('\n');
    } catch (error) {
      return (error as Error).message;
    }
  };
  for (const [title, [message, create]] of Object.entries(schemas))
    it(title, async () => {
      assert.match(await startWith('test', create()), message);
      assert.match(await startWith('production', create()), message);
    });
});

describe('authorization() takes a schema of', needsAuthorization, () => {
  for (const [title, create] of Object.entries(complete))
    it(title, async () => {
      const server = serveText('', { createRights: authorization!, options: { schema: create() } as never });

      const answers = [await server.send({}, { query: '{ closed }' }), await server.send({ claims: [] }, { query: '{ closed }' })];

      assert.deepEqual([answers.map(({ status }) => status), answers[1]!.body], [[401, 200], { data: { closed: 1 } }]);
    });
});
