import type { TestContext } from 'node:test';
import { readFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';

import { bundle, createFolder } from '../../support/real/bundle.ts';
import { pathInPart } from '../../support/real/parts.ts';

/** A worker that miniflare runs. */
export interface Worker {
  fetch(url: string, init?: object): Promise<Response>;
}

interface Miniflare {
  getWorker(name: string): Promise<Worker>;
  dispose(): Promise<void>;
}

/** Two workers of one script that share a KV namespace, in workerd, with the vendor's simulation of KV. */
export async function startWorkers(t: TestContext, entry: string, bindings: object): Promise<[Worker, Worker]> {
  const folder = await createFolder();
  t.after(() => folder.remove());
  await bundle(entry, `${folder.path}/worker.mjs`, 'worker');
  const contents = await readFile(`${folder.path}/worker.mjs`, 'utf8');
  const path = pathToFileURL(pathInPart('miniflare', 'miniflare/dist/src/index.js')).href;
  const { Miniflare } = (await import(path)) as { Miniflare: new (options: object) => Miniflare };
  const worker = {
    modules: [{ type: 'ESModule', path: 'worker.mjs', contents }],
    compatibilityDate: '2026-06-01',
    kvNamespaces: { CACHE: 'cache' },
    bindings,
  };
  const names = ['one', 'other'];
  const miniflare = new Miniflare({ cf: false, workers: names.map((name) => ({ name, ...worker })) });
  t.after(() => miniflare.dispose());
  return [await miniflare.getWorker('one'), await miniflare.getWorker('other')];
}
