import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { join } from 'node:path';

import type { ServerOptions } from '../../../src/entries/index.ts';
import { DataSource, RESTDataSource } from '../../../src/entries/datasource.ts';
import { createHandler } from '../../../src/entries/fetch.ts';
import { budget, memoryStore } from '../../../src/entries/budget.ts';
import { limits } from '../../../src/entries/limits.ts';
import { checkFunction } from '../../../src/tools/cli/check/check-function.ts';
import { runCommandHere } from '../../support/command-here.ts';
import { startDevHere } from '../../support/dev-here.ts';
import type { DevHere } from '../../support/dev-here.ts';
import { createProject, linkPackage } from '../../support/functions-project.ts';
import { recordingLogger } from '../../support/recording-logger.ts';
import { suiteContext } from '../../support/suite-context.ts';
import { patternOf, rowsOf } from '../../support/text-table.ts';

// Mistakes of newcomers, by the place where a user meets each first, with the words that say what to do. The table `untold` has those of
// which no message says it: at most one in twenty.

type Row = readonly [mistake: string, words: RegExp];

/** The rows of a table: a mistake, and words of its message. */
const mistakesOf = (text: string): readonly Row[] => rowsOf(text).map(([mistake = '', words = '']) => [mistake, patternOf(words)] as const);

/** Modules. Those that export nothing are the lines before a function that is sound. */
const modules = mistakesOf(String.raw`
  const url = new URL(process.env['SHOP_URL'] as string) → Invalid URL\nNot set: SHOP_URL. Write SHOP_URL=… in .env
  await Promise.reject(new Error('no configuration', { cause: new Error('ENOENT: a.json') })) → no configuration\nCaused by: ENOENT: a.json
  import DataLoader from 'dataloader' → it is not installed. Run: npm i dataloader
  import { x } from 'graphql-functions/lambda' → graphql-functions has no such entry
  import { x } from './shcema.ts' → there is no such file. Correct the path
  import { GraphQLError } from 'graphql-functions' → Import it from graphql.
  import { limits } from 'graphql-functions' → Import it from graphql-functions/limits.
  import { ApolloServer } from 'graphql-functions' → does not export ApolloServer. Import it from graphql-functions/v3
  import { createhandler } from 'graphql-functions' → Did you mean "createHandler"?
  import { createServer } from 'graphql-functions' → does not export createServer. Did you mean "createHandler"?
  import { startStandaloneServer } from 'graphql-functions' → does not export startStandaloneServer. No entry of graphql-functions does
  export const api = createHandler({ typeDefs }) → Write: export default createHandler({ … })
  export default { typeDefs } → its default export is an object with the keys typeDefs. Write: export default createHandler({ … })
  export default createHandler → exports createHandler itself. Call it: export default createHandler({ … })
  export default (request) => createHandler({ typeDefs })(request) → Call it at the top level of the file: export default createHandler({ … })
  export default (createHandler as any)() → Expected options like { typeDefs, resolvers }, got undefined
  export default createHandler(typeDefs) → Expected options like { typeDefs, resolvers }
  export default createHandler([{ typeDefs }]) → Expected options like { typeDefs, resolvers }, got an array of 1
`);

/** Options of other servers. */
const foreignOptions = mistakesOf(`
  playground → landingPage: false turns it off
  graphiql → landingPage: false turns it off
  mocks → @graphql-tools/mock
  batching → allowBatchedHttpRequests: { limit }
  graphqlEndpoint → Remove it
  status400ForVariableCoercionErrors → Remove it
  schemaDirectives → mapSchema
  subscriptions → server-sent events
  uploads → signed URL
  gateway → can be a subgraph
  formatResponse → plugin with willSendResponse
  debug → includeStacktraceInErrorResponses
  modules → typeDefs: [a.typeDefs, b.typeDefs]
`);

