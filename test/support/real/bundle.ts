import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { build } from 'esbuild';
import type { BuildOptions } from 'esbuild';

import { linkPackage } from '../functions-project.ts';
import { writeFiles } from '../write-files.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** A temporary folder outside this repository, like a deployment. */
export interface Folder {
  readonly path: string;
  write(file: string, content: string): Promise<string>;
  /** Makes `import 'graphql-functions'` work in the folder as if the package and graphql were installed there. */
  install(): Promise<void>;
  remove(): Promise<void>;
}

export async function createFolder(): Promise<Folder> {
  const path = await realpath(await mkdtemp(join(tmpdir(), 'graphql-functions-')));
  return {
    path,
    write: async (file, content) => {
      await writeFiles(path, { [file]: content });
      return join(path, file);
    },
    install: () => linkPackage({ directory: path }, 'graphql'),
    remove: () => rm(path, { recursive: true, force: true }),
  };
}

/** Bundles an entry of this repository with the built package into one minified file, as a user's bundler does. */
export async function bundle(entry: string, outfile: string, target: keyof typeof targets, nodeEnv?: string): Promise<void> {
  await build({
    entryPoints: [join(root, entry)],
    outfile,
    bundle: true,
    minify: true,
    legalComments: 'none',
    logLevel: 'warning',
    // The project's tsconfig.json resolves to src; a user's bundler resolves to dist.
    tsconfigRaw: {},
    ...targets[target],
    // wrangler defines NODE_ENV in the same way.
    ...(nodeEnv !== undefined && { define: { 'process.env.NODE_ENV': JSON.stringify(nodeEnv) } }),
  });
}

const lambdaESM: BuildOptions = { platform: 'node', target: 'node22', format: 'esm' };
const lambdaCJS: BuildOptions = { platform: 'node', target: 'node22', format: 'cjs' };
/** The conditions with which wrangler bundles, without `process` and modules of Node. */
const worker: BuildOptions = {
  platform: 'browser',
  target: 'es2022',
  format: 'esm',
  conditions: ['workerd', 'worker', 'browser'],
  mainFields: ['browser', 'module', 'main'],
  external: ['cloudflare:*'],
};
const targets = { 'lambda-esm': lambdaESM, 'lambda-cjs': lambdaCJS, worker };
