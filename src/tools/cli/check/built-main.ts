// Imports a copy of the deployed files in an empty folder, and reports the problems of these files.

import { registerHooks } from 'node:module';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';

import { describe, isRecord, messageOf } from '../../../shared/index.ts';
import { withHints } from '../project/load-hints.ts';
import { resolveWorkerModules, workerEnvironment } from '../../testing/index.ts';
import { isNetlify } from '../project/no-function.ts';
import { observeHandlers } from '../project/observe-handlers.ts';
import type { BuiltOutcome } from './check-built.ts';

const [, , file = '', port = '', project = '', isWorker = ''] = process.argv;
const noHandler =
  'It exports neither default nor handler, and no server answers at /health of the port in the variable PORT. Export the handler, or listen on that port.';
const workersCallFetch = 'Workers take a function for a class. Write: const { fetch } = createHandler({ … }); export default { fetch };';
const ignore = (): void => {};
const silent = { debug: ignore, info: ignore, warn: ignore, error: ignore };
const created: (() => Promise<readonly string[]>)[] = [];

// Lambda has the AWS SDK, and Netlify adds the packages that functions import.
const directory = fileURLToPath(new URL('.', project));
const isProvided = isNetlify(directory) ? /^[@\w](?!\w*:)/ : /^@aws-sdk\//;
registerHooks({
  resolve: (specifier, context, next) =>
    next(
      specifier,
      isProvided.test(specifier) && !context.parentURL?.includes('/node_modules/') ? { ...context, parentURL: project } : context,
    ),
});
const env = workerEnvironment(directory);
resolveWorkerModules(directory);
observeHandlers((create, source) => {
  created.push(async () => {
    const options = await (typeof source === 'function' ? source({ env }) : source);
    // Creates the server twice: production does not check the whole schema, and tests allow some options that production refuses.
    for (const nodeEnv of ['test', 'production']) create({ ...options, nodeEnv, logger: silent });
    return Object.keys(options.schema?.getTypeMap() ?? {});
  });
  return create(source);
});
const outcome = await check().catch((error: unknown): BuiltOutcome => ({ problem: problemOf(error), isServer: true, types: [] }));
// Timers and connections of the function would keep the process alive.
process.send?.(outcome, () => process.exit());

async function check(): Promise<BuiltOutcome> {
  process.env['PORT'] = port;
  const load = (): Promise<Readonly<Record<string, unknown>>> => import(pathToFileURL(file).href);
  const loaded = await withHints({ output: file }, load);
  const { default: main } = loaded;
  const called: unknown = typeof main === 'function' ? main.prototype : main;
  if (isWorker !== '' && typeof (called as { readonly fetch?: unknown } | undefined)?.fetch !== 'function')
    throw new TypeError(`Expected the default export to be an object with fetch, got ${describe(main)}: ${workersCallFetch}`);
  const types: string[] = [];
  for (const create of created) types.push(...(await create()));
  const isServed = exportsHandler(loaded) || (await isHealthy());
  return { problem: isServed || created.length === 0 ? undefined : noHandler, isServer: isServed || created.length > 0, types };
}

/** True if a platform finds a function to call, also in the exports of a CommonJS module. */
function exportsHandler(loaded: Readonly<Record<string, unknown>>): boolean {
  const main = isRecord(loaded['default']) ? loaded['default'] : {};
  const anyName = created.length > 0 && !isNetlify(directory);
  const calls = anyName ? /^/ : /^(?:default|handler|lambda|fetch)$/;
  return [loaded, main].some((exports) => Object.keys(exports).some((name) => calls.test(name) && typeof exports[name] === 'function'));
}

/** Waits until the server answers: 5 s, or 0.5 s if nothing listens. */
async function isHealthy(): Promise<boolean> {
  for (let tries = 0; tries < (process.getActiveResourcesInfo().includes('TCPServerWrap') ? 50 : 5); tries++) {
    for (const path of ['/health', '/graphql/health']) {
      const response = await fetch(`http://localhost:${port}${path}`).catch(() => undefined);
      if (response?.ok === true) return true;
    }
    await setTimeout(100);
  }
  return false;
}

/** Names the file that the code reads, or the package that it imports, if this is not deployed. */
function problemOf(error: unknown): string {
  const message = messageOf(error);
  const { code, path } = (isRecord(error) || error instanceof Error ? error : {}) as NodeJS.ErrnoException;
  const [, imported] = /Cannot find (?:package|module) '([^']+)'/.exec(message) ?? [];
  if (imported !== undefined)
    return `${message.split('\n', 1)[0]}\nBundle it, or deploy it beside the code: packages with native code belong into a node_modules folder there.`;
  if (code !== 'ENOENT' || path === undefined) return message;
  return `It reads ${path}, which is not deployed. Import the file, so that the bundler includes it (docs/codegen.md), or deploy it beside the code.`;
}
