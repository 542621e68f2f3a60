// Execution of a parsed and validated operation, including JSON.stringify: the planned executor compared with graphql-js 17 and 16, in
// turns. Times are medians of the rounds; ratios are medians of the rounds' ratios.
// Run: NODE_ENV=production node bench/execute.ts
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

import type * as GraphQLModule from 'graphql';
import type { DocumentNode, ExecutionResult, GraphQLObjectType, GraphQLSchema, OperationDefinitionNode } from 'graphql';

import { executePlanned } from '../src/executor/execute.ts';
import { median } from './statistics.ts';

type GraphQL = typeof GraphQLModule;

/** The copy that the library uses: this folder has another one. */
const librarysGraphQL = createRequire(new URL('../src/entries/index.ts', import.meta.url)).resolve('graphql');
const installed = (await import(pathToFileURL(librarysGraphQL).href)) as GraphQL;

interface Workload {
  readonly name: string;
  readonly text: string;
  readonly variables?: Record<string, unknown>;
  /** Executions per round. */
  readonly times: number;
}

const typeDefs = `
  type Query { hello: String  user(id: ID!): User  users(first: Int!): [User!]!  rows(count: Int!): [Row!]! }
  type User { id: ID!  name: String!  email: String!  score: Int!  friends(first: Int = 3): [User!]!  posts(kind: String!): [Post!]! }
  type Post { id: ID!  title: String! }
  type Row { id: ID!  name: String!  email: String  age: Int!  score: Float!  active: Boolean!  city: String!  note: String }
`;

const workloads: readonly Workload[] = [
  { name: 'hello', text: '{ hello }', times: 20_000 },
  {
    name: '50 objects, 100 async resolvers, variables',
    text: 'query ($first: Int!) { users(first: $first) { id name email score } }',
    variables: { first: 50 },
    times: 600,
  },
  {
    name: '50 objects with 100 async lists of objects below, variables',
    text: 'query ($first: Int!, $kind: String!) { users(first: $first) { id name friends { id name } posts(kind: $kind) { id title } } }',
    variables: { first: 50, kind: 'all' },
    times: 300,
  },
  { name: '1,000 rows of 8 scalars', text: '{ rows(count: 1000) { id name email age score active city note } }', times: 60 },
  { name: '20,000 rows of 8 scalars', text: '{ rows(count: 20000) { id name email age score active city note } }', times: 3 },
];

const allRows = Array.from({ length: 20_000 }, (_, at) => ({
  id: `row-${at}`,
  name: `Name ${at}`,
  email: at % 3 === 0 ? null : `name${at}@example.com`,
  age: at % 90,
  score: at * 1.25,
  active: at % 2 === 0,
  city: `City ${at % 100}`,
  note: at % 5 === 0 ? null : 'some words about it',
}));

const users = Array.from({ length: 50 }, (_, id) => ({ id, name: `User ${id}` }));

const resolvers: Record<string, Record<string, (source: never, args: never) => unknown>> = {
  Query: {
    hello: () => 'world',
    users: (_, { first }: { first: number }) => users.slice(0, first),
    rows: (_, { count }: { count: number }) => (count === allRows.length ? allRows : allRows.slice(0, count)),
  },
  User: {
    email: async ({ id }: { id: number }) => `user${id}@example.com`,
    score: async ({ id }: { id: number }) => id * 2,
    friends: async ({ id }: { id: number }, { first }: { first: number }) =>
      Array.from({ length: first }, (_, at) => users[(id + at + 1) % 50]),
    posts: async ({ id }: { id: number }, { kind }: { kind: string }) => [{ id: `${id}-1`, title: kind }],
  },
};

function schemaOf(graphql: GraphQL): GraphQLSchema {
  const schema = graphql.buildSchema(typeDefs);
  for (const [typeName, fields] of Object.entries(resolvers)) {
    const type = schema.getType(typeName) as GraphQLObjectType;
    for (const [field, resolve] of Object.entries(fields)) type.getFields()[field]!.resolve = resolve as never;
  }
  return schema;
}

type Contestant = () => unknown;

function graphqlJS(graphql: GraphQL, { text, variables }: Workload): Contestant {
  const schema = schemaOf(graphql);
  const document = graphql.parse(text) as DocumentNode;
  return () => graphql.execute({ schema, document, variableValues: variables });
}

function planned({ text, variables: variableValues }: Workload): Contestant {
  const schema = schemaOf(installed);
  const document = installed.parse(text);
  const operation = document.definitions[0] as OperationDefinitionNode;
  return () =>
    executePlanned({ schema, document, operation, rootValue: undefined, contextValue: undefined, variableValues, hideSuggestions: true });
}

/** Microseconds per execution. */
async function time(contestant: Contestant, times: number): Promise<number> {
  const start = process.hrtime.bigint();
  for (let run = 0; run < times; run++) {
    const result = contestant() as ExecutionResult | Promise<ExecutionResult>;
    JSON.stringify(result instanceof Promise ? await result : result);
  }
  return Number(process.hrtime.bigint() - start) / 1_000 / times;
}

async function compare(workload: Workload, others: ReadonlyMap<string, GraphQL>): Promise<void> {
  const contestants = new Map<string, Contestant>([['planned', planned(workload)]]);
  for (const [name, graphql] of others) contestants.set(name, graphqlJS(graphql, workload));
  const times = new Map<string, number[]>();
  const rounds = 15;
  for (let round = 0; round < rounds; round++) {
    for (const [name, contestant] of contestants) {
      const taken = await time(contestant, workload.times);
      // The first rounds warm up.
      if (round >= 3) times.set(name, [...(times.get(name) ?? []), taken]);
    }
  }
  const ours = times.get('planned')!;
  const cells = [...others.keys()].map((name) => {
    const theirs = times.get(name)!;
    return `${name} ${median(theirs).toFixed(1)} us (ratio ${median(ours.map((taken, round) => taken / theirs[round]!)).toFixed(2)})`;
  });
  console.log(`${workload.name}: planned ${median(ours).toFixed(1)} us; ${cells.join('; ')}`);
}

const others = new Map<string, GraphQL>([
  [`graphql-js ${installed.version}`, installed],
  ['graphql-js 16', (await import('graphql-16' as string)) as GraphQL],
]);
for (const workload of workloads) await compare(workload, others);
