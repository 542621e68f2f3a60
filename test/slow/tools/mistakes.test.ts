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

// Mistakes of newcomers, by the place where a user meets each first, with the words that say what to do. The table `untold` has those of
// which no message says it: at most one in twenty.

type Row = readonly [mistake: string, code: string, words: RegExp];

const named = "import { createHandler } from 'graphql-functions';\n";
/** A function with these options, before which its module has these lines. */
const server = (options: string, before = ''): string =>
  `${named}${before}\nexport default createHandler({ csrfPrevention: true, ${options} });\n`;
const hello = "typeDefs: 'type Query { hello: String }'";
const option = (text: string): string => server(`${hello}, ${text}`);
const plugin = (entry: string, name: string, given: string): string =>
  server(`${hello}, plugins: [${name}(${given})]`, `import { ${name} } from 'graphql-functions/${entry}';`);
const schema = (text: string, resolvers = '{}'): string => server(`typeDefs: \`${text}\`, resolvers: ${resolvers}`);
const foreign = (name: string, words: RegExp): Row => [
  `the option ${name} of another server`,
  option(`${name}: true`),
  new RegExp(`^Unknown option "${name}", which is an option of another server\\. .*${words.source}`),
];

const inCheck: readonly Row[] = [
  // The module.
  ['a comma that is missing', server(`${hello} resolvers: {}`), /Expected "}" but found "resolvers"/],
  [
    'a variable that is not set',
    server(`${hello}, context: () => ({ url })`, "const url = new URL(process.env['SHOP_URL'] as string);"),
    /Invalid URL\nNot set: SHOP_URL\. Write SHOP_URL=… in \.env/,
  ],
  [
    'a package that is not installed',
    server(hello, "import DataLoader from 'dataloader'; void DataLoader;"),
    /it is not installed\. Run: npm i dataloader/,
  ],
  [
    'an entry that does not exist',
    server(hello, "import { x } from 'graphql-functions/lambda'; void x;"),
    /graphql-functions has no such entry/,
  ],
  ['a file that does not exist', server(hello, "import { x } from './shcema.ts'; void x;"), /there is no such file\. Correct the path/],
  [
    'ApolloServer',
    "import { ApolloServer } from 'graphql-functions';\nexport default new ApolloServer({});",
    /does not export ApolloServer\. Import it from graphql-functions\/v3/,
  ],
  [
    'createhandler',
    "import { createhandler } from 'graphql-functions';\nexport default createhandler({});",
    /Did you mean "createHandler"\?/,
  ],
  [
    'startStandaloneServer',
    "import { startStandaloneServer } from 'graphql-functions';\nexport default startStandaloneServer();",
    /does not export startStandaloneServer\. No entry of graphql-functions does/,
  ],
  [
    'GraphQLError of this package',
    server(hello, "import { GraphQLError } from 'graphql-functions'; void GraphQLError;"),
    /Import it from graphql\./,
  ],
  [
    'limits of the main entry',
    server(hello, "import { limits } from 'graphql-functions'; void limits;"),
    /Import it from graphql-functions\/limits\./,
  ],
  [
    'a handler that is not exported',
    `${named}export const api = createHandler({ ${hello} });`,
    /Write: export default createHandler\(\{ … \}\)/,
  ],
  ['options that are exported', `export default { ${hello} };`, /Write: export default createHandler\(\{ … \}\)/],
  [
    'createHandler that is not called',
    `${named}export default createHandler;`,
    /exports createHandler itself\. Call it: export default createHandler\(\{ … \}\)/,
  ],
  [
    'createHandler that a function calls',
    `${named}export default async (request: Request) => createHandler({ ${hello} })(request);`,
    /Call it at the top level of the file: export default createHandler\(\{ … \}\)/,
  ],
  [
    'createHandler without options',
    `${named}export default (createHandler as any)();`,
    /Expected options like \{ typeDefs, resolvers \}, got undefined/,
  ],
  [
    'createHandler with schema text',
    `${named}export default createHandler('type Query { a: Int }' as any);`,
    /Expected options like \{ typeDefs, resolvers \}/,
  ],
  [
    'a schema that is passed by position',
    `${named}export default (createHandler as any)([{ ${hello} }]);`,
    /Expected options like \{ typeDefs, resolvers \}, got an array of 1/,
  ],
  // Options.
  foreign('playground', /landingPage: false turns it off/),
  foreign('graphiql', /landingPage: false turns it off/),
  foreign('mocks', /@graphql-tools\/mock/),
  foreign('batching', /allowBatchedHttpRequests: \{ limit \}/),
  foreign('graphqlEndpoint', /Remove it/),
  foreign('status400ForVariableCoercionErrors', /Remove it/),
  foreign('schemaDirectives', /mapSchema/),
  foreign('subscriptions', /server-sent events/),
  foreign('uploads', /signed URL/),
  foreign('gateway', /can be a subgraph/),
  foreign('formatResponse', /plugin with willSendResponse/),
  foreign('debug', /includeStacktraceInErrorResponses/),
  foreign('modules', /typeDefs: \[a\.typeDefs, b\.typeDefs\]/),
  ['typeDef', server("typeDef: 'type Query { a: Int }'"), /Did you mean "typeDefs"\?/],
  ['resolver', option('resolver: {}'), /Did you mean "resolvers"\?/],
  ['cors.orgin', option("cors: { orgin: 'https://a.example' }"), /Did you mean "origin"\?/],
  [
    'an origin without a scheme',
    option("cors: { origin: 'app.example.com' }"),
    /an origin like "https:\/\/example\.com", .* got "app\.example/,
  ],
  ['cors: true', option('cors: true'), /an object like \{ origin: \["https:\/\/example\.com"\] \}, got true/],
  [
    'every origin with cookies',
    option("cors: { origin: '*', credentials: true }"),
    /cors.credentials needs a cors\.origin like "https:\/\/example\.com"/,
  ],
  [
    'data sources that are shared',
    option('dataSources: { books: {} }'),
    /a function that returns new data sources, for example \(\) => \(\{ books: new BooksAPI\(\) \}\)/,
  ],
  [
    'a context that is shared',
    option('context: { user: 1 }'),
    /a function that returns the context value, for example \(\) => \(\{ user \}\)/,
  ],
  [
    'a Keyv as cache',
    option('cache: new Keyv()').replace(named, `${named}class Keyv { get() {} set() {} delete() {} getMany() {} setMany() {} }\n`),
    /new KeyvAdapter\(keyv\), got a Keyv/,
  ],
  ["cache: 'unbounded'", option("cache: 'unbounded'"), /"bounded", or an object with get, set and delete/],
  [
    'a plugin that is not called',
    server(`${hello}, plugins: [costLine]`, "import { costLine } from 'graphql-functions/cost-line';"),
    /a list of plugin objects such as costLine\(\), got \[a function\]/,
  ],
  [
    'a plugin outside of a list',
    server(`${hello}, plugins: costLine()`, "import { costLine } from 'graphql-functions/cost-line';"),
    /a list of plugin objects such as costLine\(\), got an object/,
  ],
  ['a number as text', option("maxTokens: '3'"), /a positive whole number, got "3"/],
  ['a deadline in milliseconds', option('deadline: 5000'), /false, or \{ ms, reserveMs, partial \}/],
  ["csrfPrevention: 'true'", option("csrfPrevention: 'true'"), /true, false, or \{ requestHeaders: \[names\] \}/],
  [
    'maxDepth as an option of the server',
    option('maxDepth: 5'),
    /Write plugins: \[limits\(\{ maxDepth \}\)\], imported from "graphql-functions\/limits"/,
  ],
  ['a page where true or false is expected', option('landingPage: {}'), /true or false, got an object/],
  ['a path as manifest', option("trustedDocuments: 'documents.json'"), /\{ documents: a manifest or a list of manifests/],
  ["introspection: 'yes'", option("introspection: 'yes'"), /true or false, got "yes"/],
  ["nodeEnv: 'prod'", option("nodeEnv: 'prod'"), /treated as production\. Did you mean "production"\?/],
  ["executor: 'graphql-js'", option("executor: 'graphql-js'"), /graphqlJSExecutor\(\), imported from "graphql-functions\/graphql-js"/],
  ['a logger that is a function', option('logger: console.log'), /an object with debug, info, warn and error/],
  ['formatError that is an object', option('formatError: {}'), /a function, got an object/],
  ['limits() without options', plugin('limits', 'limits', ''), /an object with maxDepth, maxAliases, maxCost/],
  ['limits({ maxdepth })', plugin('limits', 'limits', '{ maxdepth: 5 }'), /Did you mean "maxDepth"\?/],
  [
    "compression({ withCookies: 'no' })",
    plugin('compression', 'compression', "{ withCookies: 'no' }"),
    /withCookies of compression to be true or false, got "no"/,
  ],
  ['costLine({ namespace: 5 })', plugin('cost-line', 'costLine', '{ namespace: 5 }'), /namespace of costLine to be a string, got 5/],
  ['mcp() without a name', plugin('mcp', 'mcp', '{}'), /name of mcp to be a string/],
  [
    'mcp({ tools: [id] })',
    plugin('mcp', 'mcp', "{ name: 'a', version: '1', tools: ['x'] }"),
    /tools of mcp to be an object like \{ find_books: \{ document: id \} \}/,
  ],
  [
    'mcp({ origins: text })',
    plugin('mcp', 'mcp', "{ name: 'a', version: '1', origins: 'https://a.example' }"),
    /a list of origins such as 'https:\/\/app\.example\.com'/,
  ],
  [
    'budget() without a store',
    plugin('budget', 'budget', "{ identity: () => 'a', capacity: 1, refillPerSecond: 1 }"),
    /such as redisStore\(…\), got undefined/,
  ],
  [
    'idempotency() with a Map',
    plugin('idempotency', 'idempotency', "{ store: new Map(), identity: () => 'a' }"),
    /such as redisStore\(…\), got a client, or a KeyValueCache, which is not atomic/,
  ],
  ['edge() without a CDN', plugin('edge', 'edge', '{}'), /cdn of edge to be one of netlify, .* Without a CDN, give it a store/],
  ['landingPage({ embeded })', plugin('landing-page', 'landingPage', '{ embeded: false }'), /Did you mean "embedded"\?/],
  // Plugins.
  [
    'willSendRespons',
    option('plugins: [{ requestDidStart: async () => ({ async willSendRespons() {} }) }]'),
    /Did you mean "willSendResponse"\?/,
  ],
  [
    'willSendResponse outside of requestDidStart',
    option('plugins: [{ willSendResponse() {} }]'),
    /belongs in the object that requestDidStart returns/,
  ],
  ['requestDidStrt', option('plugins: [{ requestDidStrt() {} }]'), /Did you mean "requestDidStart"\?/],
  // The schema.
  ['a type that does not exist', schema('type Query { a: Missing }'), /Unknown type "Missing"\. Define it in typeDefs/],
  ['a field without a type', schema('type Query { a }'), /Expected ":", found "}"/],
  [
    'a directive without its definition',
    schema('type Query { a: Int @cacheControl(maxAge: 5) }'),
    /Unknown directive "@cacheControl"\. Define it in typeDefs/,
  ],
  ['no type Query', schema('type Book { title: String }'), /typeDefs define no "type Query", where every query starts/],
  ['a path in place of schema text', server("typeDefs: './schema.graphql'"), /Read its text with readFileSync\(…, "utf8"\)/],
  [
    'an object as type definitions',
    server('typeDefs: { Query: {} } as any'),
    /typeDefs takes schema text or a parsed document, got an object/,
  ],
  ['resolvers without type definitions', server('resolvers: {}'), /Set `typeDefs` \(schema text\) with `resolvers`, or `schema`/],
  ['two definitions of a field', schema('type Query { a: Int a: Int }'), /Query\.a.*only be defined once/],
  [
    'an interface that is not implemented',
    schema('interface Node { id: ID! } type Book implements Node { title: String } type Query { book: Book }'),
    /Interface field Node\.id expected but Book does not provide it/,
  ],
  ['an input type as a result', schema('input Filter { a: Int } type Query { a: Filter }'), /must be Output Type but got: Filter/],
  ['an object type as an argument', schema('type Book { a: Int } type Query { a(book: Book): Int }'), /must be Input Type but got: Book/],
  [
    'a non-null root field without a resolver',
    schema('type Query { books: [String!]! }'),
    /no resolver, so every operation that selects it fails\. Write Query: \{ books: \(\) => … \}/,
  ],
  ['a mutation without a resolver', schema('type Query { a: Int } type Mutation { buy: Int! }'), /Write Mutation: \{ buy: \(\) => … \}/],
  [
    'a subscription without events',
    schema('type Query { a: Int } type Subscription { ticks: Int }'),
    /Write Subscription: \{ ticks: \{ subscribe: async function\* \(\) \{ … \} \} \}/,
  ],
  [
    'a generator in place of subscribe',
    schema('type Query { a: Int } type Subscription { ticks: Int }', '{ Subscription: { async *ticks() {} } }'),
    /has a resolver without subscribe.*Write Subscription/,
  ],
  [
    'a resolver of a field that does not exist',
    schema('type Query { books: Int }', '{ Query: { boks: () => 1 } }'),
    /Did you mean "books"\?/,
  ],
  ['resolvers of a type that does not exist', schema('type Query { a: Int }', '{ Qery: { a: () => 1 } }'), /Did you mean "Query"\?/],
  [
    'a resolver that is a value',
    schema('type Query { a: Int }', '{ Query: { a: 1 } as any }'),
    /For a constant write a function that returns it: \(\) => …/,
  ],
  [
    'resolvers at the top of the map',
    schema('type Query { a: Int }', '{ a: () => 1 } as any'),
    /"a" is a field of Query: write \{ Query: \{ a \} \}/,
  ],
  [
    'a resolver that a later map replaces',
    schema('type Query { a: Int }', '[{ Query: { a: () => 1 } }, { Query: { a: () => 2 } }]'),
    /is never called, because a later map has one, too\. Remove one of them/,
  ],
  [
    'a value of an enum that does not exist',
    schema('enum Size { S } type Query { a: Size }', '{ Size: { M: 1 } as any }'),
    /names the value "M", which "enum Size" does not have\. Did you mean "S"\?/,
  ],
  [
    'a top-level await that fails',
    server(hello, "await Promise.reject(new Error('no configuration', { cause: new Error('ENOENT: config.json') }));"),
    /no configuration\nCaused by: ENOENT: config\.json/,
  ],
];

interface Asked {
  readonly query?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The function, what is sent to it, and what the terminal of dev shows. */
const inDev: readonly (readonly [...Row, Asked])[] = [
  [
    'a data source of another name',
    dev('{ a: (_, __, { dataSources }) => dataSources.boks.load() }'),
    /dataSources\.boks was read, but dataSources\(\) returned only books\. Did you mean "books"\?/,
    {},
  ],
  [
    'a promise that is not awaited',
    dev('{ a: (_, __, { dataSources }) => dataSources.books.load().map(String) }'),
    /Is dataSources\.books\.load\(\.\.\.\) a promise\? Write: \(await dataSources\.books\.load\(\.\.\.\)\)/,
    {},
  ],
  [
    'a hook of a data source that is misspelled',
    dev('{ a: () => 1 }'),
    /willSendRequst of the data source books is never called\. Did you mean "willSendRequest"\?/,
    {},
  ],
  [
    'the argument of context()',
    dev('{ a: () => 1 }', 'context: ({ req }) => ({ user: req.headers.authorization }),'),
    /Its argument is \{ request, response, .* Read a header with request\.headers\.get\('authorization'\)/,
    {},
  ],
  [
    'a context that operations share',
    dev('{ a: () => 1 }', 'context: () => session,'),
    /returned the same Session for two operations.*return a new instance every time/,
    { query: '{ a b: a }' },
  ],
  [
    'a data source that operations share',
    dev('{ a: () => 1 }', 'dataSources: () => shared,'),
    /was used in an earlier operation.*\(\) => \(\{/,
    {},
  ],
  [
    'an interface without __resolveType',
    dev('{ n: () => ({ id: 1 }) }'),
    /Write in resolvers: Node: \{ __resolveType: \(value\) => 'Name' \}/,
    { query: '{ n { id } }' },
  ],
  ['a resolver without return', dev('{ c: () => {} }'), /Its resolver .* returned undefined: is there a return\?/, { query: '{ c }' }],
  ['a list in an object', dev('{ list: () => ({ items: [1] }) }'), /return its property "items", which is the list/, { query: '{ list }' }],
  [
    'a field that the client invents',
    dev('{ a: () => 1 }'),
    / 422 .*Cannot query field "titel" on type "Query"/,
    { query: 'query Titles { titel }' },
  ],
  ['a document that does not parse', dev('{ a: () => 1 }'), / 400 .*Syntax Error: Expected Name, found <EOF>/, { query: '{' }],
  [
    'a page of another origin',
    dev('{ a: () => 1 }'),
    /Write: cors: \{ origin: \['https:\/\/app\.example'\] \}/,
    { headers: { origin: 'https://app.example' } },
  ],
  [
    'a preflight of another origin',
    dev('{ a: () => 1 }'),
    /Write: cors: \{ origin: \['https:\/\/app\.example'\] \}/,
    { method: 'OPTIONS', headers: { origin: 'https://app.example', 'access-control-request-method': 'POST' } },
  ],
  [
    'a request without a content type',
    dev('{ a: () => 1 }'),
    / 4\d\d .*content-type: application\/json/i,
    { headers: { 'content-type': 'text/plain' } },
  ],
  [
    'an error that a resolver throws',
    dev("{ a: () => { throw new Error('no such shop'); } }"),
    /Unexpected error [^]*no such shop[^]*functions\/d\d+\.ts:\d+/,
    {},
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

/** What a client of a server in production gets: its answer says what to send. */
const inAnswers: readonly (readonly [mistake: string, request: RequestInit & { readonly search?: string }, words: RegExp])[] = [
  [
    'a body without a content type',
    { method: 'POST', body: '{}', headers: {} },
    /content-type: application\/json|Expected content-type application\/json/i,
  ],
  ['a form', { method: 'POST', body: new URLSearchParams({ query: '{ a }' }) }, /application\/json/],
  ['an upload', { method: 'POST', body: new FormData() }, /application\/json/],
  ['a body that is no JSON', posted('{ a }'), /JSON/],
  ['a body without a query', posted('{}'), /Expected "query" to be the text of a GraphQL document, but it is missing/],
  ['a list as variables', posted('{"query":"{ a }","variables":[1]}'), /Expected "variables" to be a JSON object, got an array of 1/],
  ['variables as text', posted('{"query":"{ a }","variables":"{}"}'), /Expected "variables" to be a JSON object/],
  [
    'a variable without a value',
    posted('{"query":"query ($id: ID!) { b(id: $id) }"}'),
    /Expected a value of non-null type "ID!" to be provided/,
  ],
  [
    'a variable of another type',
    posted('{"query":"query ($n: Int) { n(n: $n) }","variables":{"n":"x"}}'),
    /Int cannot represent non-integer value: "x"/,
  ],
  ['two operations without a name', posted('{"query":"query A { a } query B { a }"}'), /send operationName to say which one to run/],
  [
    'an operation that is not in the document',
    posted('{"query":"query A { a }","operationName":"B"}'),
    /The document has no operation with this name: "B"/,
  ],
  ['a batch of eleven', posted(JSON.stringify(Array.from({ length: 11 }, () => ({ query: '{ a }' })))), /at most 10 operations, got 11/],
  ['a body that is too large', posted(JSON.stringify({ query: `{ a } #${'x'.repeat(2_000_000)}` })), /at most 1048576 bytes/],
  ['a document that is too deep', posted('{"query":"{ deep { deep { deep { a } } } }"}'), /at most 2/],
  ['introspection', posted('{"query":"{ __schema { types { name } } }"}'), /introspection/i],
  [
    'an id of a document, which the server does not have',
    posted('{"documentId":"x"}'),
    /no trusted documents that "documentId" could name/,
  ],
  ['a mutation by GET', { search: '?query=mutation{buy}', headers: { 'apollo-require-preflight': '1' } }, /Send it as POST/],
  [
    'a GET without a header',
    { search: '?query={a}', headers: { 'content-type': 'text/plain' } },
    /Send "content-type: application\/json", or one of these headers/,
  ],
  ['PUT', { method: 'PUT', body: '{}' }, /Expected GET, POST or QUERY, got PUT/],
  [
    'an answer as HTML',
    { ...posted('{"query":"{ a }"}'), headers: { 'content-type': 'application/json', accept: 'text/html' } },
    /Expected Accept to allow application\/graphql-response\+json or application\/json/,
  ],
  [
    'a browser that opens the address',
    { headers: { accept: 'text/html,*/*;q=0.8' } },
    /send it a POST with .*content-type: application\/json.* and a body such as/,
  ],
  [
    'a WebSocket',
    { headers: { upgrade: 'websocket', connection: 'upgrade' } },
    /Subscribe by server-sent events: a POST with .*accept: text\/event-stream/,
  ],
  [
    'a subscription that waits for JSON',
    posted('{"query":"subscription { ticks }"}'),
    /a subscription needs a POST with .*accept: text\/event-stream/,
  ],
  ['onError of another edition', posted('{"query":"{ a }","onError":"NULLS"}'), /onError/],
];

function posted(body: string): RequestInit {
  return { method: 'POST', body, headers: { 'content-type': 'application/json' } };
}

/** What the commands print. */
const inCommands: readonly (readonly [argv: string, words: RegExp, prepare?: Readonly<Record<string, string>>])[] = [
  ['dev --prot 1', /Did you mean "--port"\?/],
  ['serve', /Unknown command "serve"\. Commands: init, dev, check/],
  ['dev --port x', /Expected --port to be a number from 0 to 65535, got "x"/],
  ['dev --platform lambda', /Expected --platform to be one of netlify, .*, aws-http, .*, got "lambda"/],
  ['dev --env NAME', /Expected --env NAME=value, got --env NAME/],
  ['check --functions api', /Add functions\/graphql\.ts, or choose the folder with --functions <folder>/],
  ['schema --function books', /No function "books" in .* Functions: graphql\./, { 'functions/graphql.ts': server(hello) }],
  [
    'check',
    /netlify\.toml is not valid\. Text needs quotes, as in directory = "functions"/,
    { 'netlify.toml': '[functions]\ndirectory = api\n' },
  ],
  ['check --built dist', /There is no dist .* Build the project first/, { 'functions/graphql.ts': server(hello) }],
  ['init api --platform aws', /Expected --platform to be one of netlify, lambda, .*, got "aws"/],
  ['init api', /init requires --platform, .*\n\n {2}graphql-functions init \[folder\] --platform <netlify/],
  ['documents', /No files match operations\/\*\*\/\*\.graphql/, { 'functions/graphql.ts': server(hello) }],
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
    const project = await createProject(suite, Object.fromEntries(inCheck.map(([, code], at) => [`functions/m${at}.ts`, code])));
    await linkPackage(project, 'graphql');
    folder = project.directory;
  });

  for (const [at, [mistake, , words]] of inCheck.entries())
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
    const project = await createProject(suite, Object.fromEntries(inDev.map(([, code], at) => [`functions/d${at}.ts`, code])));
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

  for (const [at, [mistake, , words, { query = '{ a }', method = 'POST', headers = {} }]] of inDev.entries())
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
  for (const [mistake, { search = '', ...request }, words] of inAnswers)
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
