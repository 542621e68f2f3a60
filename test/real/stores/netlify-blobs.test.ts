import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import type { TestContext } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';

import { NetlifyBlobsCache } from '../../../docs/examples/caching/netlify-blobs.ts';
import type { BlobStore } from '../../../docs/examples/caching/netlify-blobs.ts';
import { suiteContext } from '../../support/suite-context.ts';
import { needs, pathInPart } from '../../support/real/parts.ts';
import { startProgram } from '../../support/real/program.ts';
import type { Program } from '../../support/real/program.ts';
import { startCatalogue, testSharing } from './sharing.ts';
import type { SharedShop } from './sharing.ts';

const part = '@netlify/blobs';
const moduleOf = (file: string): string => pathToFileURL(pathInPart(part, `@netlify/blobs/dist/${file}`)).href;

/** Netlify's blob server, for one token. Returns its address. */
async function startBlobs(t: TestContext, token: string): Promise<string> {
  const { BlobsServer } = (await import(moduleOf('server.js'))) as {
    BlobsServer: new (options: object) => { start(): Promise<{ port: number }>; stop(): Promise<void> };
  };
  const directory = await mkdtemp(join(tmpdir(), 'blobs-'));
  const server = new BlobsServer({ directory, token, logger: () => {} });
  t.after(async () => {
    await server.stop();
    await rm(directory, { recursive: true });
  });
  return `http://127.0.0.1:${(await server.start()).port}`;
}

/**
 * The configuration that Netlify passes to a function: the uncached address of its blobs, and the address of the edge cache, which shows
 * changes late. No server listens at the latter, so reads from there fail.
 */
const contextFor = (blobs: string, token: string): string =>
  btoa(JSON.stringify({ edgeURL: 'http://127.0.0.1:9', uncachedEdgeURL: blobs, siteID: 'site', token }));

/** Starts a process of the shop with the configuration of a function on Netlify. */
async function startProcess(t: TestContext, blobs: string, catalogue: string): Promise<{ url: string; program: Program }> {
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, BLOBS_MODULE: moduleOf('main.js'), CATALOGUE: catalogue, NETLIFY_BLOBS_CONTEXT: contextFor(blobs, 'token') };
  const script = fileURLToPath(new URL('../../support/real/functions/blobs-shop.ts', import.meta.url));
  const program = startProgram(process.execPath, ['--no-warnings', script], { env });
  t.after(() => program.end());
  const [, url = ''] = await program.printed(/Ready at (\S+)/);
  return { url, program };
}

async function post(url: string, body: object): Promise<any> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  return response.json();
}

describe('Netlify Blobs between two processes', needs(part), () => {
  const suite = suiteContext();
  let shop: SharedShop;
  before(async () => {
    const [catalogue, blobs] = await Promise.all([startCatalogue(suite), startBlobs(suite, 'token')]);
    const [one, other] = await Promise.all([1, 2].map(() => startProcess(suite, blobs, `${catalogue.url}/`)));
    shop = { processes: [(body) => post(one!.url, body), (body) => post(other!.url, body)], catalogue };
  });

  testSharing(async () => shop);
});

describe('a cache over Netlify Blobs', needs(part), () => {
  test('accepts keys of a kilobyte, and expires values to the millisecond', async (t) => {
    const cache = await cacheOver(t, await startBlobs(t, 'token'), 'token');
    const key = 'ü'.repeat(1_000);
    await cache.set(key, 'value: 世界\n', { ttl: 3_600.5 });
    await cache.set('short', 'gone', { ttl: 1e-6 });

    const values = [await cache.get(key), await cache.get('short'), await cache.get('missing')];
    await cache.delete(key);

    assert.deepEqual([...values, await cache.get(key)], ['value: 世界\n', undefined, undefined, undefined]);
  });

  test('uses the token of the current call, not that of the first', async (t) => {
    const blobs = await startBlobs(t, 'second');
    const cache = await cacheOver(t, blobs, 'first');
    await assert.rejects(cache.get('key'), /401|403/);

    environment.netlifyBlobsContext = contextFor(blobs, 'second');
    await cache.set('key', 'value');

    assert.equal(await cache.get('key'), 'value');
  });
});

/** The global variable from which @netlify/blobs reads the platform's configuration. */
const environment = globalThis as { netlifyBlobsContext?: string };

async function cacheOver(t: TestContext, blobs: string, token: string): Promise<NetlifyBlobsCache> {
  const { getStore } = (await import(moduleOf('main.js'))) as { getStore(options: object): BlobStore };
  environment.netlifyBlobsContext = contextFor(blobs, token);
  t.after(() => delete environment.netlifyBlobsContext);
  return new NetlifyBlobsCache(() => getStore({ name: 'graphql-cache', consistency: 'strong' }));
}
