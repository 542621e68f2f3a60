/**
 * Builds dist/: ES modules in dist/esm, CommonJS in dist/cjs, each with its own types, and the playground.
 *
 * Each entry of package.json is one file. Shared code is in the files of `chunks/`, so that a class is the same in every
 * entry. There are few chunks, because a function that is not bundled opens all of them when it starts. `npm run typecheck`
 * checks the types.
 *
 * Builds into another folder, which replaces dist/ at the end: no old file stays, and dist/ is always complete.
 */
import { chmod, mkdir, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { rolldown } from 'rolldown';
import type { InputOptions, OutputOptions, Plugin } from 'rolldown';
import { dts } from 'rolldown-plugin-dts';

import { eagerFunctions, functionsOfFirstRequest } from './eager-functions.ts';
import { buildPlayground } from './playground.ts';

const root = join(import.meta.dirname, '..');
const dist = join(root, 'dist');
const fresh = join(root, `dist-${process.pid}`);

/** The command line, and the files that it starts as processes or bundles into functions. ES modules only, because they are never required. */
const commandLine = {
  'cli/main': 'tools/cli/main',
  'cli/function-process': 'tools/cli/dev/process-main',
  'cli/cached-loader': 'tools/cli/build/cached-loader',
  'cli/cache-maker': 'tools/cli/build/cache-maker',
  'cli/built-main': 'tools/cli/check/built-main',
};

/** Loaded by path in development, by package-files.ts. No subpaths of the package. */
const developmentTools = {
  checks: 'tools/checks/index',
  verify: 'tools/verify/index',
};

/**
 * The code of every handler is one chunk, and so is the code of data sources. Code that only some entries share, such as the adapters
 * of platforms, is divided by entries. package-files.ts looks for its own name, and for entries in the folder above.
 */
const groups = [
  {
    name: 'package-files',
    test: /src[\\/](?:server[\\/]startup[\\/]package-files|shared[\\/](?:describe|log-text|plain-object))\.ts$/,
    priority: 2,
  },
  // Apart from entries/playground.ts, whose ES module is replaced below.
  { name: 'playground-files', test: /src[\\/]tools[\\/]landing-page[\\/]playground-files\.ts$/, priority: 2 },
  { name: 'cache', test: /src[\\/]datasources[\\/]cache[\\/]/, priority: 1 },
  { name: 'datasource', test: /src[\\/]datasources[\\/]/, priority: 1 },
  {
    name: 'core',
    test: /src[\\/](?:shared|executor|server[\\/](?:doors|operation|startup))[\\/]|src[\\/]server[\\/][\w-]+\.ts$/,
    minShareCount: 3,
  },
  // Shared by the servers of version 3, without the error classes, which its data sources need too.
  { name: 'v3-servers', test: /src[\\/]v3[\\/](?!errors[\\/]apollo-error|datasource|types|hosts)/, minShareCount: 2 },
  {
    name: 'platform',
    test: /src[\\/]server[\\/]platform[\\/](?:adapter|event)\.ts$/,
  },
];

/** Separate, because both have a DataSource and a Logger: in one file, the second would be DataSource$1, in editors too. */
const typeGroups = [
  { name: 'types.d', test: /^(?!.*src[\\/](?:entries[\\/])?v3[\\/]).*\.d\.ts$/, minShareCount: 2, priority: 1 },
  { name: 'types-v3.d', test: /\.d\.ts$/, minShareCount: 2 },
];

// Equal sources give equal packages, whoever builds them.
process.umask(0o022);
console.log('Building the package into dist/ …');
try {
  const entries = await readEntries();
  const eager = eagerFunctions(await functionsOfFirstRequest(join(root, 'src/entries/aws-lambda.ts'), join(fresh, 'first-request')));
  await rm(join(fresh, 'first-request'), { recursive: true });
  // Wait for all of them: after a failure the folder is removed, and none may still write to it.
  const builds = await Promise.allSettled([
    buildCode('esm', { ...entries, ...developmentTools, ...commandLine }, eager),
    buildCode('cjs', { ...entries, ...developmentTools }, eager),
    buildTypes(entries),
    buildPlayground(fresh),
  ]);
  for (const build of builds) if (build.status === 'rejected') throw build.reason;
  await embedPlayground();
  await swap();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  await rm(fresh, { recursive: true, force: true });
}

type Sources = Readonly<Record<string, string>>;

/** One for each subpath of package.json, which has the names of the built files. */
async function readEntries(): Promise<Sources> {
  const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { exports: Readonly<Record<string, unknown>> };
  return Object.fromEntries(
    Object.entries(manifest.exports).flatMap(([subpath, entry]) => {
      const [, name] = /dist\/esm\/([\w-]+)\.js"/.exec(JSON.stringify(entry)) ?? [];
      return name === undefined ? [] : [[name, `entries/${subpath === '.' ? 'index' : subpath.slice(2)}`]];
    }),
  );
}

async function buildCode(format: 'esm' | 'cjs', sources: Sources, eager: Plugin): Promise<void> {
  await write(
    {
      input: pathsOf(sources),
      preserveEntrySignatures: 'allow-extension',
      // package-files.ts uses `__filename` there. Else the bundler would add `require('url')`, which some platforms do not have.
      ...(format === 'cjs' && { transform: { define: { 'import.meta.url': 'undefined' } } }),
    },
    {
      dir: join(fresh, format),
      format,
      sourcemap: true,
      // Stacks need only positions. For debuggers, the maps of the ES modules contain the text of the sources.
      sourcemapExcludeSources: format === 'cjs',
      chunkFileNames: ({ moduleIds }) =>
        moduleIds.every((id) => /src[\\/]tools[\\/]cli[\\/]/.test(id)) ? 'cli/[name].js' : 'chunks/[name].js',
      codeSplitting: { groups, includeDependenciesRecursively: false },
      minifyInternalExports: false,
      plugins: [eager],
    },
  );
  await writeScope(format, format === 'esm' ? 'module' : 'commonjs');
  if ('cli/main' in sources) await chmod(join(fresh, format, 'cli/main.js'), 0o755);
}

/** Puts the playground into its ES module, which may run without a file system. The CommonJS module reads files. */
async function embedPlayground(): Promise<void> {
  const read = (name: string): Promise<string> => readFile(join(fresh, `playground/${name}.gz`), 'base64');
  const content = { script: await read('main.js'), style: await read('style.css'), worker: await read('worker.js') };
  await writeFile(join(fresh, 'esm/playground.js'), `export const playground = ${JSON.stringify(content)};\n`);
  await rm(join(fresh, 'esm/playground.js.map'), { force: true });
}

/** The text is the same for both formats: the package.json next to a declaration file decides its format. */
async function buildTypes(sources: Sources): Promise<void> {
  const folder = join(fresh, 'types');
  await write(
    { input: pathsOf(sources), plugins: [dts({ emitDtsOnly: true, oxc: true, tsconfig: join(root, 'tsconfig.build.json') })] },
    {
      dir: folder,
      format: 'esm',
      chunkFileNames: 'chunks/[name].js',
      codeSplitting: { groups: typeGroups },
      minifyInternalExports: false,
    },
  );
  for (const file of await readdir(folder, { recursive: true })) {
    if (!file.endsWith('.d.ts')) continue;
    const text = withCommentsAbove(await readFile(join(folder, file), 'utf8'));
    for (const format of ['esm', 'cjs']) {
      await mkdir(dirname(join(fresh, format, file)), { recursive: true });
      await writeFile(join(fresh, format, file), text);
    }
  }
  await rm(folder, { recursive: true });
}

/** In object types, the bundler writes a comment after the previous member, where editors do not find it. */
function withCommentsAbove(types: string): string {
  return types.replaceAll(/^( *)(\S.*;) (\/\*\*.*\*\/)$/gm, '$1$2\n$1$3');
}

async function write(input: InputOptions, output: OutputOptions): Promise<void> {
  const bundle = await rolldown({
    cwd: root,
    platform: 'node',
    external: (id) => !/^(?:[./]|[A-Za-z]:\\)/.test(id),
    treeshake: { moduleSideEffects: false },
    checks: { bundlerTimings: false },
    ...input,
  });
  try {
    await bundle.write(output);
  } finally {
    await bundle.close();
  }
}

function pathsOf(sources: Sources): Record<string, string> {
  return Object.fromEntries(Object.entries(sources).map(([name, source]) => [name, join(root, 'src', `${source}.ts`)]));
}

/** The package.json of one format. It repeats `sideEffects`, which bundlers read only from the nearest package.json. */
async function writeScope(format: string, type: string): Promise<void> {
  await writeFile(join(fresh, format, 'package.json'), `${JSON.stringify({ type, sideEffects: false }, null, 2)}\n`);
}

async function swap(attempts = 5): Promise<void> {
  const old = `${fresh}-old`;
  // A fresh clone has no dist/.
  await rename(dist, old).catch(() => {});
  try {
    await rename(fresh, dist);
  } catch (error) {
    // Another build has replaced dist/ meanwhile.
    if (attempts === 1) throw error;
    await swap(attempts - 1);
  } finally {
    await rm(old, { recursive: true, force: true });
  }
}
