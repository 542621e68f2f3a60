/**
 * Builds dist/: ES modules in dist/esm, CommonJS in dist/cjs, each with its own types, and the playground.
 *
 * Builds beside dist/ and swaps at the end: no stale file stays, and who reads dist/ meanwhile finds all of it.
 */
import { spawn } from 'node:child_process';
import { chmod, mkdir, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { buildPlayground } from './playground.ts';

const root = join(import.meta.dirname, '..');
const dist = join(root, 'dist');
const fresh = join(root, `dist-${process.pid}`);

console.log('Building the package into dist/ …');
try {
  // Settled, so that none of them still writes when what a failure leaves is removed.
  const builds = await Promise.allSettled([
    compile('tsconfig.build.json', 'esm', 'module'),
    compile('tsconfig.build-cjs.json', 'cjs', 'commonjs'),
    buildPlayground(fresh),
  ]);
  for (const build of builds) if (build.status === 'rejected') throw build.reason;
  await swap();
} catch (error) {
  // tsc has told the details.
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  await rm(fresh, { recursive: true, force: true });
}

async function compile(project: string, format: string, type: string): Promise<void> {
  const outDir = join(fresh, format);
  await mkdir(outDir, { recursive: true });
  await tsc('-p', join(root, project), '--outDir', outDir);
  await writeScope(outDir, type);
  const files = await readdir(outDir, { recursive: true });
  await Promise.all(files.filter((file) => file.endsWith('.d.ts')).map((file) => nameDeclarationsAsJS(join(outDir, file))));
  if (files.includes('cli/main.js')) await chmod(join(outDir, 'cli/main.js'), 0o755);
}

function tsc(...args: string[]): Promise<void> {
  const child = spawn(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), ...args], { stdio: 'inherit', cwd: root });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`The build failed: tsc ${args.join(' ')} ended with code ${code}.`));
    });
  });
}

/** The package.json of one format. It repeats `sideEffects`, which bundlers read from the nearest one only. */
async function writeScope(outDir: string, type: string): Promise<void> {
  await writeFile(join(outDir, 'package.json'), `${JSON.stringify({ type, sideEffects: false }, null, 2)}\n`);
}

/** tsc rewrites `./x.ts` in what it emits to run, and leaves it in declarations, where not every resolver follows it. */
async function nameDeclarationsAsJS(path: string): Promise<void> {
  const text = await readFile(path, 'utf8');
  await writeFile(path, text.replaceAll(/((?:from|import) ?\(?)(['"])(\.[^'"]*)\.ts\2/g, '$1$2$3.js$2'));
}

async function swap(attempts = 5): Promise<void> {
  const old = `${fresh}-old`;
  // No dist/ yet is the ordinary case of a fresh clone.
  await rename(dist, old).catch(() => {});
  try {
    await rename(fresh, dist);
  } catch (error) {
    // Another build came between the two renames.
    if (attempts === 1) throw error;
    await swap(attempts - 1);
  } finally {
    await rm(old, { recursive: true, force: true });
  }
}
