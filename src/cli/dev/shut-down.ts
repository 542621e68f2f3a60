import { importEsbuild } from '../project/bundle.ts';
import type { DevServer } from './dev.ts';

/** Milliseconds that the end may take. */
const maxWait = 2000;

/**
 * Ends the dev server, then the process. esbuild's own process goes first: left to notice that nobody talks to it any
 * more, one in two did not (0.28 on Linux, while watching), and stayed behind with its hand on the terminal.
 */
export async function shutDown(server: DevServer | undefined, exitCode: number): Promise<void> {
  // Whoever read what is written here may be gone, too.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  setTimeout(() => process.exit(exitCode), maxWait);
  await server?.close().catch(() => {});
  const { stop } = await importEsbuild();
  await stop();
  process.exit(exitCode);
}
