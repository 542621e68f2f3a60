import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';

/** The names of Wrangler's settings, in the order in which it looks for them. */
const settingsFiles = ['wrangler.json', 'wrangler.jsonc', 'wrangler.toml'];

/** Wrangler's settings, as text, without its comments. Undefined for a project that has none. */
export function readWranglerSettings(directory: string): string | undefined {
  return readFirst(directory, settingsFiles)?.replaceAll(/^\s*(?:\/\/|#).*$|^\s*\/\*[^]*?\*\//gm, '');
}

function readFirst(directory: string, names: readonly string[]): string | undefined {
  for (const name of names) {
    try {
      return readFileSync(join(directory, name), 'utf8');
    } catch {
      // The project may have another of these files.
    }
  }
  return undefined;
}

/**
 * The environment of a worker: the variables of the process, those of Wrangler's settings and of `.dev.vars`, and for each binding an object that every store
 * accepts. It fails when it is used, because only Workers have the binding. Without Wrangler's settings: `process.env`.
 */
export function workerEnvironment(directory: string): Readonly<Record<string, any>> {
  const settings = readWranglerSettings(directory);
  const { env } = process;
  if (settings === undefined) return env;
  const [variables = ''] = /^\s*\[vars\][^[]*|"vars"\s*:\s*\{[^{}]*/m.exec(settings) ?? [];
  const named = variables.matchAll(/"?(\w+)"?\s*[:=]\s*(?:("(?:[^"\\]|\\.)*"|\d+(?:\.\d+)?\b|true|false)|'([^']*)')/g);
  // `[[durable_objects.bindings]]`, `[[send_email]]` and `[[ratelimits]]` name their bindings `name`.
  const lists = settings.matchAll(/(?:\bbindings|\bsend_email|\bratelimits)["\]\s]*[:=]?\s*(?:\[[^\]]*|[^[]*)/g);
  const bindings = [
    ...settings.matchAll(/\bbinding["\s]*[:=]\s*["'](\w+)/g),
    ...Array.from(lists, ([list]) => [...list.matchAll(/\bname["\s]*[:=]\s*["'](\w+)/g)]).flat(),
  ];
  return {
    ...env,
    ...Object.fromEntries(Array.from(named, ([, name, value, literal]) => [name, literal ?? (JSON.parse(value!) as unknown)])),
    // An import of node:util as an ES module would load node:net.
    ...process.getBuiltinModule('node:util').parseEnv(readFirst(directory, ['.dev.vars']) ?? ''),
    ...Object.fromEntries(bindings.map(([, name]) => [name, standInFor(name!)])),
  };
}

function standInFor(binding: string): object {
  const fail = (): never => {
    throw new Error(`The binding ${binding} exists only on Workers, and this is Node.js. Serve the worker with wrangler dev.`);
  };
  return new Proxy({}, { get: (_, key) => (typeof key === 'symbol' || key === 'then' ? undefined : fail) });
}

/** On the global object, because the source of a module can read nothing else. */
const mark = Symbol.for('graphql-functions.worker');
/** The projects whose modules are resolved, the current one last. */
let project: string | undefined;

/** Lets code of a worker that imports `cloudflare:*` run in this process. `directory`: the project, whose bindings its `env` has. */
export function resolveWorkerModules(directory: string): void {
  const isFirst = project === undefined;
  project = directory;
  Object.assign(globalThis, { [mark]: exportsFor });
  if (!isFirst) return;
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier.startsWith('cloudflare:')
        ? { url: `cloudflare:${encodeURIComponent(project!)}`, format: 'module', shortCircuit: true }
        : next(specifier, context),
    load: (url, context, next) =>
      url.startsWith('cloudflare:') ? { ...sourceFor(url), format: 'module', shortCircuit: true } : next(url, context),
  });
}

/** Returns a module with the exports of all modules `cloudflare:*`: a name of another module does no harm. */
function sourceFor(url: string): { readonly source: string } {
  const directory = decodeURIComponent(url.slice('cloudflare:'.length));
  const names = Object.keys(exportsFor(directory)).join(', ');
  return { source: `export const { ${names} } = globalThis[Symbol.for('graphql-functions.worker')](${JSON.stringify(directory)});` };
}

/** The members of `cloudflare:workers`, `cloudflare:sockets`, `cloudflare:email` and `cloudflare:workflows` (developers.cloudflare.com/workers). */
function exportsFor(directory: string): Readonly<Record<string, unknown>> {
  class Entrypoint {
    protected readonly ctx: unknown;
    protected readonly env: unknown;

    constructor(ctx: unknown, env: unknown) {
      this.ctx = ctx;
      this.env = env;
    }
  }
  return {
    env: workerEnvironment(directory),
    exports: {},
    DurableObject: Entrypoint,
    WorkerEntrypoint: Entrypoint,
    WorkflowEntrypoint: Entrypoint,
    RpcTarget: Entrypoint,
    RpcStub: Entrypoint,
    EmailMessage: Entrypoint,
    NonRetryableError: class extends Error {},
    connect: standInFor('cloudflare:sockets'),
    tracing: standInFor('tracing'),
    waitUntil: (): void => {},
    withEnv: (_env: unknown, run: () => unknown): unknown => run(),
  };
}
