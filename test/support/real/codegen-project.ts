/** The files of a project for GraphQL Code Generator by name, without the generator's output. */
export const codegenProject: Readonly<Record<string, string>> = {
  'schema.graphql': `
scalar DateTime
scalar JSON

enum Genre { NOVEL POEM }

interface Node { id: ID! }
interface Publication implements Node { id: ID! title: String! }

type Query {
  node(id: ID!): Node
  search(text: String!, first: Int = 10): [SearchResult!]!
  book(id: ID!): Book
  now: DateTime!
}
type Mutation { rename(input: RenameInput!): RenameResult! }
type Subscription { added(genre: Genre): Book! }

input RenameInput { id: ID! title: String! at: DateTime }

type Book implements Node & Publication { id: ID! title: String! genre: Genre! author: Author! extra: JSON stars: Float! }
type Magazine implements Node & Publication { id: ID! title: String! issue: Int! }
type Author implements Node { id: ID! name: String! books(first: Int = 10): [Book!]! }
type NotFound { message: String! }

union SearchResult = Book | Author | Magazine
union RenameResult = Book | NotFound
`,

  'subgraph.graphql': `
extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key", "@external", "@requires"])

scalar DateTime

interface Node { id: ID! }

type Query { book(id: ID!): Book results: [Result!]! }

type Book implements Node @key(fields: "id") @key(fields: "isbn") { id: ID! isbn: ID! title: String! author: Author published: DateTime }
type Author @key(fields: "id") { id: ID! email: String @external name: String @requires(fields: "email") }

union Result = Book | Author
`,

  'context.ts': `
import { DataSource } from 'graphql-functions';
import type { ContextValue } from 'graphql-functions';

export interface BookRow {
  readonly id: string;
  readonly isbn: string;
  readonly title: string;
  readonly authorId: string;
}

export class Library extends DataSource<{ user: string | null }> {
  async book(id: string): Promise<BookRow | null> {
    return { id, isbn: id, title: 'Emma', authorId: 'austen' };
  }
}

export type Context = ContextValue<{ user: string | null }, { library: Library }>;
`,

  'schema-function.ts': `
import { readFileSync } from 'node:fs';

import { GraphQLScalarType } from 'graphql';
import { createHandler } from 'graphql-functions';
import { createHandler as createLambdaHandler } from 'graphql-functions/aws-lambda';
import { createHandler as createNetlifyHandler } from 'graphql-functions/netlify';

import { Library } from './context.ts';
import type { Resolvers } from './schema-types.ts';

const resolvers: Resolvers = {
  DateTime: new GraphQLScalarType({ name: 'DateTime' }),
  Node: { __resolveType: (node) => ('isbn' in node ? 'Book' : 'issue' in node ? 'Magazine' : 'Author') },
  RenameResult: {
    __resolveType: (result, { dataSources }, info) => {
      void [dataSources.library, info.fieldName];
      return 'isbn' in result ? 'Book' : 'NotFound';
    },
  },
  Query: {
    node: (_, { id }, { dataSources }) => dataSources.library.book(id),
    book: (_, { id }, { dataSources }) => dataSources.library.book(id),
    search: async (_, { text }, { dataSources }) => [(await dataSources.library.book(text))!, { id: '1', name: 'Jane Austen', books: [] }],
    now: () => '2026-01-01',
  },
  Mutation: { rename: (_, { input }) => ({ message: input.id }) },
  Subscription: {
    added: {
      subscribe: async function* () {
        yield { added: { id: '1', isbn: '1', title: 'Emma', authorId: 'austen' } };
      },
    },
  },
  Book: { __isTypeOf: (book, { user }, info) => (void [user, info.path], 'isbn' in book), stars: () => 4.5, genre: () => 'NOVEL' },
  Author: { __isTypeOf: (author) => 'name' in author },
};

const options = {
  csrfPrevention: true,
  typeDefs: readFileSync(new URL('./schema.graphql', import.meta.url), 'utf8'),
  dataSources: () => ({ library: new Library() }),
  resolvers,
};

export default createHandler({ ...options, context: ({ request }) => ({ user: request.headers.get('x-user') }) });

// This is compiled and never called.
export function elsewhere(): void {
  createLambdaHandler({ ...options, context: async ({ context }) => ({ user: context.awsRequestId }) });
  createNetlifyHandler({ ...options, resolvers: [resolvers, {}], context: () => ({ user: null, admin: true }) });
  // @ts-expect-error: the resolvers read a user that is a string.
  createHandler({ ...options, context: ({ request }) => ({ user: request.path.length }) });
}
`,

  'subgraph-function.ts': `
import { createHandler } from 'graphql-functions';

import { Library } from './context.ts';
import type { Resolvers } from './subgraph-types.ts';

const resolvers: Resolvers = {
  Node: { __resolveType: () => 'Book' },
  Result: { __resolveType: (result) => ('isbn' in result ? 'Book' : 'Author') },
  Query: { book: (_, { id }, { dataSources }) => dataSources.library.book(id) },
  Book: {
    __resolveReference: (reference, { dataSources }, info) => {
      void info.schema;
      return dataSources.library.book('id' in reference ? reference.id : reference.isbn);
    },
  },
};

// This is only compiled: buildSubgraphSchema creates a subgraph's schema.
export const handler = () =>
  createHandler({
    typeDefs: 'type Query { ok: Boolean }',
    context: ({ request }) => ({ user: request.headers.get('x-user') }),
    dataSources: () => ({ library: new Library() }),
    resolvers,
  });
`,

  // No contextType: generated resolvers accept any context.
  'untyped-function.ts': `
import { createHandler } from 'graphql-functions';

import type { Resolvers } from './untyped-types.ts';

const resolvers: Resolvers = { Query: { now: (_, _args, { anything }) => anything as string } };

createHandler({ typeDefs: 'type Query { ok: Boolean }', resolvers });
createHandler({ typeDefs: 'type Query { ok: Boolean }', context: async ({ request }) => ({ user: request.path }), resolvers });
`,
};
