import type { Dirent } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join, parse, resolve } from 'node:path';

import { positionAt, problemText } from '../../checks/for-cli.ts';
import { DevError } from './problem.ts';

/** A function, as the platform would deploy it. */
export interface FunctionSource {
  readonly name: string;
  /** The file that exports it. */
  readonly file: string;
}

/** The contents of a functions folder. */
export interface FunctionsFolder {
  readonly functions: readonly FunctionSource[];
  /** Files that look like functions but have names that platforms reject. */
  readonly misnamed: readonly string[];
}

/** The extensions of functions, in the order in which Netlify's bundler looks for them. */
const extensions = ['.js', '.cjs', '.mjs', '.ts', '.tsx', '.cts', '.mts', '.jsx'];
const validName = /^[A-Za-z0-9_-]+$/;

/**
 * Finds the functions folder: the named folder, else functions, else the folder in netlify.toml, which may be the output of a build, else
 * netlify/functions.
 */
export async function resolveFunctionsFolder(directory: string, named: string | undefined): Promise<string> {
  const candidates = named === undefined ? ['functions', await netlifyFolder(directory), join('netlify', 'functions')] : [named];
  for (const candidate of candidates) {
    const folder = candidate === undefined ? undefined : resolve(directory, candidate);
    if (folder !== undefined && (await readdir(folder).catch(() => undefined)) !== undefined) return folder;
  }
  throw new DevError(
    `There is no folder "${named ?? 'functions'}" in ${directory}. Add functions/graphql.ts, or choose the folder with --functions <folder>.`,
  );
}

/** `functions.directory` of netlify.toml. Throws a DevError if it cannot be understood. */
async function netlifyFolder(directory: string): Promise<string | undefined> {
  const file = join(directory, 'netlify.toml');
  const text = await readFile(file, 'utf8').catch(() => '');
  const found = /^\[functions\][^[]*?^\s*directory\s*=\s*(.*)/m.exec(text);
  if (found === null) return undefined;
  const [before, value = ''] = found;
  const [, , folder] = /^(["'])([^"'\\]+)\1\s*(?:#.*)?$/.exec(value.trimEnd()) ?? [];
  if (folder !== undefined) return folder;
  const place = positionAt(text, found.index + before.length - value.length);
  throw new DevError(
    problemText({ file, ...place, message: 'netlify.toml is not valid. Text needs quotes, as in directory = "functions".' }, directory),
  );
}

/**
 * Follows Netlify's rules: the function x is `x.ts`, `x/x.ts` or `x/index.ts`. Other files in subfolders are not
 * functions.
 */
export async function findFunctions(folder: string): Promise<FunctionsFolder> {
  const entries = (await readdir(folder, { withFileTypes: true })).filter(({ name }) => !name.startsWith('.') && name !== 'node_modules');
  const functions = new Map<string, string>();
  const misnamed: string[] = [];
  for (const entry of entries.toSorted((one, other) => rank(one) - rank(other))) {
    const { name, file } = await toFunction(folder, entry);
    if (file === undefined || functions.has(name)) continue;
    if (validName.test(name)) functions.set(name, file);
    else misnamed.push(file);
  }
  return { functions: [...functions].map(([name, file]) => ({ name, file })).toSorted((a, b) => (a.name < b.name ? -1 : 1)), misnamed };
}

/** The order of precedence for files of one name: files before folders, then the order of `extensions`. */
function rank(entry: Dirent): number {
  return entry.isDirectory() ? extensions.length : extensions.indexOf(parse(entry.name).ext);
}

async function toFunction(folder: string, entry: Dirent): Promise<{ name: string; file: string | undefined }> {
  const path = join(folder, entry.name);
  if (entry.isDirectory()) return { name: entry.name, file: await mainFile(path, entry.name) };
  const { name, ext } = parse(entry.name);
  // Declaration files (.d.ts) have no code.
  const isCode = extensions.includes(ext) && !name.endsWith('.d');
  return { name, file: isCode ? path : undefined };
}

async function mainFile(folder: string, name: string): Promise<string | undefined> {
  const files = new Set(await readdir(folder));
  const candidates = extensions.flatMap((extension) => [`${name}${extension}`, `index${extension}`]);
  const main = candidates.find((candidate) => files.has(candidate));
  return main === undefined ? undefined : join(folder, main);
}

/** The function with a name or file; by default `graphql`, or the only one. Throws a DevError if it does not exist. */
export async function findFunction(directory: string, folder: string | undefined, named: string | undefined): Promise<FunctionSource> {
  const chosen = await resolveFunctionsFolder(directory, folder);
  const { functions } = await findFunctions(chosen);
  const wanted = named ?? 'graphql';
  const found = functions.find(({ name, file }) => name === wanted || file === resolve(directory, wanted));
  const only = named === undefined && functions.length === 1 ? functions[0] : undefined;
  if (found ?? only) return (found ?? only)!;
  throw noSuchFunction(wanted, functions, chosen);
}

/** The error for a function that does not exist. */
export function noSuchFunction(name: string, functions: readonly FunctionSource[], folder: string): DevError {
  if (functions.length === 0) return new DevError(`No functions in ${folder}. Add one: ${join(folder, 'graphql.ts')}.`);
  return new DevError(`No function "${name}" in ${folder}. Functions: ${functions.map((one) => one.name).join(', ')}.`);
}
