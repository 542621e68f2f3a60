import { DatabaseSync } from 'node:sqlite';
import type { KeyValueCache, KeyValueCacheSetOptions } from 'graphql-functions';

/** A KeyValueCache in a file, for a server with a disk. */
export class SQLiteCache implements KeyValueCache {
  readonly #database: DatabaseSync;

  constructor(path: string) {
    this.#database = new DatabaseSync(path);
    this.#database.exec('CREATE TABLE IF NOT EXISTS cache (key TEXT PRIMARY KEY, value TEXT NOT NULL, expires REAL) WITHOUT ROWID');
  }

  async get(key: string): Promise<string | undefined> {
    const row = this.#database.prepare('SELECT value FROM cache WHERE key = ? AND (expires IS NULL OR expires > ?)').get(key, Date.now());
    return row === undefined ? undefined : String(row['value']);
  }

  async set(key: string, value: string, options?: KeyValueCacheSetOptions): Promise<void> {
    const expires = options?.ttl ? Date.now() + options.ttl * 1000 : null;
    this.#database.prepare('INSERT OR REPLACE INTO cache VALUES (?, ?, ?)').run(key, value, expires);
  }

  async delete(key: string): Promise<boolean> {
    return this.#database.prepare('DELETE FROM cache WHERE key = ?').run(key).changes > 0;
  }

  /** Removes expired entries, which are no longer read. Call it from time to time. */
  sweep(): void {
    this.#database.prepare('DELETE FROM cache WHERE expires <= ?').run(Date.now());
  }

  close(): void {
    this.#database.close();
  }
}
