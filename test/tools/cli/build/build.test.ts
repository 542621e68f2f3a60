import assert from 'node:assert/strict';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { build as esbuild } from 'esbuild';
import { version } from 'graphql';

import type { BuildArtifact } from '../../../../src/executor/schema/build/build-artifact.ts';
import { startCommand } from '../../../support/command.ts';
import { createMovingProject } from '../../../support/command-here.ts';
import type { MovingProject } from '../../../support/command-here.ts';
import { linkPackage, serveProject } from '../../../support/functions-project.ts';
import { cases } from '../../../support/long-form.ts';

const withBuild = (options: string): string => `
import { createHandler } from 'graphql-functions';
import { readBuild } from 'graphql-functions/build';
import artifact from './graphql.build.json' with { type: 'json' };

export default createHandler({ build: readBuild(artifact), ${options} });
`;

const schemaFiles = {
  'schema/books.graphql': 'type Query { "One." book(id: ID!): Book }\ntype Book { title: String author: Author }\n',
  'schema/authors.graphql': 'type Author { name: String }\nextend type Query { authors: [Author!] on(day: Day): String }\nscalar Day\n',
};
const resolvers = "resolvers: { Query: { book: () => ({ title: 'Emma' }) } }";
const files = { ...schemaFiles, 'functions/graphql.ts': withBuild(resolvers) };

interface Built extends MovingProject {
  readonly artifact: () => Promise<BuildArtifact>;
}

async function project(context: TestContext, contents: Readonly<Record<string, string>>): Promise<Built> {
  const moving = await createMovingProject(context, contents);
  await linkPackage(moving);
  const artifact = async (): Promise<BuildArtifact> =>
    JSON.parse(await readFile(join(moving.directory, 'functions/graphql.build.json'), 'utf8')) as BuildArtifact;
  return Object.assign(moving, { artifact });
}

test('build writes the schema of files next to the function, and check finds it up to date', async (context) => {
  const { run, artifact } = await project(context, files);

  const built = await run('build', '--schema', 'schema/*.graphql');
  const checked = await run('check');

  assert.equal(
    built.stdout,
    'Wrote functions/graphql.build.json: 1 KB of schema, without descriptions (--descriptions keeps them), 0 documents.\n',
  );
  assert.deepEqual([built.code, checked.code], [0, 0]);
  assert.match((await artifact()).text, /type Query\{book\(id:ID!\):Book\}/);
});

