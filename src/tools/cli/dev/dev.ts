import { watch } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { nodeEnvProblem } from '../../checks/option-check.ts';
import { importEsbuild } from '../project/bundle.ts';
import type { PlatformSettings } from './thread-messages.ts';
import { readEnvFile } from '../read-options.ts';
import { answerRequest } from './serve-function.ts';
import { findFunctions, resolveFunctionsFolder } from '../project/functions-folder.ts';
import type { FunctionSource } from '../project/functions-folder.ts';
import { problemText } from '../project/print-problems.ts';
import { listen } from './listen.ts';
import type { Listening } from './listen.ts';
import { LocalFunction } from './local-function.ts';
import type { DevEvent, LocalSettings } from './local-function.ts';

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
  /** More packages that are not bundled. */
  readonly external?: readonly string[];
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

/** Serves every function of a folder and reloads it when its files change. Resolves once all have been bundled and loaded. */
export async function startDevServer(settings: DevSettings): Promise<DevServer> {
  const { report, prefix, platform = { platform: 'netlify' } } = settings;
  let fromFile = await readEnvFile(settings.directory, settings.envFile);
  const esbuild = await importEsbuild();
  const { folder, problems, notices } = await resolveFunctionsFolder(settings.directory, settings.functions);
  const functions = new Map<string, LocalFunction>();
  // Listens first: the functions may need the URL, and a port in use is reported at once. Requests wait for the functions' names.
  const found = Promise.withResolvers<void>();
  const serve = { ...settings, functions, found: found.promise };
  const server = await listen(settings, (request, response) => void answerRequest(serve, request, response));
  const local: LocalSettings = {
    esbuild,
    directory: settings.directory,
    report,
    platform,
    external: settings.external ?? [],
    env: () => functionEnvironment(settings, server.url, fromFile),
    bundled: () => [...functions.values()].map(({ bundled }) => bundled),
  };
  for (const problem of problems) report({ kind: 'warning', message: problemText(problem, settings.directory) });
  for (const message of [server.notice ?? [], notices].flat()) report({ kind: 'warning', message });
  const { NODE_ENV = '' } = local.env();
  const wrongEnvironment = nodeEnvProblem(NODE_ENV);
  if (wrongEnvironment !== undefined) report({ kind: 'warning', message: `NODE_ENV is ${wrongEnvironment}` });
  report({ kind: 'bundling', folder });
  const stopWatching = await watchFolder(folder, functions, { ...local, onFound: found.resolve });
  const stopWatchingEnv = watchEnvFile(settings, (variables) => {
    fromFile = variables;
    for (const one of functions.values()) one.restart();
  });
  const stop = async (): Promise<void> => {
    await stopWatchingEnv();
    await stopWatching();
  };
  return { url: server.url, prefix, folder, functions, close: () => close(server, functions, stop) };
}

/** A NODE_ENV set in the shell takes precedence, even an empty one: it lets users try production behavior. */
function functionEnvironment({ environment, env }: DevSettings, url: string, fromFile: NodeJS.Dict<string>): NodeJS.ProcessEnv {
  const named = Object.entries(env).map(([name, value]) => [name, value.replaceAll('{url}', url)]);
  // Netlify sets URL to the address of the site.
  return { NODE_ENV: 'development', URL: url, ...fromFile, ...environment, ...Object.fromEntries(named) };
}

/** Milliseconds to wait after a notification, because editors truncate a file before they write it. */
const settling = 30;

interface FolderSettings extends LocalSettings {
  /** Called when the functions of the folder are known. They may not have been bundled yet. */
  readonly onFound: () => void;
}

