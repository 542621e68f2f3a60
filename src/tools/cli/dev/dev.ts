import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';

import { browsableHost } from '../../../server/node/index.ts';
import { nodeEnvProblem } from '../../checks/for-cli.ts';
import { importEsbuild } from '../project/loader.ts';
import { readEnvFile } from '../read-options.ts';
import { resolveFunctionsFolder } from '../project/functions-folder.ts';
import { DevError } from '../project/problem.ts';
import { FunctionHost } from './function-host.ts';
import type { DevEvent, LocalFunction, PlatformSettings } from './messages.ts';

/** How to serve a functions folder. */
export interface DevSettings {
  /** The project's folder. */
  readonly directory: string;
  /** The functions folder, relative to the project. Undefined: functions, then netlify/functions. */
  readonly functions: string | undefined;
  readonly prefix: string;
  /** Undefined: 8888, or any free port. 0: any free port. */
  readonly port: number | undefined;
  readonly host: string;
  /** The environment of this process. */
  readonly environment: NodeJS.ProcessEnv;
  /** Additional variables for the functions; `{url}` is replaced with the server's URL. */
  readonly env: Readonly<Record<string, string>>;
  /** Called with each event, and once with each warning. */
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
  const { prefix, directory, host, platform = { platform: 'netlify' } } = settings;
  const warnings = new Set<string>();
  const report = (event: DevEvent): void => {
    if (event.kind === 'warning' && warnings.has(event.message)) return;
    if (event.kind === 'warning') warnings.add(event.message);
    settings.report(event);
  };
  const warn = (message: string): void => report({ kind: 'warning', message });
  await readEnvFile(directory, settings.envFile);
  await importEsbuild();
  const folder = await resolveFunctionsFolder(directory, settings.functions);
  const server = createServer();
  // Listens first: the functions may need the URL, and a port in use is reported at once. Requests wait for the functions.
  const notice = await listen(server, settings);
  const url = `http://${browsableHost(host)}:${(server.address() as AddressInfo).port}`;
  for (const message of notice) warn(message);
  const functions = new FunctionHost({
    folder,
    directory,
    host,
    prefix,
    platform,
    report,
    envFile: resolve(directory, settings.envFile ?? '.env'),
    env: () => functionEnvironment(settings, url, warn),
  });
  server.on('request', (request, response) => void functions.answer(request, response));
  report({ kind: 'compiling', folder });
  await functions.reload();
  functions.watch();
  return {
    url,
    prefix,
    folder,
    get functions() {
      return functions.functions;
    },
    async close() {
      server.close().closeAllConnections();
      await functions.close();
    },
  };
}

/** A NODE_ENV set in the shell takes precedence, even an empty one: it lets users try production behavior. One in a file has no effect. */
async function functionEnvironment(
  { directory, envFile, environment, env }: DevSettings,
  url: string,
  warn: (message: string) => void,
): Promise<NodeJS.ProcessEnv> {
  const fromFile = await readEnvFile(directory, envFile).catch((error: Error): NodeJS.Dict<string> => {
    warn(error.message);
    return {};
  });
  const named = Object.entries(env).map(([name, value]) => [name, value.replaceAll('{url}', url)]);
  // Netlify sets URL to the address of the site.
  const all = { URL: url, ...fromFile, NODE_ENV: 'development', ...environment, ...Object.fromEntries(named) } as NodeJS.ProcessEnv;
  const wrong = nodeEnvProblem(all['NODE_ENV'] ?? '');
  if (wrong !== undefined) warn(`NODE_ENV is ${wrong}`);
  return all;
}

const defaultPort = 8888;

/** Returns a notice if the default port is in use, and throws a DevError if the named one is. */
async function listen(server: Server, { host, port }: Pick<DevSettings, 'host' | 'port'>): Promise<string[]> {
  try {
    await once(server.listen({ host, port: port ?? defaultPort }), 'listening');
    return [];
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code !== 'EADDRINUSE') throw new DevError(`Cannot listen on ${host}, port ${port ?? defaultPort}: ${code}.`, { cause: error });
    if (port !== undefined) throw new DevError(`Port ${port} is in use. Choose another with --port, or omit it to use any free one.`);
  }
  await listen(server, { host, port: 0 });
  return [`Port ${defaultPort} is in use; listening on ${(server.address() as AddressInfo).port}.`];
}
