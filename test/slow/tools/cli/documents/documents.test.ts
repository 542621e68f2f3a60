import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { TestContext } from 'node:test';

import { parseArguments } from '../../../../../src/tools/cli/command-table.ts';
import { runCommandHere } from '../../../../support/command-here.ts';
import { createProject } from '../../../../support/functions-project.ts';

const schema =
  'type Query { books: [Book!]! book(id: ID!): Book } type Book { id: ID! title: String! author: Author } type Author { name: String }';

const books = 'query Books {\n  books {\n    title\n    __typename\n  }\n}';
const booksId = createHash('sha256').update(books).digest('hex');
const manifest = 'documents/documents.json';

async function createTestedProject(context: TestContext, files: Readonly<Record<string, string>> = {}) {
  const project = await createProject(context, {
    'graphql/schema.graphql': schema,
    'operations/books.graphql': 'query Books { books { title } }',
    ...files,
  });
  const { directory } = project;
  return {
    ...project,
    /** Runs `documents` with the schema in graphql/schema.graphql. */
    documents: (...argv: readonly string[]) => runCommandHere(directory, 'documents', ...argv),
    /** The files in the folder `documents`. */
    names: async () => (await readdir(join(directory, 'documents')).catch((): string[] => [])).toSorted(),
    read: (path: string) => readFile(join(directory, path), 'utf8'),
  };
}

test('every option of documents is read', () => {
  const nothing = { name: 'documents', operations: ['operations/**/*.graphql'], folder: 'documents', schema: ['graphql/schema.*'] };

  assert.deepEqual(parseArguments(['documents']), { ...nothing, mode: 'add' });
  assert.deepEqual(parseArguments(['documents', '--ids', '--out', './a/b/', '--schema', 's.graphql', 'src/*.ts', 'b.ts']), {
    name: 'documents',
    operations: ['src/*.ts', 'b.ts'],
    folder: 'a/b',
    schema: ['s.graphql'],
    mode: 'ids',
  });
  assert.throws(() => parseArguments(['documents', '--ids', '--check']), /Expected --ids or --check, got both\./);
});

test('documents writes a manifest for the server and ids for clients, and then nothing until an operation changes', async (context) => {
  const { documents, names, read } = await createTestedProject(context);

  const first = await documents();
  const again = await documents();
  const checked = await documents('--check');

  assert.deepEqual(await names(), ['documents.json', 'ids.ts']);
  assert.equal(first.stdout, `Wrote ${manifest}.\nWrote documents/ids.ts.\n`);
  assert.deepEqual(JSON.parse(await read(manifest)), { [booksId]: books });
  assert.equal(
    await read('documents/ids.ts'),
    `// Written by \`graphql-functions documents\`. Run it again instead of changing this file.

/** The ids of the current operations by name, for clients. */
export const ids = {
  Books: '${booksId}',
} as const;
`,
  );
  assert.deepEqual(again, { code: 0, stdout: 'documents is up to date: 1 document.\n', stderr: '' });
  assert.deepEqual(checked, { code: 0, stdout: '', stderr: '' });
});

test('new documents are added to the manifest, and the earlier ones stay first, marked if their operation has changed', async (context) => {
  const { documents, read, write, remove } = await createTestedProject(context);
  await documents();

  await write({
    'operations/books.graphql': 'query Books { books { title id } }',
    'operations/book.graphql': 'query Book { book(id: 1) { id } }',
  });
  await documents();
  const added = await read(manifest);
  // A file that moves, or is formatted differently, is no change.
  await remove('operations/books.graphql');
  await write({ 'operations/moved/a.graphql': '# All.\nquery Books {\n  books { title, id } }' });
  const moved = await documents();
  const ids = await read('documents/ids.ts');
  assert.equal(await read(manifest), added);
  // An operation that gets its former text back is no longer replaced, and the text between is.
  await write({ 'operations/moved/a.graphql': 'query Books { books { title } }' });
  const checked = await documents('--check');
  await documents();

  const entries = Object.entries(JSON.parse(added) as Record<string, string>);
  assert.deepEqual(entries[0], [booksId, { text: books, isReplaced: true }]);
  assert.deepEqual(
    entries.slice(1).map(([, text]) => text.split(' ').slice(0, 2).join(' ')),
    ['query Book', 'query Books'],
  );
  assert.deepEqual(
    [...ids.matchAll(/'(\w{64})'/g)].map(([, id]) => id),
    entries.slice(1).map(([id]) => id),
  );
  assert.equal(moved.stdout, 'documents is up to date: 2 documents.\n');
  assert.equal(checked.code, 1);
  const [bookEntry, [newId, newText]] = entries.slice(1) as [[string, string], [string, string]];
  assert.deepEqual(JSON.parse(await read(manifest)), {
    [booksId]: books,
    [bookEntry[0]]: bookEntry[1],
    [newId]: { text: newText, isReplaced: true },
  });
});