/** Starts all functions, then watches the folder. Returns a function that stops watching. */
async function watchFolder(folder: string, functions: Map<string, LocalFunction>, settings: FolderSettings): Promise<() => Promise<void>> {
  const reported = new Set<string>();
  const scan = async (): Promise<void> => {
    const found = await findFunctions(folder);
    warnOnce(found.misnamed, reported, settings);
    const starting = [
      removeMissing(functions, found.functions, settings),
      ...found.functions.map((source) => startOrRefresh(functions, source, settings)),
    ];
    settings.onFound();
    await Promise.all(starting);
    for (const local of functions.values()) local.settle();
  };
  await scan();

  // Scans run one after another; a waiting scan also covers the changes that arrive before it starts.
  let isWaiting = false;
  let scanning: Promise<void> = Promise.resolve();
  const scanAfter = async (earlier: Promise<void>): Promise<void> => {
    await Promise.all([earlier, sleep(settling)]);
    isWaiting = false;
    await scan().catch((error: Error) => settings.report({ kind: 'warning', message: error.message }));
  };
  const rescan = (): void => {
    if (!isWaiting) scanning = scanAfter(scanning);
    isWaiting = true;
  };
  const stop = notifyOfChanges(folder, rescan, true);
  return async () => {
    stop();
    await scanning;
  };
}

/** Calls back with the variables of the file whenever they change. An unreadable file is reported as a warning and changes nothing. */
function watchEnvFile(settings: DevSettings, onChange: (variables: NodeJS.Dict<string>) => void): () => Promise<void> {
  const { directory, envFile, report } = settings;
  const file = resolve(directory, envFile ?? '.env');
  const read = (): Promise<NodeJS.Dict<string>> => readEnvFile(directory, envFile);
  let known: Promise<NodeJS.Dict<string>> = read();
  const look = async (before: Promise<NodeJS.Dict<string>>): Promise<NodeJS.Dict<string>> => {
    const last = await before;
    await sleep(settling);
    try {
      const variables = await read();
      if (JSON.stringify(variables) === JSON.stringify(last)) return last;
      report({ kind: 'warning', message: `${basename(file)} changed; restarting the functions.` });
      onChange(variables);
      return variables;
    } catch (error) {
      report({ kind: 'warning', message: (error as Error).message });
      return last;
    }
  };
  const stop = notifyOfChanges(dirname(file), (name) => {
    if (name === basename(file)) known = look(known);
  });
  return async () => {
    stop();
    await known;
  };
}

/** Best effort: without file notifications, esbuild's polling still detects changes of known functions. */
function notifyOfChanges(folder: string, onChange: (name: string | null) => void, recursive = false): () => void {
  try {
    const watcher = watch(folder, { recursive }, (_event, name) => onChange(name));
    watcher.on('error', () => watcher.close());
    return () => watcher.close();
  } catch {
    return () => {};
  }
}

async function startOrRefresh(functions: Map<string, LocalFunction>, source: FunctionSource, settings: LocalSettings): Promise<void> {
  const known = functions.get(source.name);
  if (known?.file === source.file) return known.refresh();
  await known?.close();
  const added = new LocalFunction(source, settings);
  functions.set(source.name, added);
  await added.start();
}

async function removeMissing(
  functions: Map<string, LocalFunction>,
  found: readonly FunctionSource[],
  settings: LocalSettings,
): Promise<void> {
  const names = new Set(found.map(({ name }) => name));
  for (const [name, missing] of functions) {
    if (names.has(name)) continue;
    functions.delete(name);
    await missing.close();
    settings.report({ kind: 'removed', name });
  }
}

function warnOnce(misnamed: readonly string[], reported: Set<string>, { report }: LocalSettings): void {
  for (const file of misnamed) {
    if (reported.has(file)) continue;
    reported.add(file);
    report({ kind: 'warning', message: `${file} is not served: function names can only contain letters, digits, "-" and "_".` });
  }
}

async function close(server: Listening, functions: ReadonlyMap<string, LocalFunction>, stopWatching: () => Promise<void>): Promise<void> {
  await stopWatching();
  await server.close();
  await Promise.all([...functions.values()].map((local) => local.close()));
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