/** Options beside typeDefs, or in place of them. */
const wrongOptions = mistakesOf(`
  resolvers: {} maxTokens: 2 → Expected "}" but found "maxTokens"
  typeDef: 'type Query { a: Int }' → Did you mean "typeDefs"?
  typeDefs: './schema.graphql' → Read its text with readFileSync(…, "utf8")
  typeDefs: { Query: {} } as any → typeDefs takes schema text or a parsed document, got an object
  resolvers: {} → Set \`typeDefs\` (schema text) with \`resolvers\`, or \`schema\`
  resolver: {} → Did you mean "resolvers"?
  cors: { orgin: 'https://a.example' } → Did you mean "origin"?
  cors: { origin: 'app.example.com' } → an origin like "https://example.com", [...] got "app.example
  cors: true → an object like { origin: ["https://example.com"] }, got true
  cors: { origin: '*', credentials: true } → cors.credentials needs a cors.origin like "https://example.com"
  dataSources: { books: {} } → a function that returns new data sources, for example () => ({ books: new BooksAPI() })
  context: { user: 1 } → a function that returns the context value, for example () => ({ user })
  cache: new Keyv() → new KeyvAdapter(keyv), got a Keyv
  cache: 'unbounded' → "bounded", or an object with get, set and delete
  plugins: [costLine] → a list of plugin objects such as costLine(), got [a function]
  plugins: costLine() → a list of plugin objects such as costLine(), got an object
  maxTokens: '3' → a positive whole number, got "3"
  deadline: 5000 → false, or { ms, reserveMs, partial }
  csrfPrevention: 'true' → true, false, or { requestHeaders: [names] }
  maxDepth: 5 → Write plugins: [limits({ maxDepth })], imported from "graphql-functions/limits"
  landingPage: {} → true or false, got an object
  trustedDocuments: 'documents.json' → { documents: a manifest or a list of manifests
  introspection: 'yes' → true or false, got "yes"
  nodeEnv: 'prod' → treated as production. Did you mean "production"?
  executor: 'graphql-js' → graphqlJSExecutor(), imported from "graphql-functions/graphql-js"
  logger: console.log → an object with debug, info, warn and error
  formatError: {} → a function, got an object
  plugins: [limits()] → an object with maxDepth, maxAliases, maxCost
  plugins: [limits({ maxdepth: 5 })] → Did you mean "maxDepth"?
  plugins: [compression({ withCookies: 'no' })] → withCookies of compression to be true or false, got "no"
  plugins: [costLine({ namespace: 5 })] → namespace of costLine to be a string, got 5
  plugins: [mcp({})] → name of mcp to be a string
  plugins: [mcp({ name: 'a', version: '1', tools: ['x'] })] → tools of mcp to be an object like { find_books: { document: id } }
  plugins: [mcp({ name: 'a', version: '1', origins: 'https://a.example' })] → a list of origins such as 'https://app.example.com'
  plugins: [mcp({ name: 'a', version: '1', explore: true }), limits({ maxCost: 5 })] → agents write queries that could cost anything. Add budget({ … }) to plugins
  plugins: [budget({ identity: () => 'a', capacity: 1, refillPerSecond: 1 })] → such as redisStore(…), got undefined
  plugins: [idempotency({ store: new Map(), identity: () => 'a' })] → redisStore(…), got a client, or a KeyValueCache, which is not atomic
  plugins: [idempotency({ store: (await import('graphql-functions/idempotency')).memoryStore(), identity: () => 'a', required: ['by'] })] → required of idempotency to list mutations, got "by"
  plugins: [edge({})] → cdn of edge to be one of netlify, [...] Without a CDN, give it a store
  plugins: [landingPage({ embeded: false })] → Did you mean "embedded"?
  plugins: [{ requestDidStart: async () => ({ async willSendRespons() {} }) }] → Did you mean "willSendResponse"?
  plugins: [{ willSendResponse() {} }] → belongs in the object that requestDidStart returns
  plugins: [{ requestDidStrt() {} }] → Did you mean "requestDidStart"?
`);

