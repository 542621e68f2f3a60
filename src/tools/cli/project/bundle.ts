import type { BuildContext, BuildOptions, BuildResult, Message, OutputFile, Plugin } from 'esbuild';

import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';

import { findBuiltFile } from '../../../server/for-tools.ts';
import { didYouMean } from '../../../shared/index.ts';
import { findImportCircle } from './import-circle.ts';
import { artifactPlugin } from './artifact-plugin.ts';
import { functionBundle, schemaLoaders } from './bundle-options.ts';
import { DevError } from './problem.ts';
import type { FunctionSource } from './functions-folder.ts';
import type { Problem } from './problem.ts';
import { findUnbundled, packageOf } from './unbundled-packages.ts';
import type { UnbundledPackage, UnbundledPackages } from './unbundled-packages.ts';

/** The outcome of bundling a function. */
export type Bundle =
  | CodeBundle
  | { readonly kind: 'problem'; /** File, line and reason. */ readonly message: string; readonly problems: readonly Problem[] };

export interface CodeBundle {
  readonly kind: 'code';
  readonly code: string;
  /** True when it contains the graphql package. */
  readonly isGraphQL: boolean;
  readonly warnings: string;
  /** The names of the function's exports. */
  readonly exports: readonly string[];
  /** The absolute paths of the user's files in the bundle. */
  readonly files: readonly string[];
  /** Files that import each other. Undefined: none do. */
  readonly circle: readonly string[] | undefined;
  /** The packages that the bundle imports, because they cannot be bundled. */
  readonly unbundled: readonly UnbundledPackage[];
  /** True when it contains or imports code that may work only outside of a bundle: CommonJS, and packages that are not bundled. */
  readonly isMixed: boolean;
}

/** Rebundles one function. */
export interface Bundler {
  /** Bundles the function now and passes the result to `onBundle`. */
  rebuild(): Promise<void>;
  close(): Promise<void>;
}

export interface BundleListeners {
  readonly onStart: () => void;
  readonly onBundle: (bundle: Bundle) => void;
}

type Esbuild = typeof import('esbuild');

/** The only optional peer dependency: a deployed function does not need it. */
export async function importEsbuild(): Promise<Esbuild> {
  try {
    return await import('esbuild');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new DevError('graphql-functions bundles functions with esbuild, which is not installed: npm i -D esbuild', {
      cause: error,
    });
  }
}

/**
 * Bundles a function as the platforms do, and again whenever one of its files changes. Resolves after the first time.
 *
 * esbuild notices changes by polling. Unlike the system's notifications, polling works in containers and on network drives, and it
 * notices missing files that appear. It may take two seconds; dev.ts calls `rebuild` when the system notices a change first.
 */
export async function watchBundle(
  esbuild: Esbuild,
  { source, directory, external }: { readonly source: FunctionSource; readonly directory: string; readonly external: readonly string[] },
  { onStart, onBundle }: BundleListeners,
): Promise<Bundler> {
  const unbundled = findUnbundled(external);
  // True when a build has found packages that cannot be bundled.
  let isStale = false;
  const reportResult: Plugin = {
    name: 'report',
    setup(build) {
      build.onStart(() => {
        isStale = false;
        onStart();
      });
      build.onEnd(async (result) => {
        isStale = result.metafile !== undefined && unbundled.findAssets(result.metafile);
        if (isStale) void rebuild();
        else onBundle(await toBundle(esbuild, result, unbundled));
      });
    },
  };
  const context: BuildContext = await esbuild.context({
    ...optionsFor(source),
    plugins: [artifactPlugin(directory).plugin, unbundled.plugin, reportResult],
  });
  const rebuild = async (): Promise<void> => {
    // A failed build rejects after onEnd has received its errors. A rebuild that is requested during a build is that build.
    await context.rebuild().catch(() => {});
    if (isStale) await rebuild();
  };
  await rebuild();
  await context.watch();
  return { rebuild, close: () => context.dispose() };
}

