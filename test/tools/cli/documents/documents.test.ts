import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { TestContext } from 'node:test';

import { parseArguments } from '../../../../src/tools/cli/command-table.ts';
import { createMovingProject, runCommandHere } from '../../../support/command-here.ts';
import type { Outcome } from '../../../support/command.ts';
import { createProject, linkPackage } from '../../../support/functions-project.ts';
import type { Project } from '../../../support/functions-project.ts';

const schema =
  'type Query { books: [Book!]! book(id: ID!): Book } type Book { id: ID! title: String! author: Author } type Author { name: String }';

const books = 'query Books {\n  books {\n    title\n    __typename\n  }\n}';
const booksId = createHash('sha256').update(books).digest('hex');
/** The name of a manifest that has only this operation. */
const booksManifest = 'documents/2026-11-26-f95a38b1.json';

interface TestedProject extends Project {
  /** Runs `documents` with the schema in schema.graphql. */
  documents(...argv: readonly string[]): Promise<Outcome>;
  /** The files in the folder `documents`. */
  names(): Promise<string[]>;
  read(path: string): Promise<string>;
}

async function createTestedProject(context: TestContext, files: Readonly<Record<string, string>> = {}): Promise<TestedProject> {
  const project = await createProject(context, {
    'schema.graphql': schema,
    'operations/books.graphql': 'query Books { books { title } }',
    ...files,
  });
  const { directory } = project;
  return {
    ...project,
    documents: (...argv) => runCommandHere(directory, 'documents', '--schema', 'schema.graphql', ...argv),
    names: async () => (await readdir(join(directory, 'documents')).catch((): string[] => [])).toSorted(),
    read: (path) => readFile(join(directory, path), 'utf8'),
  };
}

test('every option of documents is read', () => {
  const rest = { functions: undefined, function: undefined, env: {}, external: [] };

  assert.deepEqual(parseArguments(['documents']), {
    name: 'documents',
    operations: ['operations/**/*.graphql'],
    folder: 'documents',
    schema: [],
    mode: 'release',
    ...rest,
  });
  assert.deepEqual(parseArguments(['documents', '--draft', '--out', './a/b/', '--schema', 's.graphql', 'src/*.ts', 'm.json']), {
    name: 'documents',
    operations: ['src/*.ts', 'm.json'],
    folder: 'a/b',
    schema: ['s.graphql'],
    mode: 'draft',
    ...rest,
  });
  assert.throws(() => parseArguments(['documents', '--draft', '--check']), /Expected --draft or --check, got both\./);
  assert.throws(() => parseArguments(['documents', '--remove']), /documents has no option --remove/);
});

test('documents writes a manifest, a module for the server and one for clients, and then nothing until an operation changes', async (context) => {
  const { documents, names, read } = await createTestedProject(context);

  const first = await documents();
  const again = await documents();
  const checked = await documents('--check');

  assert.deepEqual(await names(), ['2026-11-26-f95a38b1.json', 'ids.ts', 'index.ts']);
  assert.equal(first.stdout, `Wrote ${booksManifest}.\nWrote documents/index.ts.\nWrote documents/ids.ts.\n`);
  assert.deepEqual(JSON.parse(await read(booksManifest)), { [booksId]: books });
  assert.equal(
    await read('documents/index.ts'),
    `// Written by \`graphql-functions documents\`. Run it again instead of changing this file.
import type { TrustedDocumentManifest } from 'graphql-functions';

import manifest1 from './2026-11-26-f95a38b1.json' with { type: 'json' };

/** The documents of this release and of earlier ones, for the option \`trustedDocuments\`. */
export const documents = [manifest1] as readonly TrustedDocumentManifest[];
`,
  );
  assert.match(await read('documents/ids.ts'), new RegExp(`^export const ids = \\{\n {2}Books: '${booksId}',\n\\} as const;\n$`, 'm'));
  assert.deepEqual(again, { code: 0, stdout: 'documents is up to date: 1 document.\n', stderr: '' });
  assert.deepEqual(checked, { code: 0, stdout: '', stderr: '' });
});

