import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';

import { builtFile } from '../project/built-file.ts';
import { packageAdvice } from '../project/bundle-advice.ts';
import type { LoadedFunction } from '../project/load-function.ts';
import { placeOfStack } from '../project/user-code.ts';
import type { LoadOutcome } from './lone-loader.ts';

/** Why a bundle does not load in a separate process. */
export interface LoadFailure {
  readonly message: string;
  /** "file:line:column" in the user's code, if it is known. */
  readonly place: string | undefined;
}

type AloneBundle = Pick<LoadedFunction, 'code' | 'unbundled'>;

/**
 * Loads a bundle as a platform does, in a process that runs nothing else, with the flags of AWS's images. Resolves to undefined when
 * that succeeds.
 */
export async function loadAlone(file: string, { code, unbundled }: AloneBundle): Promise<LoadFailure | undefined> {
  const flags = ['--no-experimental-require-module', '--no-experimental-detect-module'];
  const child = spawn(process.execPath, [...flags, builtFile('lone-loader'), file, ...unbundled.map(({ name }) => name)], {
    stdio: ['pipe', 'ignore', 'pipe', 'ipc'],
  });
  let outcome: LoadOutcome | undefined;
  child.on('message', (message) => (outcome = message as LoadOutcome));
  const closed = new Promise<number | null>((resolve, reject) => child.on('error', reject).on('close', resolve));
  // A process that ends before it has read everything has a separate outcome.
  child.stdin?.on('error', () => {}).end(code);
  const [exitCode, stderr] = await Promise.all([closed, text(child.stderr!)]);
  if (outcome === undefined) return { message: `It ends the process with ${exitCode}. ${stderr.trim()}`.trim(), place: undefined };
  if (outcome.kind === 'loaded') return undefined;
  const { message, stack } = outcome;
  return { message: [message, packageAdvice(stack) ?? []].flat().join('\n'), place: placeOfStack(stack) };
}
