import { createServer } from 'node:http';
import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { DevError } from '../project/problem.ts';
import { spawn } from 'node:child_process';

/** Where to listen. */
export interface ListenSettings {
  readonly host: string;
  /** Undefined: 8888, or the next free one. 0: any. */
  readonly port: number | undefined;
}

/** A server that listens. */
export interface Listening {
  readonly url: string;
  /** Why it is another port than people expect. */
  readonly notice?: string;
  close(): Promise<void>;
}

/** A name that a browser can open: an address of all interfaces is none. */
function nameFor(host: string): string {
  if (host === '0.0.0.0' || host === '::' || host === '') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}

const defaultPort = 8888;
/** How many ports above the default one are tried. */
const neighbours = 20;

/** Throws a DevError when the port is taken. */
export async function listen(settings: ListenSettings, listener: RequestListener): Promise<Listening> {
  const server = createServer(listener);
  await listenSomewhere(server, settings);
  const { port } = server.address() as AddressInfo;
  const isNeighbour = settings.port === undefined && port !== defaultPort;
  return {
    url: `http://${nameFor(settings.host)}:${port}`,
    ...(isNeighbour && { notice: `The port ${defaultPort} is taken, maybe by another dev: this one listens on ${port}.` }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function listenSomewhere(server: Server, { host, port }: ListenSettings): Promise<void> {
  const last = port ?? defaultPort + neighbours;
  for (let candidate = port ?? defaultPort; ; candidate++) {
    const code = await listenOn(server, host, candidate);
    if (code === undefined) return;
    if (code !== 'EADDRINUSE') throw new DevError(`Cannot listen on ${host}, port ${candidate}: ${code}.`);
    if (candidate < last) continue;
    throw new DevError(
      port === undefined
        ? `The ports ${defaultPort} to ${last} are all taken. Name a free one with --port, or --port 0 for any.`
        : `The port ${port} is taken. Name another one with --port, or leave it out to get the next free one.`,
    );
  }
}

/** The code of what went wrong; undefined when it listens. */
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

/** Shows an address in the user's browser. Best effort: where there is none, `onFailure` hears of it. */
export function openBrowser(url: string, onFailure: () => void): void {
  const [command, ...argv] = openerOf(process.platform, url);
  const child = spawn(command, argv, { stdio: 'ignore', detached: true });
  child.once('error', onFailure);
  child.unref();
}

/** The system's own command for it. */
export function openerOf(platform: NodeJS.Platform, url: string): [command: string, ...argv: string[]] {
  if (platform === 'darwin') return ['open', url];
  // Not `start` of cmd.exe, for which "&" in an address would begin another command.
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler', url];
  return ['xdg-open', url];
}
