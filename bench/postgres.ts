import { execFile, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A Postgres server with an empty database, for one benchmark. */
export interface Postgres {
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * Starts the installed Postgres in a temporary folder, on a free port of the loopback interface. As root, it runs as the user `postgres`,
 * because Postgres refuses root. Throws if no Postgres is installed.
 */
export async function startPostgres(): Promise<Postgres> {
  const folder = await mkdtemp(join(tmpdir(), 'graphql-functions-postgres-'));
  await chmod(folder, 0o777);
  const data = join(folder, 'data');
  const port = await freePort();
  await run(...asUser(program('initdb'), ['--pgdata', data, '--username', 'postgres', '--auth', 'trust', '--encoding', 'UTF8']));
  const server = spawn(...asUser(program('postgres'), ['-D', data, '-p', String(port), '-c', 'listen_addresses=127.0.0.1', '-k', folder]), {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  await isReady(server);
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    stop: async () => {
      await run(...asUser(program('pg_ctl'), ['stop', '--pgdata', data, '--mode', 'fast']));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Debian installs the programs outside of PATH, in a folder for each major version. */
function program(name: string): string {
  const versions = '/usr/lib/postgresql';
  const installed = existsSync(versions) ? readdirSync(versions).toSorted((one, other) => Number(other) - Number(one)) : [];
  return installed.map((version) => join(versions, version, 'bin', name)).find(existsSync) ?? name;
}

function asUser(command: string, args: readonly string[]): [string, string[]] {
  return process.getuid?.() === 0 ? ['runuser', ['-u', 'postgres', '--', command, ...args]] : [command, [...args]];
}

function isReady(server: ChildProcess): Promise<void> {
  let log = '';
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.once('exit', () => reject(new Error(`Postgres did not start:\n${log}`)));
    server.stderr!.on('data', (chunk) => {
      log += String(chunk);
      if (log.includes('ready to accept connections')) resolve();
    });
  });
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}
