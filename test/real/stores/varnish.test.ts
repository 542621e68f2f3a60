import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { edge } from '../../../src/entries/edge.ts';
import { createListener } from '../../../src/entries/node.ts';
import { blockOf, importBlock } from '../../support/pages.ts';
import { suiteContext } from '../../support/suite-context.ts';
import { postJSON } from '../../support/plain-http.ts';
import { serveOnLoopback } from '../../support/real/loopback.ts';
import { needsProgram } from '../../support/program.ts';
import { startVarnish } from './varnish.ts';
import type { Varnish } from './varnish.ts';
import { createShop } from './varnish-shop.ts';

describe('behind a real Varnish', needsProgram('varnishd'), () => {
  const suite = suiteContext();
  let varnish: Varnish;
  let hasEnded = false;
  let purged: Promise<unknown> = Promise.resolve();

  before(async () => {
    const purge = async (tags: readonly string[]): Promise<void> => {
      // Ignores repeats of the last purges.
      if (hasEnded) return;
      const done = varnish.purge(tags);
      // The repeat of an earlier purge must not hide the purge of the last mutation.
      purged = Promise.all([purged, done]);
      await done;
    };
    const listener = createListener({
      ...createShop(),
      plugins: [edge({ cdn: 'varnish', purge })],
    });
    const origin = await serveOnLoopback(suite, listener);
    varnish = await startVarnish(Number(new URL(origin).port));
  });

  after(async () => {
    hasEnded = true;
    await varnish.end();
  });

  const get = async (query: string, cookie = 'none'): Promise<{ cache: string | null; body: any; tags: string | null }> => {
    const response = await fetch(`${varnish.url}?query=${encodeURIComponent(query)}`, { headers: { cookie } });
    return { cache: response.headers.get('x-cache'), tags: response.headers.get('xkey'), body: await response.json() };
  };
  const rename = async (id: number, name: string): Promise<void> => {
    const query = `mutation { rename(id: ${id}, name: "${name}") { id } }`;
    const response = await postJSON(varnish.url, { query });
    assert.deepEqual(await response.json(), { data: { rename: { id: String(id) } } });
    await purged;
  };

  test('a public response is cached, and its tags are not sent to clients', async () => {
    const query = '{ product(id: 1) { id name } }';

    const answers = [await get(query, 'a=1'), await get(query, 'b=2')];

    assert.deepEqual(
      answers.map(({ cache, tags }) => [cache, tags]),
      [
        ['miss', null],
        ['hit', null],
      ],
    );
  });

  test('a response that depends on a user is not cached, whatever its hints are', async () => {
    const answers = [await get('{ me }', 'anna'), await get('{ me }', 'bert'), await get('{ me }', 'anna')];

    assert.deepEqual(
      answers.map(({ cache, body }) => [cache, body.data.me]),
      [
        ['miss', 'anna'],
        ['miss', 'bert'],
        ['miss', 'anna'],
      ],
    );
  });

  test('a QUERY arrives with its body, and its response is not cached', async () => {
    const body = JSON.stringify({ query: '{ product(id: 3) { id } }' });
    const ask = (): Promise<Response> => fetch(varnish.url, { method: 'QUERY', headers: { 'content-type': 'application/json' }, body });

    const answers = [await ask(), await ask()];

    assert.deepEqual(
      answers.map(({ headers }) => headers.get('x-cache')),
      ['miss', 'miss'],
    );
    assert.deepEqual(await answers[1]!.json(), { data: { product: { id: '3' } } });
  });

  test('a mutation purges responses with the object, and lists, and nothing else', async () => {
    const queries = ['{ product(id: 7) { id name } }', '{ category(name: 2) { id name } }', '{ product(id: 8) { id name } }'];
    for (const query of queries) await get(query);

    await rename(7, 'lamp');
    const answers = await Promise.all(queries.map((query) => get(query)));

    assert.deepEqual(
      answers.map(({ cache }) => cache),
      ['miss', 'miss', 'hit'],
    );
    assert.equal(answers[0]!.body.data.product.name, 'lamp');
  });

  test('the function of docs/edge-cdns.md purges the answers with a tag', async (t) => {
    const toOurs = (text: string): string => `${text.replace('http://varnish.internal/', varnish.url)}\nexport { purge };`;
    const { purge } = await importBlock(t, ['edge-cdns.md', "method: 'PURGE'", toOurs], {
      'graphql/shop.ts': await blockOf('edge-cdns.md', 'export const shop'),
    });
    const [kept, gone] = ['{ product(id: 11) { id name } }', '{ product(id: 12) { id name } }'];
    for (const query of [kept, gone]) await get(query);

    await purge.purge(['e:Product:12', 'e:Product:13'], undefined);

    assert.deepEqual([(await get(kept)).cache, (await get(gone)).cache], ['hit', 'miss']);
  });
});
