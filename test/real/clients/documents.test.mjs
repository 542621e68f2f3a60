// The ids and texts that `graphql-functions documents` writes, against those of real clients and of their compilers.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import { promisify } from 'node:util';

import { apolloOver, apollos, json, sha256, startServer } from './served.mjs';

const root = join(import.meta.dirname, '../../..');
const run = promisify(execFile);

const typeDefs = `
  type Query { books(first: Int = 2, where: Where): [Book!]! book(id: ID!): Book }
  input Where { title: String = "", years: [Int!] }
  type Book { id: ID! title: String! author: Author }
  type Author { id: ID! name: String! }
`;
const emma = { id: 'emma', title: 'Emma', author: { id: 'jane', name: 'Jane Austen' } };

const files = {
  'schema.graphql': typeDefs,
  'operations/books.graphql': `
    # Every book.
    query Books($first: Int = 3, $where: Where, $another: ID = "an id, so long that the printer breaks the line of this field's arguments") {
      books(first: $first, where: $where) { id ...Row @include(if: true) }
      emma: book(id: $another) { ... on Book { title } }
    }`,
  'operations/book.graphql': 'query Book($id: ID!) { book(id: $id) { ...Row author { __typename name } } }',
  // graphql 16 and 17 print object values differently, so only a client that takes the id by the name finds this document.
  'operations/filtered.graphql': 'query Filtered { books(where: { title: "Emma", years: [1815] }) { id } }',
  'operations/parts/row.graphql': 'fragment Row on Book { title author { ...Name } }',
  'operations/parts/name.graphql': 'fragment Name on Author { name }',
};

let folder;
let server;
let ids;
let bodies = [];

const documents = (...argv) =>
  run(process.execPath, [join(root, 'dist/esm/cli/main.js'), 'documents', '--schema', 'schema.graphql', ...argv], { cwd: folder });