test('the build of a subgraph has its definitions and descriptions, and answers like its schema files', async (context) => {
  const made = await project(context, {
    'schema/users.graphql':
      'extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key"])\n"Described." type User @key(fields: "id") { id: ID! name: String }\n',
    'functions/graphql.ts': withBuild("resolvers: { User: { __resolveReference: ({ id }) => ({ id, name: 'user ' + id }) } }")
      .replace('createHandler({', 'createHandler(subgraph({')
      .replace('});', '}));')
      .replace("from 'graphql-functions';", "from 'graphql-functions';\nimport { subgraph } from 'graphql-functions/subgraph';"),
  });

  const built = await made.run('build', '--schema', 'schema/*.graphql');
  const checked = await made.run('check');

  assert.deepEqual([built.code, checked.code], [0, 0], built.stderr + checked.stderr);
  assert.match((await made.artifact()).text, /"Described\." type User.*type _Service\{.*union _Entity=User/);
  const options = {
    outfile: join(made.directory, 'bundle.mjs'),
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'silent',
  } as const;
  await esbuild({ ...options, entryPoints: [join(made.directory, 'functions/graphql.ts')] });
  const { default: handler } = (await import(join(made.directory, 'bundle.mjs'))) as { default: (event: object) => Promise<any> };
  const { data } = await handler({
    query: '{ _service { sdl } _entities(representations: [{ __typename: "User", id: "1" }]) { ... on User { name } } }',
  });
  assert.deepEqual(data._entities, [{ name: 'user 1' }]);
  assert.match(data._service.sdl, /"Described\." type User@key\(fields:"id"\)/);
});

test('documents of files and manifests are known in every form that a client may send, except those whose validity the server decides', async (context) => {
  const { run, artifact } = await project(context, {
    ...files,
    'ops/book.graphql': 'query Book { book(id: 1) { ...Names } }\n',
    'ops/names.graphql': 'fragment Names on Book { title }\n',
    'ops/decided.graphql': '{ __schema { queryType { name } } }',
    'ops/literal.graphql': '{ on(day: "never") }',
    'ops/relay.json': JSON.stringify({ 'md5-of-it': '{authors{name}}' }),
  });

  const { code } = await run('build', '--schema', 'schema/*.graphql', '--documents', 'ops/*');

  const printed = 'query Book {\n  book(id: 1) {\n    ...Names\n  }\n}\n\nfragment Names on Book {\n  title\n}';
  assert.equal(code, 0);
  assert.deepEqual((await artifact()).documents, [
    printed.replace('...Names\n', '...Names\n    __typename\n').replace('title\n', 'title\n  __typename\n'),
    printed,
    '{authors{name}}',
  ]);
});

const problems: Readonly<Record<string, readonly [contents: Readonly<Record<string, string>>, argv: readonly string[], expected: RegExp]>> =
  {
    'a schema that is not valid': [
      { 'schema/books.graphql': 'type Query { book: Bok }\ntype Book { title: String }' },
      [],
      /^schema\/books\.graphql:1:20 Unknown type "Bok"\. Did you mean "Book"\?/,
    ],
    'a resolver without a field': [
      { 'functions/graphql.ts': withBuild('resolvers: { Query: { bok: () => 1 } }') },
      [],
      /^functions\/graphql\.ts:6:\d+ .*"bok"/,
    ],
    'an operation that is not valid': [
      { 'ops/a.graphql': '{\n  book { title }\n}' },
      ['--documents', 'ops/*'],
      /^ops\/a\.graphql:2:3 .*\bid\b/,
    ],
    'an operation in a manifest': [
      {
        'ops/m.json': JSON.stringify(
          { format: 'apollo-persisted-query-manifest', version: 1, operations: [{ id: '1', body: '{ nope }' }] },
          undefined,
          2,
        ),
      },
      ['--documents', 'ops/*'],
      /^ops\/m\.json:6:1 The document 1 is invalid: Cannot query field "nope"/,
    ],
    'a manifest with two documents for an id': [
      {
        'ops/m.json': JSON.stringify({
          format: 'apollo-persisted-query-manifest',
          version: 1,
          operations: [
            { id: '1', body: '{ authors { name } }' },
            { id: '1', body: '{ book(id: 1) { title } }' },
          ],
        }),
      },
      ['--documents', 'ops/*'],
      /^ops\/m\.json Expected one document for the id "1", got "\{ authors/,
    ],
    'a file that is not a manifest': [{ 'ops/m.json': '[1]' }, ['--documents', 'ops/*'], /^ops\/m\.json Expected .*manifest/],
  };
for (const [what, [contents, argv, expected]] of Object.entries(problems)) {
  test(`${what} is a problem with its place, and nothing is written`, async (context) => {
    const { run, artifact } = await project(context, { ...files, 'schema/authors.graphql': 'type Author { name: String }', ...contents });

    const { code, stdout, stderr } = await run('build', '--schema', 'schema/*.graphql', ...argv);

    assert.match(stdout, expected);
    assert.match(stderr, /Nothing was written\.\n$/);
    assert.equal(code, 1);
    await assert.rejects(artifact(), { code: 'ENOENT' });
  });
}

test('check reports a stale build, and build without arguments repeats it with the same settings', async (context) => {
  const { run, write, artifact } = await project(context, { ...files, 'ops/a.graphql': '{ authors { name } }' });
  await run('build', '--schema', 'schema/*.graphql', '--documents', 'ops/*', '--descriptions');

  await write({ 'schema/books.graphql': schemaFiles['schema/books.graphql'].replace('title', 'pages: Int title') });
  const stale = await run('check');
  const built = await run('build');
  const checked = await run('check');

  assert.match(stale.stdout, /^functions\/graphql\.build\.json The build is stale: the schema has changed.*npx graphql-functions build/);
  assert.deepEqual([stale.code, built.code, checked.code], [1, 0, 0]);
  const { text, from } = await artifact();
  assert.match(text, /"One\."|pages:Int/);
  assert.deepEqual(from, { schema: ['schema/*.graphql'], documents: ['ops/*'], descriptions: true });
});

test('a build of the function’s typeDefs says how to use it, and is stale when they have changed', async (context) => {
  const own = "import { createHandler } from 'graphql-functions';\nexport default createHandler({ typeDefs: 'type Query { a: Int }' });\n";
  const { run, write } = await project(context, { 'functions/graphql.ts': own });

  const built = await run('build');
  await write({ 'functions/graphql.ts': withBuild("typeDefs: 'type Query { a: ID }'") });
  const stale = await run('check');

  assert.match(built.stdout, /graphql\.ts does not use the build yet[^]*import artifact from '\.\/graphql\.build\.json'/);
  assert.match(stale.stdout, /The build is stale/);
  assert.deepEqual([built.code, stale.code], [0, 1]);
});

test('a build for a function in CommonJS says how to require it', async (context) => {
  const own =
    "const { createHandler } = require('graphql-functions');\nexports.handler = createHandler({ typeDefs: 'type Query { a: Int }' });\n";
  const { run } = await project(context, { 'functions/graphql.js': own });

  const { stdout } = await run('build');

  assert.match(stdout, /graphql\.js does not use the build yet[^]*const artifact = require\('\.\/graphql\.build\.json'\)/);
  assert.doesNotMatch(stdout, /import/);
});

test('build rejects operations in code, and says what it accepts', async (context) => {
  const { run } = await project(context, { ...files, 'src/a.tsx': 'const one = gql`{ authors { name } }`;' });

  const { code, stderr } = await run('build', '--schema', 'schema/*.graphql', '--documents', 'src/*.tsx');

  assert.match(stderr, /--documents takes \.graphql files and manifests .*; src\/a\.tsx is source code\.\n$/);
  assert.equal(code, 1);
});

test('descriptions are kept if introspection is on', async (context) => {
  const { run, artifact } = await project(context, { ...files, 'functions/graphql.ts': withBuild(`introspection: true, ${resolvers}`) });

  await run('build', '--schema', 'schema/*.graphql');

  assert.match((await artifact()).text, /"One\."/);
});

test('an impossible build says what to do', async (context) => {
  const { run, write } = await project(context, { 'functions/graphql.ts': withBuild('') });

  const noSchema = await run('build');
  const noFile = await run('build', '--schema', 'nowhere/*.graphql');
  const noFunction = await run('build', 'books');
  const missing = await run('check');
  await write({ 'functions/graphql.ts': 'export default () => new Response();' });
  const plain = await run('build');

  assert.match(noSchema.stdout, /name its files with --schema/);
  assert.match(noFile.stdout, /No files match nowhere/);
  assert.match(noFunction.stderr, /No function "books" in .*functions\. Functions: graphql\./);
  assert.match(missing.stdout, /graphql\.build\.json does not exist in .* npx graphql-functions build/);
  assert.match(plain.stderr, /does not call createHandler/);
  assert.deepEqual(
    [noSchema, noFile, noFunction, missing, plain].map(({ code }) => code),
    [1, 1, 1, 1, 1],
  );
});

test('dev serves the schema of the files, with descriptions, even if the build is stale', async (context) => {
  const created = await project(context, files);
  await created.run('build', '--schema', 'schema/*.graphql');
  const { address, after, write } = await serveProject(context, created, { environment: { NODE_ENV: 'development' } });
  const describe = async (): Promise<string> => {
    const query = '{ __type(name: "Query") { fields { name description } } }';
    const response = await fetch(address('graphql'), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query }),
    });
    return response.text();
  };
  const before = await describe();

  await after({ kind: 'reloaded' }, () =>
    write({ 'schema/books.graphql': schemaFiles['schema/books.graphql'].replace('"One."', '"Only one."') }),
  );

  assert.match(before, /"description":"One\."/);
  assert.match(await describe(), /"description":"Only one\."/);
});

