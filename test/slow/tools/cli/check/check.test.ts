import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { runCommandHere } from '../../../../support/command-here.ts';
import { startCommand } from '../../../../support/program.ts';
import type { Outcome } from '../../../../support/command-here.ts';
import { createProject, linkPackage } from '../../../../support/functions-project.ts';

const graphql = `import { createHandler } from 'graphql-functions';

export default createHandler({
  csrfPrevention: true,
  introspection: false,
  context: () => { throw new Error('Nobody is logged in.'); },
  maxTokens: 2,
  typeDefs: 'type Query { book(id: ID!): Book } type Book { title: String author: Author } type Author { name: String }',
});
`;

/** The lines of output that name a position, without the code below them. */
function placesIn(stdout: string): string[] {
  return stdout.split('\n').filter((line) => /^\S/.test(line));
}

async function check(context: TestContext, files: Readonly<Record<string, string>>, ...argv: string[]): Promise<Outcome> {
  const project = await createProject(context, files);
  await linkPackage(project, 'graphql');
  return runCommandHere(project.directory, 'check', ...argv);
}

test('check lists functions without problems, also one that is exported as lambda, and exits with 0', async (context) => {
  const { code, stdout, stderr } = await check(
    context,
    {
      'functions/graphql.ts': graphql,
      'functions/plain.ts': 'export default () => new Response();',
      'functions/aws.ts': graphql
        .replace("'graphql-functions'", "'graphql-functions/aws-lambda'")
        .replace('export default', 'export const lambda ='),
      'queries/a.graphql': 'query A($id: ID!) { book(id: $id) { ...B } }',
      'queries/parts/b.graphql': 'fragment B on Book { title author { ...N } }',
      'queries/parts/n.graphql': 'fragment N on Author { name }',
    },
    'queries/**/*.graphql',
  );

  assert.equal(stdout, 'No problems in aws, graphql, plain.\n');
  assert.match(stderr, /Checking functions\/graphql\.ts …\n.*\nChecking operations in 3 files …/);
  assert.equal(code, 0);
});

test('a server that does not set csrfPrevention gets a notice, which is no problem', async (context) => {
  const { code, stderr } = await check(context, { 'functions/graphql.ts': graphql.replace('csrfPrevention: true,', '') });

  assert.match(stderr, /^graphql does not set csrfPrevention, so it refuses only .* Set csrfPrevention: true \(recommended\), or false/m);
  assert.equal(code, 0);
});

test('operations are validated against the schema, and each problem is reported once with file, line and column', async (context) => {
  const { code, stdout, stderr } = await check(
    context,
    {
      'functions/graphql.ts': graphql,
      'a.graphql': 'query A {\n  book(id: 1) { titel ...B }\n}',
      'b.graphql': 'query B { book(id: 1) { ...B } }\n\nfragment B on Book { wrong }',
      'c.graphql': '{ book(',
    },
    '*.graphql',
  );

  assert.deepEqual(placesIn(stdout), [
    'a.graphql:2:17 Cannot query field "titel" on type "Book". Did you mean "title"?',
    'b.graphql:3:22 Cannot query field "wrong" on type "Book".',
    'c.graphql:1:8 Syntax Error: Expected Name, found <EOF>.',
  ]);
  assert.match(stderr, /3 problems\.\n$/);
  assert.equal(code, 1);
});

test('operations in literals of client code are found at their place; schema files are skipped', async (context) => {
  const { code, stdout, stderr } = await check(
    context,
    {
      'functions/graphql.ts': graphql,
      'schema.graphql': 'type Query { book(id: ID!): Book } type Book { title: String }',
      'src/book.tsx': `import { gql, graphql } from 'somewhere';
const Title = gql\`fragment Title on Book { title }\`;
export const one = gql\`
  query One($id: ID!) { book(id: $id) { ...Title titel } }
  \${Title}
\`;
export const two = graphql(/* GraphQL */ \`query Two { book { title } }\`);
export const three = /* GraphQL */ \`{ books }\`;
export const four = gql\`{ book(id: 1) { title } }\`;
const other = \`query { not a query\`;
// const old = gql\`{ gone }\`;
export const five = gql\`query Five { book(id: "\\\`") { title } }\`;
`,
      'src/none.ts': 'export const nothing = "{ a }";',
    },
    '**/*.graphql',
    'src/*.{ts,tsx}',
  );

  assert.deepEqual(
    placesIn(stdout).map((line) => line.split(' ')[0]),
    ['src/book.tsx:4:50', 'src/book.tsx:7:55', 'src/book.tsx:8:39'],
  );
  assert.match(stderr, /Checking operations in 3 files/);
  assert.equal(code, 1);
});

