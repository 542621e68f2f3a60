import { DatabaseSync } from 'node:sqlite';

import { drizzle } from 'drizzle-orm/sqlite-proxy';
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

export const notes = sqliteTable('notes', {
  id: integer('id').primaryKey(),
  owner: text('owner').notNull(),
  text: text('text').notNull(),
});

export const comments = sqliteTable('comments', {
  id: integer('id').primaryKey(),
  note: integer('note').notNull(),
  text: text('text').notNull(),
});

const file = new DatabaseSync(process.env['NOTES_FILE'] ?? ':memory:');

/** Drizzle over node:sqlite, with one connection for the process. */
export const database = drizzle(async (query, values, method) => {
  const statement = file.prepare(query);
  if (method === 'run') {
    statement.run(...values);
    return { rows: [] };
  }
  // Drizzle expects each row as a list of column values.
  statement.setReturnArrays(true);
  const rows = statement.all(...values);
  return { rows: method === 'get' ? (rows[0] as unknown as unknown[]) : rows };
});

export function createTables(): void {
  file.exec(`
    CREATE TABLE IF NOT EXISTS notes (id INTEGER PRIMARY KEY, owner TEXT NOT NULL, text TEXT NOT NULL);
    CREATE TABLE IF NOT EXISTS comments (id INTEGER PRIMARY KEY, note INTEGER NOT NULL REFERENCES notes (id), text TEXT NOT NULL);
  `);
}