test('a mistake in the schema of a build is shown by dev in the file of the schema', async (context) => {
  const created = await project(context, files);
  await created.run('build', '--schema', 'schema/*.graphql');
  await created.write({ 'schema/books.graphql': 'type Query {\n  book: Bok\n}\ntype Book { title: String }' });

  const { events } = await serveProject(context, created);

  const [message] = events.flatMap((event) => ('message' in event ? [event.message] : []));
  assert.match(message ?? '', /^schema\/books\.graphql:2:9 Unknown type "Bok"[^]* > 2 \| {3}book: Bok/);
});

const formats = [
  ['cjs', 'cjs'],
  ['esm', 'mjs'],
] as const;
for (const [format, extension] of formats.slice(0, cases({ short: 1, long: 2 }))) {
  test(`a build survives being bundled and minified (${format})`, async (context) => {
    const built = await project(context, files);
    await built.run('build', '--schema', 'schema/*.graphql');
    const outfile = join(built.directory, `bundle.${extension}`);

    await esbuild({
      entryPoints: [join(built.directory, 'functions/graphql.ts')],
      outfile,
      bundle: true,
      minify: true,
      format,
      platform: 'node',
    });
    await rm(join(built.directory, 'node_modules'), { recursive: true });
    const event = JSON.stringify({ query: '{ book(id: 1) { title } }' });
    const ask = `import('./bundle.${extension}').then((it) => (it.default.default ?? it.default)(${event})).then((it) => console.log(JSON.stringify(it)))`;
    const { stdout } = await startCommand(context, ['--eval', ask], { cwd: built.directory }).ended;

    assert.equal(stdout, '{"data":{"book":{"title":"Emma"}}}\n');
  });
}