test('--json prints the same problems as JSON', async (context) => {
  const { code, stdout } = await check(context, { 'functions/graphql.ts': graphql, 'a.graphql': '{ titel }' }, 'a.graphql', '--json');
  const sound = await check(context, { 'functions/graphql.ts': graphql }, '--json');

  const message = 'Cannot query field "titel" on type "Query".';
  assert.deepEqual(JSON.parse(stdout), [{ file: 'a.graphql', line: 1, column: 3, message }]);
  assert.equal(code, 1);
  assert.deepEqual([JSON.parse(sound.stdout), sound.code], [[], 0]);
});

test('all problems are reported at once, with their positions', async (context) => {
  const { stdout, stderr } = await check(
    context,
    {
      'functions/graphql.ts': `import { readFileSync } from 'node:fs';
import { createHandler, gql } from 'graphql-functions';
import { Query } from './lib/query.ts';
const name = 'Thing';
const more = gql\`
  extend type Query {
    thing: \${name}
    other: Othr
  }

  type Thing {
    name: String
    name: Int
    b: Boolean @nope }
\`;
export default createHandler({
  maxTokens: '3', typeDefs: [readFileSync('schema.graphql', 'utf8'), more], resolvers: { Query } });
`,
      'functions/lib/query.ts': `export const Query = {
  /* bok: */ book: 5,
  bok() { return [{ book: 1 }]; },
};
`,
      'functions/bundle.ts': "import './missing.ts';\nimport './gone.ts';",
      'functions/two.ts': `import { createHandler } from 'graphql-functions';
export default createHandler(async () => ({ typeDefs: 'type Query { a: Missing }', maxTokens: 0 }));
`,
      'functions/syntax.ts': `import { createHandler } from 'graphql-functions';
export default createHandler({ typeDefs: 'type Query { a }', maxTokens: 0 });
`,
      'schema.graphql': 'type Query {\r\n  book: Bok\r\n}\r\n\r\ntype Book { title: String }\r\n',
      'a.graphql': '{ a }',
    },
    'a.graphql',
  );

  assert.deepEqual(
    placesIn(stdout).map((line) => line.replace(/(?<=[.:]) .*/, '')),
    [
      'functions/bundle.ts:1:8 Could not resolve "./missing.ts":',
      'functions/bundle.ts:2:8 Could not resolve "./gone.ts":',
      'functions/graphql.ts:17:3 Expected the option maxTokens to be a positive whole number, got "3".',
      'schema.graphql:2:9 Unknown type "Bok".',
      'functions/graphql.ts:8:12 Unknown type "Othr".',
      'functions/graphql.ts:13:5 Field "Thing.name" can only be defined once.',
      'functions/graphql.ts:14:16 Unknown directive "@nope".',
      'functions/graphql.ts:16:16 resolvers.Query.book takes a function, or an object with resolve or subscribe, got a number.',
      'functions/lib/query.ts:3:3 resolvers.Query names the field "bok", which "type Query" does not have.',
      'functions/syntax.ts:2:16 Expected the option maxTokens to be a positive whole number, got 0.',
      'functions/syntax.ts:2:58 Syntax Error:',
      'functions/two.ts:2:16 Expected the option maxTokens to be a positive whole number, got 0.',
      'functions/two.ts:2:72 Unknown type "Missing".',
    ],
  );
  assert.match(stderr, /Operations were not checked\. Fix the other problems first\.\n\n13 problems\.\n$/);
});

test('operations without a valid schema are reported as a problem', async (context) => {
  const { code, stdout } = await check(
    context,
    { 'functions/plain.ts': 'export default () => new Response();', 'a.graphql': '{ a }' },
    'a.graphql',
  );

  assert.match(stdout, /No schema to validate operations against\. No function called createHandler\./);
  assert.equal(code, 1);
});

test('names in options that the schema does not have are problems, with their line', async (context) => {
  const source = `import { createHandler } from 'graphql-functions';

export default createHandler({
  typeDefs: 'type Query { a: Int } type Subscription { ticks: Int }',
  nodeEnv: 'prod',
  trustedDocuments: { documents: { one: '{ a }', two: '{ b }', three: '{' } },
  resolvers: {
    Query: { a: () => 1 },
    Subscription: {
      async *ticks() {},
    },
  },
});
`;
  const { code, stdout } = await check(context, { 'functions/graphql.ts': source });

  assert.deepEqual(placesIn(stdout), [
    'functions/graphql.ts:5:3 The option nodeEnv is "prod", which is treated as production. Did you mean "production"?',
    'functions/graphql.ts:10:14 Subscription.ticks has a resolver without subscribe, so it emits no events. Write Subscription: { ticks: { subscribe: async function* () { … } } }.',
    'functions/graphql.ts:6:3 The trusted document two is invalid: Cannot query field "b" on type "Query". Did you mean "a"?',
    'functions/graphql.ts:6:3 The trusted document three is invalid: Syntax Error: Expected Name, found <EOF>.',
  ]);
  assert.equal(code, 1);
});

