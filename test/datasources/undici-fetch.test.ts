import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import manifest from 'undici/package.json' with { type: 'json' };

import { RESTDataSource } from '../../src/datasources/rest-data-source.ts';
import { undiciFetch } from '../../src/datasources/undici.ts';
import { deferred } from '../support/deferred.ts';
import { compareKinds } from './undici-compare.ts';
import { kinds, rows } from './undici-kinds.ts';

const { version } = manifest;
const versions = { node: Number.parseInt(process.versions.node, 10), undici: Number.parseInt(version, 10) };

test(`undiciFetch behaves like fetch for ${kinds.length} kinds of requests and responses over a raw socket`, async (t) => {
  let different = 0;
  for await (const { kind, byFetch, byUndici, directly, mayDiffer } of compareKinds(versions)) {
    assert.deepEqual(directly, byUndici, `${kind.name}: without a Request and a Response`);
    if (mayDiffer) {
      assert.notDeepEqual(byUndici, byFetch, `${kind.name}: no difference any more`);
      different++;
    } else {
      assert.deepEqual(byUndici, byFetch, kind.name);
    }
  }
  t.diagnostic(`Node ${versions.node}, undici ${version}: ${kinds.length} kinds, ${different} of them different, as the docs say`);
});

test('the table "Differences from fetch" of docs/data-source-undici.md lists every difference that the comparison expects', async () => {
  const page = await readFile(new URL('../../docs/data-source-undici.md', import.meta.url), 'utf8');
  const table = page.split('## Differences from fetch')[1]!.split('\n## ')[0]!;
  const titles = [...table.matchAll(/^\| (.*?) +\|/gm)].map(([, title]) => title!);

  assert.deepEqual(titles.slice(2), Object.keys(rows));
  const compared = ['HTTP/2 over HTTPS', ...kinds.flatMap(({ differs }) => differs ?? [])];
  assert.deepEqual([...new Set(compared)].toSorted(), Object.keys(rows).toSorted());
});

test('a data source works with undiciFetch', async (t) => {
  const url = await listen(t, (request, response) => {
    response.writeHead(request.headers.authorization === 'Bearer x' ? 200 : 401, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ title: 'Emma' }));
  });
  class Books extends RESTDataSource {
    override baseURL = url;
    title(authorization: string): Promise<unknown> {
      return this.get('emma', {}, { headers: { authorization } });
    }
  }
  const books = new Books(undiciFetch());

  assert.deepEqual(await books.title('Bearer x'), { title: 'Emma' });
  await assert.rejects(books.title('Bearer y'), { name: 'AuthenticationError' });
});

test("a response that takes longer than headersTimeout fails, with undici's code", async (t) => {
  const url = await listen(t, () => {});

  await assert.rejects(undiciFetch({ headersTimeout: 1 })(new Request(url)), { code: 'UND_ERR_HEADERS_TIMEOUT' });
});

test('a body that is canceled closes its connection', async (t) => {
  const closed = deferred();
  const url = await listen(t, (request, response) => {
    request.socket.on('close', () => closed.resolve());
    response.write('a');
  });

  const response = await undiciFetch()(new Request(url));
  await response.body!.cancel();

  await closed.promise;
});

test('a clone has the URL, the status and the reason phrase of its response', async (t) => {
  const url = await listen(t, (_, response) => response.writeHead(404, 'Not Here').end('x'));

  const { url: cloned, status, statusText, ok } = (await undiciFetch()(new Request(url))).clone();

  assert.deepEqual([cloned, status, statusText, ok], [url, 404, versions.undici === 6 ? '' : 'Not Here', false]);
});

async function listen(t: TestContext, listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}