/** Schema text, and the resolvers with it. */
const wrongSchemas = mistakesOf(`
  type Query { a: Missing } → Unknown type "Missing". Define it in typeDefs
  type Query { a } → Expected ":", found "}"
  type Query { a: Int @cacheControl(maxAge: 5) } → Unknown directive "@cacheControl". Define it in typeDefs
  type Book { title: String } → typeDefs define no "type Query", where every query starts
  type Query { a: Int a: Int } → Query.a[...]only be defined once
  interface Node { id: ID! } type Query implements Node { a: Int } → Interface field Node.id expected but Query does not provide it
  input Filter { a: Int } type Query { a: Filter } → must be Output Type but got: Filter
  type Book { a: Int } type Query { a(book: Book): Int } → must be Input Type but got: Book
  type Query { books: [Int!]! } → no resolver, so every operation that selects it fails. Write Query: { books: () => … }
  type Query { a: Int } type Mutation { buy: Int! } → Write Mutation: { buy: () => … }
  type Query { a: Int } type Subscription { ticks: Int } → Write Subscription: { ticks: { subscribe: async function* () { … } } }
  type Query { a: Int } type Subscription { b: Int } with { Subscription: { async *b() {} } } → without subscribe[...]Write Subscription
  type Query { books: Int } with { Query: { boks: () => 1 } } → Did you mean "books"?
  type Query { a: Int } with { Qery: { a: () => 1 } } → Did you mean "Query"?
  type Query { a: Int } with { Query: { a: 1 } } → For a constant write a function that returns it: () => …
  type Query { a: Int } with { a: () => 1 } → "a" is a field of Query: write { Query: { a } }
  type Query { a: Int } with [{ Query: { a: () => 1 } }, { Query: { a: () => 2 } }] → because a later map has one, too. Remove one of them
  enum Size { S } type Query { a: Size } with { Size: { M: 1 } } → names the value "M", which "enum Size" does not have. Did you mean "S"?
`);

const extensions = 'budget, compression, costLine, edge, idempotency, landingPage, limits, mcp'.split(', ');

/** A function with these options, before which its module has these lines. */
function server(options: string, before = ''): string {
  const imports = extensions
    .filter((name) => options.includes(name))
    .map((name) => `import { ${name} } from 'graphql-functions/${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}';`);
  const head = [
    "import { createHandler } from 'graphql-functions';",
    ...imports,
    'class Keyv { get() {} set() {} delete() {} getMany() {} setMany() {} }',
  ];
  return [...head, before, `export default createHandler({ csrfPrevention: true, ${options} } as any);`, ''].join('\n');
}

const typeDefs = "const typeDefs = 'type Query { hello: String }';";

function moduleOf(text: string): string {
  if (!text.startsWith('export')) return server('typeDefs', `${text}; ${typeDefs} void ${/\w+(?= \}? ?from)/.exec(text)?.[0] ?? 0};`);
  return `import { createHandler } from 'graphql-functions';\n${typeDefs}\n${text};\n`;
}

/** The problem, and the function that has it. */
const inCheck: readonly (readonly [...Row, code: string])[] = [
  ...modules.map(([text, words]) => [text, words, moduleOf(text)] as const),
  ...foreignOptions.map(([name, words]) => {
    const expected = new RegExp(`^Unknown option "${name}", which is an option of another server\\. .*${words.source}`);
    return [`the option ${name} of another server`, expected, server(`typeDefs, ${name}: true`, typeDefs)] as const;
  }),
  ...wrongOptions.map(([text, words]) => {
    const options = /^(?:typeDef|resolvers)/.test(text) ? text : `typeDefs, ${text}`;
    return [text, words, server(options, typeDefs)] as const;
  }),
  ...wrongSchemas.map(([text, words]) => {
    const [schema = '', resolvers = '{}'] = text.split(' with ');
    return [text, words, server(`typeDefs: '${schema}', resolvers: ${resolvers}`)] as const;
  }),
];