test('a trusted document that cannot be a route or a tool is named with its own line: in operations, in a manifest, or in code', async (context) => {
  const route = 'query A @http(method: GET, route: "a") {\n  a\n}';
  const functionWith = (documents: string): string => `import { createHandler } from 'graphql-functions';
import { mcp } from 'graphql-functions/mcp';
import { rest } from 'graphql-functions/rest';
import manifest from '../documents.json' with { type: 'json' };
const tool = 'query T($a: [Int]) @mcpTool(description: "A tool") { t(a: $a) b: __schema { description } }';
export default createHandler({
  csrfPrevention: true,
  typeDefs: 'type Query { a: Int t(a: [Int]): Int }',
  resolvers: { Query: { a: () => 1, t: () => 1 } },
  trustedDocuments: { documents: ${documents} },
  plugins: [${documents.includes('tool') ? "mcp({ name: 'a', version: '1' })" : 'rest()'}],
});`;
  const problem = 'The trusted document "one" cannot be a route: expected a route that starts with "/", got "a".';
  const manifest = JSON.stringify({ one: route }, null, 2);
  const placed = async (files: Readonly<Record<string, string>>): Promise<string> => {
    const project = await createProject(context, { 'documents.json': manifest, ...files });
    await linkPackage(project, 'graphql');
    return (await runCommandHere(project.directory, 'check')).stdout;
  };

  assert.match(
    await placed({ 'functions/graphql.ts': functionWith('manifest') }),
    new RegExp(`documents\\.json:2:\\d+ ${escaped(problem)}`),
  );
  assert.match(
    await placed({ 'functions/graphql.ts': functionWith('manifest'), 'operations/a.graphql': `# Routes\n${route}` }),
    new RegExp(`operations/a\\.graphql:2:1 ${escaped(problem)}`),
  );
  assert.match(
    await placed({ 'functions/graphql.ts': functionWith('{ one: tool }') }),
    /functions\/graphql\.ts:5:\d+ The trusted document "one" cannot be a tool: it selects __schema\./,
  );
});

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}

test('what a plugin finds in the schema and in trusted documents is a problem', async (context) => {
  const source = (fields: string): string => `import { createHandler } from 'graphql-functions';
import { limits } from 'graphql-functions/limits';

export default createHandler({
  csrfPrevention: true,
  typeDefs: 'type Query { books(first: Int): [Int] }',
  trustedDocuments: { documents: { one: '{ books(first: 101) }', two: 'query ($n: Int!) { books(first: $n) }' } },
  plugins: [limits({ pageLimits: { default: 20, max: 100, fields: { ${fields} } } })],
});
`;
  const exceeded = await check(context, { 'functions/graphql.ts': source('') });
  const unknown = await check(context, { 'functions/graphql.ts': source("'Query.book': { max: 5 }") });
  const right = await check(context, { 'functions/graphql.ts': source("'Query.books': { max: 500 }") });

  assert.deepEqual(placesIn(exceeded.stdout), [
    'functions/graphql.ts:8:3 The trusted document one exceeds limits(): Expected the field "books" to be asked for 0 to 100 items, got 101.',
  ]);
  assert.match(unknown.stdout, /^functions\/graphql\.ts:4:16 Expected pageLimits\.fields [^\n]*got "Query\.book"/);
  assert.deepEqual([exceeded.code, unknown.code, right.code], [1, 1, 0]);
});

test('a document of an imported manifest that is not valid is a problem of the manifest', async (context) => {
  const { code, stdout } = await check(context, {
    'manifests/web.json': '{\n "one": "{ nope }" }',
    'functions/graphql.ts': `import { createHandler } from 'graphql-functions';
import web from '../manifests/web.json' with { type: 'json' };

export default createHandler({ csrfPrevention: true, typeDefs: 'type Query { a: Int }', trustedDocuments: { documents: [web] } });
`,
  });

  assert.deepEqual(placesIn(stdout), [
    'manifests/web.json:2:9 The trusted document one is invalid: Cannot query field "nope" on type "Query".',
  ]);
  assert.equal(code, 1);
});

