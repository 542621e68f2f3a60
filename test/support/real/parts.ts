import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** A real part: one or several npm packages that are too large, or too slow to build, for `npm ci` of this project. */
export interface Part {
  readonly name: string;
  /** The version of the package; for several packages, a hash of all versions. */
  readonly version: string;
  /** The contents of its package.json: the packages, and overrides for dependencies whose versions are not available. */
  readonly manifest: { readonly dependencies: PackageVersions; readonly overrides?: PackageVersions };
  /** Its folder in the cache, which may not exist yet. It contains node_modules. */
  readonly folder: string;
}

type PackageVersions = Readonly<Record<string, string>>;

/** The part with this name, in the version of parts.json. */
export function partNamed(name: string): Part {
  const entry = Object.values(entries).find((parts) => name in parts)?.[name];
  if (entry === undefined) throw new Error(`Expected the name of a part in test/support/real/parts.json, got "${name}".`);
  if (typeof entry === 'string')
    return { name, version: entry, manifest: { dependencies: { [name]: entry } }, folder: folderOf(name, entry) };
  const version = createHash('sha256').update(JSON.stringify(entry)).digest('hex').slice(0, 8);
  return { name, version, manifest: entry, folder: folderOf(name, version) };
}

/** The names of the parts that the tests of a folder of test/real need. */
export function partsOf(folder: string): string[] {
  return Object.keys(entries[folder] ?? {});
}

function folderOf(name: string, version: string): string {
  return cacheFolder(`${name}@${version}`);
}

/** A folder of the cache. Native parts are built for one platform and one major version of Node. */
export function cacheFolder(name: string): string {
  const { REAL_PARTS_CACHE, XDG_CACHE_HOME } = process.env;
  const root = REAL_PARTS_CACHE ?? join(XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'graphql-functions', 'real-parts');
  return join(root, `${name}-${process.platform}-${process.arch}-node${process.versions.node.split('.')[0]}`);
}

export function isInstalled({ folder }: Part): boolean {
  return existsSync(join(folder, 'node_modules'));
}

/**
 * The options of a test that needs parts. If one is missing, the test is skipped with a hint how to install it. If CI is set, the test
 * runs and fails, so that the missing part is noticed.
 */
export function needs(...names: string[]): { skip: string | false } {
  const missing = names.map(partNamed).filter((part) => !isInstalled(part));
  if (missing.length === 0 || process.env['CI'] === 'true') return { skip: false };
  return {
    skip: `not installed: ${missing.map(({ name, version }) => `${name}@${version}`).join(', ')} (run: npm run test:real)`,
  };
}

/** The path of a file in a part's node_modules. */
export function pathInPart(name: string, path: string): string {
  return join(partNamed(name).folder, 'node_modules', path);
}

/** Imports a module of a part. Any: TypeScript does not read the folders of parts. */
export async function importFromPart(name: string, path: string): Promise<any> {
  return import(pathToFileURL(pathInPart(name, path)).href);
}

const entries = JSON.parse(readFileSync(new URL('parts.json', import.meta.url), 'utf8')) as Readonly<
  Record<string, Readonly<Record<string, string | Part['manifest']>>>
>;
