import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { after, before, describe, mock, test } from 'node:test';

import { freePort } from '../../support/free-port.ts';
import { needs, pathInPart } from '../../support/real/parts.ts';
import { ask, writeRecipes } from './project.ts';
import type { RecipeProject } from './project.ts';

describe('the recipes of docs/databases.md', needs('postgres'), () => {
  const load = createRequire(pathInPart('postgres', '.package-lock.json'));
  let project: RecipeProject;
  let database: { exec(sql: string): Promise<unknown>; close(): Promise<void> };
  let server: { start(): Promise<void>; stop(): Promise<void> };
  let pool: { end(): Promise<void>; query(text: string): Promise<{ rows: unknown[] }> };

  before(async () => {
    const { PGlite } = load('@electric-sql/pglite');
    const { PGLiteSocketServer } = await import(pathToFileURL(load.resolve('@electric-sql/pglite-socket')).href);
    database = new PGlite();
    await database.exec(`
      CREATE TABLE notes (id serial PRIMARY KEY, owner text NOT NULL, text text NOT NULL);
      CREATE TABLE comments (id serial PRIMARY KEY, note integer NOT NULL REFERENCES notes (id), text text NOT NULL);
      CREATE TABLE authors (id serial PRIMARY KEY, name text NOT NULL);
      CREATE TABLE books (id serial PRIMARY KEY, title text NOT NULL, summary text NOT NULL, author integer NOT NULL REFERENCES authors (id));
      INSERT INTO authors (name) VALUES ('Jane Austen'), ('Mary Shelley');
      INSERT INTO books (title, summary, author) VALUES ('Emma', 'A matchmaker errs.', 1), ('Frankenstein', 'A doctor errs.', 2);
    `);
    const port = await freePort();
    server = new PGLiteSocketServer({ db: database, host: '127.0.0.1', port, maxConnections: 4 });
    await server.start();
    process.env['DATABASE_URL'] = `postgres://postgres@127.0.0.1:${port}/postgres?sslmode=disable`;
    project = await writeRecipes('docs/databases.md', 'postgres', 'databases/drizzle-postgres');
    ({ pool } = (await project.import('lib/pool.ts')) as { pool: typeof pool });
  });
  after(async () => {
    await pool.end();
    await server.stop();
    await database.close();
    delete process.env['DATABASE_URL'];
    await project.remove();
  });

  test('compile, strictly', async () => {
    assert.equal(await project.compile(), '');
  });

  test('pg: notes are written and read by their owner, and the comments of a list are one statement', async () => {
    const { default: handler } = await project.import('functions/notes.ts');

    for (const text of ['first', 'second', 'third']) await ask(handler, `mutation { addNote(text: "${text}") { id } }`);
    await database.exec("INSERT INTO comments (note, text) VALUES (3, 'to the third'), (1, 'to the first'), (3, 'again')");

    assert.deepEqual(await ask(handler, '{ notes { text comments { text } } }'), {
      data: {
        notes: [
          { text: 'first', comments: [{ text: 'to the first' }] },
          { text: 'second', comments: [] },
          { text: 'third', comments: [{ text: 'to the third' }, { text: 'again' }] },
        ],
      },
    });
    assert.deepEqual(await ask(handler, '{ notes { text } }', { 'x-user': 'bob' }), { data: { notes: [] } });
  });

  test('Drizzle reads the key and the columns that were asked for, and joins only then', async () => {
    const { default: handler } = await project.import('functions/books.ts');
    const statements = recordStatements();

    const keys = await ask(handler, '{ books { id } }');
    const titles = await ask(handler, '{ books { ...F } } fragment F on Book { t: title summary @skip(if: true) }');
    const joined = await ask(handler, '{ books { title author { name } } }');

    assert.deepEqual(keys, { data: { books: [{ id: '1' }, { id: '2' }] } });
    assert.deepEqual(titles, { data: { books: [{ t: 'Emma' }, { t: 'Frankenstein' }] } });
    assert.deepEqual(joined, { data: { books: both } });
    assert.deepEqual(statements(), [
      'select "id" from "books" order by "books"."id"',
      'select "id", "title" from "books" order by "books"."id"',
      'select "books"."id", "books"."title", "authors"."id", "authors"."name" from "books" left join "authors" on "authors"."id" = "books"."author" order by "books"."id"',
    ]);
  });

  /** Records the statements that pg sends from now on; the returned function lists them. */
  function recordStatements(): () => string[] {
    const query = mock.method(load('pg').Client.prototype, 'query');
    return () => {
      query.mock.restore();
      return query.mock.calls.map(({ arguments: [statement] }: any) => (typeof statement === 'string' ? statement : statement.text));
    };
  }
});

const both = [
  { title: 'Emma', author: { name: 'Jane Austen' } },
  { title: 'Frankenstein', author: { name: 'Mary Shelley' } },
];
