import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';

import { suiteContext } from '../../support/suite-context.ts';
import { needs } from '../../support/real/parts.ts';

import { startWorkers } from './miniflare.ts';
import type { Worker } from './miniflare.ts';
import { startCatalogue, testSharing } from './sharing.ts';
import type { Ask, SharedShop } from './sharing.ts';

const script = 'test/support/real/functions/kv-shop.ts';

function asking(worker: Worker): Ask {
  return async (body) => {
    const headers = { 'content-type': 'application/json' };
    const response = await worker.fetch('http://shop.test/graphql', { method: 'POST', headers, body: JSON.stringify(body) });
    return response.json();
  };
}

describe('Workers KV between two workers, in workerd with the KV of miniflare', needs('miniflare'), () => {
  const suite = suiteContext();
  let shop: SharedShop;
  before(async () => {
    const catalogue = await startCatalogue(suite);
    const [one, other] = await startWorkers(suite, script, { CATALOGUE: `${catalogue.url}/` });
    shop = { processes: [asking(one), asking(other)], catalogue };
  });

  testSharing(async () => shop);

  test('a lifetime below a minute, a key of a kilobyte and a value above 25 MiB', async (t) => {
    const [worker] = await startWorkers(t, script, { CATALOGUE: 'http://127.0.0.1:9/' });
    const access = async (body: object): Promise<any> =>
      (await worker.fetch('http://shop.test/cache', { method: 'POST', body: JSON.stringify(body) })).json();
    const [long, large] = ['k'.repeat(1_024), 26 * 1_024 * 1_024];

    const short = await access({ op: 'set', key: 'a', value: 'a', ttl: 5 });
    const expired = await access({ op: 'set', key: 'b', value: 'b', ttl: 1e-6 });
    const longKey = await access({ op: 'set', key: long, value: 'c', ttl: 3_600.5 });
    const tooLarge = await access({ op: 'set', key: 'd', value: large });
    const afterwards = await access({ op: 'get', key: 'd' });

    assert.deepEqual([short, expired, longKey, afterwards], [{ value: 'a' }, { value: null }, { value: 'c' }, { value: null }]);
    assert.match(tooLarge.error, /413|too large|exceeds/i);
  });
});