interface Asked {
  readonly query?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const wrongResolvers = mistakesOf(`
  { a: (_, __, { dataSources }) => dataSources.boks.load() } → dataSources.boks was read, but dataSources() returned only books. Did you mean "books"?
  { a: (_, __, { dataSources }) => dataSources.books.load().map(String) } → Is dataSources.books.load(...) a promise? Write: (await dataSources.books.load(...))
  { a: () => 1 } → willSendRequst of the data source books is never called. Did you mean "willSendRequest"?
  context: ({ req }) => ({ user: req.headers.authorization }) → Read a header with request.headers.get('authorization')
  context: () => session, asked { a b: a } → returned the same Session for two operations[...]return a new instance every time
  dataSources: () => shared → was used in an earlier operation[...]() => ({
  { n: () => ({ id: 1 }) }, asked { n { id } } → Write in resolvers: Node: { __resolveType: (value) => 'Name' }
  { c: () => {} }, asked { c } → Its resolver [...] returned undefined: is there a return?
  { list: () => ({ items: [1] }) }, asked { list } → return its property "items", which is the list
  { a: () => 1 }, asked query Titles { titel } →  422 [...]Cannot query field "titel" on type "Query"
  { a: () => 1 }, asked { →  400 [...]Syntax Error: Expected Name, found <EOF>
`);
const origin = 'https://app.example';
const cors = /Write: cors: \{ origin: \['https:\/\/app\.example'\] \}/;

/** What the terminal of dev shows, the function, and what is sent to it. */
const inDev: readonly (readonly [...Row, code: string, Asked])[] = [
  ...wrongResolvers.map(([text, words]) => {
    const [given = '', query = '{ a }'] = text.split(', asked ');
    return [text, words, given.startsWith('{') ? dev(given) : dev('{ a: () => 1 }', `${given},`), { query }] as const;
  }),
  [
    'an error that a resolver throws',
    /Unexpected error [^]*no such shop[^]*functions\/d\d+\.ts:\d+/,
    dev("{ a: () => { throw new Error('no such shop'); } }"),
    {},
  ],
  ['a page of another origin', cors, dev('{ a: () => 1 }'), { headers: { origin } }],
  [
    'a preflight of another origin',
    cors,
    dev('{ a: () => 1 }'),
    { method: 'OPTIONS', headers: { origin, 'access-control-request-method': 'POST' } },
  ],
  [
    'a request without a content type',
    / 4\d\d .*content-type: application\/json/i,
    dev('{ a: () => 1 }'),
    { headers: { 'content-type': 'text/plain' } },
  ],
];

/** A function whose data sources and resolvers have a mistake. */
function dev(resolvers: string, more = ''): string {
  return `import { createHandler, RESTDataSource } from 'graphql-functions';
class Books extends RESTDataSource { async load() { return [1]; } willSendRequst() {} }
class Session { user = 1; }
const session = new Session();
const shared = { books: new Books() };
export default createHandler({
  csrfPrevention: true, typeDefs: 'type Query { a: Int c: Int! list: [Int] n: Node } interface Node { id: ID }',
  dataSources: () => ({ books: new Books() }), ${more}
  resolvers: { Query: ${resolvers} },
} as any);
`;
}

/** Bodies of a POST as JSON. */
const bodies = mistakesOf(`
  { a } → JSON
  {} → Expected "query" to be the text of a GraphQL document, but it is missing
  {"query":"{ a }","variables":[1]} → Expected "variables" to be a JSON object, got an array of 1
  {"query":"{ a }","variables":"{}"} → Expected "variables" to be a JSON object
  {"query":"query ($id: ID!) { b(id: $id) }"} → Expected a value of non-null type "ID!" to be provided
  {"query":"query ($n: Int) { n(n: $n) }","variables":{"n":"x"}} → Int cannot represent non-integer value: "x"
  {"query":"query A { a } query B { a }"} → send operationName to say which one to run
  {"query":"query A { a }","operationName":"B"} → The document has no operation with this name: "B"
  [${Array.from({ length: 11 }, () => '{"query":"{ a }"}').join()}] → at most 10 operations, got 11
  {"query":"{ deep { deep { deep { a } } } }"} → at most 2
  {"query":"{ __schema { types { name } } }"} → introspection
  {"documentId":"x"} → no trusted documents that "documentId" could name
  {"query":"subscription { ticks }"} → a subscription needs a POST with [...]accept: text/event-stream
  {"query":"{ a }","onError":"NULLS"} → onError
`);

/** What a client of a server in production gets: its answer says what to send. */
const inAnswers: readonly (readonly [...Row, request: RequestInit & { readonly search?: string }])[] = [
  ...bodies.map(([body, words]) => [body, words, posted(body)] as const),
  ['a body that is too large', /at most 1048576 bytes/, posted(JSON.stringify({ query: `{ a } #${'x'.repeat(2_000_000)}` }))],
  ['a body without a content type', /content-type: application\/json/, { method: 'POST', body: '{}', headers: {} }],
  ['a form', /application\/json/, { method: 'POST', body: new URLSearchParams({ query: '{ a }' }) }],
  ['an upload', /application\/json/, { method: 'POST', body: new FormData() }],
  ['a mutation by GET', /Send it as POST/, { search: '?query=mutation{buy}', headers: { 'apollo-require-preflight': '1' } }],
  [
    'a GET without a header',
    /Send "content-type: application\/json", or one of/,
    { search: '?query={a}', headers: { 'content-type': 'text/plain' } },
  ],
  ['PUT', /Expected GET, POST or QUERY, got PUT/, { method: 'PUT', body: '{}' }],
  [
    'an answer as HTML',
    /Expected Accept to allow application\/graphql-response\+json or application\/json/,
    { ...posted('{"query":"{ a }"}'), headers: { 'content-type': 'application/json', accept: 'text/html' } },
  ],
  [
    'a browser that opens the address',
    /send it a POST with .*content-type: application\/json.* and a body such as/,
    { headers: { accept: 'text/html,*/*;q=0.8' } },
  ],
  [
    'a WebSocket',
    /Subscribe by server-sent events: a POST with .*accept: text\/event-stream/,
    { headers: { upgrade: 'websocket', connection: 'upgrade' } },
  ],
];

function posted(body: string): RequestInit {
  return { method: 'POST', body, headers: { 'content-type': 'application/json' } };
}

const sound = { 'functions/graphql.ts': server('typeDefs', typeDefs) };

/** What the commands print. */
const inCommands: readonly (readonly [...Row, files?: Readonly<Record<string, string>>])[] = [
  ...mistakesOf(`
    dev --prot 1 → Did you mean "--port"?
    serve → Unknown command "serve". Commands: init, dev, check
    dev --port x → Expected --port to be a number from 0 to 65535, got "x"
    dev --platform lambda → Expected --platform to be one of netlify, [...], aws-http, [...], got "lambda"
    dev --env NAME → Expected --env NAME=value, got --env NAME
    check --functions api → Add functions/graphql.ts, or choose the folder with --functions <folder>
    init api --platform aws → Expected --platform to be one of netlify, lambda, [...], got "aws"
  `),
  ['init api', /init requires --platform, .*\n\n {2}graphql-functions init \[folder\] --platform <netlify/],
  ['schema --function books', /No function "books" in .* Functions: graphql\./, sound],
  ['check --built dist', /There is no dist .* Build the project first/, sound],
  ['documents', /No files match operations\/\*\*\/\*\.graphql/, sound],
];

const production: readonly (readonly [mistake: string, options: () => ServerOptions, words: RegExp])[] = [
  [
    'a store in the memory of one instance',
    () => ({ plugins: [budget({ store: memoryStore(), identity: () => 'a', capacity: 1, refillPerSecond: 1 })] }),
    /a shared store in production, got memoryStore\(\)\. If one process serves all requests, set isOnlyProcess: true/,
  ],
  ['options whose promise fails', () => Promise.reject(new Error('no database')) as never, /The server could not start[^]*no database/],
  [
    'an error that nobody expected',
    () => ({
      resolvers: {
        Query: {
          a: () => {
            throw new Error('no such shop');
          },
        },
      },
    }),
    /Unexpected error \w+ .*[^]*no such shop/,
  ],
  [
    'a resolver of a field that does not exist',
    () => ({ resolvers: { Query: { aa: () => 1 } } }),
    /resolvers\.Query names the field "aa".*Did you mean "a"\?/,
  ],
];

interface Started {
  readonly options: object;
  readonly words: RegExp;
}

const calling = (source: new () => object): object => ({
  dataSources: () => ({ books: new source() }),
  resolvers: { Query: { a: (...[, , { dataSources }]: [unknown, unknown, any]) => dataSources.books.load() } },
});
const resolving = (resolvers: object): object => ({ resolvers: { Query: resolvers } });

/** What a process in development logs that Node runs without dev. */
const inProcess: Readonly<Record<string, Started>> = {
  'a data source without baseURL': {
    options: calling(
      class extends RESTDataSource {
        load = (): Promise<unknown> => this.get('books');
      },
    ),
    words: /not an absolute http\(s\) URL, and there is no baseURL to put before it/,
  },
  'a baseURL without a scheme': {
    options: calling(
      class extends RESTDataSource {
        override baseURL = 'api.example';
        load = (): Promise<unknown> => this.get('books');
      },
    ),
    words: /baseURL must be an absolute http\(s\) URL/,
  },
  'a context that returns nothing': {
    options: { context: () => undefined },
    words: /Expected context\(\) to return an object, for example \{ user \}, got undefined/,
  },
  'data sources in the context': {
    options: { context: () => ({ dataSources: {} }), dataSources: () => ({}) },
    words: /Rename yours, or return a new object for every operation/,
  },
  'data sources that are awaited': {
    options: { dataSources: async () => ({}) },
    words: /Expected dataSources\(\) to return an object of data source instances, for example .*, got a Promise/,
  },
  'text in place of a number': {
    options: resolving({ a: () => 'x' }),
    words: /Int cannot represent non-integer value: "x" in Query\.a\. Its resolver \(.*:\d+:\d+\) returned "x"/,
  },
  'an object in place of text': {
    options: resolving({ b: () => ({ c: 1 }) }),
    words: /in Query\.b\. Its resolver \(.*:\d+:\d+\) returned an object/,
  },
  'a value that the enum does not have': {
    options: resolving({ d: () => 'X' }),
    words: /Enum "Size" cannot represent value: "X" in Query\.d\. Its resolver \(.*:\d+:\d+\) returned "X"/,
  },
  'the arguments as the first parameter': {
    options: resolving({ a: (given: any) => given.id }),
    words: /A resolver gets \(parent, args, context, info\), and a field of Query has no parent/,
  },
  'the context as the second parameter': {
    options: resolving({ a: (...[, { user }]: any[]) => user.id }),
    words: /A resolver gets \(parent, args, context, info\)/,
  },
  'a stage that forgets the outcome': {
    options: { plugins: [{ operation: async () => undefined }] },
    words: /Expected the stage operation of plugins\[0\] to return the outcome of next\(\)/,
  },
  'formatError without return': {
    options: { ...resolving({ a: () => Promise.reject(new Error('no shop')) }), formatError: () => undefined },
    words: /Expected formatError to return an error like \{ message, extensions \}, got undefined/,
  },
  'a root value that is not awaited': {
    options: { rootValue: Promise.resolve({ a: 1 }) },
    words: /The option rootValue is a promise, which has no fields\. Await it first/,
  },
};

/** Mistakes that are not answered with what to do, and what is logged. */
const untold: Readonly<Record<string, Started>> = {
  'initialize without super': {
    options: calling(
      class extends DataSource<any> {
        override initialize(): void {}
        load = (): unknown => this.context.user;
      },
    ),
    words: /^(?!.*super)/s,
  },
  'an assignment to response.headers': {
    options: { context: ({ response }: any) => Object.assign({}, (response.headers['x-a'] = '1')) },
    words: /^$/,
  },
  'an origin function that returns a list': { options: { cors: { origin: async () => ['https://a.example'] } }, words: /^$/ },
  'a Map as cache, which keeps every entry': { options: { cache: new Map() }, words: /^$/ },
  'subscribe of a field of Query': { options: resolving({ a: { subscribe: () => [] } }), words: /^$/ },
  'a REST API that does not run': {
    options: calling(
      class extends RESTDataSource {
        override baseURL = 'http://127.0.0.1:1/';
        load = (): Promise<unknown> => this.get('books');
      },
    ),
    words: /GET got no answer \(http:\/\/127\.0\.0\.1:1\/books\)/,
  },
};

describe('check', () => {
  const suite = suiteContext();
  let folder: string;
  before(async () => {
    const project = await createProject(suite, Object.fromEntries(inCheck.map(([, , code], at) => [`functions/m${at}.ts`, code])));
    await linkPackage(project, 'graphql');
    folder = project.directory;
  });

  for (const [at, [mistake, words]] of inCheck.entries())
    test(mistake, async () => {
      const { problems, notices } = await checkFunction({ name: `m${at}`, file: join(folder, `functions/m${at}.ts`) });
      Reflect.deleteProperty(globalThis, Symbol.for('graphql-functions.observer'));
      const found = [...problems.map(({ message }) => message), ...notices].join('\n');

      assert.match(found, words);
    });
  after(() => process.setSourceMapsEnabled(false));
});

describe("dev's terminal", () => {
  const suite = suiteContext();
  let served: DevHere;
  let logged = '';
  const writes = [process.stdout.write.bind(process.stdout), process.stderr.write.bind(process.stderr)] as const;
  before(async () => {
    const project = await createProject(suite, Object.fromEntries(inDev.map(([, , code], at) => [`functions/d${at}.ts`, code])));
    await linkPackage(project, 'graphql');
    // What the functions log is passed on.
    for (const [at, stream] of [process.stdout, process.stderr].entries())
      stream.write = (text: string | Uint8Array): boolean => {
        logged += String(text);
        return stream === process.stderr || writes[at]!(text);
      };
    served = await startDevHere(suite, project);
  });
  after(() => {
    [process.stdout.write, process.stderr.write] = writes;
  });

  for (const [at, [mistake, words, , { query = '{ a }', method = 'POST', headers = {} }]] of inDev.entries())
    test(mistake, async (context) => {
      const all = (): string => `${served.printed().stdout}\n${served.printed().stderr}\n${logged}`;
      const known = all().match(new RegExp(words, 'g'))?.length ?? 0;
      const body = method === 'POST' ? JSON.stringify({ query }) : null;
      for (let request = 0; request < 2; request++)
        await fetch(served.address(`d${at}`), { method, body, headers: { 'content-type': 'application/json', ...headers } });

      await context.waitFor(() => assert.ok((all().match(new RegExp(words, 'g'))?.length ?? 0) > known, all().slice(-2000)), {
        timeout: 20_000,
      });
    });
});

describe('the answer of a server in production', () => {
  const handler = createHandler({
    nodeEnv: 'production',
    csrfPrevention: true,
    logger: recordingLogger()[0],
    plugins: [limits({ maxDepth: 2 })],
    typeDefs:
      'type Query { a: Int b(id: ID!): Int n(n: Int): Int deep: Deep } type Deep { a: Int deep: Deep } type Mutation { buy: Int } type Subscription { ticks: Int }',
  });
  for (const [mistake, words, { search = '', ...request }] of inAnswers)
    test(mistake, async () => {
      const response = await handler(new Request(`https://api.example/graphql${search}`, request));

      assert.match((JSON.parse(await response.text()) as { errors: [{ message: string }] }).errors[0].message, words);
    });
});

describe("production's log, or the error of createHandler", () => {
  for (const [mistake, options, words] of production)
    test(mistake, async (context) => {
      const [logger, lines] = recordingLogger();
      const given = { nodeEnv: 'production', logger, typeDefs: `type Query { a: Int } # ${mistake}` };
      const make = options();
      // Options that fail have no logger.
      context.mock.method(console, 'error', logger.error);
      try {
        const handler = createHandler(make instanceof Promise ? make : { ...given, ...make });
        await handler(new Request('https://api.example/graphql', posted('{"query":"{ a }"}')));
      } catch (error) {
        logger.error(String(error));
      }

      assert.match(lines.map(({ message, details }) => `${message} ${details.map(String).join(' ')}`).join('\n'), words);
    });
});

describe('the command line', () => {
  for (const [argv, words, files = {}] of inCommands)
    test(argv, async (context) => {
      const { directory } = await createProject(context, files);

      const { code, stdout, stderr } = await runCommandHere(directory, ...argv.split(' ').filter(Boolean));

      assert.match(`${stdout}\n${stderr}`, words);
      assert.equal(code, 1);
    });
});

describe('a process in development without dev', () => {
  const typeDefs = 'type Query { a: Int b: String d: Size } enum Size { S }';
  for (const [mistake, { options, words }] of Object.entries({ ...inProcess, ...untold }))
    test(`${mistake}${mistake in untold ? ' is not told' : ''}`, async () => {
      const [logger, lines] = recordingLogger();
      const given = { nodeEnv: 'development', csrfPrevention: true, logger, typeDefs: `${typeDefs} # ${mistake}`, ...options };
      const handler = createHandler(given as ServerOptions);
      await handler(new Request('https://api.example/graphql', posted('{"query":"{ a b d }"}')));

      assert.match(lines.map(({ message }) => message).join('\n'), words);
    });
});

test('the tables have 110 mistakes, and at most one in twenty is not answered with what to do', () => {
  const told = [inCheck, inDev, inAnswers, inCommands, production].flat().length + Object.keys(inProcess).length;
  const share = told / (told + Object.keys(untold).length);

  assert.ok(told >= 110 && share >= 0.95, `${told}, ${share}`);
});
