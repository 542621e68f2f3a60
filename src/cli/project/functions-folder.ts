import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, parse, resolve } from 'node:path';

import { DevError } from './dev-error.ts';

/** A function, as the platform would deploy it. */
export interface FunctionSource {
  readonly name: string;
  /** The file that exports it. */
  readonly file: string;
}

/** What a functions folder holds. */
export interface FunctionsFolder {
  readonly functions: readonly FunctionSource[];
  /** Files that look like functions, and whose names no platform would take. */
  readonly misnamed: readonly string[];
}

/** In the order in which Netlify's bundler looks for them. */
const extensions = ['.js', '.cjs', '.mjs', '.ts', '.tsx', '.cts', '.mts', '.jsx'];
const validName = /^[A-Za-z0-9_-]+$/;

/** The folder to serve: the one that was named, or the first of the usual ones. */
export async function resolveFunctionsFolder(directory: string, named: string | undefined): Promise<string> {
  const candidates = named === undefined ? ['functions', join('netlify', 'functions')] : [named];
  for (const candidate of candidates) {
    const folder = resolve(directory, candidate);
    const entries = await readdir(folder).catch(() => undefined);
    if (entries !== undefined) return folder;
  }
  throw new DevError(
    named === undefined
      ? `There is no folder "functions" in ${directory}. Put a function into functions/graphql.ts, or name the folder with --functions <folder>.`
      : `There is no folder "${named}" in ${directory}. Name the folder of your functions with --functions <folder>.`,
  );
}

/**
 * Netlify's rules: the function x is `x.ts`, `x/x.ts` or `x/index.ts`. Other files of subfolders are what functions
 * import, and no functions.
 */
export async function findFunctions(folder: string): Promise<FunctionsFolder> {
  const entries = (await readdir(folder, { withFileTypes: true })).filter(({ name }) => !name.startsWith('.') && name !== 'node_modules');
  const functions = new Map<string, string>();
  const misnamed: string[] = [];
  for (const entry of entries.toSorted(byRank)) {
    const { name, file } = await toFunction(folder, entry);
    if (file === undefined || functions.has(name)) continue;
    if (validName.test(name)) functions.set(name, file);
    else misnamed.push(file);
  }
  return { functions: [...functions].map(([name, file]) => ({ name, file })).toSorted((a, b) => (a.name < b.name ? -1 : 1)), misnamed };
}

/** Of two files for one name, the first counts: a file before a folder, then as in `extensions`. */
function byRank(a: Dirent, b: Dirent): number {
  return rank(a) - rank(b);
}

function rank(entry: Dirent): number {
  return entry.isDirectory() ? extensions.length : extensions.indexOf(parse(entry.name).ext);
}

async function toFunction(folder: string, entry: Dirent): Promise<{ name: string; file: string | undefined }> {
  const path = join(folder, entry.name);
  if (entry.isDirectory()) return { name: entry.name, file: await mainFile(path, entry.name) };
  const { name, ext } = parse(entry.name);
  // Declarations hold no code.
  const isCode = extensions.includes(ext) && !name.endsWith('.d');
  return { name, file: isCode ? path : undefined };
}

async function mainFile(folder: string, name: string): Promise<string | undefined> {
  const files = new Set(await readdir(folder));
  const candidates = extensions.flatMap((extension) => [`${name}${extension}`, `index${extension}`]);
  const main = candidates.find((candidate) => files.has(candidate));
  return main === undefined ? undefined : join(folder, main);
}