test('check warns of a subgraph without routerSecret, whatever its comments say', async (context) => {
  const open = `// Only the router is in this network.
import { createHandler } from 'graphql-functions';
import { subgraph } from 'graphql-functions/subgraph';
const typeDefs = \`
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: [{ name: "@key", as: "@id" }])
  type User @id(fields: "id") { id: ID! }
\`;
export default createHandler(subgraph({ csrfPrevention: true, typeDefs }));
`;

  const warned = await check(context, { 'functions/graphql.ts': open });
  const guarded = await check(context, {
    'functions/graphql.ts': open.replace('typeDefs }', "typeDefs, routerSecret: { secrets: () => ['a'] } }"),
  });

  assert.deepEqual([warned.code, guarded.code], [0, 0], warned.stdout);
  assert.match(warned.stderr, /Anyone who can reach this subgraph may read any entity by its key/);
  assert.doesNotMatch(guarded.stderr, /Anyone/);
});

test('a function that creates its handler in each call gets a notice that it was not checked', async (context) => {
  const source = "import { createHandler } from 'graphql-functions';\nexport default (event) => createHandler({ typedefs: '' })(event);\n";
  const { code, stderr } = await check(context, { 'functions/graphql.js': source });

  assert.match(
    stderr,
    /^graphql: It did not call createHandler of graphql-functions when it was loaded, so its options and schema were not checked\./m,
  );
  assert.equal(code, 0);
});

test('a rejection that nothing handles while a function loads is a problem, with its line', async (context) => {
  const { directory } = await createProject(context, {
    'functions/graphql.ts': `import { createHandler } from 'graphql-functions';
const connect = async () => { throw new Error('no database'); };
const connection = connect();
export default createHandler({ csrfPrevention: true, typeDefs: 'type Query { a: Int }', context: () => ({ connection }) });`,
  });
  await linkPackage({ directory }, 'graphql');

  const command = join(import.meta.dirname, '../../../../../dist/esm/cli/main.js');
  const { code, stdout } = await startCommand(context, [command, 'check'], { cwd: directory }).exited;

  assert.match(stdout, /^functions\/graphql\.ts:2:37 no database\n/);
  assert.equal(code, 1);
});

test('of two resolvers of a field in several maps, the one that is never called is a problem', async (context) => {
  const { code, stdout } = await check(context, {
    'functions/graphql.ts': `import { createHandler } from 'graphql-functions';
const first = { Query: { a: () => 1, b: () => 1 } };
const { b } = first.Query;
export default createHandler({ csrfPrevention: true, typeDefs: 'type Query { a: Int b: Int }', resolvers: [first, { Query: { a: () => 2, b } }] });`,
  });

  assert.deepEqual(placesIn(stdout), [
    'functions/graphql.ts:2:29 This resolver of Query.a is never called, because a later map has one, too. Remove one of them.',
  ]);
  assert.equal(code, 1);
});

const wrangler = `{
  // "d1_databases": [{ "binding": "OLD" }],
  "name": "shop", "main": "functions/graphql.ts",
  "vars": { "REGION": "eu" },
  "d1_databases": [{ "binding": "DB", "database_name": "shop", "database_id": "1" }],
  "kv_namespaces": [{ "binding": "CACHE", "id": "2" }],
  "durable_objects": { "bindings": [{ "name": "BUCKET", "class_name": "BudgetBucket" }] },
}`;
const wranglerTOML = `name = "shop"
# binding = "OLD"
kv_namespaces = [{ binding = "CACHE", id = "2" }]
[vars]
REGION = 'eu'
[[d1_databases]]
binding = "DB"
[[durable_objects.bindings]]
name = "BUCKET"
class_name = "BudgetBucket"`;

/** A worker that uses its bindings when it is loaded. */
const worker = `import { DurableObject, env } from 'cloudflare:workers';
import { createHandler } from 'graphql-functions/fetch';
import { BudgetBucket, budget, durableObjectStore } from 'graphql-functions/budget';
import { d1Store, idempotency } from 'graphql-functions/idempotency';

export { BudgetBucket };
export class Room extends DurableObject {}
if (env.REGION !== 'eu' || env.OLD !== undefined || typeof env.CACHE.get !== 'function') throw new Error('another environment');
const { fetch } = createHandler({
  csrfPrevention: true,
  plugins: [
    idempotency({ store: d1Store(env.DB), identity: () => undefined }),
    budget({ store: durableObjectStore(env.BUCKET), identity: () => undefined, capacity: 10, refillPerSecond: 1, whenStoreFails: 'refuse' }),
  ],
  typeDefs: 'type Query { a: Int }',
  resolvers: { Query: { a: () => 1 } },
});
export default { fetch };`;

