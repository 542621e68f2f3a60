import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { BuildFailure, BuildOptions } from 'esbuild';

import { formatMessages, importEsbuild, schemaLoaders } from '../project/bundle.ts';
import { cacheFile } from './cached-loader.ts';
import type { CachedBundle } from './cached-loader.ts';
import { warmUpPlugin } from './warm-up.ts';
import { DevError } from '../project/problem.ts';

/** The function to bundle, and the folder to write. */
export interface CodeCacheSettings {
  /** The function. */
  readonly file: string;
  /** The folder that is deployed; it holds nothing else. */
  readonly folder: string;
  /** The flags of V8 that the platform starts Node with: with others the cache is not taken. */
  readonly flags: readonly string[];
}

/**
 * Bundles a function into a folder, with what V8 remembers of having compiled and run it. Everything is named after the
 * content of the bundle and written together, because V8 takes the cache of any source of the same length for this one's.
 */
export async function writeCodeCache({ file, folder, flags }: CodeCacheSettings): Promise<void> {
  const bundle = await bundleText({
    entryPoints: [file],
    minify: true,
    external: ['@aws-sdk/*'],
    loader: schemaLoaders,
    plugins: [warmUpPlugin()],
  });
  await removeEarlier(folder);
  const name = `function-${createHash('sha256').update(bundle).digest('hex').slice(0, 16)}.js`;
  await writeFile(join(folder, name), bundle);
  const cache = join(folder, cacheFile({ file: name }));
  const exported = await makeCache(join(folder, name), cache, flags);
  await writeFile(join(folder, 'index.js'), await loaderText({ file: name }, exported));
  await writeFile(join(folder, 'package.json'), '{ "type": "commonjs" }\n');
}

/** Removes the files of an earlier build. All others belong to the user. */
async function removeEarlier(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const names = await readdir(folder);
  const bundles = /^function-[0-9a-f]{16}\.js(?:\.[\w.-]+\.cache)?$/;
  // Without a bundle beside them these belong to the user, too.
  const ours = names.some((name) => bundles.test(name)) ? ['index.js', 'package.json'] : [];
  const foreign = names.filter((name) => !bundles.test(name) && !ours.includes(name));
  if (foreign.length > 0)
    throw new DevError(`--code-cache takes a folder of its own, which is deployed as it is; ${folder} has ${foreign.join(', ')} in it.`);
  await Promise.all(names.map((name) => rm(join(folder, name))));
}

async function bundleText(options: BuildOptions): Promise<string> {
  const esbuild = await importEsbuild();
  const settings: BuildOptions = {
    bundle: true,
    platform: 'node',
    target: `node${process.versions.node}`,
    // V8's cache is of a script; a module cannot have one.
    format: 'cjs',
    mainFields: ['module', 'main'],
    // A script of `vm` may import nothing later on, unless by an experimental setting; require does.
    supported: { 'dynamic-import': false },
    write: false,
    logLevel: 'silent',
    ...options,
  };
  try {
    const { outputFiles } = await esbuild.build(settings);
    return outputFiles?.[0]?.text ?? '';
  } catch (error) {
    const { errors } = error as Partial<BuildFailure>;
    if (errors === undefined) throw error;
    const reason = await formatMessages(esbuild, errors, 'error');
    throw new DevError(`The function could not be bundled for its code cache:\n\n${reason}`, { cause: error });
  }
}

/** Runs the bundle as the platform would, in a process of its own. Resolves to the names that it exports. */
async function makeCache(file: string, cache: string, flags: readonly string[]): Promise<readonly string[]> {
  const child = spawn(process.execPath, [...flags, ownFile('cache-maker'), file, cache], {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    env: { ...process.env, NODE_ENV: 'production' },
  });
  let exported: readonly string[] = [];
  let complaints = '';
  child.on('message', (names) => (exported = names as readonly string[]));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (complaints += text));
  const code = await new Promise((resolve, reject) => child.on('error', reject).on('close', resolve));
  if (code !== 0) throw new DevError(`The function could not be run to make its code cache:\n\n${complaints.trim()}`);
  return exported;
}

/** Exports by name, where Lambda's runtime and importers of CommonJS find them. */
async function loaderText(bundle: Omit<CachedBundle, 'folder'>, exported: readonly string[]): Promise<string> {
  const names = exported.filter((name) => /^[A-Za-z_$][\w$]*$/.test(name) && name !== '__esModule');
  const contents = `
    import { loadCached } from ${JSON.stringify(ownFile('cached-loader'))};
    const loaded = loadCached(${JSON.stringify(bundle).replace('{', '{ folder: __dirname, ')}, require);
    ${names.map((name) => `exports.${name} = loaded.${name};`).join('\n')}`;
  return bundleText({ stdin: { contents, resolveDir: process.cwd() }, minify: true });
}

/** Beside this file, in the sources as well as in what is built of them. */
function ownFile(name: string): string {
  return fileURLToPath(new URL(`./${name}.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`, import.meta.url));
}
