import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createServer } from 'node:http';
import type { RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { buildSchema, introspectionFromSchema } from 'graphql';

import { createMovingProject, runCommandHere } from '../../../support/command-here.ts';
import type { Outcome } from '../../../support/command.ts';
import { isGraphQL17 } from '../../../../src/executor/graphql-version.ts';
import { freePort } from '../../../support/free-port.ts';
import { createProject, linkPackage } from '../../../support/functions-project.ts';
import type { Project } from '../../../support/functions-project.ts';

const earlier = `type Query {
  book(id: ID!, edition: Int): Book
  shelf(genre: Genre): [Book!]
  count: Int
}

type Book {
  title: String!
  pages: Int
}

enum Genre {
  NOVEL
  POEM
}
`;

/** Query.book(edition:), Book.pages and Genre.POEM are removed, Book.title may be null, and Genre.PLAY is added. */
const current = earlier.replace(', edition: Int', '').replace('String!', 'String').replace('  pages: Int\n', '').replace('POEM', 'PLAY');

/** A function whose schema begins in its second line. */
function functionOf(typeDefs: string, options = ''): string {
  return `import { createHandler } from 'graphql-functions';
export default createHandler({ csrfPrevention: true, ${options} typeDefs: \`${typeDefs}\` });
`;
}

const bookProject = { 'functions/graphql.ts': functionOf(current), 'earlier.graphql': earlier };

async function createBookProject(context: TestContext, files: Readonly<Record<string, string>> = {}): Promise<Project> {
  const project = await createProject(context, { ...bookProject, ...files });
  await linkPackage(project);
  return project;
}

async function check(context: TestContext, files: Readonly<Record<string, string>>, ...argv: string[]): Promise<Outcome> {
  const { directory } = await createBookProject(context, files);
  return runCommandHere(directory, 'check', ...argv);
}

interface Answer {
  readonly problems: readonly object[];
  readonly changes: readonly Readonly<Record<string, unknown>>[];
}

/** The changes as level, type, line and operations, sorted. */
function changesIn({ stdout }: Outcome): unknown[][] {
  const { problems, changes } = JSON.parse(stdout) as Answer;
  assert.deepEqual(problems, []);
  const rows = changes.map(({ level, type, line, operations }) => [level, type, line, operations]);
  return rows.toSorted((one, other) => String(one).localeCompare(String(other)));
}

async function serve(context: TestContext, listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  context.after(() => server.close());
  await new Promise((resolve) => void server.once('listening', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`;
}

test('without known operations, every breaking change counts, and points to the line of the definition', async (context) => {
  const outcome = await check(context, {}, '--against', 'earlier.graphql', '--json');

  const changes = changesIn(outcome);
  const added = changes.find(([, type]) => type === 'VALUE_ADDED_TO_ENUM')!;
  assert.deepEqual(changes, [
    ['breaking', 'ARG_REMOVED', 3, []],
    ['breaking', 'FIELD_CHANGED_KIND', 9, []],
    ['breaking', 'FIELD_REMOVED', 8, []],
    ['breaking', 'VALUE_REMOVED_FROM_ENUM', 12, []],
    added,
  ]);
  // graphql 17 names the enum value, graphql 16 only its type.
  assert.ok(added[2] === 14 || added[2] === 12);
  assert.match(outcome.stderr, /^Compared with earlier\.graphql: 4 breaking changes, 1 dangerous, 0 unused\. No operations are known/m);
  assert.equal(outcome.code, 1);
});

test('a change that no operation uses does not fail the check', async (context) => {
  const queries = { 'a.graphql': 'query A { shelf { __typename } }', 'b.graphql': 'query B { book(id: 1) { __typename } }' };
  const { stdout, stderr, code } = await check(context, queries, '[ab].graphql', '--against', 'earlier.graphql');

  assert.match(stdout, /^functions\/graphql\.ts:9:3 Unused by known operations: .*Book\.title changed type from String! to String\./m);
  assert.match(stderr, /0 breaking changes, 1 dangerous, 4 unused\. Known operations: 2\./);
  assert.equal(code, 0);
});

test('a change breaks the operations that use it: in files, fragments of other files, code, and trusted documents', async (context) => {
  const outcome = await check(
    context,
    {
      'functions/graphql.ts': functionOf(
        current,
        "trustedDocuments: { documents: { t: 'query T($genre: Genre) { shelf(genre: $genre) { __typename } }' } },",
      ),
      'a.graphql': 'query A { book(id: 1) { ...B } }',
      'b.graphql': 'fragment B on Book { title }',
      'c.ts': 'export const query = gql`query C { shelf(genre: NOVEL) { title } }`;',
    },
    'a.graphql',
    'b.graphql',
    'c.ts',
    '--against',
    'earlier.graphql',
    '--json',
  );

  assert.deepEqual(
    changesIn(outcome).filter(([level]) => level === 'breaking'),
    [
      ['breaking', 'FIELD_CHANGED_KIND', 9, ['A (a.graphql)', 'C (c.ts)']],
      ['breaking', 'VALUE_REMOVED_FROM_ENUM', 12, ['T (trusted document t)']],
    ],
  );
  assert.equal(outcome.code, 1);
});

test('the documents of a build are known operations', async (context) => {
  const project = await createMovingProject(context, {
    ...bookProject,
    'functions/graphql.ts': `import { createHandler } from 'graphql-functions';
      import { readBuild } from 'graphql-functions/build';
      import artifact from './graphql.build.json' with { type: 'json' };
      export default createHandler({ csrfPrevention: true, build: readBuild(artifact) });`,
    'schema.graphql': current,
    'a.graphql': 'query A { shelf { title } }',
    'manifest.json': JSON.stringify({ one: 'query M { book(id: 1) { title } }' }),
  });
  await linkPackage(project);
  const built = await project.run('build', '--schema', 'schema.graphql', '--documents', 'a.graphql', '--documents', 'manifest.json');
  assert.equal(built.code, 0, built.stderr);

  const { stdout } = await project.run('check', '--against', 'earlier.graphql', '--json');

  const broken = (JSON.parse(stdout) as Answer).changes.filter(({ level }) => level === 'breaking');
  assert.deepEqual(
    broken.map(({ file, line, type, operations }) => [file, line, type, operations]),
    [['schema.graphql', 8, 'FIELD_CHANGED_KIND', ['A (a.graphql)', 'M (manifest.json)']]],
  );
});

test('GitHub annotations have a level, a place and one line, from the root of the repository', async (context) => {
  const { directory } = await createBookProject(context, {
    'api/functions/graphql.ts': functionOf(current),
    'api/a,b.graphql': 'query A { nothing }',
    'api/earlier.graphql': earlier.replace('NOVEL', 'NOVEL DRAMA'),
  });
  const { GITHUB_WORKSPACE: workspace } = process.env;
  process.env['GITHUB_WORKSPACE'] = directory;
  context.after(() => {
    if (workspace === undefined) delete process.env['GITHUB_WORKSPACE'];
    else process.env['GITHUB_WORKSPACE'] = workspace;
  });
  const { stdout, code } = await runCommandHere(
    `${directory}/api`,
    'check',
    'a,b.graphql',
    '--against',
    'earlier.graphql',
    '--format',
    'github',
  );

  const lines = stdout.trimEnd().split('\n');
  assert.equal(lines[0], '::error file=api/a%2Cb.graphql,line=1,col=11::Cannot query field "nothing" on type "Query".');
  assert.ok(
    lines.slice(1).every((line) => /^::(notice|warning) file=api\/functions\/graphql\.ts,line=\d+,col=\d+::\w/.test(line)),
    stdout,
  );
  assert.equal(code, 1);
});

test('a removed type points to the file of the earlier schema', async (context) => {
  const outcome = await check(
    context,
    { 'earlier.graphql': `${earlier}\ntype Author {\n  name: String\n}\n` },
    '--against',
    'earlier.graphql',
  );

  assert.match(outcome.stdout, /^earlier\.graphql:17:6 Breaking change: Author was removed\./m);
});

test('no changes: exit code 0, also against definitions that the server would merge', async (context) => {
  const { code, stdout, stderr } = await check(
    context,
    {
      'earlier.graphql': `${current} extend type Query { a: Int } type Query { b: Int }`,
      'functions/graphql.ts': functionOf(`${current} extend type Query { a: Int b: Int }`),
    },
    '--against',
    'earlier.graphql',
  );

  assert.equal(stdout, 'No problems in graphql.\n');
  assert.match(stderr, /0 breaking changes, 0 dangerous, 0 unused/);
  assert.equal(code, 0);
});

test('the earlier schema may be introspection JSON, a version in git, or a URL', async (context) => {
  const introspection = introspectionFromSchema(buildSchema(earlier));
  const project = await createMovingProject(context, {
    ...bookProject,
    'data.json': JSON.stringify({ data: introspection }),
    'bare.json': JSON.stringify(introspection),
  });
  await linkPackage(project);
  const git = (...args: string[]): unknown =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], { cwd: project.directory, stdio: 'pipe' });
  git('init', '--quiet', '--initial-branch', 'main');
  git('add', 'earlier.graphql');
  git('commit', '--quiet', '--message', 'one');
  await project.write({ 'earlier.graphql': current });
  const file = await serve(
    context,
    ({ method }, response) => void (method === 'GET' ? response.end(earlier) : response.writeHead(405).end()),
  );
  const endpoint = await serve(context, ({ method }, response) => {
    if (method === 'GET') response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html>');
    else response.end(JSON.stringify({ data: introspection }));
  });
  let queries = 0;
  const oldEndpoint = await serve(context, ({ method }, response) => {
    if (method === 'GET') response.writeHead(400).end('{"errors":[]}');
    else response.end(JSON.stringify(queries++ === 0 ? { errors: [{ message: 'Unknown argument' }] } : { data: introspection }));
  });

  for (const against of ['data.json', 'bare.json', 'git:main:earlier.graphql', file, endpoint, oldEndpoint]) {
    const outcome = await project.run('check', '--against', against, '--json');
    assert.equal(changesIn(outcome).length, 5, `${against}: ${outcome.stderr}`);
    assert.equal(outcome.code, 1, against);
  }
});

test('an earlier schema that cannot be read has exit code 2, and a message that says what was received', async (context) => {
  const { directory } = await createBookProject(context, {
    'broken.graphql': 'type Query {',
    'part.graphql': 'type Query { a: Missing }',
    'other.json': '{"a":1}',
  });
  execFileSync('git', ['init', '--quiet'], { cwd: directory });
  const refusing = await serve(context, ({ method }, response) => {
    response.writeHead(method === 'GET' ? 404 : 400).end(method === 'GET' ? '' : '{"errors":[{"message":"Introspection is off."}]}');
  });
  const missing = await serve(context, (_request, response) => void response.writeHead(404).end('Not found'));
  const expected = {
    'missing.graphql': /^Cannot read the earlier schema from missing\.graphql: ENOENT/,
    'broken.graphql': /^Cannot read the earlier schema from broken\.graphql: .*Syntax Error/,
    'part.graphql': /it uses types that it does not define: Missing\./,
    'other.json': /expected introspection JSON with __schema, got other JSON/,
    'git:main': /expected git:<ref>:<path>, for example git:main:schema\.graphql/,
    'git:nowhere:a.graphql': /git:nowhere:a\.graphql: .*nowhere/s,
    [`http://localhost:${await freePort()}/graphql`]: /graphql: fetch failed: .*ECONNREFUSED/,
    [refusing]: /got the error "Introspection is off\."/,
    [missing]: /expected SDL or introspection JSON, got status 404 for GET and 404 for an introspection query/,
  };
  for (const [against, message] of Object.entries(expected)) {
    const { code, stdout, stderr } = await runCommandHere(directory, 'check', '--against', against);
    assert.match(stderr, message);
    assert.equal(stdout, '');
    assert.equal(code, 2, against);
  }
});

test('a project with problems is not compared: exit code 1', async (context) => {
  const { code, stderr } = await check(
    context,
    { 'functions/graphql.ts': functionOf('type Query { a: Wrong }') },
    '--against',
    'earlier.graphql',
  );

  assert.match(stderr, /Schemas were not compared\. Fix the other problems first\./);
  assert.equal(code, 1);
});

test('with several GraphQL functions and none called graphql, --function chooses the schema', async (context) => {
  const project = await createBookProject(context, { 'functions/books.ts': functionOf(current), 'functions/shop.ts': functionOf(earlier) });
  await project.remove('functions/graphql.ts');

  const unclear = await runCommandHere(project.directory, 'check', '--against', 'earlier.graphql');
  assert.match(unclear.stderr, /No schema to compare with the earlier one\. Choose a GraphQL function with --function: books, shop\./);
  assert.equal(unclear.code, 2);
});

test(
  'directives on directive definitions are read, and do not count as changes',
  { skip: !isGraphQL17 && 'graphql 17' },
  async (context) => {
    const directives = 'directive @owner on DIRECTIVE_DEFINITION directive @tag @owner on FIELD_DEFINITION';
    const plain = `${directives} type Query { book: Int @tag }`;
    const deprecated = `${plain} extend directive @tag @deprecated(reason: "later")`;

    for (const [before, after] of [[plain, deprecated] as const, [deprecated, plain] as const, [deprecated, deprecated] as const]) {
      const { directory } = await createBookProject(context, { 'functions/graphql.ts': functionOf(after), 'earlier.graphql': before });
      const compared = await runCommandHere(directory, 'check', '--against', 'earlier.graphql', '--json');

      assert.deepEqual([compared.code, changesIn(compared)], [0, []]);
    }
  },
);