test('a released manifest never changes: a later one has only the documents that are new', async (context) => {
  const { documents, names, read, write, remove } = await createTestedProject(context);
  await documents();
  const released = await read(booksManifest);

  await write({
    'operations/books.graphql': 'query Books { books { title id } }',
    'operations/book.graphql': 'query Book { book(id: 1) { id } }',
  });
  await documents();
  // A file that moves, or is formatted differently, is no change.
  await remove('operations/books.graphql');
  await write({ 'operations/moved/a.graphql': '# All.\nquery Books {\n  books { title, id } }' });
  const moved = await documents();

  const manifests = (await names()).filter((name) => name.endsWith('.json'));
  const later = JSON.parse(await read(`documents/${manifests.find((name) => !booksManifest.endsWith(name))}`)) as Record<string, string>;
  assert.equal(manifests.length, 2);
  assert.equal(await read(booksManifest), released);
  assert.deepEqual(
    Object.values(later).map((text) => text.split(' ').slice(0, 2).join(' ')),
    ['query Book', 'query Books'],
  );
  assert.match(await read('documents/index.ts'), /^export const documents = \[manifest1, manifest2\] as/m);
  assert.deepEqual(
    [...(await read('documents/ids.ts')).matchAll(/'(\w{64})'/g)].map(([, id]) => id),
    Object.keys(later),
  );
  assert.equal(moved.stdout, 'documents is up to date: 2 documents.\n');
});

test('an operation that returns to an earlier text needs no new manifest', async (context) => {
  const { documents, names, read, write } = await createTestedProject(context);
  await documents();
  await write({ 'operations/books.graphql': 'query Books { books { id } }' });
  await documents();
  const before = await names();

  await write({ 'operations/books.graphql': 'query Books { books { title } }' });
  await documents();

  assert.deepEqual(await names(), before);
  assert.match(await read('documents/ids.ts'), new RegExp(`Books: '${booksId}'`));
});

test('a draft is replaced by the next draft, and by the release', async (context) => {
  const { documents, names, read, write } = await createTestedProject(context);

  const first = await documents('--draft');
  await write({ 'operations/books.graphql': 'query Books { books { id } }' });
  await documents('--draft');
  const draft = JSON.parse(await read('documents/draft.json')) as object;
  const checked = await documents('--check');
  await write({ 'operations/books.graphql': 'query Books { books { title } }' });
  await documents();

  assert.match(first.stdout, /^Wrote documents\/draft\.json\.$/m);
  assert.equal(Object.keys(draft).length, 1);
  assert.equal(checked.code, 1);
  assert.deepEqual(await names(), ['2026-11-26-f95a38b1.json', 'ids.ts', 'index.ts']);
});

test('a draft is possible while the schema changes, although a released document is no longer valid', async (context) => {
  const { documents, names } = await createTestedProject(context, { 'documents/old.json': '{ "abc": "{ gone }" }' });

  const draft = await documents('--draft');
  const release = await documents();

  assert.equal(draft.code, 0);
  assert.deepEqual(await names(), ['draft.json', 'ids.ts', 'index.ts', 'old.json']);
  assert.equal(release.code, 1);
  assert.match(release.stderr, /If no client sends a document any more, delete it from its manifest\./);
});

test('line ends that Git has written are no change', async (context) => {
  const { documents, read, write } = await createTestedProject(context);
  await documents();
  for (const path of [booksManifest, 'documents/index.ts', 'documents/ids.ts', 'operations/books.graphql'])
    await write({ [path]: (await read(path)).replaceAll('\n', '\r\n') });

  assert.deepEqual(await documents('--check'), { code: 0, stdout: '', stderr: '' });
});

