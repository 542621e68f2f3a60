/**
 * What a call of a tool costs, next to the same trusted document by POST: the same handler, in one process and in turns.
 *
 *     node bench/mcp.ts
 *
 * Microseconds of a request, and the ratio to the POST, as medians over rounds. Takes a minute.
 */
import { createHandler } from '../src/entries/aws-lambda.ts';
import { mcp, mcpDefinitions } from '../src/entries/mcp.ts';

import { createEvent } from './event.ts';
import { median, rounded } from './statistics.ts';

const rounds = Number(process.env['ROUNDS'] ?? 41);
/** Milliseconds for which each contestant runs in a round. */
const slice = 40;

const typeDefs = `
  type Query { book(id: ID!): Book books(first: Int!): [Book!]! search(filter: Filter!, tags: [String!]!): [Book!]! }
  type Mutation { rename(id: ID!, title: String!): Book }
  type Book { id: ID! title: String! year: Int inStock: Boolean author: Author! }
  type Author { name: String! born: Int }
  input Filter { title: String minYear: Int inStock: Boolean }
`;
const book = (id: string): object => ({
  id,
  title: `Title "${id}" with some words`,
  year: 1800 + (Number(id) % 200),
  inStock: Number(id) % 2 === 0,
  author: { name: `Author ${id}`, born: 1775 },
});
const books = Array.from({ length: 1000 }, (_, id) => book(String(id)));
const resolvers = {
  Query: {
    book: async (_: unknown, { id }: { id: string }) => book(id),
    books: async (_: unknown, { first }: { first: number }) => books.slice(0, first),
    search: async (_: unknown, { tags }: { tags: readonly string[] }) => books.slice(0, tags.length),
  },
  Mutation: { rename: async (_: unknown, { id }: { id: string }) => book(id) },
};
const selection = '{ id title year inStock author { name born } }';
const documents = {
  hello: '{ __typename }',
  book: `query Book($id: ID!) { book(id: $id) ${selection} }`,
  books: `query Books($first: Int!) { books(first: $first) ${selection} }`,
  search: `query Search($filter: Filter!, $tags: [String!]!) { search(filter: $filter, tags: $tags) ${selection} }`,
  rename: `mutation Rename($id: ID!, $title: String!) { rename(id: $id, title: $title) { id title } }`,
};
const described = Object.keys(documents).map((document) => [document, { document, description: `Calls ${document}.` }] as const);

let number = 0;
const next = (): number => (number = (number + 1) % 1000);
const workloads: Readonly<Record<string, { readonly document: string; readonly variables: () => object }>> = {
  hello: { document: 'hello', variables: () => ({}) },
  'one object': { document: 'book', variables: () => ({ id: String(next()) }) },
  mutation: { document: 'rename', variables: () => ({ id: String(next()), title: `Title ${next()}` }) },
  'input objects': {
    document: 'search',
    variables: () => ({ filter: { title: `a${next()}`, minYear: next(), inStock: true }, tags: ['a', 'b', `c${next()}`] }),
  },
  '50 objects': { document: 'books', variables: () => ({ first: 50 - (next() % 2) }) },
  '1,000 objects': { document: 'books', variables: () => ({ first: 1000 - (next() % 2) }) },
};

const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};
const toolEvent = (name: string, args: object): object => {
  const params = { name, arguments: args, _meta: meta };
  const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': name };
  const event = createEvent(JSON.stringify({ jsonrpc: '2.0', id: next(), method: 'tools/call', params }), headers) as any;
  event.rawPath += '/mcp';
  event.requestContext.http.path += '/mcp';
  return event;
};
const handler = createHandler({
  typeDefs: [mcpDefinitions, typeDefs],
  resolvers,
  trustedDocuments: { documents },
  plugins: [mcp({ name: 'books', version: '1.0.0', tools: Object.fromEntries(described) })],
  nodeEnv: 'production',
});

for (const [workload, { document, variables }] of Object.entries(workloads)) {
  const contestants: Readonly<Record<string, () => object>> = {
    POST: () => createEvent(JSON.stringify({ documentId: document, variables: variables() })),
    'the same again': () => createEvent(JSON.stringify({ documentId: document, variables: variables() })),
    'tool call': () => toolEvent(document, variables()),
  };
  const runners = Object.entries(contestants).map(([name, event]) => {
    const events = Array.from({ length: 500 }, event);
    const time = async (): Promise<number> => {
      const start = performance.now();
      let count = 0;
      for (; performance.now() - start < slice; count++) await handler(events[count % events.length] as never, {} as never);
      return ((performance.now() - start) / count) * 1000;
    };
    return { name, event, time, times: [] as number[] };
  });
  for (const { name, event } of runners) {
    const { statusCode, body } = (await handler(event() as never, {} as never)) as { statusCode: number; body: string };
    if (statusCode !== 200 || body.includes('"errors"') || body.includes('isError')) throw new Error(`${workload}, ${name}: ${body}`);
  }
  for (let warmUp = 0; warmUp < 5; warmUp++) for (const { time } of runners) await time();
  for (let round = 0; round < rounds; round++)
    for (let at = 0; at < runners.length; at++) {
      const { time, times } = runners[(round + at) % runners.length]!;
      times.push(await time());
    }
  const base = runners[0]!.times;
  for (const { name, times } of runners)
    console.log(
      `${workload.padEnd(16)} ${name.padEnd(16)} ${rounded(median(times))} µs  ${median(times.map((one, at) => one / base[at]!)).toFixed(2)}`,
    );
}
