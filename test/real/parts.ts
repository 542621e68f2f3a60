import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** A real part: an npm package, or several that belong together, too heavy or too slow to build for the project's own `npm ci`. */
export interface Part {
  readonly name: string;
  /** The version of the package; of several packages a hash of all their versions. */
  readonly version: string;
  /** What its package.json lists: the packages, and versions of what they depend on where theirs cannot be had. */
  readonly manifest: { readonly dependencies: PackageVersions; readonly overrides?: PackageVersions };
  /** Its folder in the cache, with a node_modules, which may not exist yet. */
  readonly folder: string;
}

type PackageVersions = Readonly<Record<string, string>>;

/** The part of that name, in the version given by parts.json. */
export function partNamed(name: string): Part {
  const entry = Object.values(entries).find((parts) => name in parts)?.[name];
  if (entry === undefined) throw new Error(`Expected the name of a part in test/real/parts.json, got "${name}".`);
  if (typeof entry === 'string')
    return { name, version: entry, manifest: { dependencies: { [name]: entry } }, folder: folderOf(name, entry) };
  const version = createHash('sha256').update(JSON.stringify(entry)).digest('hex').slice(0, 8);
  return { name, version, manifest: entry, folder: folderOf(name, version) };
}

/** The names of all parts that an npm script needs. */
export function partsOf(script: string): string[] {
  const parts = entries[script];
  if (parts === undefined) throw new Error(`Expected one of ${Object.keys(entries).join(', ')}, got "${script}".`);
  return Object.keys(parts);
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
 * What a test that needs a part passes on to `test`. A missing part skips it and says how to get it; where CI is set,
 * it must not go unnoticed, and the test is left to fail.
 */
export function needs(...names: string[]): { skip: string | false } {
  const missing = names.map(partNamed).filter((part) => !isInstalled(part));
  if (missing.length === 0 || process.env['CI'] === 'true') return { skip: false };
  return {
    skip: `not installed: ${missing.map(({ name, version }) => `${name}@${version}`).join(', ')} (run: node test/real/install.ts ${scriptOf(names)})`,
  };
}

/** The same for a program of the machine. */
export function needsProgram(name: string): { skip: string | false } {
  if (isOnPath(name) || process.env['CI'] === 'true') return { skip: false };
  return { skip: `not on the PATH: ${name}` };
}

export function isOnPath(program: string): boolean {
  return spawnSync(program, ['--version'], { stdio: 'ignore' }).error === undefined;
}

/** The path of a file in a part's node_modules. */
export function pathInPart(name: string, path: string): string {
  return join(partNamed(name).folder, 'node_modules', path);
}

/** The npm script that installs all of these parts. */
function scriptOf(names: readonly string[]): string | undefined {
  return Object.keys(entries).find((script) => names.every((name) => name in (entries[script] ?? {})));
}

const entries = JSON.parse(readFileSync(new URL('parts.json', import.meta.url), 'utf8')) as Readonly<
  Record<string, Readonly<Record<string, string | Part['manifest']>>>
>;
