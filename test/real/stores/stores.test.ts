import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { before, describe, test } from 'node:test';

import {
  d1Store,
  durableObjectStore,
  dynamoDBStore,
  netlifyBlobsStore,
  postgresStore,
  redisStore,
  storeTable,
} from '../../../src/entries/idempotency.ts';
import type { D1Client, IdempotencyStore } from '../../../src/entries/idempotency.ts';
import type { BudgetStore } from '../../../src/entries/budget.ts';
import { needsProgram, startRedis } from '../../support/program.ts';
import { freePort } from '../../support/free-port.ts';
import { testStore } from '../../support/stores/test-store.ts';
import { suiteContext } from '../../support/suite-context.ts';
import { bundle, createFolder } from '../../support/real/bundle.ts';
import { startBlobs } from './blobs-server.ts';
import type { BlobFault } from './blobs-server.ts';
import { importFromPart, needs, pathInPart } from '../../support/real/parts.ts';

const part = 'idempotency-stores';
const load = (name: string): any => createRequire(pathInPart(part, '.package-lock.json'))(name);

type Suite = ReturnType<typeof suiteContext>;
type BothStores = IdempotencyStore & BudgetStore;

/** Runs the contract of stores. */
function testRealStore(
  name: string,
  options: { skip: string | false },
  start: (suite: Suite) => Promise<IdempotencyStore>,
  { hasPoints = true, hasClock = false } = {},
): void {
  describe(name, options, () => {
    const suite = suiteContext();
    let store: IdempotencyStore;
    before(async () => {
      store = await start(suite);
    });
    testStore(() => store, { hasPoints, hasClock });
  });
}

testRealStore(
  'redisStore with ioredis',
  { skip: needs(part).skip || needsProgram('redis-server').skip },
  async (suite) => {
    const port = await freePort();
    await startRedis(suite, port);
    const client = new (load('ioredis').Redis)(port, '127.0.0.1');
    suite.after(() => client.disconnect());
    return redisStore((script, key, args) => client.eval(script, 1, key, ...args));
  },
  { hasClock: true },
);

testRealStore('postgresStore with PGlite', needs(part), async (suite) => {
  const { PGlite } = load('@electric-sql/pglite');
  const client = new PGlite();
  suite.after(() => client.close());
  for (const statement of storeTable()) await client.query(statement);
  return postgresStore(client);
});

testRealStore('dynamoDBStore with dynalite', needs(part), async (suite) => {
  const server = load('dynalite')({ createTableMs: 0 });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  suite.after(() => server.close());
  const { DynamoDB } = load('@aws-sdk/client-dynamodb');
  const client = new DynamoDB({
    endpoint: `http://127.0.0.1:${server.address().port}`,
    region: 'eu-west-1',
    credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
  });
  suite.after(() => client.destroy());
  const TableName = 'idempotency';
  const AttributeDefinitions = [{ AttributeName: 'id', AttributeType: 'S' }];
  const KeySchema = [{ AttributeName: 'id', KeyType: 'HASH' }];
  await client.createTable({ TableName, AttributeDefinitions, KeySchema, BillingMode: 'PAY_PER_REQUEST' });
  for (let state = ''; state !== 'ACTIVE';) state = (await client.describeTable({ TableName })).Table.TableStatus;
  return dynamoDBStore({ client, table: TableName });
});

const blobsPart = needs('@netlify/blobs');

async function openBlobs(suite: Pick<Suite, 'after'>, faults: BlobFault[] = []): Promise<IdempotencyStore> {
  const { getStore } = await importFromPart('@netlify/blobs', '@netlify/blobs/dist/main.js');
  const address = await startBlobs(suite, faults);
  const place = { siteID: 'site', token: 'token', edgeURL: address, uncachedEdgeURL: address };
  return netlifyBlobsStore(getStore({ name: 'idempotency', ...place }));
}

testRealStore('netlifyBlobsStore with the client of Netlify', blobsPart, openBlobs, { hasPoints: false });

describe('failures of Netlify Blobs', blobsPart, () => {
  const claim = { token: 'one', fingerprint: 'print', lease: 60_000, keep: 60_000, again: false };

  for (const status of [401, 403])
    test(`a claim that is answered with ${status} has failed, though the client reports a success`, async (t) => {
      const store = await openBlobs(t, [{ status, isWritten: false }]);

      await assert.rejects(store.claim('id', claim), /did not write/);
      assert.deepEqual(await store.claim('id', claim), { state: 'claimed' });
    });

  test('a claim succeeds if the client has repeated it and finds its earlier write', async (t) => {
    const store = await openBlobs(t, [{ status: 500, isWritten: true }]);

    assert.deepEqual(await store.claim('id', claim), { state: 'claimed' });
    assert.equal((await store.claim('id', { ...claim, token: 'two' })).state, 'running');
  });
});

describe('Cloudflare', needs('miniflare'), () => {
  const suite = suiteContext();
  let stores: ReturnType<typeof startWorker>;
  before(() => {
    stores = startWorker(suite);
  });
  describe('d1Store', () => testStore(async () => (await stores).d1));
  describe('durableObjectStore', () => testStore(async () => (await stores).objects));

  test('an anonymous client of a worker has the points of its address, which Cloudflare sets', async () => {
    const { send } = await stores;
    const statusFrom = async (address: string): Promise<number> => {
      const headers = { 'content-type': 'application/json', 'cf-connecting-ip': address, 'x-forwarded-for': crypto.randomUUID() };
      return (await send({ method: 'POST', headers, body: '{"query":"{ charges again: charges }"}' })).status;
    };

    assert.deepEqual([await statusFrom('192.0.2.1'), await statusFrom('192.0.2.1'), await statusFrom('192.0.2.2')], [200, 429, 200]);
  });

  test('a worker runs a mutation once', async () => {
    const { send } = await stores;
    const request = {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': '"key"', 'cf-connecting-ip': '192.0.2.9' },
      body: '{"query":"mutation { charge }"}',
    };

    const answers = [await send(request), await send(request)];

    assert.deepEqual(await Promise.all(answers.map(async (answer) => [answer.headers.get('idempotent-replayed'), await answer.text()])), [
      [null, '{"data":{"charge":1}}'],
      ['true', '{"data":{"charge":1}}'],
    ]);
  });
});

/** A worker in workerd with a D1 database, and the class of the Durable Objects. */
async function startWorker(suite: Suite): Promise<{ d1: BothStores; objects: BothStores; send: (request: object) => Promise<Response> }> {
  const folder = await createFolder();
  suite.after(() => folder.remove());
  await bundle('test/support/real/functions/idempotency-worker.ts', `${folder.path}/worker.mjs`, 'worker');
  const { Miniflare } = await importFromPart('miniflare', 'miniflare/dist/src/index.js');
  const miniflare = new Miniflare({
    cf: false,
    modules: [{ type: 'ESModule', path: 'worker.mjs', contents: await readFile(`${folder.path}/worker.mjs`, 'utf8') }],
    compatibilityDate: '2026-06-01',
    d1Databases: { DB: 'db' },
    durableObjects: { IDEMPOTENCY: 'IdempotencyRecord' },
  });
  suite.after(() => miniflare.dispose());
  const database = (await miniflare.getD1Database('DB')) as D1Client;
  for (const statement of storeTable()) await database.prepare(statement).bind().all();
  return {
    d1: d1Store(database),
    objects: durableObjectStore(await miniflare.getDurableObjectNamespace('IDEMPOTENCY')),
    send: (request) => miniflare.dispatchFetch('https://worker.example/', request) as Promise<Response>,
  };
}
