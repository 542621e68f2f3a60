import { createRows, rowTypeDefs } from './rows.ts';

/** A schema with its resolvers and the requests that are sent to it. The same objects go to every contestant. */
export interface Workload {
  readonly name: string;
  readonly typeDefs: string;
  readonly resolvers: Readonly<Record<string, Readonly<Record<string, (parent: any, args: any) => unknown>>>>;
  /** The body of the nth request. */
  readonly body: (nth: number) => string;
  /** Contestants answer the same, but for a syntax error. */
  readonly fails?: boolean;
  /** Fewer requests in a round, for the slow ones. Default: 1. */
  readonly weight?: number;
}

const typeDefs = /* GraphQL */ `
  type Query {
    hello: String!
    users(first: Int!): [User!]!
    rows(count: Int!): [Row!]!
  }
  type Mutation {
    rename(id: ID!, name: String!): User
  }
  type User {
    id: ID!
    name: String!
    email: String
    posts: Int
  }
  ${rowTypeDefs}
`;

const rows = createRows(20_000);
const rowLists = new Map([10, 1000, 20_000].map((count) => [count, rows.slice(0, count)]));
const users = Array.from({ length: 50 }, (_, id) => ({ id: `u${id}`, name: `User ${id}` }));

const resolvers = {
  Query: {
    hello: () => 'world',
    users: (_: unknown, { first }: { first: number }) => users.slice(0, first),
    rows: (_: unknown, { count }: { count: number }) => rowLists.get(count),
  },
  Mutation: { rename: (_: unknown, { id, name }: { id: string; name: string }) => ({ id, name }) },
  User: {
    email: async ({ id }: { id: string }) => `${id}@example.com`,
    posts: async ({ id }: { id: string }) => id.length,
  },
};

const rowFields = 'id name price count active sku tag rank';
const body = (query: string, variables?: object): string => JSON.stringify({ query, ...(variables && { variables }) });
const same = (text: string) => (): string => text;

/** What a warm process is asked for. */
export const warmWorkloads: readonly Workload[] = [
  { name: 'hello', body: same(body('{ hello }')) },
  {
    name: '50 objects, 100 async resolvers, variables',
    body: same(body('query ($first: Int!) { users(first: $first) { id name email posts } }', { first: 50 })),
    weight: 0.1,
  },
  {
    name: 'mutation',
    body: same(body('mutation ($id: ID!, $name: String!) { rename(id: $id, name: $name) { id name } }', { id: '1', name: 'Ada' })),
  },
  { name: 'batch of 10', body: same(`[${Array.from({ length: 10 }, () => body('{ hello }')).join(',')}]`), weight: 0.3 },
  { name: 'syntax error', body: same(body('{ hello')), fails: true, weight: 0.3 },
  { name: 'documents never seen before', body: (nth) => body(`query Q${nth} { a${nth}: hello users(first: 1) { id name } }`), weight: 0.1 },
  { name: '10 rows of 8 fields', body: same(body(`{ rows(count: 10) { ${rowFields} } }`)), weight: 0.5 },
  { name: '1,000 rows of 8 fields', body: same(body(`{ rows(count: 1000) { ${rowFields} } }`)), weight: 0.02 },
  { name: '20,000 rows of 8 fields', body: same(body(`{ rows(count: 20000) { ${rowFields} } }`)), weight: 0.001 },
].map((workload) => ({ ...workload, typeDefs, resolvers }));
