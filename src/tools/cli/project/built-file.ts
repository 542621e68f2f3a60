import { spawn } from 'node:child_process';
import type { SpawnOptions } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

import { packageRoot } from '../requirements.ts';

/** A built file of the command line, also when Node runs the sources: it loads faster. */
export function builtFile(name: string): string {
  return fileURLToPath(new URL(`dist/esm/cli/${name}.js`, packageRoot));
}

/** The end of a process: its last message, if it has sent one, and what it has written to stderr. */
interface Ended<TMessage> {
  readonly message: TMessage | undefined;
  readonly code: number | null;
  readonly stderr: string;
}

/** Runs a built file in a process of its own, with flags of Node. */
export async function runBuiltFile<TMessage>(
  name: string,
  args: readonly string[],
  { flags, ...options }: SpawnOptions & { readonly flags: readonly string[] },
): Promise<Ended<TMessage>> {
  const child = spawn(process.execPath, [...flags, builtFile(name), ...args], { ...options, stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
  let message: TMessage | undefined;
  child.on('message', (sent) => (message = sent as TMessage));
  const closed = new Promise<number | null>((resolve, reject) => child.on('error', reject).on('close', resolve));
  const [code, stderr] = await Promise.all([closed, text(child.stderr!)]);
  return { message, code, stderr: stderr.trim() };
}