/** What a function's bundle is made with, besides the function. */
export interface BundleSettings {
  readonly plugins: readonly Plugin[];
  /** More packages to leave out of the bundle. */
  readonly external: readonly string[];
}

/** Bundles a function once. */
export async function bundleOnce(esbuild: Esbuild, source: FunctionSource, { plugins, external }: BundleSettings): Promise<Bundle> {
  const unbundled = findUnbundled(external);
  try {
    const options = { ...optionsFor(source), plugins: [...plugins, unbundled.plugin] };
    return await toBundle(esbuild, await buildWithout(unbundled, () => esbuild.build(options)), unbundled);
  } catch (error) {
    // A failed build rejects with its result.
    return toBundle(esbuild, error as BuildResult, unbundled);
  }
}

/** Builds, and builds again if packages were found that cannot be bundled. */
export async function buildWithout<T extends BuildResult>(unbundled: UnbundledPackages, build: () => Promise<T>): Promise<T> {
  const result = await build();
  return result.metafile !== undefined && unbundled.findAssets(result.metafile) ? buildWithout(unbundled, build) : result;
}

function optionsFor({ file }: FunctionSource): BuildOptions {
  return {
    entryPoints: [file],
    // The default is the working directory at the time esbuild was loaded.
    absWorkingDir: process.cwd(),
    // No file is written there, but the paths in the source map are relative to it.
    outfile: `${file}.mjs`,
    write: false,
    ...functionBundle,
    loader: schemaLoaders,
    sourcemap: 'inline',
    sourcesContent: false,
    metafile: true,
    logLevel: 'silent',
  };
}