for (const [file, settings] of [
  ['wrangler.jsonc', wrangler],
  ['wrangler.toml', wranglerTOML],
] as const)
  test(`a worker that uses bindings of ${file} when it is loaded has no problems`, async (context) => {
    const { code, stdout } = await check(context, { 'functions/graphql.ts': worker, [file]: settings });

    assert.equal(stdout, 'No problems in graphql.\n');
    assert.equal(code, 0);
  });

test('a binding that the settings of Wrangler do not name is undefined, also in a function of options', async (context) => {
  const { stdout } = await check(context, {
    'functions/global.ts': worker.replace('env.DB', 'env.DATA'),
    'functions/local.ts': worker
      .replace('createHandler({', 'createHandler(({ env }) => ({')
      .replace('});\nexport', '}));\nexport')
      .replace('env.DB', 'env.DATA'),
    'wrangler.jsonc': wrangler,
  });

  assert.match(stdout, /^functions\/global\.ts.*Expected d1Store to get a client/m);
  assert.match(stdout, /^functions\/local\.ts.*Expected d1Store to get a client/m);
});

test('a handler of Lambda may have any name; Netlify calls no other than its own', async (context) => {
  const named = { 'functions/graphql.ts': graphql.replace('export default', 'export const graphqlHandler =') };

  assert.equal((await check(context, named)).stdout, 'No problems in graphql.\n');
  assert.match(
    (await check(context, { ...named, 'netlify.toml': '' })).stdout,
    /Expected the function graphql to export default .* it exports graphqlHandler/,
  );
});

test('check refuses wrong rules of authorization(), and --verbose prints what each trusted document needs', async (context) => {
  const server = (rule: string): string => `import { createHandler } from 'graphql-functions';
import { authorization } from 'graphql-functions/authorization';
export default createHandler({
  csrfPrevention: true,
  typeDefs: 'type Query { open: Int closed: Int ${rule} }',
  trustedDocuments: { documents: { one: '{ open }', two: 'query Q($t: Boolean!) { closed more: closed @skip(if: $t) }' } },
  plugins: [authorization({ claims: () => undefined, policies: { known: () => true } })],
});`;

  const unknown = await check(context, { 'functions/graphql.ts': server('@policy(policies: [["unknown"]])') });
  const wrong = await check(context, { 'functions/graphql.ts': server('@requiresScopes(scope: [["a"]])') });
  const none = await check(context, { 'functions/graphql.ts': server('') });
  const right = await check(context, { 'functions/graphql.ts': server('@requiresScopes(scopes: [["a", "b"], ["c"]])') }, '--verbose');

  assert.match(unknown.stdout, /The policy "unknown" in @policy of Query\.closed is not in the option policies/);
  assert.match(wrong.stdout, /"scope"/);
  assert.match(none.stdout, /authorization\(\) has found no rule/);
  assert.deepEqual([unknown.code, wrong.code, none.code, right.code], [1, 1, 1, 0]);
  assert.match(
    right.stderr,
    /graphql: The operation of the trusted document one needs nothing\.\ngraphql: Q of the trusted document two needs scopes a & b \| c\./,
  );
});

test('operations may have the directives of the server: those of its options, of plugins for trusted documents, and @defer', async (context) => {
  const server = `import { createHandler } from 'graphql-functions';
import { cacheControlDefinitions, edge } from 'graphql-functions/edge';
import { idempotency, idempotencyDefinitions, memoryStore } from 'graphql-functions/idempotency';
import { incrementalDelivery } from 'graphql-functions/incremental';
import { mcp } from 'graphql-functions/mcp';
const text = 'query Books @mcpTool(description: "All books") { book { title } }';
export default createHandler({
  csrfPrevention: true,
  typeDefs: [cacheControlDefinitions, idempotencyDefinitions, 'type Query { book: Book @cacheControl(maxAge: 60) } type Book { title: String } type Mutation { pay: Int }'],
  resolvers: { Query: { book: () => ({ title: 'Emma' }) }, Mutation: { pay: () => 1 } },
  incrementalDelivery: incrementalDelivery(),
  trustedDocuments: { documents: { books: text } },
  plugins: [edge({ cdn: 'netlify' }), idempotency({ store: memoryStore(), identity: () => 'everyone' }), mcp({ name: 'books', version: '1' })],
});`;
  const operations = `query Books @mcpTool { book { ...Title @defer } }
fragment Title on Book { title }
mutation Pay($key: String!) { pay @idempotent(key: $key) }`;

  const { stdout } = await check(context, { 'functions/graphql.ts': server, 'operations/all.graphql': operations }, 'operations/*.graphql');

  assert.equal(stdout, 'No problems in graphql.\n');
});
