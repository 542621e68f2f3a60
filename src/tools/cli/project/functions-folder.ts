import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, parse, relative, resolve } from 'node:path';

import { DevError } from './problem.ts';
import { readNetlifySettings } from './netlify-toml.ts';
import { problemText } from '../../checks/for-cli.ts';
import type { Problem } from '../../checks/for-cli.ts';

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

/** The functions folder, with problems and notices about the settings that name it. */
export interface ChosenFolder {
  readonly folder: string;
  readonly problems: readonly Problem[];
  readonly notices: readonly string[];
}

const usual = ['functions', join('netlify', 'functions')];

/** The named folder; else that of netlify.toml, unless its build command writes it; else the first usual folder that exists. */
export async function resolveFunctionsFolder(directory: string, named: string | undefined): Promise<ChosenFolder> {
  if (named !== undefined) {
    const folder = await findFolder(directory, [named]);
    if (folder !== undefined) return { folder, problems: [], notices: [] };
    throw new DevError(`There is no folder "${named}" in ${directory}. Choose the folder of your functions with --functions <folder>.`);
  }
  const settings = await readNetlifySettings(directory);
  const found = await findFolder(directory, usual);
  const deployed = settings?.directory === undefined ? undefined : await findFolder(directory, [settings.directory]);
  if (deployed !== undefined && settings?.isOutput === false) {
    const isOther = found !== undefined && found !== deployed;
    const notice = `Using the folder "${settings.directory}" from netlify.toml, not ${relative(directory, found ?? '')}.`;
    return { folder: deployed, problems: [], notices: isOther ? [notice] : [] };
  }
  const problems: Problem[] =
    settings === undefined || settings.isOutput ? [] : [{ ...settings.place, message: wrongFolder(settings.directory) }];
  if (found !== undefined) return { folder: found, problems, notices: [] };
  const missing = `There is no folder "functions" in ${directory}. Add functions/graphql.ts, or choose the folder with --functions <folder>.`;
  throw new DevError([...problems.map((problem) => problemText(problem, directory)), missing].join('\n'));
}

function wrongFolder(name: string | undefined): string {
  return name === undefined
    ? 'netlify.toml is not valid, so Netlify refuses to build. Text needs quotes, as in directory = "functions".'
    : `There is no folder "${name}", so Netlify would deploy no functions. Set directory to the folder of your functions, or have the build command create this one.`;
}

async function findFolder(directory: string, candidates: readonly string[]): Promise<string | undefined> {
  for (const candidate of candidates) {
    const folder = resolve(directory, candidate);
    if ((await readdir(folder).catch(() => undefined)) !== undefined) return folder;
  }
  return undefined;
}

/**
 * Follows Netlify's rules: the function x is `x.ts`, `x/x.ts` or `x/index.ts`. Other files in subfolders are not
 * functions.
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

/** The order of precedence for files of one name: files before folders, then the order of `extensions`. */
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
  const { functions } = await findFunctions(chosen.folder);
  const wanted = named ?? 'graphql';
  const found = functions.find(({ name, file }) => name === wanted || file === resolve(directory, wanted));
  const only = named === undefined && functions.length === 1 ? functions[0] : undefined;
  if (found ?? only) return (found ?? only)!;
  throw noSuchFunction(wanted, functions, chosen.folder);
}

/** The error for a function that does not exist. */
export function noSuchFunction(name: string, functions: readonly FunctionSource[], folder: string): DevError {
  if (functions.length === 0) return new DevError(`No functions in ${folder}. Add one: ${join(folder, 'graphql.ts')}.`);
  return new DevError(`No function "${name}" in ${folder}. Functions: ${functions.map((one) => one.name).join(', ')}.`);
}
