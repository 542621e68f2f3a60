import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';

import { freePort } from '../../support/free-port.ts';
import { startProgram } from '../../support/program.ts';
import type { Program } from '../../support/program.ts';

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
  const settings = ['-F', '-j', 'none', '-s', 'malloc,64m'];
  // Longer than Node's client keeps an idle connection; otherwise it might send on a connection that has just been closed.
  settings.push('-p', 'timeout_idle=65');
  const flags = [...settings, '-n', join(folder, 'work'), '-f', join(folder, 'default.vcl'), '-a', `127.0.0.1:${port}`];
  const program = startProgram('varnishd', flags);
  const url = `http://127.0.0.1:${port}/graphql`;
  const purge = async (tags: readonly string[]): Promise<void> => {
    const response = await fetch(url, { method: 'PURGE', headers: { 'xkey-purge': tags.join(' ') } });
    await response.arrayBuffer();
    if (!response.ok) throw new Error(`Varnish answered a purge with ${response.status}.`);
  };
  await answering(purge, program);
  return {
    url,
    purge,
    end: async () => {
      program.signal('SIGTERM');
      await program.exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Sends requests until Varnish answers, for at most 20 seconds. */
async function answering(purge: Varnish['purge'], { output }: Program): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt++) {
    const answers = await purge(['none']).then(
      () => true,
      () => false,
    );
    if (answers) return;
    await setTimeout(100);
  }
  throw new Error(`varnishd did not answer within 20 seconds:\n${output()}`);
}
