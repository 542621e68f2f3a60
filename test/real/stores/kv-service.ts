import { writeFile } from 'node:fs/promises';
import type { TestContext } from 'node:test';

import { startOrigin } from '../../support/datasources/origin.ts';
import type { Call, Reply } from '../../support/datasources/origin.ts';
import { bundle, createFolder } from '../../support/real/bundle.ts';
import { pathInPart } from '../../support/real/parts.ts';
import { startProgram } from '../../support/real/program.ts';
import type { Program } from '../../support/real/program.ts';

/** The behavior of a KV namespace. "refuses writes": it answers each with 429, as it does for more than one write per second to a key. */
export type KVBehaviour = 'works' | 'hangs up' | 'fails' | 'hangs' | 'refuses writes' | 'sends garbage';

/** The service behind a KV binding of workerd, in this process: a namespace with configurable behavior. */
export interface KVService {
  behaviour: KVBehaviour;
  readonly url: string;
}

export async function startKVService(t: TestContext): Promise<KVService> {
  const entries = new Map<string, string>();
  const replies: Record<KVBehaviour, (call: Call) => Reply | Promise<Reply>> = {
    works: (call) => serve(entries, call),
    'hangs up': () => 'hang up',
    fails: () => ({ status: 500, body: 'internal error' }),
    hangs: () => new Promise(() => {}),
    'refuses writes': (call) => (call.method === 'GET' ? serve(entries, call) : { status: 429, body: 'Too Many Requests' }),
    'sends garbage': () => ({ body: '\u0000{"until":1e99,"tags":null}' }),
  };
  const service: KVService = { behaviour: 'works', url: '' };
  const { url } = await startOrigin(t, (call) => replies[service.behaviour](call));
  return Object.assign(service, { url });
}

function serve(entries: Map<string, string>, { method, url, body }: Call): Reply {
  const key = url.split('?')[0]!;
  if (method === 'PUT') entries.set(key, body);
  if (method === 'DELETE') entries.delete(key);
  const value = method === 'GET' ? entries.get(key) : '';
  return value === undefined ? { status: 404 } : { body: value };
}

/** A worker in workerd whose binding CACHE is served by that service. */
export async function startWorkerOver(t: TestContext, kv: KVService, catalogue: string): Promise<{ url: string; program: Program }> {
  const folder = await createFolder();
  t.after(() => folder.remove());
  await bundle('test/support/real/functions/kv-shop.ts', `${folder.path}/worker.mjs`, 'worker');
  await writeFile(`${folder.path}/config.capnp`, configOf(new URL(kv.url).host, catalogue));
  const program = startProgram(pathInPart('workerd', 'workerd/bin/workerd'), ['serve', `${folder.path}/config.capnp`, '--control-fd=1']);
  t.after(() => program.end());
  const [, port] = await program.printed(/"socket":"http","port":(\d+)/);
  return { url: `http://127.0.0.1:${port}/graphql`, program };
}

const configOf = (kvHost: string, catalogue: string): string => `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .worker),
    (name = "network", network = (allow = ["private"])),
    (name = "kv", external = (address = "${kvHost}", http = ())),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
const worker :Workerd.Worker = (
  modules = [(name = "worker.mjs", esModule = embed "worker.mjs")],
  compatibilityDate = "2026-06-01",
  globalOutbound = "network",
  bindings = [(name = "CACHE", kvNamespace = "kv"), (name = "CATALOGUE", text = "${catalogue}")],
);
`;
