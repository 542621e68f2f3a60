import { budget, memoryStore } from '../../src/entries/budget.ts';
import type { ServerOptions } from '../../src/entries/index.ts';
import { limits } from '../../src/entries/limits.ts';
import type { MCPOptions, ServerPlugin } from '../../src/entries/mcp.ts';
import { serveTools } from './mcp-serving.ts';
import type { Served } from './mcp-serving.ts';

const typeDefs = `
  directive @internal on OBJECT | INTERFACE | UNION | SCALAR | ENUM | INPUT_OBJECT | FIELD_DEFINITION | ARGUMENT_DEFINITION | INPUT_FIELD_DEFINITION | ENUM_VALUE

  type Query {
    "Finds one book"
    book(id: ID!, draft: Boolean @internal): Book
    "The books of the shop, by their titles"
    books(first: Int! = 10, filter: BookFilter, sort: BookSort = TITLE): [Book!]!
    audited(by: Secret!): Int
    needs(secret: Int! @internal): Int
    item(id: ID!): Item
    named: [Named!]!
    ledger: Ledger
    internal: Int @internal
    all: Everything
  }
  type Mutation { rename(id: ID!, title: String): Book  pay(amount: OnlyOfMutations): Int }
  type Subscription { ticks: Int }
  interface Named { name: String!  alias: String  margin: Int @internal }
  type Book implements Named {
    id: ID!
    "How the book is called"
    title: String!
    name: String!
    alias: String
    margin: Int
    purchasePrice: Int @internal
    author: Author
  }
  type Author implements Named { name: String!  alias: String @internal  margin: Int  born: Int  books(first: Int): [Book!]! }
  union Item = Book | Ledger
  type Ledger @internal { total: Int }
  type Everything { hidden: Int @internal }
  extend type Everything { ledger: Ledger }
  input BookFilter { titlePart: String  minMargin: Int @internal  and: [BookFilter!] }
  enum BookSort { TITLE  TITLES @internal  MARGIN @internal }
  input Secret { key: String! @internal  note: String }
  input OnlyOfMutations { amount: Int }
`;

/** The plugins without which agents may not write queries. */
export function bounds(): readonly ServerPlugin[] {
  const points = { capacity: 100, refillPerSecond: 1 };
  return [budget({ store: memoryStore(), identity: () => 'agent', ...points, whenStoreFails: 'refuse' }), limits({ maxCost: 1000 })];
}

/** A server with `search_schema` and `run_query`, whose points are those of one client. */
export function serveExplorer(options: Partial<MCPOptions> = {}, server: Partial<ServerOptions<any, any, any, any>> = {}): Served {
  const emma = { __typename: 'Book', id: '1', title: 'Emma', name: 'Emma', author: { __typename: 'Author', name: 'Jane Austen' } };
  const runs: string[] = [];
  const note =
    (value: unknown) =>
    (_1: unknown, _2: unknown, _3: unknown, { fieldName }: { readonly fieldName: string }): unknown => {
      runs.push(fieldName);
      return value;
    };
  const { plugins = [], ...rest } = server;
  const served = serveTools(
    { hidden: undefined, explore: { hide: 'internal' }, ...options },
    {
      typeDefs,
      resolvers: {
        Query: {
          book: note(emma),
          books: note([emma]),
          item: note(emma),
          named: note([emma]),
          internal: note(1),
          ledger: note({ total: 1 }),
        },
        Mutation: { rename: note(emma) },
      },
      trustedDocuments: { documents: {}, only: true },
      ...rest,
      plugins: [...bounds(), ...plugins],
    },
  );
  return { ...served, runs };
}