test(
  'operations with @defer and @stream are known if the function answers in parts',
  { skip: version.startsWith('16.') },
  async (context) => {
    const source = withBuild(`incrementalDelivery: incrementalDelivery(), ${resolvers}`);
    const { run, artifact } = await project(context, {
      ...files,
      'functions/graphql.ts': `import { incrementalDelivery } from 'graphql-functions/incremental';\n${source}`,
      'ops/parts.json': '{ "1": "{ book(id: 1) { ... @defer { title } } }" }',
    });

    const { code } = await run('build', '--schema', 'schema/*.graphql', '--documents', 'ops/*');

    assert.equal(code, 0);
    assert.deepEqual((await artifact()).documents, ['{ book(id: 1) { ... @defer { title } } }']);
  },
);

test('a handler with a code cache gives the same answers as the function', async (context) => {
  const built = await project(context, files);

  const { stdout, code } = await built.run('build', '--schema', 'schema/*.graphql', '--code-cache', 'dist');
  const ask = "require('./dist').handler({ query: '{ book(id: 1) { title } }' }).then((it) => console.log(JSON.stringify(it)))";
  const asked = await startCommand(context, ['--expose-gc', '--eval', ask], { cwd: built.directory }).ended;

  assert.equal(code, 0);
  assert.match(stdout, /Wrote dist: deploy it unchanged, with `Handler: index\.handler` on Lambda/);
  assert.equal(asked.stdout, '{"data":{"book":{"title":"Emma"}}}\n');
});
