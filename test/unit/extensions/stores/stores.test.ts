import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';

import {
  IdempotencyRecord,
  d1Store,
  durableObjectStore,
  dynamoDBStore,
  netlifyBlobsStore,
  storeTable,
} from '../../../../src/entries/idempotency.ts';
import type { BlobStore, D1Client, DynamoDBClient, IdempotencyStore } from '../../../../src/entries/idempotency.ts';
import type { BudgetStore } from '../../../../src/entries/budget.ts';
import { testStore } from '../../../support/stores/test-store.ts';

// test/real/stores/stores.test.ts tests the real stores, and redis.test.ts of the extensions a real Redis.

/** Implements D1's interface with node:sqlite. */
function sqliteD1(): D1Client {
  const database = new DatabaseSync(':memory:');
  for (const statement of storeTable()) database.exec(statement);
  return {
    prepare: (text) => ({
      bind: (...values) => ({
        all: async () => {
          const named = Object.fromEntries(values.map((value, at) => [`?${at + 1}`, value]));
          return { results: database.prepare(text).all(named) };
        },
      }),
    }),
  };
}

/** A Durable Object in this process, with its entries and alarms. */
function localObject(): { object: IdempotencyRecord; entries: Map<string, unknown>; alarms: number[]; last: Promise<unknown> } {
  const entries = new Map<string, unknown>();
  const alarms: number[] = [];
  const storage = {
    get: async (key: string) => structuredClone(entries.get(key)),
    put: async (key: string, value: unknown) => void entries.set(key, structuredClone(value)),
    deleteAll: async () => entries.clear(),
    setAlarm: async (time: number) => void alarms.push(time),
  };
  return { object: new IdempotencyRecord({ storage }), entries, alarms, last: Promise.resolve() };
}

/** Simulates Durable Objects in this process. Each handles one request after the other. */
function localObjects(): IdempotencyStore & BudgetStore {
  const objects = new Map<string, ReturnType<typeof localObject>>();
  return durableObjectStore({
    idFromName: (name: string) => name,
    get: (id: string) => ({
      fetch: async (url, init) => {
        const place = objects.get(id) ?? localObject();
        objects.set(id, place);
        const answering = place.last.then(async () => place.object.fetch(new Request(url, init as RequestInit)));
        place.last = answering;
        return answering;
      },
    }),
  });
}

type Fault = 'none' | 'refused' | 'wrote and tried again';

/** Simulates Netlify Blobs in this process, with conditional writes. Each fault applies to one write. */
function localBlobs(faults: Fault[] = []): BlobStore {
  const blobs = new Map<string, { text: string; etag: string }>();
  let version = 0;
  const write = (key: string, value: unknown, { onlyIfNew, onlyIfMatch }: { onlyIfNew?: boolean; onlyIfMatch?: string }) => {
    const known = blobs.get(key);
    if (onlyIfNew === true ? known !== undefined : known?.etag !== onlyIfMatch) return { modified: false };
    const etag = `"${++version}"`;
    blobs.set(key, { text: JSON.stringify(value), etag });
    return { modified: true, etag };
  };
  return {
    getWithMetadata: async (key) => {
      const known = blobs.get(key);
      return known === undefined ? null : { data: JSON.parse(known.text) as unknown, etag: known.etag };
    },
    setJSON: async (key, value, condition) => {
      const fault = faults.shift() ?? 'none';
      // The client treats every status except 412 as a success.
      if (fault === 'refused') return { modified: true, etag: '' };
      if (fault === 'wrote and tried again') write(key, value, condition);
      return write(key, value, condition);
    },
  };
}

/** Simulates a table of DynamoDB in this process. `isContended`: another process writes before each write. */
function localDynamoDB({ isContended = false } = {}): DynamoDBClient {
  const items = new Map<string, any>();
  return {
    getItem: async ({ Key }) => ({ Item: items.get(Key.id.S) }),
    putItem: async ({ Item, ConditionExpression, ExpressionAttributeValues }) => {
      const isNew = ConditionExpression.startsWith('attribute_not_exists');
      const isUnchanged = items.get(Item.id.S)?.value.S === (isNew ? undefined : ExpressionAttributeValues[':version'].S);
      if (isContended || !isUnchanged) throw Object.assign(new Error('refused'), { name: 'ConditionalCheckFailedException' });
      items.set(Item.id.S, Item);
    },
  };
}

describe('d1Store over node:sqlite', () => testStore(() => d1Store(sqliteD1()), { hasClock: true }));
describe('durableObjectStore', () => testStore(localObjects));
describe('dynamoDBStore', () => {
  testStore(() => dynamoDBStore({ client: localDynamoDB(), table: 't' }));

  test('grants nothing if others write the same item before each of its writes', async () => {
    const store = dynamoDBStore({ client: localDynamoDB({ isContended: true }), table: 't' });

    assert.deepEqual(await store.take('id', { cost: 1, capacity: 10 }), { isTaken: false, untilFull: 10 });
    await assert.rejects(store.claim('id', { token: 'a', fingerprint: 'f', lease: 1, keep: 1, again: false }), /Too many attempts/);
  });
});
describe('netlifyBlobsStore', () => testStore(() => netlifyBlobsStore(localBlobs()), { hasPoints: false }));

test('the alarm of a Durable Object keeps a bucket until it is full, and then removes all', async (t) => {
  t.mock.timers.enable({ apis: ['Date'] });
  const { object: bucket, entries, alarms } = localObject();
  const take = async (): Promise<unknown> => {
    const body = JSON.stringify({ method: 'take', argument: { cost: 1_000_000, capacity: 5_000_000 } });
    return (await bucket.fetch(new Request('https://store.invalid/', { method: 'POST', body }))).json();
  };

  await take();
  await take();
  t.mock.timers.tick(1_000);
  await bucket.alarm();
  const kept = [...entries.values()];
  t.mock.timers.tick(1_000);
  await bucket.alarm();

  assert.deepEqual([alarms, kept, entries.size], [[1_000, 2_000], [{ value: '{"fullAt":2000000,"expires":2000}', expires: 2_000 }], 0]);
});

const claim = { token: 'one', fingerprint: 'print', lease: 60_000, keep: 60_000, again: false };

describe('netlifyBlobsStore', () => {
  test('treats a write without a version as a failure, because the client reports 403, 429 and 500 as modified', async () => {
    const store = netlifyBlobsStore(localBlobs(['refused', 'none', 'refused']));

    await assert.rejects(store.claim('id', claim), /did not write/);
    assert.deepEqual(await store.claim('id', claim), { state: 'claimed' });
    await assert.rejects(store.finish('id', { token: 'one', answer: 'a', keep: 1000 }), /did not write/);
  });

  test('recognizes its earlier write when the client retries', async () => {
    const store = netlifyBlobsStore(localBlobs(['wrote and tried again', 'none', 'wrote and tried again']));

    assert.deepEqual(await store.claim('id', claim), { state: 'claimed' });
    assert.equal(await store.finish('id', { token: 'one', answer: 'a', keep: 60_000 }), true);
    assert.deepEqual(await store.claim('id', { ...claim, token: 'two' }), { state: 'finished', fingerprint: 'print', answer: 'a' });
  });
});