async function write(contents) {
  for (const [path, text] of Object.entries(contents)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
}

/** A server that runs only the documents of a manifest, as in production. */
async function serveDocuments(path) {
  const known = JSON.parse(await readFile(join(folder, path), 'utf8'));
  const resolvers = { Query: { books: () => [emma], book: () => emma } };
  return startServer({ typeDefs, resolvers, trustedDocuments: { documents: known, only: true } });
}

/** Records what a client sends. */
const recordingFetch = (address, init) => {
  bodies.push(JSON.parse(init.body));
  return fetch(address, init);
};

before(async () => {
  await mkdir(join(root, '.cache'), { recursive: true });
  folder = await mkdtemp(join(root, '.cache/documents-'));
  await symlink(join(import.meta.dirname, 'node_modules'), join(folder, 'node_modules'));
  await write(files);
  await documents();
  server = await serveDocuments('documents/documents.json');
  ({ ids } = await import(join(folder, 'documents/ids.ts')));
});
beforeEach(() => (bodies = []));
after(async () => {
  await server?.close();
  await rm(folder, { recursive: true });
});

/** The text of a file of operations with the fragments of other files, as people concatenate them. */
const textOf = (name) =>
  [`operations/${name}.graphql`, 'operations/parts/row.graphql', 'operations/parts/name.graphql'].map((path) => files[path]).join('\n');

/** The first block of JavaScript of a page after a heading, as a module of the folder. */
async function importSnippet(page, heading, name) {
  const text = await readFile(join(root, page), 'utf8');
  const [, code = ''] = /```js\n(.+?)```/s.exec(text.slice(text.indexOf(`## ${heading}\n`))) ?? [];
  await write({ [name]: code.replace("'/graphql'", `'${server.url}'`) });
  const { NODE_ENV } = process.env;
  // In development, the clients send texts.
  process.env.NODE_ENV = 'production';
  try {
    return await import(join(folder, name));
  } finally {
    if (NODE_ENV === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = NODE_ENV;
  }
}

for (const [name, load] of Object.entries(apollos))
  test(`${name} finds its documents by the hashes that it computes`, async () => {
    const { ApolloLink, createPersistedQueryLink, gql, HttpLink, ...apollo } = await load();
    const persisted = createPersistedQueryLink({ sha256, retry: () => false, disable: () => false });
    const client = apolloOver(apollo, ApolloLink.from([persisted, new HttpLink({ uri: server.url, fetch: recordingFetch })]));

    const books = await client.query({ query: gql(textOf('books')) });
    const book = await client.query({ query: gql(textOf('book')), variables: { id: 'emma' } });

    assert.equal(books.data.books[0].author.name, 'Jane Austen');
    assert.equal(book.data.book.title, 'Emma');
    assert.deepEqual(
      bodies.map(({ query, extensions }) => [query, extensions.persistedQuery.sha256Hash]),
      [
        [undefined, ids.Books],
        [undefined, ids.Book],
      ],
    );
  });

for (const [page, heading] of [
  ['docs/trusted-documents.md', 'Apollo Client'],
  ['src/tools/cli/init/templates/shared/operations/README.md', 'A client'],
])
  test(`the client of ${page} sends the id, and never a text`, async (t) => {
    const { gql } = await import('@apollo/client');
    const { client } = await importSnippet(page, heading, `${heading.replace(' ', '-')}.mjs`);
    const sent = t.mock.method(globalThis, 'fetch').mock;

    const { data } = await client.query({ query: gql(textOf('book')), variables: { id: 'emma' } });
    const filtered = await client.query({ query: gql(files['operations/filtered.graphql']) });
    await assert.rejects(client.query({ query: gql('query Unknown { books { id } }') }));

    assert.equal(data.book.author.name, 'Jane Austen');
    assert.equal(filtered.data.books[0].id, 'emma');
    assert.equal(sent.calls.length, 3);
    for (const { arguments: given } of sent.calls) assert.equal('query' in JSON.parse(given[1].body), false);
  });

test('the urql client of docs/trusted-documents.md sends the id', async () => {
  const { gql } = await import('@urql/core');
  const { client } = await importSnippet('docs/trusted-documents.md', 'urql', 'urql.mjs');

  const { data, error } = await client.query(gql(textOf('book')), { id: 'emma' }).toPromise();

  assert.equal(error, undefined);
  assert.equal(data.book.author.name, 'Jane Austen');
});

test("the client preset's persisted-documents.json becomes a manifest: its generated documents are answered by their hashes", async (t) => {
  const { codegen } = await import('@graphql-codegen/core');
  const { preset } = await import('@graphql-codegen/client-preset');
  const { buildSchema, parse } = await import('graphql');
  const sources = Object.entries(files)
    .filter(([path]) => path.startsWith('operations/'))
    .map(([path, text]) => ({ location: path, rawSDL: text, document: parse(text) }));
  const sections = await preset.buildGeneratesSection({
    baseOutputDir: 'gql/',
    schema: parse(typeDefs),
    schemaAst: buildSchema(typeDefs),
    documents: sources,
    config: { useTypeImports: true },
    presetConfig: { persistedDocuments: { hashAlgorithm: 'sha256' } },
    plugins: [],
    pluginMap: {},
  });
  const outputs = await Promise.all(sections.map(async (section) => [section.filename, await codegen(section)]));
  await write(Object.fromEntries(outputs));

  const generated = await import(join(folder, 'gql/graphql.ts'));
  const { hash } = generated.BookDocument.__meta__;
  const { url, close } = await serveDocuments('gql/persisted-documents.json');
  t.after(close);
  const response = await fetch(url, json({ documentId: hash, variables: { id: 'emma' } }));

  assert.match(hash, /^sha256:\w{64}$/);
  assert.deepEqual((await response.json()).data.book.author.name, 'Jane Austen');
});

test("the server takes the manifest of Relay's compiler, and its generated artifacts are answered by their ids", async (t) => {
  await write({
    'relay/Books.js':
      "import { graphql } from 'react-relay';\nexport const query = graphql`query BooksQuery { books { id ...Books_book } }`;\ngraphql`fragment Books_book on Book { author { name } }`;\n",
    'relay.config.json': JSON.stringify({
      src: './relay',
      language: 'javascript',
      schema: './schema.graphql',
      eagerEsModules: true,
      persistConfig: { file: './relay.json', algorithm: 'SHA256' },
    }),
    'relay.json': '{}',
  });
  await run(process.execPath, [join(import.meta.dirname, 'node_modules/relay-compiler/cli.js')], { cwd: folder });

  const { default: artifact } = await import(join(folder, 'relay/__generated__/BooksQuery.graphql.js'));
  const { url, close } = await serveDocuments('relay.json');
  t.after(close);
  const { default: relay } = await import('relay-runtime');
  const network = relay.Network.create(async ({ id, text }, variables) => {
    const response = await recordingFetch(url, json({ ...(id ? { id } : { query: text }), variables }));
    return response.json();
  });

  const result = await network.execute(artifact.params, {}, {}).toPromise();

  assert.equal(result.data.books[0].author.name, 'Jane Austen');
  assert.equal('query' in bodies[0], false);
});
