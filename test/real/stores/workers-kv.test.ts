import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { before, describe, test } from 'node:test';

import { suiteContext } from '../../support/suite-context.ts';
import { needs } from '../../support/real/parts.ts';
import { startKVService, startWorkerOver } from './kv-service.ts';
import type { KVBehaviour } from './kv-service.ts';
import { startWorkers } from './miniflare.ts';
import type { Worker } from './miniflare.ts';
import { bookQuery, startCatalogue, testSharing } from './sharing.ts';
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

describe('failures of Workers KV, behind the binding of workerd', needs('workerd'), () => {
  const troubles: readonly KVBehaviour[] = ['hangs up', 'fails', 'hangs', 'refuses writes', 'sends garbage'];
  for (const behaviour of troubles)
    test(`a namespace that ${behaviour} is a miss, without failing a request`, async (t) => {
      const [kv, catalogue] = [await startKVService(t), await startCatalogue(t)];
      const { url, program } = await startWorkerOver(t, kv, `${catalogue.url}/`);
      kv.behaviour = behaviour;
      const bodies = [1, 2, 1].flatMap((id) => [
        bookQuery(id),
        { query: `{ stock(id: ${id}) }` },
        { query: `mutation { rename(id: ${id}, title: "new") { title } }` },
        { query: '{ __typename }', extensions: { persistedQuery: { version: 1, sha256Hash } } },
      ]);

      const answers: any[] = [];
      for (const body of bodies) answers.push(await post(url, body));

      assert.deepEqual(
        answers.flatMap(({ errors = [] }) => errors),
        [],
      );
      assert.deepEqual(answers[10], { data: { rename: { title: 'new' } } });
      assert.deepEqual(answers[8], { data: { book: { id: '1', title: 'new' } } });
      assert.doesNotMatch(program.output(), /uncaught|unhandled/i);
    });
});

const sha256Hash = createHash('sha256').update('{ __typename }').digest('hex');

async function post(url: string, body: object): Promise<any> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  return response.json();
}
