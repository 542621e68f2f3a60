import { deepEqual, equal, match } from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';

import type { KeyValueCache, KeyValueCacheSetOptions } from '../../../src/entries/v3/core.ts';
import { listening, serve, silent } from '../../support/v3-server.ts';

const query = '{ hello }';

function hashed(text: string): object {
  return { persistedQuery: { version: 1, sha256Hash: createHash('sha256').update(text).digest('hex') } };
}

/** A store that records what is set. */
function recordingCache(): KeyValueCache & { readonly sets: [key: string, value: string, options: KeyValueCacheSetOptions | undefined][] } {
  const entries = new Map<string, string>();
  const sets: [string, string, KeyValueCacheSetOptions | undefined][] = [];
  return {
    sets,
    get: async (key) => entries.get(key),
    async set(key, value, options) {
      sets.push([key, value, options]);
      entries.set(key, value);
    },
    delete: async (key) => entries.delete(key),
  };
}

test('a document sent with its hash is later found by the hash alone', async () => {
  const send = serve();
  const extensions = hashed(query);

  const unknown = await send({ body: { extensions } });
  const registered = await send({ body: { query, extensions } });
  const found = await send({ body: { extensions } });

  equal(unknown.body.errors[0].extensions.code, 'PERSISTED_QUERY_NOT_FOUND');
  deepEqual([registered.body, found.body], [{ data: { hello: 'world' } }, { data: { hello: 'world' } }]);
});

test('the configured store gets the document with its prefix and lifetime', async () => {
  const cache = recordingCache();
  const extensions: any = hashed(query);

  await serve({ persistedQueries: { cache, ttl: 300 } })({ body: { query, extensions } });

  deepEqual(cache.sets, [[`apq:${extensions.persistedQuery.sha256Hash}`, query, { ttl: 300 }]]);
});

test('plugins see whether a document was found, and whether it is being registered', async () => {
  const seen: unknown[] = [];
  const plugin = listening({
    willSendResponse: async ({ metrics }) => void seen.push([metrics.persistedQueryHit, metrics.persistedQueryRegister]),
  });
  const send = serve({ plugins: [plugin] });
  const extensions = hashed(query);

  for (const body of [{ query }, { query, extensions }, { extensions }]) await send({ body });

  deepEqual(seen, [
    [false, false],
    [false, true],
    [true, false],
  ]);
});

for (const [what, text] of [
  ['does not parse', '{ hello'],
  ['does not fit the schema', '{ nothing }'],
] as const) {
  test(`a document that ${what} is not registered`, async () => {
    const cache = recordingCache();

    const answer = await serve({ persistedQueries: { cache } })({ body: { query: text, extensions: hashed(text) } });

    equal(answer.status, 400);
    deepEqual(cache.sets, []);
  });
}

test('a document sent with the hash of another is refused and not registered', async () => {
  const cache = recordingCache();

  const answer = await serve({ persistedQueries: { cache } })({ body: { query, extensions: hashed('{ boom }') } });

  match(answer.body.errors[0].message, /provided sha does not match query/);
  deepEqual(cache.sets, []);
});

test('the function waits for a registration that takes longer than the operation', async () => {
  const cache = recordingCache();
  const slow: KeyValueCache = {
    ...cache,
    async set(...args) {
      await new Promise((resolve) => setImmediate(resolve));
      await cache.set(...args);
    },
  };

  await serve({ persistedQueries: { cache: slow } })({ body: { query, extensions: hashed(query) } });

  equal(cache.sets.length, 1);
});

test('a store that rejects the document is reported, and the operation runs', async () => {
  const warnings: unknown[] = [];
  const cache = recordingCache();
  cache.set = () => Promise.reject(new Error('The store is full'));
  const logger = { ...silent, warn: (...args: unknown[]) => void warnings.push(args.map(String).join(' ')) };

  const answer = await serve({ persistedQueries: { cache }, logger })({ body: { query, extensions: hashed(query) } });

  deepEqual(answer.body, { data: { hello: 'world' } });
  match(String(warnings), /The store is full/);
});

test('without persisted queries a hash is refused by name', async () => {
  const answer = await serve({ persistedQueries: false })({ body: { extensions: hashed(query) } });

  deepEqual([answer.status, answer.body.errors[0].extensions.code], [200, 'PERSISTED_QUERY_NOT_SUPPORTED']);
});
