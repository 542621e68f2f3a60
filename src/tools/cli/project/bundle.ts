import type { BuildContext, BuildOptions, BuildResult, Message, OutputFile, Plugin } from 'esbuild';

import { realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

import { packageFolder, toUserMessage } from './bundle-messages.ts';
import { findImportCircle } from './import-circle.ts';
import { functionBundle, schemaLoaders } from './bundle-options.ts';
import { DevError } from './problem.ts';
import type { FunctionSource } from './functions-folder.ts';
import type { Problem } from './problem.ts';
import { findUnbundled } from './unbundled-packages.ts';
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
  /** True when it may work only where it was bundled: it contains CommonJS, imports packages that are not bundled, or reads files. */
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
  { source, external }: { readonly source: FunctionSource; readonly external: readonly string[] },
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
    plugins: [unbundled.plugin, reportResult],
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
  readonly plugins?: readonly Plugin[];
  /** More packages to leave out of the bundle. */
  readonly external: readonly string[];
  /** Minify it, as the commands of the pages do. Default: false, so that errors show the names in the sources. */
  readonly minify?: boolean;
}

/** Bundles a function once. */
export async function bundleOnce(
  esbuild: Esbuild,
  source: FunctionSource,
  { plugins = [], external, minify = false }: BundleSettings,
): Promise<Bundle> {
  const unbundled = findUnbundled(external);
  try {
    const options = { ...optionsFor(source), minify, plugins: [...plugins, unbundled.plugin] };
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
    // The bundle may run elsewhere.
    sourceRoot: new URL('.', pathToFileURL(file)).href,
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
    isMixed:
      found.size > 0 ||
      Object.values(metafile?.inputs ?? {}).some(
        ({ format, imports }) => format === 'cjs' || imports.some(({ path }) => isFileSystem(path)),
      ),
  };
}

function isFileSystem(specifier: string): boolean {
  return /^(?:node:)?fs(?:\/promises)?$/.test(specifier);
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

function toProblem({ text, location }: Message): Problem {
  if (location === null) return { message: text };
  const { file, line, lineText, column } = location;
  // esbuild counts columns in bytes, from 0.
  return { message: text, file, line, column: Buffer.from(lineText).subarray(0, column).toString().length + 1 };
}
