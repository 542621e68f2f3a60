import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RESTDataSource } from '../../src/datasources/index.ts';
import type { DataSourceRequest } from '../../src/datasources/request.ts';
import { storedHeadersOf } from '../../src/datasources/http-cache/stored-headers.ts';
import { API, Operations } from './api.ts';
import { startOrigin } from './origin.ts';
import { OpenStore } from './http-cache/open-store.ts';

describe('a stored response', () => {
  it('expires at the moment of Expires, also if its Date is old', async (t) => {
    let now = 0;
    const at = (seconds: number) => new Date(now + seconds * 1000).toUTCString();
    const origin = await startOrigin(t, (_call, before) => ({ headers: { date: at(-3600), expires: at(60) }, body: before }));
    const operations = new Operations(origin.url, new OpenStore());
    now = operations.clock.now();
    await operations.begin().read('x');

    operations.clock.turn(50_000);
    assert.equal(await operations.begin().read('x'), 0);
    operations.clock.turn(20_000);
    assert.equal(await operations.begin().read('x'), 1);
  });

  it('is not used stale with s-maxage, which forbids it for a shared cache', async (t) => {
    const control = 's-maxage=60, stale-while-revalidate=600, stale-if-error=600';
    const origin = await startOrigin(t, (_call, before) => ({ headers: { 'cache-control': control }, body: before }));
    const operations = new Operations(origin.url, new OpenStore());
    await operations.begin().read('x');

    operations.clock.turn(61_000);

    assert.equal(await operations.begin().read('x'), 1);
  });

  it('keeps the Content-Encoding of a body that fetch does not decode', () => {
    assert.deepEqual(storedHeadersOf({ 'content-encoding': 'compress', 'content-length': '9' }, 9), {
      'content-encoding': 'compress',
      'content-length': '9',
    });
    assert.deepEqual(storedHeadersOf({ 'content-encoding': 'br, GZIP', 'content-length': '9' }, 20), {});
  });
});

describe('a body', () => {
  class Writer extends API {
    write(body: unknown): Promise<unknown> {
      return this.post('x', body);
    }
  }

  for (const body of [{ a: () => 1 }, { a: { b: [() => 1] } }]) {
    it(`with a function in it is refused: ${Object.keys(body)} ${typeof body.a}`, async (t) => {
      const origin = await startOrigin(t, () => ({ body: 'no' }));
      const source = new Writer(origin.url);

      await assert.rejects(source.write(body), /is a function, which JSON leaves out/);
      assert.equal(origin.calls.length, 0);
    });
  }
});

describe('a GET after a write', () => {
  it('is sent while the hook of the write hangs', async (t) => {
    const origin = await startOrigin(t, () => ({ body: 'sent' }));
    class Source extends RESTDataSource {
      override baseURL = origin.url;
      override willSendRequest(request: DataSourceRequest): void | Promise<void> {
        if (request.method === 'POST') return new Promise(() => {});
      }
      both(): Promise<unknown> {
        void this.post('x');
        return this.get('x', undefined, { timeout: 1000 });
      }
    }

    assert.equal(await new Source().both(), 'sent');
  });
});

describe('a GET, a write and a GET in one tick', () => {
  for (const [name, hook] of [
    ['without hooks', () => undefined],
    ['with asynchronous hooks', () => Promise.resolve()],
    [
      'with a hook of the first GET that is slower',
      ({ params }: DataSourceRequest) => (params.has('slow') ? undefined : Promise.resolve()),
    ],
  ] as const)
    for (const isStored of [true, false])
      it(`the second GET is sent after the write, ${name}, ${isStored ? 'with' : 'without'} a stored response`, async (t) => {
        let writes = 0;
        const origin = await startOrigin(t, ({ method }) => {
          if (method === 'POST') writes++;
          return { headers: { 'cache-control': 'max-age=60' }, body: writes };
        });
        class Source extends RESTDataSource {
          override baseURL = origin.url;
          override willSendRequest(request: DataSourceRequest): void | Promise<void> {
            return hook(request);
          }
          read(): Promise<unknown> {
            return this.get('x');
          }
          all(): Promise<unknown[]> {
            return Promise.all([this.get('x'), this.post('x'), this.get('x')]);
          }
        }
        const store = new OpenStore();
        const begin = (): Source => {
          const source = new Source();
          void source.initialize({ context: {}, cache: store });
          return source;
        };
        if (isStored) await begin().read();

        const [, , second] = await begin().all();

        assert.equal(second, 1);
        assert.equal(await begin().read(), 1);
      });
});
