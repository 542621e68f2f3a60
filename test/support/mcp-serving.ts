import { createTester } from '../../src/entries/testing.ts';
import { createHandler } from '../../src/entries/index.ts';
import type { ServerOptions } from '../../src/entries/index.ts';
import { mcp, mcpDefinitions } from '../../src/entries/mcp.ts';
import type { MCPOptions } from '../../src/entries/mcp.ts';

export const typeDefs = `
  type Query {
    "Finds one book"
    book(id: ID!): Book
    search(text: String!, first: Int! = 10, filter: Filter, sort: [Sort!], extra: Odd): [Result!]!
    mine: [Book!]!
    fails: Int
    secret: String
  }
  type Mutation { rename(id: ID!, title: String): Book }
  type Subscription { ticks: Int }
  interface Named { name: String! }
  type Book { id: ID! title: String! pages: Int author: Author }
  type Author implements Named { name: String! born: Int }
  union Result = Book | Author
  enum Sort { TITLE "The newest first" NEWEST }
  scalar Odd
  input Filter { pages: Int  and: [Filter!]  by: Choice }
  input Choice @oneOf { author: ID  title: String }
`;

const books = [
  { __typename: 'Book', id: '1', title: 'Emma', pages: 400, author: { __typename: 'Author', name: 'Jane Austen', born: 1775 } },
  { __typename: 'Book', id: '2', title: 'Frankenstein', pages: null, author: null },
];

export const documents: Readonly<Record<string, string>> = {
  book: 'query GetBook($id: ID!) @mcpTool { book(id: $id) { title pages author { name } } }',
  search: `query Search($text: String!, $first: Int, $filter: Filter, $sort: [Sort!] = [TITLE], $extra: Odd, $more: Boolean! = false)
    @mcpTool(name: "search-all", title: "Search", description: "Searches books and authors") {
      search(text: $text, first: $first, filter: $filter, sort: $sort, extra: $extra) {
        __typename ... on Book { title pages @include(if: $more) } ... on Named { name }
      }
    }`,
  rename:
    'mutation Rename($id: ID!, $title: String) @mcpTool(description: "Renames a book") { rename(id: $id, title: $title) { id title } }',
  mine: 'query Mine($tenant: ID!) @mcpTool(description: "The first book of the tenant") { book(id: $tenant) { title } }',
  fails: 'query Fails @mcpTool(description: "Fails") { fails book(id: 1) { title } }',
  secret: 'query Secret { secret }',
};

/** A server with these documents and tools. */
export function serveTools(options: Partial<MCPOptions> = {}, server: Partial<ServerOptions<any, any, any, any>> = {}): Served {
  const runs: string[] = [];
  const note =
    (name: string, resolve: (args: any) => unknown) =>
    (_: unknown, args: object): unknown => {
      runs.push(`${name} ${JSON.stringify(args)}`);
      return resolve(args);
    };
  const handler = createHandler({
    nodeEnv: 'test',
    csrfPrevention: true,
    maskErrors: true,
    logger: { debug() {}, info() {}, warn() {}, error() {} },
    typeDefs: [mcpDefinitions, typeDefs],
    resolvers: {
      Query: {
        book: note('book', ({ id }) => books.find((book) => book.id === id) ?? null),
        search: note('search', () => [books[0], books[0]!.author]),
        fails: note('fails', () => {
          throw new Error('the password is 123');
        }),
        secret: note('secret', () => 'secret'),
      },
      Mutation: { rename: note('rename', ({ id, title }) => ({ id, title: title ?? 'none' })) },
    },
    context: () => ({ tenant: '2' }),
    trustedDocuments: { documents, only: true },
    ...server,
    plugins: [
      ...(server.plugins ?? []),
      ...(server.plugins?.some(({ once }) => once === 'mcp()') === true
        ? []
        : [
            mcp({
              name: 'shop',
              version: '1.4.0',
              instructions: 'Ask for books.',
              hidden: { tenant: ({ context }) => context.tenant },
              ...options,
            }),
          ]),
    ],
  } as ServerOptions<any, any, any, any>);
  const tester = createTester(handler);
  const post = (body: unknown, headers: Readonly<Record<string, string>> = {}, path = '/mcp'): Promise<Response> =>
    tester.send({
      method: 'POST',
      path,
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  const legacy: Served['legacy'] = async (method, params = {}) =>
    (await post({ jsonrpc: '2.0', id: 1, method, params }, { 'mcp-protocol-version': '2025-11-25' })).json();
  return {
    handler,
    runs,
    send: (request) => tester.send(request),
    post,
    legacy,
    async call(name, args) {
      const { result, error } = await legacy('tools/call', { name, arguments: args });
      return { ...result, code: error?.code, text: result?.content[0].text };
    },
    names: async () => (await legacy('tools/list')).result.tools.map(({ name }: { name: string }) => name),
    async modern(method, params = {}, headers = {}) {
      const name = (params as { name?: string }).name;
      return post(
        { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: modernMeta } },
        { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method, ...(name !== undefined && { 'mcp-name': name }), ...headers },
      );
    },
  };
}

export const modernMeta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};

export interface Served {
  readonly handler: (...given: any[]) => any;
  /** The root fields that were resolved, with their arguments. */
  readonly runs: string[];
  send: ReturnType<typeof createTester>['send'];
  post(body: unknown, headers?: Readonly<Record<string, string>>, path?: string): Promise<Response>;
  /** The answer to a request of 2025-11-25. */
  legacy(method: string, params?: object): Promise<any>;
  /** The result of a tool, with its text; or the code of the error. */
  call(name: string, args?: unknown): Promise<any>;
  /** The names of the tools. */
  names(): Promise<string[]>;
  /** The response to a request of 2026-07-28. */
  modern(method: string, params?: object, headers?: Readonly<Record<string, string>>): Promise<Response>;
}
