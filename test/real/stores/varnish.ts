import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { freePort } from '../../support/free-port.ts';
import { startProgram } from '../../support/real/program.ts';

/** A real Varnish in front of a local port. */
export interface Varnish {
  readonly url: string;
  readonly purge: (tags: readonly string[]) => Promise<void>;
  readonly end: () => Promise<void>;
}

/** Starts it with test/real/varnish.vcl, and resolves when it answers. */
export async function startVarnish(originPort: number): Promise<Varnish> {
  const folder = await mkdtemp(join(tmpdir(), 'varnish-'));
  const vcl = await readFile(join(import.meta.dirname, 'varnish.vcl'), 'utf8');
  await writeFile(join(folder, 'default.vcl'), vcl.replace('ORIGIN_PORT', String(originPort)));
  const port = await freePort();
  const flags = [
    '-F',
    '-n',
    join(folder, 'work'),
    '-f',
    join(folder, 'default.vcl'),
    '-a',
    `127.0.0.1:${port}`,
    '-s',
    'malloc,64m',
    '-j',
    'none',
    '-p',
    // Longer than Node's client keeps an idle connection; otherwise it might send on a connection that has just been closed.
    'timeout_idle=65',
  ];
  const program = startProgram('varnishd', flags);
  const url = `http://127.0.0.1:${port}/graphql`;
  await answering(url, program.exited);
  return {
    url,
    purge: async (tags) => {
      const response = await fetch(url, { method: 'PURGE', headers: { 'xkey-purge': tags.join(' ') } });
      await response.arrayBuffer();
      if (!response.ok) throw new Error(`Varnish answered a purge with ${response.status}.`);
    },
    end: async () => {
      program.signal('SIGTERM');
      await program.exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Sends requests until Varnish answers, for at most 20 seconds. */
async function answering(url: string, ended: Promise<unknown>): Promise<void> {
  let hasEnded = false;
  void ended.then(() => (hasEnded = true));
  for (let attempt = 0; attempt < 200; attempt++) {
    if (hasEnded) throw new Error('varnishd ended before it answered.');
    const response = await fetch(url, { method: 'PURGE', headers: { 'xkey-purge': 'none' } }).catch(() => undefined);
    await response?.arrayBuffer();
    if (response?.ok === true) return;
    await new Promise((resolve) => {
      setTimeout(resolve, 100);
    });
  }
  throw new Error('varnishd did not answer within 20 seconds.');
}