test('an entry that was deleted by hand is not written again, and the text of the file stays as it is', async (context) => {
  const { documents, read, write } = await createTestedProject(context, {
    [manifest]: '{ "old": "{ __typename }", "older": "{ __typename }" }',
  });
  await documents();

  await write({ [manifest]: `{"${booksId}": ${JSON.stringify(books)}}` });
  const { stdout } = await documents();

  assert.equal(stdout, 'documents is up to date: 1 document.\n');
  assert.equal(await read(manifest), `{"${booksId}": ${JSON.stringify(books)}}`);
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
  assert.match(
    empty.stdout,
    /^operations\/books\.graphql:1:1 The operation Books is not in documents\/documents\.json: production refuses it\./,
  );
  assert.equal(changed.code, 1);
  assert.match(changed.stdout, /^operations\/books\.graphql:2:1 The operation Books is not in documents\/documents\.json/);
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

  const texts = Object.values(JSON.parse(await read(manifest)) as Record<string, string>);
  assert.deepEqual(texts, [
    'query A {\n  books {\n    ...B\n    __typename\n  }\n}\n\n' +
      'fragment B on Book {\n  author {\n    ...N\n    __typename\n  }\n  __typename\n}\n\n' +
      'fragment N on Author {\n  name\n  __typename\n}',
    books,
    'query C {\n  books {\n    id\n    __typename\n  }\n}',
  ]);
});

describe('nothing is written for', () => {
  const apollo = (id: unknown): string =>
    JSON.stringify({ format: 'apollo-persisted-query-manifest', version: 1, operations: [{ id, body: '{ __typename }' }] });
  const cases: Readonly<Record<string, readonly [files: Readonly<Record<string, string>>, expected: RegExp, ...argv: string[]]>> = {
    'an operation that is not valid': [
      { 'operations/books.graphql': 'query Books {\n  nope\n}' },
      /^operations\/books\.graphql:2:3 Cannot query field "nope" on type "Query"\./,
    ],
    'an operation without a name': [
      { 'operations/books.graphql': '\n{ books { id } }' },
      /^operations\/books\.graphql:2:1 Expected the operation to have a name/,
    ],
    'two operations of one name': [
      { 'operations/z.graphql': '\nmutation Books { __typename }', 'graphql/schema.graphql': `${schema} type Mutation { a: Int }` },
      /^operations\/z\.graphql:2:1 There is another operation Books in operations\/books\.graphql:1\./,
    ],
    'two fragments of one name': [
      { 'operations/a.graphql': 'fragment F on Book { id }', 'operations/z.graphql': 'fragment F on Book { title }' },
      /^operations\/z\.graphql:1:1 There is another fragment F in operations\/a\.graphql:1\./,
    ],
    'an interpolation in a selection set': [
      { 'src/a.ts': "const fields = 'id';\nconst a = gql`\n  query A {\n    books { ${fields} }\n  }\n`;" },
      /^src\/a\.ts:4:13 Expected a fragment after the operation, got \$\{fields\}, whose value only the client knows\. Write fields in a fragment, and values as variables\.[^]*> 4 \|/,
      'src/a.ts',
    ],
    'a document that is no longer valid': [
      { [manifest]: '{\n  "abc": "{ gone }"\n}' },
      /^documents\/documents\.json:2:3 The document abc is invalid: Cannot query field "gone"/,
    ],
    'an id that is no string': [{ [manifest]: apollo(7) }, /^documents\/documents\.json Expected .*, got an operation with the id 7\./],
    'a schema with an unknown type': [
      { 'graphql/schema.graphql': 'type Query { a: Nope }' },
      /^graphql\/schema\.graphql:1:17 Unknown type "Nope"\./,
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

describe('directives that only the server knows, of extensions and plugins,', () => {
  const files = {
    'graphql/schema.graphql': schema
      .replace('books: [Book!]!', 'books: [Book!]! @cacheControl(maxAge: 60)')
      .replace('{ id: ID!', '@auth { id: ID!'),
    'operations/books.graphql':
      'query Books @mcpTool(name: "books") { books { ...Title @defer } book(id: "1") @live { id } } fragment Title on Book { title }',
  };

  test('are left to check, in schema files, operations and the manifest', async (context) => {
    const { documents } = await createTestedProject(context, files);

    const first = await documents();
    const again = await documents();

    assert.equal(first.code, 0, first.stderr);
    assert.equal(again.code, 0, again.stderr);
  });

  test('are refused if their name is that of a known one with a mistake', async (context) => {
    const { documents } = await createTestedProject(context, {
      ...files,
      'operations/more.graphql': 'query More { books { id @inclde(if: true) } }',
    });

    const { code, stderr } = await documents();

    assert.match(stderr, /^operations\/more\.graphql:1:25 Unknown directive "@inclde"\./m);
    assert.equal(code, 1);
  });
});
