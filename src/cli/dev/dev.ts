import { watch } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { nodeEnvProblem } from '../../development/option-check.ts';
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
  /** Where the project is. */
  readonly directory: string;
  /** The folder, relative to the project. Undefined: functions, else netlify/functions. */
  readonly functions: string | undefined;
  readonly prefix: string;
  /** Undefined: 8888, or the next free one. 0: any. */
  readonly port: number | undefined;
  readonly host: string;
  /** The environment of this process. */
  readonly environment: NodeJS.ProcessEnv;
  /** Variables that the functions see in addition; `{url}` is the server's address. */
  readonly env: Readonly<Record<string, string>>;
  readonly report: (event: DevEvent) => void;
  /** How functions are called. Default: as on Netlify. */
  readonly platform?: PlatformSettings;
  /** A new instance for every request. Default: false. */
  readonly cold?: boolean;
  /** Instances sleep between requests. Default: false. */
  readonly freeze?: boolean;
  /** A file of variables. Default: .env, where there is one. */
  readonly envFile?: string | undefined;
}

/** A functions folder being served. */
export interface DevServer {
  /** Without a path: "http://localhost:8888". */
  readonly url: string;
  readonly prefix: string;
  readonly folder: string;
  /** By name. What is added to the folder comes in, what is removed goes. */
  readonly functions: ReadonlyMap<string, LocalFunction>;
  close(): Promise<void>;
}

/** Serves every function of a folder, and serves it anew when its files change. Resolves when each has been bundled and loaded. */
export async function startDevServer(settings: DevSettings): Promise<DevServer> {
  const { report, platform = { platform: 'netlify' }, cold = false, freeze = false } = settings;
  const stage = platform.stage === undefined ? '' : `/${platform.stage}`;
  const prefix = `${stage}${settings.prefix}`;
  let fromFile = await readEnvFile(settings.directory, settings.envFile);
  const esbuild = await importEsbuild();
  const { folder, problems, notices } = await resolveFunctionsFolder(settings.directory, settings.functions);
  const functions = new Map<string, LocalFunction>();
  // Listens first: the functions may want to know the address, and a taken port should be heard of at once.
  const server = await listen(settings, (request, response) => void answerRequest({ ...settings, prefix, functions }, request, response));
  const local: LocalSettings = {
    esbuild,
    directory: settings.directory,
    report,
    platform,
    cold,
    freeze,
    env: () => functionEnvironment(settings, `${server.url}${stage}`, fromFile),
    bundled: () => [...functions.values()].map(({ bundled }) => bundled),
  };
  for (const problem of problems) report({ kind: 'warning', message: problemText(problem, settings.directory) });
  for (const message of [server.notice ?? [], notices].flat()) report({ kind: 'warning', message });
  const { NODE_ENV = '' } = local.env();
  const wrongEnvironment = nodeEnvProblem(NODE_ENV);
  if (wrongEnvironment !== undefined) report({ kind: 'warning', message: `NODE_ENV is ${wrongEnvironment}` });
  report({ kind: 'bundling', folder });
  const stopWatching = await watchFolder(folder, functions, local);
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

/** The shell's own value of NODE_ENV counts, an empty one too: it is set in order to see what production does. */
function functionEnvironment({ environment, env }: DevSettings, url: string, fromFile: NodeJS.Dict<string>): NodeJS.ProcessEnv {
  const named = Object.entries(env).map(([name, value]) => [name, value.replaceAll('{url}', url)]);
  // URL is what Netlify tells every function: the address of its site.
  return { NODE_ENV: 'development', URL: url, ...fromFile, ...environment, ...Object.fromEntries(named) };
}

/** Milliseconds after a notification: editors empty a file before they write it. */
const settling = 30;

/** Starts what is there, then follows the folder. The result ends that. */
async function watchFolder(folder: string, functions: Map<string, LocalFunction>, settings: LocalSettings): Promise<() => Promise<void>> {
  const complaints = new Set<string>();
  const scan = async (): Promise<void> => {
    const found = await findFunctions(folder);
    complainOnce(found.misnamed, complaints, settings);
    await Promise.all([
      removeMissing(functions, found.functions, settings),
      ...found.functions.map((source) => meet(functions, source, settings)),
    ]);
    for (const local of functions.values()) local.settle();
  };
  await scan();

  // One scan after another; changes that come while one waits are seen by that one.
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

/** Calls back with the variables of the file whenever they have changed. A file that cannot be read is a warning, and changes nothing. */
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
      report({ kind: 'warning', message: `${basename(file)} has changed: the functions start again with it.` });
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

/** Best effort: where the system has no notifications, esbuild's polling still sees changes in known functions. */
function notifyOfChanges(folder: string, onChange: (name: string | null) => void, recursive = false): () => void {
  try {
    const watcher = watch(folder, { recursive }, (_event, name) => onChange(name));
    watcher.on('error', () => watcher.close());
    return () => watcher.close();
  } catch {
    return () => {};
  }
}

async function meet(functions: Map<string, LocalFunction>, source: FunctionSource, settings: LocalSettings): Promise<void> {
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

function complainOnce(misnamed: readonly string[], complaints: Set<string>, { report }: LocalSettings): void {
  for (const file of misnamed) {
    if (complaints.has(file)) continue;
    complaints.add(file);
    report({ kind: 'warning', message: `${file} is no function: names of functions have letters, digits, "-" and "_" only.` });
  }
}

async function close(server: Listening, functions: ReadonlyMap<string, LocalFunction>, stopWatching: () => Promise<void>): Promise<void> {
  await stopWatching();
  await server.close();
  await Promise.all([...functions.values()].map((local) => local.close()));
}

/** Milliseconds that the end may take. */
const maxWait = 2000;

/**
 * Ends the dev server, then the process. esbuild's own process goes first: left to notice that its pipe is closed,
 * more, one in two did not (0.28 on Linux, while watching), and stayed behind with its hand on the terminal.
 */
export async function shutDown(server: DevServer | undefined, exitCode: number): Promise<void> {
  // The reader of these streams may have ended, too.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  setTimeout(() => process.exit(exitCode), maxWait);
  await server?.close().catch(() => {});
  const { stop } = await importEsbuild();
  await stop();
  process.exit(exitCode);
}
