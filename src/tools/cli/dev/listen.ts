import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { browsableHost } from '../../../server/node/index.ts';
import { DevError } from '../project/problem.ts';

export interface ListenSettings {
  readonly host: string;
  /** Undefined: 8888, or the next free port. 0: any free port. */
  readonly port: number | undefined;
}

export interface Listening {
  readonly url: string;
  /** Set when the default port was in use. */
  readonly notice?: string;
  close(): Promise<void>;
}

const defaultPort = 8888;
/** How many ports above the default one are tried. */
const neighbors = 20;

/** Throws a DevError when the port is taken. */
export async function listen(settings: ListenSettings, listener: RequestListener): Promise<Listening> {
  const server = createServer(listener);
  await listenSomewhere(server, settings);
  const { port } = server.address() as AddressInfo;
  const isOtherPort = settings.port === undefined && port !== defaultPort;
  return {
    url: `http://${browsableHost(settings.host)}:${port}`,
    ...(isOtherPort && { notice: `Port ${defaultPort} is in use; listening on ${port}.` }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function listenSomewhere(server: Server, { host, port }: ListenSettings): Promise<void> {
  const last = port ?? defaultPort + neighbors;
  for (let candidate = port ?? defaultPort; ; candidate++) {
    const code = await listenOn(server, host, candidate);
    if (code === undefined) return;
    if (code !== 'EADDRINUSE') throw new DevError(`Cannot listen on ${host}, port ${candidate}: ${code}.`);
    if (candidate < last) continue;
    throw new DevError(
      port === undefined
        ? `Ports ${defaultPort} to ${last} are all in use. Choose one with --port, or use --port 0 for any free port.`
        : `Port ${port} is in use. Choose another with --port, or omit it to use the next free one.`,
    );
  }
}

/** Resolves to the error code, or undefined on success. */
function listenOn(server: Server, host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const fail = (error: NodeJS.ErrnoException): void => resolve(error.code ?? error.message);
    server.once('error', fail);
    server.listen({ host, port }, () => {
      server.off('error', fail);
      resolve(undefined);
    });
  });
}

/** Opens a URL in the user's browser. Best effort: calls `onFailure` when that is not possible. */
export function openBrowser(url: string, onFailure: () => void): void {
  const [command, ...argv] = openerOf(process.platform, url);
  const child = spawn(command, argv, { stdio: 'ignore', detached: true });
  child.once('error', onFailure);
  child.unref();
}

/** The command that opens URLs on this system. */
export function openerOf(platform: NodeJS.Platform, url: string): [command: string, ...argv: string[]] {
  if (platform === 'darwin') return ['open', url];
  // Does not use `start` of cmd.exe, where "&" in a URL would begin another command.
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler', url];
  return ['xdg-open', url];
}