test('--check names each missing operation with its place, and writes nothing', async (context) => {
  const { documents, names, read, write } = await createTestedProject(context);
  const empty = await documents('--check');
  assert.deepEqual(await names(), []);
  await documents();
  const ids = await read('documents/ids.ts');

  await write({ 'operations/books.graphql': '\nquery Books { books { id } }' });
  const changed = await documents('--check');

  assert.equal(empty.code, 1);
  assert.match(empty.stdout, /^operations\/books\.graphql:1:1 The operation Books is in no manifest of documents: production refuses it\./);
  assert.equal(changed.code, 1);
  assert.match(changed.stdout, /^operations\/books\.graphql:2:1 The operation Books is in no manifest of documents/);
  assert.match(changed.stderr, /documents is not up to date \(.+\)\. Run the command without --check, and commit the folder\.\n$/);
  assert.equal(await read('documents/ids.ts'), ids);
});

test('operations use the fragments of other files and of literals in code, and each is a document of its own', async (context) => {
  const { documents, read } = await createTestedProject(context, {
    'operations/parts/b.graphql': 'fragment B on Book { author { ...N } } fragment Unused on Book { id }',
    'src/books.tsx':
      'const N = gql`fragment N on Author { name }`;\nconst q = gql`query A { books { ...B } } query C { books { id } } ${N}`;',
  });

  await documents('operations/**/*.graphql', 'src/*.tsx');

  const [name = ''] = (await read('documents/index.ts')).match(/[\w-]+\.json/) ?? [];
  const texts = Object.values(JSON.parse(await read(`documents/${name}`)) as Record<string, string>);
  assert.deepEqual(texts, [
    'query A {\n  books {\n    ...B\n    __typename\n  }\n}\n\n' +
      'fragment B on Book {\n  author {\n    ...N\n    __typename\n  }\n  __typename\n}\n\n' +
      'fragment N on Author {\n  name\n  __typename\n}',
    books,
    'query C {\n  books {\n    id\n    __typename\n  }\n}',
  ]);
});

test('manifests of client tools are taken as they are, with their ids and settings', async (context) => {
  const { documents, read } = await createTestedProject(context, {
    'ios.json': JSON.stringify({
      format: 'apollo-persisted-query-manifest',
      version: 1,
      operations: [{ id: 'a', body: '{ __typename }' }],
    }),
    'relay.json': JSON.stringify({ b: { text: '{books{id}}', onError: 'NULL' }, [booksId]: books }),
  });

  await documents('operations/*', '*.json');
  const again = await documents('operations/*', '*.json');

  const [name = ''] = (await read('documents/index.ts')).match(/[\w-]+\.json/) ?? [];
  assert.deepEqual(JSON.parse(await read(`documents/${name}`)), {
    [booksId]: books,
    a: '{ __typename }',
    b: { text: '{books{id}}', onError: 'NULL' },
  });
  assert.match(await read('documents/ids.ts'), /\{\n {2}Books: '\w+',\n\}/);
  assert.equal(again.stdout, 'documents is up to date: 4 documents.\n');
});

