import assert from 'node:assert/strict';
import { cp, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

import { runCommandHere } from '../../../support/command-here.ts';
import { startCommand } from '../../../support/program.ts';
import { startDevHere } from '../../../support/dev-here.ts';
import { postJSON } from '../../../support/plain-http.ts';
import { createProject, linkPackage } from '../../../support/functions-project.ts';

// Projects with mistakes, in both commands. test/slow/tools/mistakes.test.ts has more of them. Each message names the file, the line and what to do, as far as they are known.

const root = join(import.meta.dirname, '../../../..');

const sound = `import { createHandler } from 'graphql-functions';

export default createHandler({
  csrfPrevention: true,
  typeDefs: 'type Query { ok: Boolean }',
});
`;

const file = 'functions/graphql.ts';
const ok = "typeDefs: 'type Query { ok: Boolean }'";

/** A project with one mistake, and the message about it. */
interface Break {
  readonly files: Readonly<Record<string, string>>;
  /** The message of `dev` and `check`. */
  readonly expected: RegExp;
  /** The message of `check`, if it differs from that of `dev`. */
  readonly inCheck?: RegExp;
  readonly prepare?: (directory: string) => Promise<void>;
}

/** The source lines of a function. */
function functionOf(...lines: readonly string[]): string {
  return ["import { createHandler } from 'graphql-functions';", ...lines, ''].join('\n');
}

/** A function with these lines after the import of createHandler, and the message about it. */
function code(lines: readonly string[], expected: RegExp, inCheck: RegExp = expected): Break {
  return { files: { [file]: functionOf(...lines) }, expected, inCheck };
}

const breaks: Readonly<Record<string, Break>> = {
  'a syntax error': code(
    ['export default createHandler({', `  ${ok}`, '  resolvers: {},', '});'],
    /Expected "}" but found "resolvers"[^]*functions\/graphql\.ts:4:2/,
    /^functions\/graphql\.ts:4:3 Expected "}" but found "resolvers"/m,
  ),
  'a variable that is not set': code(
    ["const base = new URL(process.env['SHOP_URL'] as string);", `export default createHandler({ ${ok}, context: () => ({ base }) });`],
    /Invalid URL\nNot set: SHOP_URL\. Write SHOP_URL=… in \.env[^]*> 2 \| const base = new URL\(process\.env\['SHOP_URL'\]/,
    /^functions\/graphql\.ts:2:14 Invalid URL\n {2}Not set: SHOP_URL\. Write SHOP_URL=… in \.env[^]*> 2 \| const base = new URL\(process\.env\['SHOP_URL'\]/m,
  ),
  'files that import each other': {
    files: {
      [file]: functionOf(
        "import { resolvers } from '../graphql/resolvers.ts';",
        "export const typeDefs = 'type Query { ok: Boolean }';",
        'export default createHandler({ typeDefs, resolvers });',
      ),
      'graphql/resolvers.ts':
        "import { typeDefs } from '../functions/graphql.ts';\nconst size = typeDefs.length;\nexport const resolvers = { Query: { ok: () => size > 0 } };\n",
    },
    expected:
      /Cannot read properties of undefined.*\nThese files import each other.*: \S*graphql\/resolvers\.ts → \S*functions\/graphql\.ts → \S*graphql\/resolvers\.ts\. Move what both need to a third file\.[^]*graphql\/resolvers\.ts:2:23[^]*> 2 \| const size = typeDefs\.length/,
    inCheck:
      /^graphql\/resolvers\.ts:2:23 Cannot read properties of undefined.*\n {2}These files import each other.*\.ts → .*\. Move what both need to a third file\.[^]*> 2 \|/m,
  },
  'a handler that is not exported under a name that Netlify calls': withNetlify(
    code([`export const graphql = createHandler({ ${ok} });`], /it exports graphql\. Write: export default createHandler/),
  ),
  'options of other servers, and a field without a type in another file': {
    files: {
      'graphql/schema.graphql': 'type Query {\n  ok\n}\n',
      [file]: functionOf(
        "import typeDefs from '../graphql/schema.graphql';",
        'export default createHandler({ typeDefs,',
        '  playground: true } as never);',
      ),
    },
    expected:
      /functions\/graphql\.ts:4:3 Unknown option "playground", which is an option of another server\. [^\n]*landingPage[^]*graphql\/schema\.graphql:3:1 [^]*Expected ":"/,
  },
  'a package that is not installed, an entry that this package does not have, and a missing file': code(
    [
      "import DataLoader from 'dataloader';",
      "import { other } from 'graphql-functions/lambda';",
      "import { typeDefs } from '../graphql/shcema.ts';",
      'export default createHandler({ typeDefs: [new DataLoader(), other, typeDefs] });',
    ],
    /Could not resolve "dataloader": it is not installed\. Run: npm i dataloader\n[^]*Could not resolve "graphql-functions\/lambda": graphql-functions has no such entry[^]*Could not resolve "\.\.\/graphql\/shcema\.ts": there is no such file\. Correct the path[^]* 4 [|│] import/,
  ),
  'names that another package, or none, exports': code(
    ["import { GraphQLError } from 'graphql-functions';", `export default createHandler({ ${ok}, context: GraphQLError });`],
    /functions\/graphql\.ts:2:10 "graphql-functions" does not export GraphQLError\. Import it from graphql\.[^]*> 2 \|/,
  ),
  'a top-level await that fails': code(
    [
      'const config = await load();',
      "async function load() { throw new Error('no configuration', { cause: new Error('ENOENT: config.json') }); }",
      `export default createHandler({ ${ok}, context: () => config });`,
    ],
    /no configuration[^]*functions\/graphql\.ts:3[^]*ENOENT: config\.json[^]*> 3 \|/,
    /^functions\/graphql\.ts:3:31 no configuration\n {2}Caused by: ENOENT: config\.json[^]*> 3 \|/m,
  ),
  'a schema of another copy of graphql': {
    files: {
      [file]: functionOf("import { schema } from 'code-first';", 'export default createHandler({ schema });'),
      'node_modules/code-first/package.json': '{ "name": "code-first", "type": "module", "main": "index.js" }',
      'node_modules/code-first/index.js':
        "import { buildSchema } from 'graphql';\nexport const schema = buildSchema('type Query { ok: Boolean }');",
    },
    prepare: async (directory) => {
      const filter = (path: string): boolean => !path.endsWith('.d.ts');
      const copy = join(directory, 'node_modules/code-first/node_modules/graphql');
      await cp(join(root, 'node_modules/graphql'), copy, { recursive: true, filter });
    },
    expected: /two copies of graphql[^]*npm ls graphql[^]*npm dedupe graphql/,
  },
  'a name that platforms do not accept': {
    files: { [file]: sound, 'functions/graphql.test.ts': '' },
    expected: /graphql\.test\.ts[^\n]*(?:only contain letters, digits, "-" and "_")/,
  },
};

/** In the project of a site, where `default` and `handler` are called only. */
function withNetlify(one: Break): Break {
  return { ...one, files: { ...one.files, 'netlify.toml': '' } };
}

for (const [name, { files, expected, inCheck = expected, prepare }] of Object.entries(breaks))
  test(`${name}: dev reports it and keeps running, and check fails`, async (context) => {
    const project = await createProject(context, files);
    await linkPackage(project, 'graphql');
    await prepare?.(project.directory);

    const dev = (await startDevHere(context, project)).printed();
    const check = await runCommandHere(project.directory, 'check');

    assert.match(dev.stderr, expected);
    assert.match(dev.stdout, /Ctrl\+C/);
    assert.match(check.stdout, inCheck);
    assert.match(check.stderr, /\d problems?\.\n$/);
    assert.equal(check.code, 1);
  });

test('a netlify.toml that is not valid: check says what to write, and fails', async (context) => {
  const { directory } = await createProject(context, { 'netlify.toml': '[functions]\ndirectory = api\n' });

  const { code, stderr } = await runCommandHere(directory, 'check');

  assert.equal(code, 1);
  assert.match(stderr, /^netlify\.toml:2:13 netlify\.toml is not valid[^\n]*directory = "functions"[^]*> 2 \|/);
});

test('a file that a function imports is not a broken function: dev serves the others, and check passes', async (context) => {
  const project = await createProject(context, {
    'functions/graphql.ts': functionOf("import { typeDefs } from './schema.ts';", 'export default createHandler({ typeDefs });'),
    'functions/schema.ts': "export const typeDefs = 'type Query { ok: Boolean }';",
    'functions/types.ts': 'export interface Book { readonly id: string }',
  });
  await linkPackage(project, 'graphql');

  const dev = (await startDevHere(context, project, '{ ok }')).printed();
  const check = await runCommandHere(project.directory, 'check');

  assert.match(dev.stdout, /"ok":null/);
  assert.doesNotMatch(dev.stdout, /functions\/(?:schema|types)$/m);
  assert.doesNotMatch(dev.stderr, /cannot run/);
  for (const { stderr } of [dev, check]) {
    assert.match(stderr, /the function schema to [^\n]*it exports typeDefs\.[^\n]*move it out of this folder/);
    assert.match(stderr, /the function types to [^\n]*it exports nothing\./);
  }
  assert.equal(check.code, 0);
  assert.equal(check.stdout, 'No problems in graphql.\n');
});

test('--query runs once, in the first function without one of the name graphql', async (context) => {
  const counts = (field: string): string =>
    functionOf(
      `let count = 0;
      export default createHandler({ csrfPrevention: true, typeDefs: 'type Query { ${field}: Int }', resolvers: { Query: { ${field}: () => ++count } } });`,
    );
  const project = await createProject(context, { 'functions/books.ts': counts('books'), 'functions/shops.ts': counts('shops') });
  await linkPackage(project, 'graphql');

  const { printed } = await startDevHere(context, project, '{ books }');

  const { stdout } = printed();
  assert.ok(stdout.includes('{ books }\n\n{"data":{"books":1}}'));
  // Its request is not listed.
  assert.doesNotMatch(stdout, / 200 /);
});

for (const [version, expected] of [
  ['16.8.0', /^graphql-functions requires graphql 16\.15\+ or 17\.1\+; [^\n]*node_modules\/graphql contains 16\.8\.0: npm i graphql@17\n$/],
  [undefined, /^graphql-functions requires the package graphql, which is not installed: npm i graphql\n$/],
] as const) {
  test(`with graphql ${version ?? 'missing'}, the command says what to install`, async (context) => {
    const { directory } = await createProject(context, {});
    // Installs the built package next to another graphql.
    await mkdir(join(directory, 'node_modules/graphql-functions'), { recursive: true });
    await cp(join(root, 'dist'), join(directory, 'node_modules/graphql-functions/dist'), { recursive: true });
    await symlink(join(root, 'package.json'), join(directory, 'node_modules/graphql-functions/package.json'));
    if (version !== undefined) {
      await mkdir(join(directory, 'node_modules/graphql'));
      await writeFile(join(directory, 'node_modules/graphql/package.json'), JSON.stringify({ name: 'graphql', version }));
      await writeFile(join(directory, 'node_modules/graphql/index.js'), '');
    }

    const command = [join(directory, 'node_modules/graphql-functions/dist/esm/cli/main.js'), 'dev', '--port', '0'];
    const { code, stderr } = await startCommand(context, command, { cwd: directory }).exited;

    assert.equal(code, 1);
    assert.match(stderr, expected);
  });
}

test('a missing file of this package is printed with its stack', async (context) => {
  const { directory } = await createProject(context, {});
  const installed = join(directory, 'node_modules/graphql-functions');
  await cp(join(root, 'dist/esm'), join(installed, 'dist/esm'), { recursive: true });
  await cp(join(root, 'package.json'), join(installed, 'package.json'));
  await symlink(join(root, 'node_modules/graphql'), join(directory, 'node_modules/graphql'));

  const command = [join(installed, 'dist/esm/cli/main.js'), 'init', 'api', '--platform', 'node'];
  const { code, stderr } = await startCommand(context, command, { cwd: directory }).exited;

  assert.equal(code, 1);
  assert.match(stderr, /ENOENT[^]*templates[^]*\n\s+at /);
});

test('each request is listed with its status, operation and first error, and what lets the pages of another origin read it', async (context) => {
  const project = await createProject(context, { 'functions/graphql.ts': sound });
  await linkPackage(project, 'graphql');
  const dev = await startDevHere(context, project);
  const address = dev.address('graphql');

  await postJSON(address, { query: '{ ok }' });
  await dev.until('graphql  200  POST /.netlify/functions/graphql  ');
  await postJSON(address, { query: 'query Names { names }' });
  await dev.until(' ms  Names  Cannot query field "names" on type "Query".\n');
  await fetch(address, { method: 'OPTIONS', headers: { origin: 'https://app.example', 'access-control-request-method': 'POST' } });
  await dev.until("  Pages of https://app.example cannot read this answer. Write: cors: { origin: ['https://app.example'] }\n");
  await fetch(address, { method: 'POST', headers: { 'content-type': 'text/plain' }, body: '{ ok }' });
  await dev.until('graphql  400  POST /.netlify/functions/graphql  ');
  await fetch(new URL('/nowhere', address));
  await dev.until('-  404  GET /nowhere  ');
});

test('an edit of .env restarts the functions', async (context) => {
  const project = await createProject(context, {
    '.env': 'WORD=before\n',
    'functions/graphql.ts': functionOf(
      "export default createHandler({ csrfPrevention: true, typeDefs: 'type Query { word: String }', resolvers: { Query: { word: () => process.env['WORD'] } } });",
    ),
  });
  await linkPackage(project, 'graphql');
  const dev = await startDevHere(context, project, '{ word }');

  await project.write({ '.env': 'WORD=behind\n' });
  await dev.until('Reloaded.');

  assert.match(dev.printed().stdout, /"word":"before"/);
  const response = await postJSON(dev.address('graphql'), { query: '{ word }' });
  assert.deepEqual(await response.json(), { data: { word: 'behind' } });
  await rm(join(project.directory, '.env'));
});

test('a browser gets the list of functions at /, and the reason why one is broken, until it is fixed', async (context) => {
  const project = await createProject(context, { 'functions/graphql.ts': sound.replace('Boolean', 'Bolean'), 'functions/other.ts': sound });
  await linkPackage(project, 'graphql');
  const dev = await startDevHere(context, project);
  const address = dev.address('graphql');
  const open = async (url: string): Promise<string> => (await fetch(url, { headers: { accept: 'text/html' } })).text();

  const home = await open(new URL('/', address).href);
  const broken = await open(address);
  await project.write({ 'functions/graphql.ts': sound });
  await dev.until('Reloaded.');
  const mended = await open(address);

  assert.match(home, /^No function at \/\.[^]*\n {2}\/\.netlify\/functions\/graphql\n {2}\/\.netlify\/functions\/other\n$/);
  assert.match(broken, /functions\/graphql\.ts:5[^]*Unknown type "Bolean"/);
  assert.match(mended, /GraphQL playground/);
});
