import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';

import DataLoader from 'dataloader';

import { InMemoryLRUCache } from '../../../src/datasources/cache/in-memory.ts';
import { DataSource } from '../../../src/datasources/data-source.ts';
import type { DataSourceConfig } from '../../../src/datasources/data-source.ts';
import { API, startAPI } from '../../support/datasources/api.ts';

interface Context {
  readonly user: string;
}

describe('DataSource', () => {
  for (const kind of ['synchronous', 'asynchronous'])
    it(`is a base class for any data store, with access to the context, and a ${kind} initialize`, async () => {
      class Greetings extends DataSource<Context> {
        override initialize(config: DataSourceConfig<Context>): void | Promise<void> {
          return kind === 'synchronous' ? super.initialize(config) : Promise.resolve().then(() => super.initialize(config));
        }
        greet(): string {
          return `Hello, ${this.context.user}`;
        }
      }
      const greetings = new Greetings();

      await greetings.initialize({ context: { user: 'Ada' }, cache: new InMemoryLRUCache() });

      assert.equal(greetings.greet(), 'Hello, Ada');
    });

  it('can batch with a DataLoader in a class field', async (t) => {
    const { calls, url } = await startAPI(t, (call) => ({
      body: new URL(call.url, 'http://x').searchParams.getAll('id').map((id) => ({ id })),
    }));
    class Users extends API {
      readonly #byId = new DataLoader(async (ids: readonly string[]) => this.get<{ id: string }[]>('users', { id: ids }));
      byId = (id: string): Promise<unknown> => this.#byId.load(id);
    }

    assert.deepEqual(await Promise.all(['1', '2'].map(new Users(url).byId)), [{ id: '1' }, { id: '2' }]);
    assert.equal(calls.length, 1);
  });
});

describe('the globals that load fetch or crypto', () => {
  /** Runs a program in a process of its own, with the modules `datasource` and `cache`; after `forbid`, the globals throw. */
  const run = async (program: string): Promise<void> => {
    const paths = ['../../../src/entries/datasource.ts', '../../../src/entries/cache.ts'].map((path) => import.meta.resolve(path));
    const forbid = `
      const forbid = (names) => {
        for (const name of names.split(' ')) Object.defineProperty(globalThis, name, { get() { throw new Error(name + ' was touched'); } });
      };
      const load = () => Promise.all(process.argv.slice(1).map((path) => import(path)));
    `;
    await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', forbid + program, ...paths]);
  };

  it('are not read when the modules are loaded and a data source is created', () =>
    run(`
      forbid('fetch Request Response Headers FormData crypto WebSocket Blob ReadableStream');
      const [{ RESTDataSource }] = await load();
      new (class extends RESTDataSource { baseURL = 'http://a.test' })().initialize({ context: {}, cache: { get() {}, set() {}, delete() {} } });
    `));

  it('are not read by a call served from the memo or the response cache', () =>
    run(`
      const [datasource, cache] = await load();
      class Books extends datasource.RESTDataSource { baseURL = 'http://a.test'; cacheIdentity = ''; book() { return this.get('book', { id: 1 }); } }
      const store = new cache.InMemoryLRUCache();
      const begin = () => {
        const books = new Books(async () => Response.json({ a: 1 }, { headers: { 'cache-control': 'max-age=60' } }));
        books.initialize({ context: {}, cache: store });
        return books;
      };
      await begin().book();
      forbid('fetch Request Response Headers FormData crypto AbortController');
      const books = begin();
      if ((await books.book()).a !== 1 || (await books.book()).a !== 1) throw new Error('not answered');
    `));
});
