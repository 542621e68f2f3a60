import { createRows, rowTypeDefs } from './rows.ts';

/** A schema with its resolvers and requests. Every server gets the same objects. */
export interface Workload {
  readonly name: string;
  readonly typeDefs: string;
  readonly resolvers: Readonly<Record<string, Readonly<Record<string, (parent: any, args: any) => unknown>>>>;
  /** The body of the nth request. The values of variables differ, but not the amount of work. */
  readonly body: (nth: number) => string;
  /** All servers send the same response, except for a syntax error. */
  readonly fails?: boolean;
  /** Each request has a different document. */
  readonly isUnseen?: boolean;
  /** The input is a web `Request`, not an event. */
  readonly isWeb?: boolean;
  /** Share of the requests in a round; lower for slow workloads. Default: 1. */
  readonly weight?: number;
}

const typeDefs = /* GraphQL */ `
  type Query {
    hello: String!
    users(first: Int!, after: ID): [User!]!
    rows(count: Int!, after: ID): [Row!]!
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

/** Arrow functions, methods and ordinary functions, as real maps have them. */
const resolvers = {
  Query: {
    hello: () => 'world',
    users(_: unknown, { first }: { first: number }) {
      return users.slice(0, first);
    },
    rows: function (_: unknown, { count }: { count: number }) {
      return rowLists.get(count);
    },
  },
  Mutation: {
    rename(_: unknown, { id, name }: { id: string; name: string }) {
      return { id, name };
    },
  },
  User: {
    email: async ({ id }: { id: string }) => `${id}@example.com`,
    async posts({ id }: { id: string }) {
      return id.length;
    },
  },
};

const body = (query: string, variables?: object): string => JSON.stringify({ query, ...(variables && { variables }) });
const same = (text: string) => (): string => text;
const rowsQuery = 'query ($count: Int!, $after: ID) { rows(count: $count, after: $after) { id name price count active sku tag rank } }';
const rowsBody = (count: number) => (nth: number) => body(rowsQuery, { count, after: `r${nth}` });

/** The requests to a warm process. */
export const warmWorkloads: readonly Workload[] = [
  { name: 'hello', body: same(body('{ hello }')) },
  { name: 'hello, as a web Request', body: same(body('{ hello }')), isWeb: true },
  {
    name: '50 objects, 100 async resolvers, variables',
    body: (nth: number) =>
      body('query ($first: Int!, $after: ID) { users(first: $first, after: $after) { id name email posts } }', {
        first: 50,
        after: `u${nth}`,
      }),
    weight: 0.1,
  },
  {
    name: 'mutation',
    body: (nth: number) =>
      body('mutation ($id: ID!, $name: String!) { rename(id: $id, name: $name) { id name } }', { id: `${nth}`, name: `Ada ${nth}` }),
  },
  { name: 'batch of 10', body: same(`[${Array.from({ length: 10 }, () => body('{ hello }')).join(',')}]`), weight: 0.3 },
  { name: 'syntax error', body: same(body('{ hello')), fails: true, weight: 0.3 },
  {
    name: 'documents never seen before',
    body: (nth: number) => body(`query Q${nth} { a${nth}: hello users(first: 1) { id name } }`),
    isUnseen: true,
    weight: 0.1,
  },
  { name: '10 rows of 8 fields', body: rowsBody(10), weight: 0.5 },
  { name: '1,000 rows of 8 fields', body: rowsBody(1000), weight: 0.02 },
  { name: '20,000 rows of 8 fields', body: rowsBody(20_000), weight: 0.001 },
].map((workload) => ({ ...workload, typeDefs, resolvers }));
