import { watch } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';

import { nodeEnvProblem } from '../../checks/option-check.ts';
import { importEsbuild } from '../project/loader.ts';
import { readEnvFile } from '../read-options.ts';
import { answerRequest } from './serve-function.ts';
import { resolveFunctionsFolder } from '../project/functions-folder.ts';
import { problemText } from '../project/print-problems.ts';
import { listen } from './listen.ts';
import { FunctionHost } from './function-host.ts';
import type { LocalFunction } from './function-host.ts';
import type { DevEvent, PlatformSettings } from './messages.ts';

/** How to serve a functions folder. */
export interface DevSettings {
  /** The project's folder. */
  readonly directory: string;
  /** The functions folder, relative to the project. Undefined: functions, then netlify/functions. */
  readonly functions: string | undefined;
  readonly prefix: string;
  /** Undefined: 8888, or the next free port. 0: any free port. */
  readonly port: number | undefined;
  readonly host: string;
  /** The environment of this process. */
  readonly environment: NodeJS.ProcessEnv;
  /** Additional variables for the functions; `{url}` is replaced with the server's URL. */
  readonly env: Readonly<Record<string, string>>;
  readonly report: (event: DevEvent) => void;
  /** How functions are called. Default: as on Netlify. */
  readonly platform?: PlatformSettings;
  /** A file of variables. Default: .env, if it exists. */
  readonly envFile?: string | undefined;
}

/** A functions folder being served. */
export interface DevServer {
  /** The server's URL without a path: "http://localhost:8888". */
  readonly url: string;
  readonly prefix: string;
  readonly folder: string;
  /** The functions by name. They are added and removed with their files. */
  readonly functions: ReadonlyMap<string, LocalFunction>;
  close(): Promise<void>;
}

/** Serves every function of a folder and reloads it when its files change. Resolves once all have been compiled and loaded. */
export async function startDevServer(settings: DevSettings): Promise<DevServer> {
  const { report, prefix, directory, envFile, platform = { platform: 'netlify' } } = settings;
  let variables = await readEnvFile(directory, envFile);
  await importEsbuild();
  const { folder, problems, notices } = await resolveFunctionsFolder(directory, settings.functions);
  const env = async (): Promise<NodeJS.ProcessEnv> => {
    // While a file cannot be read, its last variables count.
    variables = await readEnvFile(directory, envFile).catch((error: Error) => {
      report({ kind: 'warning', message: error.message });
      return variables;
    });
    return functionEnvironment(settings, server.url, variables);
  };
  const host = new FunctionHost({ folder, directory, platform, env, report });
  const { functions } = host;
  // Listens first: the functions may need the URL, and a port in use is reported at once. Requests wait for the functions.
  const server = await listen(
    settings,
    (request, response) => void answerRequest({ host: settings.host, prefix, report, functions: host }, request, response),
  );
  for (const problem of problems) report({ kind: 'warning', message: problemText(problem, directory) });
  for (const message of [server.notice ?? [], notices].flat()) report({ kind: 'warning', message });
  const wrongEnvironment = nodeEnvProblem((await env())['NODE_ENV'] ?? '');
  if (wrongEnvironment !== undefined) report({ kind: 'warning', message: `NODE_ENV is ${wrongEnvironment}` });
  const loaded = host.reload();
  report({ kind: 'compiling', folder });
  await loaded;
  const stopWatching = watchFiles(host, folder, resolve(directory, envFile ?? '.env'));
  const close = async (): Promise<void> => {
    stopWatching();
    await server.close();
    await host.close();
  };
  return { url: server.url, prefix, folder, functions, close };
}

/** A NODE_ENV set in the shell takes precedence, even an empty one: it lets users try production behavior. */
function functionEnvironment({ environment, env }: DevSettings, url: string, fromFile: NodeJS.Dict<string>): NodeJS.ProcessEnv {
  const named = Object.entries(env).map(([name, value]) => [name, value.replaceAll('{url}', url)]);
  // Netlify sets URL to the address of the site.
  return { NODE_ENV: 'development', URL: url, ...fromFile, ...environment, ...Object.fromEntries(named) };
}

/** Milliseconds to wait after a notification, because editors truncate a file before they write it. */
const settling = 30;

/** Milliseconds between checks of files for which the system does not notify, as on network drives. */
const interval = 1000;

/** Reloads the functions when a file of theirs changes, or that of the variables. Returns a function that stops watching. */
function watchFiles(host: FunctionHost, folder: string, envFile: string): () => void {
  let isOver = false;
  let settled: NodeJS.Timeout | undefined;
  const reload = async (): Promise<void> => {
    settled = undefined;
    await host.reload();
    watchNew();
  };
  const onChange = (): void => void (isOver || (settled ??= setTimeout(() => void reload(), settling)));
  const watched = new Map([[folder, notifyOfChanges(folder, onChange, true)]]);
  const watchNew = (): void => {
    const files = [envFile, ...Array.from(host.functions.values(), (local) => local.files).flat()];
    for (const outside of files.map((file) => dirname(file)))
      if (!isOver && !watched.has(outside) && relative(folder, outside).startsWith('..'))
        watched.set(outside, notifyOfChanges(outside, onChange));
  };
  watchNew();
  const timer = setInterval(() => {
    if (host.isOutdated()) onChange();
  }, interval);
  return () => {
    isOver = true;
    clearInterval(timer);
    clearTimeout(settled);
    for (const stop of watched.values()) stop();
  };
}

/** Best effort: polling detects changes of known functions without it. */
function notifyOfChanges(folder: string, onChange: () => void, recursive = false): () => void {
  try {
    const watcher = watch(folder, { recursive }, onChange);
    watcher.on('error', () => watcher.close());
    return () => watcher.close();
  } catch {
    return () => {};
  }
}

/** Milliseconds that shutting down may take. */
const maxWait = 2000;

/**
 * Stops the dev server, then the process. esbuild's child process is stopped first: when it had to notice the closed pipe
 * itself, it survived in more than half of the runs (0.28 on Linux, while watching) and kept the terminal open.
 */
export async function shutDown(server: DevServer | undefined, exitCode: number): Promise<void> {
  // The reader of these streams may be gone, too.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  setTimeout(() => process.exit(exitCode), maxWait);
  await server?.close().catch(() => {});
  const { stop } = await importEsbuild();
  await stop();
  process.exit(exitCode);
}
