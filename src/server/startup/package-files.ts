/**
 * Finds files of this package at run time: development tools, which must not be in a production bundle. Bundlers follow every static or
 * dynamic import, so these files are loaded by Node's `require`
 * - from a path relative to this file, if the package runs as installed, or from its sources;
 * - from the installed package, if this file is part of a bundle: looked for from there, and from the project's folder.
 */

/** Loads a tool of development: a folder of src/tools/. Throws if it is not found. */
export function requireFromPackage(tool: string): unknown {
  let failure: unknown;
  for (const { require, extension } of origins()) {
    try {
      return require(pathOf(tool, require, extension));
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

/** Sources are in src/server/startup/; built files are in dist/esm/chunks/ and dist/cjs/chunks/, below the built tools. */
function pathOf(tool: string, require: NodeJS.Require, extension: string | undefined): string {
  if (extension === undefined) return require.resolve(manifest).replace(/package\.json$/, `dist/cjs/${tool}.js`);
  return extension === '.ts' ? `../../tools/${tool}/index.ts` : `../${tool}${extension}`;
}

const manifest = 'graphql-functions/package.json';

/** The path of a file in dist/; undefined without Node, or if it is not found. */
export function findBuiltFile(name: string): string | undefined {
  const node = globalThis.process?.getBuiltinModule;
  if (node === undefined) return undefined;
  for (const { require, extension } of origins()) {
    const file = resolveFrom(require, extension === undefined ? manifest : '../../../package.json')?.replace(
      /package\.json$/,
      `dist/${name}`,
    );
    if (file !== undefined && node('node:fs').existsSync(file)) return file;
  }
  return undefined;
}

/** False on platforms whose `require` finds no files, such as Workers: tools are not found there, whatever is installed. */
export function hasPackageFiles(): boolean {
  const require = globalThis.process?.getBuiltinModule?.('node:module')?.createRequire('/') as { readonly resolve?: unknown } | undefined;
  return typeof require?.resolve === 'function';
}

interface Origin {
  readonly require: NodeJS.Require;
  /** The extension of this package's files; undefined in a bundle. */
  readonly extension: string | undefined;
}

function origins(): readonly Origin[] {
  const { process } = globalThis;
  const nodeModule = process?.getBuiltinModule?.('node:module');
  if (nodeModule === undefined) throw new Error('this platform has no node:module');
  const here = thisFile();
  const projects = [here, `${process.cwd()}/`].filter((from) => from !== undefined);
  const byName = projects.map((from) => ({ require: nodeModule.createRequire(from), extension: undefined }));
  const [, extension] = /\bpackage-files(\.[a-z]+)$/.exec(here ?? '') ?? [];
  return here === undefined || extension === undefined ? byName : [{ require: nodeModule.createRequire(here), extension }, ...byName];
}

/**
 * This file, or the bundle that contains it: a path from CommonJS, a URL from ES modules. Undefined if neither is known, or if the name is
 * not that of a file.
 */
function thisFile(): string | undefined {
  try {
    // In `try`, where bundlers that have no import.meta give no warning.
    const file: string | undefined = typeof __filename === 'string' ? __filename : import.meta.url;
    return file !== undefined && /^(?:file:|\/|[A-Za-z]:\\)/.test(file) ? file : undefined;
  } catch {
    return undefined;
  }
}

/** The folder of the package, with a trailing slash; undefined if this file is part of a bundle. */
export function packageFolder(): string | undefined {
  const file = thisFile();
  return file === undefined || !/\bpackage-files\.[a-z]+$/.test(file)
    ? undefined
    : file.replace(/^file:\/\//, '').replace(/(?:src|dist)[\\/][^]*$/, '');
}

function resolveFrom(require: NodeJS.Require, specifier: string): string | undefined {
  try {
    return require.resolve(specifier);
  } catch {
    return undefined;
  }
}
