import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { basename, dirname, join, resolve } from 'node:path';

import type { BuildResult, Metafile, Plugin } from 'esbuild';

import { folderOf, packageOf } from '../project/installed-packages.ts';

/** A package that a bundle imports instead of containing it. */
export interface UnbundledPackage {
  readonly name: string;
  readonly folder: string;
}

/** Finds the packages that cannot be bundled, and leaves them out of bundles. */
export interface UnbundledPackages {
  readonly plugin: Plugin;
  /** The packages that the bundle imports. Complete when `findAssets` has returned false. */
  readonly found: ReadonlyMap<string, UnbundledPackage>;
  /** True when the bundle contains a package that reads files beside its code: bundle again without it. */
  findAssets(metafile: Metafile): boolean;
}

/** Packages with native code load it from their folder, and others read files beside their code: neither works from within a bundle. */
export function findUnbundled(): UnbundledPackages {
  const found = new Map<string, UnbundledPackage>();
  const withAssets = new Set<string>();
  const scanned = new Set<string>();
  const plugin: Plugin = {
    name: 'graphql-functions-unbundled-packages',
    setup(build) {
      build.onStart(() => found.clear());
      build.onResolve({ filter: /^(?:@[\w.-]+\/)?\w[\w.-]*(?:\/|$)/ }, ({ path, importer, resolveDir, kind }) => {
        if (kind === 'entry-point' || isBuiltin(path)) return undefined;
        const name = packageOf(path);
        const folder = folderOf(name, resolveDir);
        // Drivers of other databases, for example, which a package requires only when it needs them.
        if (folder === undefined) return /[\\/]node_modules[\\/]/.test(importer) ? { path, external: true } : undefined;
        if (!withAssets.has(folder) && !hasNativeCode(folder)) return undefined;
        found.set(name, { name, folder });
        return { path, external: true };
      });
    },
  };
  const findAssets = ({ inputs }: Metafile): boolean => {
    const before = withAssets.size;
    for (const file of Object.keys(inputs)) {
      const folder = /^.*(?:^|\/)node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file)?.[0];
      if (folder === undefined || scanned.has(file)) continue;
      scanned.add(file);
      if (readsAssets(resolve(file))) withAssets.add(realpathSync(folder));
    }
    return withAssets.size > before;
  };
  return { plugin, found, findAssets };
}

/** Every package that packages need at run time, and themselves. Optional dependencies that are not installed are left out. */
export function withDependencies(packages: Iterable<UnbundledPackage>): UnbundledPackage[] {
  const all = new Map<string, UnbundledPackage>();
  const add = (one: UnbundledPackage): void => {
    if (all.has(one.folder)) return;
    all.set(one.folder, one);
    const { dependencies, optionalDependencies } = readManifest(one.folder);
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies }).filter((other) => !installers.has(other))) {
      const folder = folderOf(name, one.folder);
      if (folder !== undefined) add({ name, folder });
    }
  };
  for (const one of packages) add(one);
  return [...all.values()];
}

/** Packages that others depend on only for their installation. */
const installers = new Set(['prebuild-install', 'node-gyp', 'node-addon-api', 'nan']);

interface Manifest {
  readonly cpu?: readonly string[];
  readonly gypfile?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const native = new Map<string, boolean>();

/** True for a package with an addon, or with one in a package for this processor, whose name it computes. */
function hasNativeCode(folder: string): boolean {
  const known = native.get(folder);
  if (known !== undefined) return known;
  const { gypfile, dependencies, optionalDependencies } = readManifest(folder);
  native.set(folder, false);
  const isNative =
    gypfile === true ||
    existsSync(join(folder, 'binding.gyp')) ||
    addonLoaders.some((name) => name in { ...dependencies, ...optionalDependencies }) ||
    ['.', 'lib', 'build/Release', 'prebuilds'].some((inside) => filesIn(join(folder, inside)).some((name) => name.endsWith('.node'))) ||
    Object.keys(optionalDependencies ?? {}).some((name) => {
      const other = folderOf(name, folder);
      return other !== undefined && readManifest(other).cpu !== undefined && hasNativeCode(other);
    });
  native.set(folder, isNative);
  return isNative;
}

/** Packages that find an addon in the folder of the package that calls them. */
const addonLoaders = ['bindings', 'node-gyp-build', 'node-gyp-build-optional-packages', '@mapbox/node-pre-gyp', 'prebuild-install'];

/** True for a module of which an address relative to it, such as `new URL('./code.wasm', import.meta.url)`, leads to a file. */
function readsAssets(file: string): boolean {
  const text = readFileSync(file, 'utf8');
  if (!text.includes('import.meta.url')) return false;
  const addresses = text.matchAll(/\bnew URL\(\s*(["'`])([^"'`$]+)\1\s*,\s*import\.meta\.url\s*\)/g);
  return Array.from(addresses).some(([, , path = '']) => existsSync(join(dirname(file), path)));
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: basename(folder) === 'prebuilds', encoding: 'utf8' });
  } catch {
    return [];
  }
}

function readManifest(folder: string): Manifest {
  try {
    return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
  } catch {
    return {};
  }
}

/** Builds, and builds again if packages were found that cannot be bundled. */
export async function buildWithout<T extends BuildResult>(unbundled: UnbundledPackages, build: () => Promise<T>): Promise<T> {
  const result = await build();
  return result.metafile !== undefined && unbundled.findAssets(result.metafile) ? buildWithout(unbundled, build) : result;
}
