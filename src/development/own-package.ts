/**
 * Finds files of this package at run time: tools for development, which must not add a byte to a production bundle.
 *
 * A bundler that cannot split (esbuild without splitting) puts whatever is imported, dynamically or not, into its one
 * file. So nothing mentions these files in a way that it follows; Node's own `require`, got from the process, finds them
 * - next to this file, when this package runs as it was installed, or from its sources;
 * - by the package's name, when this file is part of a user's bundle: as seen from there, or from the project's folder.
 */

/** Loads an entry of this package: its file in the folder above, or that of the installed package. Throws when there is neither. */
export function requireOwn(entry: string): unknown {
  let failure: unknown;
  for (const { require, extension } of origins()) {
    try {
      return require(extension === undefined ? `graphql-functions/${entry}` : `../${entry}${extension}`);
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

/** The path of a file in dist/. Undefined where there is no Node, or no such package. */
export function findBuiltFile(name: string): string | undefined {
  const node = globalThis.process?.getBuiltinModule;
  if (node === undefined) return undefined;
  for (const { require, extension } of origins()) {
    const manifests = extension === undefined ? ['graphql-functions/package.json'] : ['../../package.json', '../../../package.json'];
    for (const manifest of manifests) {
      const file = resolveFrom(require, manifest)?.replace(/package\.json$/, `dist/${name}`);
      if (file !== undefined && node('node:fs').existsSync(file)) return file;
    }
  }
  return undefined;
}

interface Origin {
  readonly require: NodeJS.Require;
  /** Of this package's files, where this is the package itself. */
  readonly extension: string | undefined;
}

function origins(): readonly Origin[] {
  const nodeModule = globalThis.process?.getBuiltinModule?.('node:module');
  if (nodeModule === undefined) throw new Error('this platform has no node:module');
  const here = ownFile();
  const projects = [here, `${process.cwd()}/`].filter((from) => from !== undefined);
  const byName = projects.map((from) => ({ require: nodeModule.createRequire(from), extension: undefined }));
  const [, extension] = /\bown-package(\.[a-z]+)$/.exec(here ?? '') ?? [];
  return here === undefined || extension === undefined ? byName : [{ require: nodeModule.createRequire(here), extension }, ...byName];
}

/**
 * The file this runs from. Not `import.meta.url`, which the CommonJS build and CommonJS bundles do not have,
 * nor `__filename`, which ES modules do not have: the call site is known in both.
 */
function ownFile(): string | undefined {
  const file = process.getBuiltinModule('node:util').getCallSites?.(1)[0]?.scriptName;
  return file !== undefined && /^(?:file:|\/|[A-Za-z]:\\)/.test(file) ? file : undefined;
}

/** The folder of the package, with a slash at its end. Undefined where this file is part of somebody's bundle. */
export function ownFolder(): string | undefined {
  const file = ownFile();
  return file === undefined || !/\bown-package\.[a-z]+$/.test(file)
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
