import { writeFile } from 'node:fs/promises';

import type { TestContext } from 'node:test';

import { bundle, createFolder } from './bundle.ts';
import type { Folder } from './bundle.ts';
import { partNamed, pathInPart } from './parts.ts';
import { startProgram } from '../program.ts';
import type { Program } from '../program.ts';

/** A runtime that serves the default export of a module over HTTP. */
export interface FetchRuntime {
  readonly name: string;
  /** The npm package of the runtime. */
  readonly part: string;
  readonly hasProcess: boolean;
  /** Serves the folder's `worker.mjs` on a free port of the loopback interface. */
  serve(folder: string): Promise<ServedModule>;
}

export interface ServedModule {
  readonly url: string;
  readonly program: Program;
}

export const workerd: FetchRuntime = {
  name: 'workerd (Cloudflare Workers), without nodejs_compat',
  part: 'workerd',
  hasProcess: false,
  serve: (folder) => serveWithWorkerd(folder, 'compatibilityDate = "2025-06-01"'),
};

/** The date is the latest one that this version of workerd accepts. Since 2025-09-15, workerd has a `process`, and some of its functions throw. */
export const workerdWithNode: FetchRuntime = {
  name: 'workerd (Cloudflare Workers), with nodejs_compat',
  part: 'workerd',
  hasProcess: true,
  serve: (folder) => serveWithWorkerd(folder, `compatibilityDate = "${newestDate()}", compatibilityFlags = ["nodejs_compat"]`),
};

async function serveWithWorkerd(folder: string, compatibility: string): Promise<ServedModule> {
  await writeFile(`${folder}/config.capnp`, workerdConfig(compatibility));
  const program = startProgram(pathInPart('workerd', 'workerd/bin/workerd'), ['serve', `${folder}/config.capnp`, '--control-fd=1']);
  const [, port] = await program.printed(/"socket":"http","port":(\d+)/);
  return { program, url: `http://127.0.0.1:${port}/graphql` };
}

/** 1.20261117.1 → 2026-11-17 */
function newestDate(): string {
  const [, year, month, day] = /\.(\d{4})(\d\d)(\d\d)\./.exec(partNamed('workerd').version) ?? [];
  return `${year}-${month}-${day}`;
}

export const deno: FetchRuntime = {
  name: 'Deno, without --allow-env',
  part: 'deno',
  hasProcess: true,
  serve: async (folder) => {
    const flags = ['--no-prompt', '--allow-net=127.0.0.1', '--host=127.0.0.1', '--port=0'];
    const program = startProgram(pathInPart('deno', 'deno/deno'), ['serve', ...flags, `${folder}/worker.mjs`], { cwd: folder });
    return { program, url: await addressIn(program) };
  },
};

export const bun: FetchRuntime = {
  name: 'Bun',
  part: 'bun',
  hasProcess: true,
  serve: async (folder) => {
    // Bun takes host and port from the export itself; without a host it would listen on every interface.
    const server = `import worker from './worker.mjs';\nexport default Object.assign(worker, { hostname: '127.0.0.1', port: 0 });`;
    await writeFile(`${folder}/server.mjs`, server);
    const program = startProgram(pathInPart('bun', 'bun/bin/bun.exe'), [`${folder}/server.mjs`]);
    return { program, url: await addressIn(program) };
  },
};

/** Serves what `fill` writes into a folder, which has a `worker.mjs`, or a bundle of an entry, until the test or its suite ends. */
export async function serveWorker(
  t: Pick<TestContext, 'after'>,
  runtime: FetchRuntime,
  fill: string | ((folder: Folder) => Promise<unknown>),
): Promise<ServedModule> {
  const folder = await createFolder();
  if (typeof fill === 'string') await bundle(`test/support/real/functions/${fill}`, `${folder.path}/worker.mjs`, 'worker');
  else await fill(folder);
  const served = await runtime.serve(folder.path);
  t.after(() => served.program.end().then(folder.remove));
  return served;
}

export const fetchRuntimes: readonly FetchRuntime[] = [workerd, workerdWithNode, deno, bun];

async function addressIn(program: Program): Promise<string> {
  const [, port] = await program.printed(/https?:\/\/[\w.]+:(\d+)/);
  return `http://127.0.0.1:${port}/graphql`;
}

const workerdConfig = (compatibility: string): string => `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .worker), (name = "network", network = (allow = ["private"]))],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
const worker :Workerd.Worker = (
  modules = [(name = "worker.mjs", esModule = embed "worker.mjs")],
  ${compatibility},
  globalOutbound = "network",
);
`;
