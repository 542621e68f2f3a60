import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** A real part: an npm package that is too heavy, or builds too slowly, for the project's own `npm ci`. */
export interface Part {
  readonly name: string;
  readonly version: string;
  /** Where it is, or will be: a folder of its own in the cache, with a node_modules. */
  readonly folder: string;
}

/** The part of that name in the version that parts.json says. */
export function partNamed(name: string): Part {
  const version = Object.values(versions).find((parts) => name in parts)?.[name];
  if (version === undefined) throw new Error(`Expected the name of a part in test/real/parts.json, got "${name}".`);
  return { name, version, folder: cacheFolder(`${name}@${version}`) };
}

/** The names of all parts that an npm script needs. */
export function partsOf(script: string): string[] {
  const parts = versions[script];
  if (parts === undefined) throw new Error(`Expected one of ${Object.keys(versions).join(', ')}, got "${script}".`);
  return Object.keys(parts);
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
    skip: `not installed: ${missing.map(({ name, version }) => `${name}@${version}`).join(', ')} (run: node test/real/install.ts ${names.includes('netlify-cli') ? 'test:netlify' : 'test:real'})`,
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

const versions = JSON.parse(readFileSync(new URL('parts.json', import.meta.url), 'utf8')) as Readonly<
  Record<string, Readonly<Record<string, string>>>
>;
