/**
 * The CPU of a warm GET of a route, beside that of the same document by POST and by id:
 *
 *     node bench/rest.ts
 *
 * Both are served by one process, in turns, because a machine is faster at some times than at others.
 */
import { createHandler } from '../src/entries/fetch.ts';
import { rest } from '../src/entries/rest.ts';

const requestsOfTurn = 2_000;
const turns = 15;

const handler = createHandler({
  nodeEnv: 'production',
  typeDefs: 'type Query { book(id: ID!): Book } type Book { id: ID! title: String author: String year: Int }',
  resolvers: { Query: { book: (_: unknown, { id }: { id: string }) => ({ id, title: 'Emma', author: 'Jane Austen', year: 1815 }) } },
  trustedDocuments: {
    documents: { book: 'query Book($id: ID!) @http(method: GET, route: "/books/{id}") { book(id: $id) { id title author year } }' },
  },
  plugins: [rest()],
}) as unknown as (request: Request) => Promise<Response>;

const kinds: Readonly<Record<string, (at: number) => Request>> = {
  route: (at) => new Request(`https://shop.example/rest/books/${at}`),
  post: (at) =>
    new Request('https://shop.example/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ documentId: 'book', variables: { id: String(at) } }),
    }),
};

/** Microseconds of CPU for each request. */
async function measure(create: (at: number) => Request): Promise<number> {
  const requests = Array.from({ length: requestsOfTurn }, (_, at) => create(at));
  const before = process.cpuUsage();
  for (const request of requests) await (await handler(request)).text();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / requestsOfTurn;
}

const measured: Record<string, number[]> = { route: [], post: [] };
for (let turn = -3; turn < turns; turn++) {
  for (const [kind, create] of Object.entries(kinds)) {
    const microseconds = await measure(create);
    // The first turns warm up.
    if (turn >= 0) measured[kind]!.push(microseconds);
  }
}
const median = (values: readonly number[]): number => values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)]!;
const [route, post] = [median(measured['route']!), median(measured['post']!)];
console.log(`GET of a route ${route.toFixed(1)} µs, the same document by POST ${post.toFixed(1)} µs: ${(route / post).toFixed(2)}`);
