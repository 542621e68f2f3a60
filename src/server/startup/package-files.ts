/**
 * Finds files of this package at run time: development tools, which must not be in a production bundle. Bundlers follow every static or
 * dynamic import, so these files are loaded by Node's `require`: from a path relative to this file, if the package runs as installed, or from
 * its sources; from the package that is installed in the project's folder, if this file is part of a bundle.
 */

/** Loads a tool of development: a folder of src/tools/. Throws if it is not found. */
export function requireFromPackage(tool: string): unknown {
  const { require, extension } = origin();
  // Sources are in src/server/startup/; built files are in dist/esm/chunks/ and dist/cjs/chunks/, below the built tools.
  if (extension === '.ts') return require(`../../tools/${tool}/index.ts`);
  return require(extension === undefined ? `${folderOf(require, extension)}dist/cjs/${tool}.js` : `../${tool}${extension}`);
}

/** The path of a file in dist/; undefined without Node, or if it is not found. */
export function findBuiltFile(name: string): string | undefined {
  try {
    const { require, extension } = origin();
    const file = `${folderOf(require, extension)}dist/${name}`;
    return globalThis.process.getBuiltinModule('node:fs').existsSync(file) ? file : undefined;
  } catch {
    return undefined;
  }
}

/** False on platforms whose `require` finds no files, such as Workers. There, no tool can be loaded, whatever is installed. */
export function hasPackageFiles(): boolean {
  const require = nodeModule()?.createRequire('/') as { readonly resolve?: unknown } | undefined;
  return typeof require?.resolve === 'function';
}

/** True if this file is part of a bundle. */
export function isBundled(): boolean {
  return thisFile() === undefined;
}

/** The folder of the package, with a trailing slash; undefined if this file is part of a bundle. */
export function packageFolder(): string | undefined {
  return thisFile()
    ?.replace(/^file:\/\//, '')
    .replace(/(?:src[\\/]server[\\/]startup|dist[\\/]\w+[\\/]chunks)[\\/][^\\/]*$/, '');
}

/** `extension`: that of this package's files; undefined in a bundle. */
function origin(): { readonly require: NodeJS.Require; readonly extension: string | undefined } {
  const create = nodeModule()?.createRequire;
  if (create === undefined) throw new Error('this platform has no node:module');
  const file = thisFile();
  return { require: create(file ?? `${globalThis.process.cwd()}/`), extension: file?.match(/\.[a-z]+$/)?.[0] };
}

/** Undefined without Node. */
function nodeModule(): ReturnType<typeof globalThis.process.getBuiltinModule<'node:module'>> | undefined {
  return globalThis.process?.getBuiltinModule?.('node:module');
}

function folderOf(require: NodeJS.Require, extension: string | undefined): string {
  return require
    .resolve(extension === undefined ? 'graphql-functions/package.json' : '../../../package.json')
    .replace(/package\.json$/, '');
}

/** This file: a path from CommonJS, a URL from ES modules. Undefined if it is part of a bundle. */
function thisFile(): string | undefined {
  try {
    // This is in a `try`, because there, bundlers without import.meta give no warning.
    const file: string = typeof __filename === 'string' ? __filename : import.meta.url;
    const [name] = /\bpackage-files\.[a-z]+$/.exec(file)!;
    // Throws if there is no such file: Turbopack keeps the names of files, and puts them into /ROOT/.
    nodeModule()!.createRequire(file).resolve(`./${name}`);
    return file;
  } catch {
    return undefined;
  }
}