async function toBundle(esbuild: Esbuild, result: BuildResult, { found }: UnbundledPackages): Promise<Bundle> {
  const { metafile } = result;
  const errors = result.errors.map(toUserMessage);
  const warnings = result.warnings.map(toUserMessage);
  const [output] = (result.outputFiles ?? []) as OutputFile[];
  if (errors.length > 0 || output === undefined) {
    return { kind: 'problem', message: await formatMessages(esbuild, errors, 'error'), problems: errors.map(toProblem) };
  }
  const inputs = Object.keys(metafile?.inputs ?? {});
  const made = Object.values(metafile?.outputs ?? {}).find(({ entryPoint }) => entryPoint !== undefined);
  return {
    kind: 'code',
    code: output.text,
    isGraphQL: inputs.some((path) => /(?:^|\/)node_modules\/graphql\//.test(path)),
    exports: made?.exports ?? [],
    circle: findImportCircle(metafile?.inputs ?? {}, createIsOfUser()),
    warnings: await formatMessages(esbuild, warnings, 'warning'),
    files: inputs.filter((path) => !/(?:^|\/)node_modules\//.test(path) && !/^[\w-]{2,}:/.test(path)).map((path) => resolve(path)),
    unbundled: [...found.values()],
    isMixed: found.size > 0 || Object.values(metafile?.inputs ?? {}).some(({ format }) => format === 'cjs'),
  };
}

/** This package may be linked, so that its path has no node_modules. */
function createIsOfUser(): (path: string) => boolean {
  const folder = packageFolder();
  const own = folder && join(realpathSync(folder), 'dist');
  return (path) => !/(?:^|\/)node_modules\//.test(path) && (own === undefined || !resolve(path).startsWith(own));
}

/** Formats esbuild's messages, with files and lines. */
export async function formatMessages(esbuild: Esbuild, messages: BuildResult['errors'], kind: 'error' | 'warning'): Promise<string> {
  const texts = await esbuild.formatMessages(messages, { kind });
  return texts.join('').trim();
}

/** Adds to a message how to install the missing package, or which entry exports a name. */
function toUserMessage(message: Message): Message {
  const { text, location } = message;
  const [, missing] = /^Could not resolve "([^"./][^"]*)"$/.exec(text) ?? [];
  // For an installed package, esbuild's message says what is wrong.
  if (missing !== undefined && !isInstalled(packageOf(missing), location?.file ?? '.'))
    return { ...message, text: `${text}: it is not installed. Run: npm i ${packageOf(missing)}`, notes: [] };
  if (missing?.startsWith('graphql-functions/') === true) return { ...message, text: `${text}: ${knownEntries(missing)}`, notes: [] };
  return { ...message, text: withEntry(text) };
}

/** The entries of this package, and the one that a wrong subpath may mean: `graphql-functions/lambda` → `graphql-functions/aws-lambda`. */
function knownEntries(wrong: string): string {
  const folder = packageFolder();
  const entries = folder === undefined ? [] : Object.keys(exportsOf(folder)).filter((name) => !name.endsWith('.json'));
  const names = entries.map((name) => `graphql-functions${name.slice(1)}`);
  const subpath = wrong.slice('graphql-functions/'.length);
  const near = names.find((name) => subpath.length > 2 && name.includes(subpath));
  const hint = near === undefined ? didYouMean(wrong, names) : ` Did you mean "${near}"?`;
  return `graphql-functions has no such entry.${hint === '' ? ` It has ${names.join(', ')}.` : hint}`;
}

interface Exports {
  readonly [subpath: string]: string | { readonly import?: { readonly default?: string } };
}

function exportsOf(folder: string): Exports {
  return (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { readonly exports: Exports }).exports;
}

/** If a name is imported from the wrong entry of this package, names that entry, and the entry or package that exports it. */
function withEntry(text: string): string {
  const [, file = '', name = ''] = /^No matching export in "([^"]+)" for import "([^"]+)"$/.exec(text) ?? [];
  const [, wrong] = /(?:^|\/)dist\/esm\/([\w/-]+)\.js$/.exec(file) ?? [];
  const folder = packageFolder();
  if (wrong === undefined || folder === undefined || !realpathSync(resolve(file)).startsWith(realpathSync(folder))) return text;
  const entry = isOfGraphQL(name) ? 'graphql' : entryThatExports(name, folder);
  const message = `No matching export in "graphql-functions${wrong === 'index' ? '' : `/${wrong}`}" for import "${name}"`;
  return entry === undefined ? message : `${message}: import it from "${entry}"`;
}

/** The folder of this package. Undefined when it cannot be found. */
function packageFolder(): string | undefined {
  const built = findBuiltFile('esm/index.js');
  return built && join(dirname(built), '../..');
}

/** True when graphql exports a name. Loads graphql only for this message. */
function isOfGraphQL(name: string): boolean {
  return name in (createRequire(import.meta.url)('graphql') as object);
}

/** The first entry of this package that exports a name: `UserInputError` → `graphql-functions/v3`. Undefined when none does. */
function entryThatExports(name: string, folder: string): string | undefined {
  for (const [subpath, entry] of Object.entries(exportsOf(folder))) {
    const file = typeof entry === 'string' ? undefined : entry.import?.default;
    if (file !== undefined && namesIn(join(folder, file)).includes(name)) return `graphql-functions${subpath.slice(1)}`;
  }
  return undefined;
}

/** The exports of a built module, which lists them at its end. */
function namesIn(file: string): string[] {
  if (!existsSync(file)) return [];
  const lists = [...readFileSync(file, 'utf8').matchAll(/^export \{([^}]*)\}/gm)];
  return lists.flatMap(([, list = '']) => list.split(',').map((name) => name.trim().replace(/^.* as /, '')));
}

/** True when a node_modules folder in or above the file's folder contains the package. */
function isInstalled(name: string, file: string): boolean {
  for (let folder = dirname(resolve(file)); ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'node_modules', name))) return true;
    if (folder === dirname(folder)) return false;
  }
}

function toProblem({ text, location }: Message): Problem {
  if (location === null) return { message: text };
  const { file, line, lineText, column } = location;
  // esbuild counts columns in bytes, from 0.
  return { message: text, file, line, column: Buffer.from(lineText).subarray(0, column).toString().length + 1 };
}
