import { createHash } from 'node:crypto';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { BuildOptions, Plugin } from 'esbuild';

import { builtFile, runBuiltFile } from '../project/built-file.ts';
import { bundle, formatMessages, schemaLoaders } from '../project/loader.ts';
import { cacheFile } from './cached-loader.ts';
import type { CachedBundle } from './cached-loader.ts';
import { DevError } from '../project/problem.ts';

/** The function to bundle, and the folder to write. */
export interface CodeCacheSettings {
  /** The function's file. */
  readonly file: string;
  /** The folder to deploy, which contains nothing else. */
  readonly folder: string;
  /** The V8 flags that the platform starts Node with. With other flags, V8 rejects the cache. */
  readonly flags: readonly string[];
}

/**
 * Bundles a function into a folder, with V8's cache from compiling and running it. The files are named by the bundle's hash
 * and written together, because V8 accepts the cache of any source of the same length.
 */
export async function writeCodeCache({ file, folder, flags }: CodeCacheSettings): Promise<void> {
  const options: BuildOptions = { entryPoints: [file], minify: true, external: ['@aws-sdk/*'], loader: schemaLoaders };
  const text = await bundleText(options);
  await removeEarlier(folder);
  const name = `function-${createHash('sha256').update(text).digest('hex').slice(0, 16)}.js`;
  await writeFile(join(folder, name), text);
  const cache = join(folder, cacheFile({ file: name }));
  const exported = await makeCache(join(folder, name), cache, flags);
  await writeFile(join(folder, 'index.js'), await loaderText({ file: name }, exported));
  await writeFile(join(folder, 'package.json'), '{ "type": "commonjs" }\n');
}

/** The end of messages about code that cannot run in a CommonJS bundle. */
const otherwise = '\n\nFor code with native packages, import.meta, or files beside it, use another bundler: docs/build.md';

/** Removes the files of an earlier build. Throws if the folder contains other files, which belong to the user. */
async function removeEarlier(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const names = await readdir(folder);
  const bundles = /^function-[0-9a-f]{16}\.js(?:\.[\w.-]+\.cache)?$/;
  // If no bundle is beside them, files of these names belong to the user.
  const ours = names.some((name) => bundles.test(name)) ? ['index.js', 'package.json'] : [];
  const foreign = names.filter((name) => !bundles.test(name) && !ours.includes(name));
  if (foreign.length > 0)
    throw new DevError(`--out needs an empty folder, because the whole folder is deployed; ${folder} contains ${foreign.join(', ')}.`);
  await Promise.all(names.map((name) => rm(join(folder, name), { recursive: true })));
}

/** Leaves out imports of packages that are not installed: a package may import the drivers of many databases, and need only one. */
const withoutMissing: Plugin = {
  name: 'graphql-functions-missing-packages',
  setup({ onResolve, resolve }) {
    onResolve({ filter: /^[@\w]/ }, async ({ path, importer, resolveDir, kind, pluginData }) => {
      if (pluginData === withoutMissing || !/[\\/]node_modules[\\/]/.test(importer)) return undefined;
      const { errors } = await resolve(path, { importer, resolveDir, kind, pluginData: withoutMissing });
      return errors.length > 0 ? { path, external: true } : undefined;
    });
  },
};

async function bundleText(options: BuildOptions): Promise<string> {
  const { outputFiles, errors } = await bundle({
    // V8 caches scripts, not modules.
    format: 'cjs',
    mainFields: ['module', 'main'],
    // Dynamic imports in a `vm` script need an experimental setting; require does not.
    supported: { 'dynamic-import': false },
    plugins: [withoutMissing],
    ...options,
  });
  if (errors.length === 0) return outputFiles?.[0]?.text ?? '';
  throw new DevError(`Cannot bundle the function for its code cache:\n\n${await formatMessages(errors)}${otherwise}`);
}

/** Runs the bundle as the platform would, in a separate process. Resolves to the names of its exports. */
async function makeCache(file: string, cache: string, flags: readonly string[]): Promise<readonly string[]> {
  // A module that Lambda cannot load must fail here, not in the first cold start.
  const asOnLambda = ['--no-experimental-require-module'];
  const env = { ...process.env, NODE_ENV: 'production' };
  const { message, code, stderr } = await runBuiltFile<string[]>('cache-maker', [file, cache], { flags: [...asOnLambda, ...flags], env });
  if (code !== 0) throw new DevError(`Cannot run the function to create its code cache:\n\n${stderr}${otherwise}`);
  return message ?? [];
}

/**
 * The code of index.js. It assigns each export by name, so that ES modules find them. Lambda imports it, and takes `index.default` of a
 * CommonJS module for all of its exports; a default export is therefore also exported as `handler`.
 */
async function loaderText(cached: Omit<CachedBundle, 'folder'>, exported: readonly string[]): Promise<string> {
  const names = exported.filter((name) => /^[A-Za-z_$][\w$]*$/.test(name) && name !== '__esModule');
  const contents = `
    import { loadCached } from ${JSON.stringify(builtFile('cached-loader'))};
    const loaded = loadCached(${JSON.stringify(cached).replace('{', '{ folder: __dirname, ')}, require);
    ${names.map((name) => `exports.${name} = loaded.${name};`).join('\n')}
    ${names.includes('default') && !names.includes('handler') ? 'exports.handler = loaded.default;' : ''}`;
  return bundleText({ stdin: { contents, resolveDir: process.cwd() }, minify: true });
}
