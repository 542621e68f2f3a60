import { once } from 'node:events';
import { cp, mkdtemp, realpath, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join, parse, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

import type { Problem } from '../../checks/for-cli.ts';
import type { CheckArguments } from '../arguments.ts';
import { readWranglerSettings } from '../../testing/index.ts';
import { runBuiltFile } from '../project/built-file.ts';
import { findFunction, findFunctions } from '../project/functions-folder.ts';
import { DevError } from '../project/problem.ts';
import { checkFunction } from './check-function.ts';

/** The result of importing a file. */
export interface BuiltOutcome {
  readonly problem: string | undefined;
  /** False for a file without a handler or server, such as a chunk. */
  readonly isServer: boolean;
  /** The names of the types of a schema built in code. */
  readonly types: readonly string[];
}

/**
 * Checks the files to deploy: copies them into an empty folder, and imports every function there in a separate process, which creates the
 * schema and runs no operation.
 */
export async function checkBuilt(built: string, settings: CheckArguments, directory: string): Promise<Problem[]> {
  const from = resolve(directory, built);
  const found = await stat(from).catch(() => undefined);
  if (found === undefined) throw new DevError(`There is no ${built} in ${directory}. Build the project first.`);
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'graphql-functions-')));
  try {
    const copy = found.isFile() ? join(folder, basename(from)) : folder;
    await cp(from, copy, { recursive: true, dereference: true });
    const files = found.isFile() ? [copy] : (await findFunctions(folder)).functions.map(({ file }) => file);
    const problems: Problem[] = [];
    let servers = 0;
    for (const file of files) {
      const { problem, isServer, types } = await load(file, folder, directory);
      if (isServer) servers++;
      const message = problem ?? (await renamedTypes(types, settings, directory));
      if (message !== undefined) problems.push({ file: join(from, relative(copy, file)), message: message.replaceAll(`${folder}/`, '') });
    }
    if (servers === 0)
      problems.push({ file: from, message: 'It has no file that exports a handler, or starts a server on the port in the variable PORT.' });
    return problems;
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function load(file: string, folder: string, directory: string): Promise<BuiltOutcome> {
  // As on Lambda. Workers take every file for an ES module.
  const settings = readWranglerSettings(directory);
  const [, main = ''] = /\bmain["\s]*[:=]\s*["']([^"']+)/.exec(settings ?? '') ?? [];
  const flags = settings !== undefined ? [] : ['--no-experimental-require-module', '--no-experimental-detect-module'];
  const given = [file, String(await freePort()), pathToFileURL(join(directory, 'package.json')).href];
  if (parse(main).name === parse(file).name) given.push('worker');
  const { message, code, stderr } = await runBuiltFile<BuiltOutcome>('built-main', given, { flags, cwd: folder, timeout: 60_000 });
  return message ?? { problem: `It ends the process with ${code} while it loads. ${stderr}`.trim(), isServer: true, types: [] };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

/**
 * Names the types of the source that the built schema lacks. A bundler that minifies renames classes, and with them the types that have the
 * names of classes.
 */
async function renamedTypes(types: readonly string[], settings: CheckArguments, directory: string): Promise<string | undefined> {
  if (types.length === 0) return undefined;
  const { schema } = await checkFunction(await findFunction(directory, settings.functions, settings.function));
  const missing = Object.keys(schema?.getTypeMap() ?? {}).filter((name) => !types.includes(name));
  if (missing.length === 0) return undefined;
  return `Its schema has no ${missing.join(', ')}: the bundler renamed classes. Bundle with --keep-names, or name the types in code.`;
}
