/**
 * The example of this repository (functions/) in functions of 128, 256 and 512 MB: bundled, V8's limits as AWS Lambda sets them,
 * 100,000 operations, each tenth with a new document. Its REST API is another process.
 *
 *     npm run build && node bench/small-memory.ts [operations]
 *
 * Measures resident memory after 100 operations and at the end, its maximum, and the live heap at the end. Takes two minutes.
 */
import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';

import { bundle, createFolder } from '../test/real/bundle.ts';

export interface SmallMemoryResult {
  readonly operations: number;
  readonly functions: readonly (MemoryUse & { readonly megabytes: number })[];
}

interface MemoryUse {
  readonly firstMiB: number;
  readonly rssMiB: number;
  readonly peakMiB: number;
  /** At the end, without the pages of Node's executable. */
  readonly ownMiB: number;
  readonly heapMiB: number;
  /** CPU time of an operation. */
  readonly microseconds: number;
}

const sizes = [128, 256, 512];

export async function measureSmallMemory(operations: number): Promise<SmallMemoryResult> {
  const folder = await createFolder();
  const functions = [];
  let origin: Started | undefined;
  try {
    for (const name of ['catalogue', 'operations'])
      await bundle(`bench/functions/memory-${name}.ts`, `${folder.path}/${name}.mjs`, 'lambda-esm');
    origin = await start(`${folder.path}/catalogue.mjs`);
    for (const megabytes of sizes) {
      // The limits that AWS Lambda's Node runtime sets for V8.
      const flags = [
        '--expose-gc',
        `--max-old-space-size=${Math.floor(megabytes * 0.9)}`,
        `--max-semi-space-size=${Math.floor(megabytes * 0.05)}`,
      ];
      const env = {
        CATALOGUE_URL: `http://127.0.0.1:${String(origin.said)}/`,
        OPERATIONS: String(operations),
        AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(megabytes),
      };
      const { child, said } = await start(`${folder.path}/operations.mjs`, flags, env);
      functions.push({ megabytes, ...(said as MemoryUse) });
      child.kill();
    }
  } finally {
    origin?.child.kill();
    await folder.remove();
  }
  return { operations, functions };
}

interface Started {
  readonly child: ChildProcess;
  readonly said: unknown;
}

/** A process, when it has said its first word. */
async function start(file: string, execArgv: string[] = [], env: NodeJS.ProcessEnv = {}): Promise<Started> {
  const child = fork(file, [], { execArgv, env: { ...process.env, NODE_ENV: 'production', ...env } });
  process.once('exit', () => void child.kill());
  const said = await new Promise((resolve, reject) => {
    child.once('message', resolve).once('exit', (code) => reject(new Error(`${file} ended with ${code}.`)));
  });
  return { child, said };
}

if (import.meta.main) console.log(JSON.stringify(await measureSmallMemory(Number(process.argv[2] ?? 100_000))));
