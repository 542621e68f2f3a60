import type { BuildFailure, BuildOptions, BuildResult, Message, Metafile, Plugin } from 'esbuild';
import { existsSync, realpathSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

import type { FunctionSource } from './functions-folder.ts';
import { packageRoot } from '../requirements.ts';
import { explainImportError, toUserMessage } from './import-messages.ts';
import type { PackageImport } from './import-messages.ts';
import { withHints } from './load-hints.ts';
import { DevError } from './problem.ts';
import type { Problem } from '../../checks/for-cli.ts';
import { resolveWorkerModules } from '../../testing/index.ts';

/** The outcome of compiling a function. */
export type Compilation =
  | CompiledFunction
  | { readonly kind: 'problem'; /** File, line and reason. */ readonly message: string; readonly problems: readonly Problem[] };

/** A function as one module: the user's files are in it, and the packages are imported from where they are installed. */
export interface CompiledFunction {
  readonly kind: 'code';
  /** The absolute paths of the user's files. */
  readonly files: readonly string[];
  readonly code: string;
  /** The path of the compiled code. */
  readonly output: string;
  /** True if the function imports graphql or this package. */
  readonly isGraphQL: boolean;
  readonly packages: readonly PackageImport[];
  /** Files that import each other, the first also at the end. Undefined if none do. */
  readonly circle: readonly string[] | undefined;
}

/** The function has a mistake that esbuild or Node finds before any of its code runs. The message includes files and lines. */
export class CompileError extends Error {
  readonly problems: readonly Problem[];

  constructor(message: string, problems: readonly Problem[]) {
    super(message);
    this.problems = problems;
  }
}

type Esbuild = typeof import('esbuild');

/** The only optional peer dependency: a deployed function does not need it. */
export async function importEsbuild(): Promise<Esbuild> {
  try {
    return await import('esbuild');
  } catch (error) {
    // Yarn's Plug'n'Play names it as `require` does.
    if (!/^(?:ERR_)?MODULE_NOT_FOUND$/.test(String((error as NodeJS.ErrnoException).code))) throw error;
    throw new DevError('graphql-functions compiles functions with esbuild, which is not installed: npm i -D esbuild', { cause: error });
  }
}

/** Bundles code for this version of Node, and writes nothing. Resolves also for code with errors, which the result has. */
export async function bundle(options: BuildOptions): Promise<BuildResult> {
  const { build } = await importEsbuild();
  const settings: BuildOptions = {
    // The default is the working directory at the time esbuild was loaded.
    absWorkingDir: process.cwd(),
    bundle: true,
    platform: 'node',
    target: `node${process.versions.node}`,
    write: false,
    logLevel: 'silent',
    ...options,
  };
  return build(settings).catch((error: BuildFailure) => {
    if (error.errors === undefined) throw error;
    return error as unknown as BuildResult;
  });
}

/** Loaders for schema files. The bundler of a deployment needs the same loaders (docs/codegen.md). */
export const schemaLoaders: NonNullable<BuildOptions['loader']> = { '.graphql': 'text', '.graphqls': 'text', '.gql': 'text' };

/** Compiles and imports a function. Throws a CompileError, or the error that its module throws. */
export async function loadFunction(
  source: FunctionSource,
): Promise<{ readonly exports: Readonly<Record<string, unknown>>; readonly compiled: CompiledFunction }> {
  const compiled = await compileFunction(source);
  if (compiled.kind === 'problem') throw new CompileError(compiled.message, compiled.problems);
  await writeOutput(compiled);
  return { exports: await importFunction(compiled), compiled };
}

/** Numbers the imports of this process, because Node runs each module once. */
let imports = 0;

/** Imports a function that has been written. */
export async function importFunction({
  output,
  packages,
  circle,
}: Pick<CompiledFunction, 'output' | 'packages' | 'circle'>): Promise<Readonly<Record<string, unknown>>> {
  // Makes stacks point to lines of the user's files.
  process.setSourceMapsEnabled(true);
  resolveWorkerModules(process.cwd());
  const { stackTraceLimit } = Error;
  // Errors of options and schemas are thrown many calls below the user's code.
  Error.stackTraceLimit = 100;
  const address = `${pathToFileURL(output).href}?${++imports}`;
  try {
    return await withHints({ output, circle }, () => import(address) as Promise<Record<string, unknown>>);
  } catch (error) {
    const problem = await explainImportError(error, packages);
    throw problem === undefined ? error : new CompileError(problem.message, [problem]);
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** Writes the code at once, because another process may be importing it. */
export async function writeOutput({ output, code }: CompiledFunction): Promise<void> {
  await mkdir(dirname(output), { recursive: true });
  const fresh = `${output}.${process.pid}`;
  await writeFile(fresh, code);
  await rename(fresh, output);
}

/** Puts the code into the nearest node_modules folder, so that it also finds modules whose names are computed. */
function outputOf(file: string): string {
  let folder = dirname(file);
  while (!existsSync(join(folder, 'node_modules')) && folder !== dirname(folder)) folder = dirname(folder);
  const home = existsSync(join(folder, 'node_modules')) ? join(folder, 'node_modules/.cache') : tmpdir();
  return join(home, 'graphql-functions', `${relative(folder, file).replaceAll(/[^\w.-]/g, '-')}.mjs`);
}

function optionsFor(file: string, plugin: Plugin): BuildOptions {
  const address = JSON.stringify(pathToFileURL(file).href);
  return {
    entryPoints: [file],
    // This path is only the base of the paths in the source map: the code is written elsewhere.
    outfile: `${file}.mjs`,
    external: ['cloudflare:*'],
    format: 'esm',
    // Resolves packages as Node does, without the field and the condition that only bundlers know, so that each module of a package is
    // loaded once.
    mainFields: ['main'],
    conditions: ['module-sync', 'node-addons'],
    banner: { js: `import{createRequire as __createRequire}from'node:module';const require=__createRequire(${address});` },
    define: placeNames,
    loader: schemaLoaders,
    sourcemap: 'inline',
    sourcesContent: false,
    sourceRoot: new URL('.', pathToFileURL(file)).href,
    metafile: true,
    plugins: [plugin],
  };
}

/** Expressions for a file's own location, and the constant that replaces each in the user's files. */
const placeNames: Readonly<Record<string, string>> = {
  'import.meta.url': '__sourceURL',
  'import.meta.filename': '__sourceFile',
  'import.meta.dirname': '__sourceFolder',
  __filename: '__sourceFile',
  __dirname: '__sourceFolder',
};

/** Keeps packages out of the bundle, and gives each source file the values of its own path. */
function sourcePlugin(packages: PackageImport[]): Plugin {
  const isOutside = createIsOutside();
  return {
    name: 'graphql-functions-sources',
    setup(build) {
      build.onResolve({ filter: /.*/ }, async ({ path: specifier, pluginData, ...from }) => {
        if (pluginData === isOutside || from.kind === 'entry-point' || isBuiltin(specifier)) return undefined;
        const { importer, resolveDir, kind } = from;
        const { path, errors } = await build.resolve(specifier, { importer, resolveDir, kind, pluginData: isOutside });
        // esbuild reports errors when it resolves the path itself.
        if (errors.length > 0 || !isOutside(path)) return undefined;
        const { href } = pathToFileURL(path);
        packages.push({ url: href, specifier, importer });
        return { path: kind.startsWith('require') ? path : href, external: true };
      });
      build.onLoad({ filter: /\.[cm]?[jt]sx?$/, namespace: 'file' }, async ({ path }) => {
        const text = await readFile(path, 'utf8');
        if (!/\bimport\.meta\b|\b__(?:dir|file)name\b/.test(text)) return undefined;
        const [url, file, folder] = [pathToFileURL(path).href, path, dirname(path)].map((value) => JSON.stringify(value));
        // Puts them on the first line, so that the lines of the file keep their numbers.
        const contents = `var __sourceURL=${url},__sourceFile=${file},__sourceFolder=${folder};${text}`;
        const extension = path.slice(path.lastIndexOf('.')).replace(/^\.[cm]/, '.');
        return { contents, loader: extension === '.ts' ? 'ts' : extension === '.tsx' ? 'tsx' : 'jsx' };
      });
    },
  };
}

/** True for code that Node can load: of this package, or of a package that is installed and not linked. */
function createIsOutside(): (path: string) => boolean {
  const own = join(realpathSync(packageRoot), 'dist');
  return (path) => /\.(?:[cm]?js|node)$/.test(path) && (/[\\/]node_modules[\\/]/.test(path) || path.startsWith(own));
}

/** Compiles a function, without the packages that it imports. */
export async function compileFunction({ file }: FunctionSource): Promise<Compilation> {
  const packages: PackageImport[] = [];
  const { metafile, outputFiles, ...result } = await bundle(optionsFor(file, sourcePlugin(packages)));
  const errors = result.errors.map(toUserMessage);
  const [output] = outputFiles ?? [];
  if (errors.length > 0 || output === undefined)
    return { kind: 'problem', message: await formatMessages(errors), problems: errors.map(toProblem) };
  const inputs = Object.keys(metafile?.inputs ?? {});
  return {
    kind: 'code',
    code: output.text,
    output: outputOf(file),
    isGraphQL: packages.some(({ specifier }) => /^graphql(?:-functions)?(?:\/|$)/.test(specifier)),
    files: inputs.filter((path) => !/^[\w-]{2,}:/.test(path)).map((path) => resolve(path)),
    packages,
    circle: findCircle(metafile?.inputs ?? {}),
  };
}

/** The first files that import each other when they are loaded. */
function findCircle(inputs: Metafile['inputs']): readonly string[] | undefined {
  const finished = new Set<string>();
  const visit = (path: string, above: readonly string[]): readonly string[] | undefined => {
    if (above.includes(path)) return [...above.slice(above.indexOf(path)), path];
    const next = finished.has(path) ? [] : (inputs[path]?.imports ?? []);
    finished.add(path);
    const files = next.filter((one) => one.kind === 'import-statement' && one.external !== true);
    return files.map((one) => visit(one.path, [...above, path])).find((circle) => circle !== undefined);
  };
  return Object.keys(inputs)
    .map((path) => visit(path, []))
    .find((circle) => circle !== undefined);
}

/** Formats esbuild's messages, with files and lines. */
export async function formatMessages(messages: readonly Message[]): Promise<string> {
  const texts = await (await importEsbuild()).formatMessages([...messages], { kind: 'error' });
  return texts.join('').trim();
}

function toProblem({ text, location }: Message): Problem {
  if (location === null) return { message: text };
  const { file, line, lineText, column } = location;
  // esbuild counts columns in bytes, from 0.
  return { message: text, file, line, column: Buffer.from(lineText).subarray(0, column).toString().length + 1 };
}
