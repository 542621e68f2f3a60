import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import DataLoader from 'dataloader';
import { InMemoryLRUCache } from '../../src/datasources/cache/in-memory.ts';
import { DataSource } from '../../src/datasources/data-source.ts';
import { API } from './api.ts';
import { startOrigin } from './origin.ts';

interface Context {
  readonly user: string;
}

describe('DataSource', () => {
  it('is a base class for any data store, with access to the context', async () => {
    class Greetings extends DataSource<Context> {
      greet(): string {
        return `Hello, ${this.context.user}`;
      }
    }
    const greetings = new Greetings();

    await greetings.initialize({ context: { user: 'Ada' }, cache: new InMemoryLRUCache() });

    assert.equal(greetings.greet(), 'Hello, Ada');
  });

  it('can define initialize, sync or async', async () => {
    class Slow extends DataSource<Context> {
      ready = false;
      override async initialize(config: Parameters<DataSource<Context>['initialize']>[0]): Promise<void> {
        await super.initialize(config);
        this.ready = true;
      }
    }
    const slow = new Slow();

    await slow.initialize({ context: { user: 'Ada' }, cache: new InMemoryLRUCache() });

    assert.deepEqual([slow.ready, slow.context.user], [true, 'Ada']);
  });

  it('can batch with a DataLoader in a class field', async (t) => {
    const database = new DatabaseSync(':memory:');
    t.after(() => database.close());
    database.exec("CREATE TABLE books (id TEXT, title TEXT); INSERT INTO books VALUES ('1', 'Emma'), ('2', 'Persuasion')");
    const statements: number[] = [];
    class Books extends DataSource<Context> {
      readonly #byId = new DataLoader(async (ids: readonly string[]) => {
        statements.push(ids.length);
        const places = ids.map(() => '?').join(', ');
        const rows = database.prepare(`SELECT id, title FROM books WHERE id IN (${places})`).all(...ids);
        return ids.map((id) => rows.find((row) => row['id'] === id)?.['title']);
      });
      titleOf(id: string): Promise<unknown> {
        return this.#byId.load(id);
      }
    }
    const books = new Books();

    assert.deepEqual(await Promise.all([books.titleOf('2'), books.titleOf('1'), books.titleOf('2'), books.titleOf('9')]), [
      'Persuasion',
      'Emma',
      'Persuasion',
      undefined,
    ]);
    assert.deepEqual(statements, [3]);
  });

  it('a REST data source can batch in the same way', async (t) => {
    const origin = await startOrigin(t, (call) => ({
      body: new URL(call.url, 'http://x').searchParams.getAll('id').map((id) => ({ id })),
    }));
    class Users extends API {
      readonly #byId = new DataLoader(async (ids: readonly string[]) => this.get<{ id: string }[]>('users', { id: ids }));
      byId(id: string): Promise<unknown> {
        return this.#byId.load(id);
      }
    }
    const users = new Users(origin.url);

    assert.deepEqual(await Promise.all([users.byId('1'), users.byId('2')]), [{ id: '1' }, { id: '2' }]);
    assert.equal(origin.calls.length, 1);
  });
});

describe('loading the modules', () => {
  it('reads none of the globals that load fetch or crypto', async () => {
    const program = `
      for (const name of ['fetch', 'Request', 'Response', 'Headers', 'FormData', 'crypto', 'WebSocket', 'Blob', 'ReadableStream']) {
        Object.defineProperty(globalThis, name, { get() { throw new Error(name + ' was touched'); } });
      }
      await import(process.argv[1]);
      await import(process.argv[2]);
      const { RESTDataSource } = await import(process.argv[1]);
      new (class extends RESTDataSource { baseURL = 'http://a.test' })().initialize({ context: {}, cache: { get() {}, set() {}, delete() {} } });
    `;
    const modules = ['../../src/entries/datasource.ts', '../../src/entries/cache.ts'].map((path) => import.meta.resolve(path));

    await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program, ...modules]);
  });

  it('a call served from the memo or the response cache does not read them either', async () => {
    const program = `
      const [datasource, cache] = await Promise.all(process.argv.slice(1).map((path) => import(path)));
      class Books extends datasource.RESTDataSource { baseURL = 'http://a.test'; cacheIdentity = ''; book() { return this.get('book', { id: 1 }); } }
      const store = new cache.InMemoryLRUCache();
      const begin = () => {
        const books = new Books(async () => Response.json({ a: 1 }, { headers: { 'cache-control': 'max-age=60' } }));
        books.initialize({ context: {}, cache: store });
        return books;
      };
      await begin().book();
      for (const name of ['fetch', 'Request', 'Response', 'Headers', 'FormData', 'crypto', 'AbortController']) {
        Object.defineProperty(globalThis, name, { get() { throw new Error(name + ' was touched'); } });
      }
      const books = begin();
      if ((await books.book()).a !== 1 || (await books.book()).a !== 1) throw new Error('not answered');
    `;
    const modules = ['../../src/entries/datasource.ts', '../../src/entries/cache.ts'].map((path) => import.meta.resolve(path));

    await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program, ...modules]);
  });
});
