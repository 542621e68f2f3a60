import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo, Server } from 'node:net';
import { relative, resolve } from 'node:path';

import { browsableHost } from '../../../server/node/index.ts';
import { nodeEnvProblem } from '../../checks/for-cli.ts';
import { importEsbuild } from '../project/loader.ts';
import { readEnvFile } from '../read-options.ts';
import { resolveFunctionsFolder } from '../project/functions-folder.ts';
import { DevError } from '../project/problem.ts';
import { FunctionHost } from './function-host.ts';
import type { DevArguments } from '../arguments.ts';
import type { DevEvent, LocalFunction } from './messages.ts';

/** How to serve a functions folder. */
export interface DevSettings extends Omit<DevArguments, 'name' | 'query'> {
  /** The project's folder. */
  readonly directory: string;
  /** The environment of this process. */
  readonly environment: NodeJS.ProcessEnv;
  /** Called with each event, and once with each warning. */
  readonly report: (event: DevEvent) => void;
}

/** A functions folder being served. */
export interface DevServer {
  /** The server's URL without a path: "http://localhost:8888". */
  readonly url: string;
  readonly prefix: string;
  readonly folder: string;
  /** The functions that have been loaded last. */
  readonly functions: readonly LocalFunction[];
  close(): Promise<void>;
}

/** Serves every function of a folder and reloads it when its files change. Resolves once all have been compiled and loaded. */
export async function startDevServer(settings: DevSettings): Promise<DevServer> {
  const { prefix, directory, host } = settings;
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
  const server = createServer({ pauseOnConnect: true });
  // Listens first: the functions may need the URL, and a port in use is reported at once. Requests wait for the functions.
  await listen(server, settings);
  const url = `http://${browsableHost(host)}:${(server.address() as AddressInfo).port}`;
  const functions = new FunctionHost({
    ...settings,
    folder,
    report,
    envFile: resolve(directory, settings.envFile ?? '.env'),
    env: () => functionEnvironment(settings, url, warn),
  });
  server.on('connection', (connection) => void functions.answer(connection));
  warn(`Compiling ${relative(directory, folder)} …`);
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
      server.close();
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
  const fromFile = await readEnvFile(directory, envFile);
  const named = Object.entries(env).map(([name, value]) => [name, value.replaceAll('{url}', url)]);
  // Netlify sets URL to the address of the site.
  const all = { URL: url, ...fromFile, NODE_ENV: 'development', ...environment, ...Object.fromEntries(named) } as NodeJS.ProcessEnv;
  const wrong = nodeEnvProblem(all['NODE_ENV'] ?? '');
  if (wrong !== undefined) warn(`NODE_ENV is ${wrong}`);
  return all;
}

/** Throws a DevError if it cannot listen. */
async function listen(server: Server, { host, port }: DevSettings): Promise<void> {
  try {
    await once(server.listen({ host, port }), 'listening');
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE') throw new DevError(`Port ${port} is in use. Choose another with --port, or any free one with --port 0.`);
    throw new DevError(`Cannot listen on ${host}, port ${port}: ${code}.`, { cause: error });
  }
}
