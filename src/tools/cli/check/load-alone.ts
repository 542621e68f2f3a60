import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative, resolve as toAbsolute } from 'node:path';
import { text } from 'node:stream/consumers';

import { bundleOnce, importEsbuild } from '../project/bundle.ts';
import type { BundleSettings } from '../project/bundle.ts';
import { builtFile } from '../project/built-file.ts';
import { packageAdvice } from '../project/bundle-advice.ts';
import type { FunctionSource } from '../project/functions-folder.ts';
import { placeOfStack } from '../project/user-code.ts';
import type { LoadOutcome, LoneBundle } from './lone-loader.ts';

/** What happens to a bundle in a deployment. */
export type LoneOutcome =
  | { readonly kind: 'loaded'; /** The names of the schema's types, if they were wanted. */ readonly types: readonly string[] }
  | {
      readonly kind: 'failed';
      readonly message: string;
      /** "file:line:column" in the user's code, if it is known. */ readonly place: string | undefined;
    }
  /** It reads a file that is not in the bundle. */
  | { readonly kind: 'missing file'; /** Relative to the project. */ readonly missing: string; readonly place: string | undefined };

/**
 * Bundles a function as the pages say, and loads it as a platform does: in an empty folder, in a process that runs nothing else, with the
 * flags of AWS's images.
 */
export async function loadAlone(
  source: FunctionSource,
  settings: BundleSettings,
  { directory, readsTypes }: { readonly directory: string } & Pick<LoneBundle, 'readsTypes'>,
): Promise<LoneOutcome> {
  const bundle = await bundleOnce(await importEsbuild(), source, { ...settings, minify: true });
  if (bundle.kind === 'problem') return { kind: 'failed', message: bundle.message, place: undefined };
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'graphql-functions-')));
  try {
    const inside = relative(directory, source.file);
    const path = `${inside.startsWith('..') ? basename(inside) : inside}.mjs`;
    await mkdir(dirname(join(folder, path)), { recursive: true });
    const packages = bundle.unbundled.map(({ name }) => name);
    const outcome = await run(bundle.code, { file: source.file, path, packages, readsTypes }, folder);
    if (outcome.kind === 'loaded') return outcome;
    const { message, stack, missing } = outcome;
    const place = placeOfStack(stack);
    if (missing !== undefined) return { kind: 'missing file', missing: relative(folder, toAbsolute(folder, missing)), place };
    return { kind: 'failed', message: [message, packageAdvice(stack) ?? []].flat().join('\n'), place };
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function run(code: string, bundle: LoneBundle, folder: string): Promise<LoadOutcome> {
  const flags = ['--no-experimental-require-module', '--no-experimental-detect-module'];
  const child = spawn(process.execPath, [...flags, builtFile('lone-loader'), JSON.stringify(bundle)], {
    cwd: folder,
    stdio: ['pipe', 'ignore', 'pipe', 'ipc'],
  });
  let outcome: LoadOutcome | undefined;
  child.on('message', (message) => (outcome = message as LoadOutcome));
  const closed = new Promise<number | null>((resolve, reject) => child.on('error', reject).on('close', resolve));
  // A process that ends before it has read everything has a separate outcome.
  child.stdin?.on('error', () => {}).end(code);
  const [exitCode, stderr] = await Promise.all([closed, text(child.stderr!)]);
  return outcome ?? { kind: 'failed', message: `It ends the process with ${exitCode}. ${stderr.trim()}`.trim(), stack: '' };
}