describe('nothing is written for', () => {
  const apollo = (id: unknown): string =>
    JSON.stringify({ format: 'apollo-persisted-query-manifest', version: 1, operations: [{ id, body: '{ __typename }' }] });
  const cases: Readonly<Record<string, readonly [files: Readonly<Record<string, string>>, expected: RegExp, ...argv: string[]]>> = {
    'an operation that is not valid': [
      { 'operations/books.graphql': 'query Books {\n  nope\n}' },
      /^operations\/books\.graphql:2:3 Cannot query field "nope" on type "Query"\./,
    ],
    'a syntax error': [{ 'operations/books.graphql': 'query Books {' }, /^operations\/books\.graphql:1:14 Syntax Error/],
    'an operation without a name': [
      { 'operations/books.graphql': '\n{ books { id } }' },
      /^operations\/books\.graphql:2:1 Expected the operation to have a name/,
    ],
    'two operations of one name': [
      { 'operations/z.graphql': '\nmutation Books { __typename }', 'schema.graphql': `${schema} type Mutation { a: Int }` },
      /^operations\/z\.graphql:2:1 There is another operation Books in operations\/books\.graphql:1\./,
    ],
    'two fragments of one name': [
      { 'operations/a.graphql': 'fragment F on Book { id }', 'operations/z.graphql': 'fragment F on Book { title }' },
      /^operations\/z\.graphql:1:1 There is another fragment F in operations\/a\.graphql:1\./,
    ],
    'a released document that is no longer valid': [
      { 'documents/old.json': '{\n  "abc": "{ gone }"\n}' },
      /^documents\/old\.json:2:1 The document abc is invalid: Cannot query field "gone"/,
    ],
    'two texts for one id': [
      { 'documents/a.json': '{ "x": "{ __typename }" }', 'documents/b.json': '{\n"y": "{ a: __typename }",\n"x": "{ b: __typename }" }' },
      /^documents\/b\.json:3:1 The id "x" has another document in documents\/a\.json:1\./,
    ],
    'a manifest of a client that has another text for a released id': [
      { 'documents/a.json': '{ "x": "{ __typename }" }', 'relay.json': '{ "x": "{ b: __typename }" }' },
      /^relay\.json:1:1 The id "x" has another document in documents\/a\.json:1\./,
      'relay.json',
    ],
    'an id that is no string': [{ 'documents/a.json': apollo(7) }, /^documents\/a\.json Expected .*, got an operation with the id 7\./],
    'a manifest of a client with an id that is no string': [
      { 'ios.json': apollo(null) },
      /^ios\.json Expected .*, got an operation with the id null\./,
      'ios.json',
    ],
    'a manifest that is not JSON': [{ 'documents/a.json': '{' }, /^documents\/a\.json .*JSON/],
    'a schema with a syntax error': [{ 'schema.graphql': 'type Query {' }, /^schema\.graphql:1:13 Syntax Error/],
    'a schema with an unknown type': [
      { 'schema.graphql': 'type Query { a: Nope }' },
      /^Cannot read the schema from schema\.graphql: .*Nope/,
    ],
    'a pattern without files': [{}, /^No files match src\/\*\.ts\. Quote patterns/, 'src/*.ts'],
  };
  for (const [what, [files, expected, ...argv]] of Object.entries(cases))
    test(what, async (context) => {
      const { documents, names } = await createTestedProject(context, files);
      const before = await names();

      const { code, stdout, stderr } = await documents(...argv);

      assert.match(stderr, expected);
      assert.equal(stdout, '');
      assert.equal(code, 1);
      assert.deepEqual(await names(), before);
    });
});

const functionWithDocuments = `import { createHandler } from 'graphql-functions';
import { documents } from '../documents/index.ts';

export default createHandler({
  csrfPrevention: true,
  typeDefs: ${JSON.stringify(schema)},
  resolvers: { Query: { books: () => [] } },
  trustedDocuments: { documents, only: true },
});
`;

test('without --schema, the documents are validated against the schema of the function, which need not have documents yet', async (context) => {
  const project = await createMovingProject(context, {
    'functions/graphql.ts': functionWithDocuments,
    'operations/books.graphql': 'query Books { books { nope } }',
  });
  await linkPackage(project);

  const invalid = await project.run('documents');
  await project.write({ 'operations/books.graphql': 'query Books { books { title } }' });
  const valid = await project.run('documents');
  const checked = await project.run('check');

  assert.match(invalid.stderr, /^operations\/books\.graphql:1:23 Cannot query field "nope" on type "Book"\./m);
  assert.match(valid.stdout, new RegExp(`^Wrote ${booksManifest}\\.$`, 'm'));
  assert.equal(checked.stdout, 'No problems in graphql.\n');
});
