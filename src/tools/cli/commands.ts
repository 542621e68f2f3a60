import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { Arguments, DevArguments } from './arguments.ts';
import { parseArguments } from './command-table.ts';
import { runBuild } from './build/build.ts';
import { runCheck } from './check/check.ts';
import { runDocuments } from './documents/documents.ts';
import { startDevServer } from './dev/dev.ts';
import { runInit } from './init/init.ts';
import { readEnvFile, UsageError } from './read-options.ts';
import { packageRoot, readPackageVersion } from './requirements.ts';
import { runQuery } from './dev/run-query.ts';
import { runMigrate } from './migrate/migrate.ts';
import { runPrintSchema } from './schema/print-schema.ts';
import { Reporter } from './reporter.ts';
import type { Terminal } from './project/terminal.ts';

/**
 * Runs a command line. Returns the exit code with which the process must end now. Returns undefined if a server has started, which keeps
 * the process alive.
 */
export async function runCommand(argv: readonly string[]): Promise<number | undefined> {
  try {
    return await run(parseArguments(argv));
  } catch (error) {
    console.error(error instanceof Error && isExpected(error) ? error.message : error);
    return 1;
  }
}

async function run(command: Arguments): Promise<number | undefined> {
  if (command.name !== 'dev' && 'env' in command) await prepareEnvironment(command.env);
  const directory = process.cwd();
  switch (command.name) {
    case 'check':
      return runCheck(command, directory, command.json ? reserveStdout() : console);
    case 'build':
      return runBuild(command, directory, console);
    case 'documents':
      return runDocuments(command, { directory, terminal: reserveStdout() });
    case 'schema':
      return runPrintSchema(command, directory, reserveStdout());
    case 'init':
      return runInit(command, { directory, terminal: console });
    case 'migrate':
      return runMigrate(command, directory, console);
    case 'help':
      console.log(command.text);
      return 0;
    case 'version':
      console.log(await readPackageVersion());
      return 0;
    case 'dev':
      await dev(command);
  }
  return undefined;
}

/** Programs read the output of these commands, so the logs of functions go to stderr. */
function reserveStdout(): Terminal {
  const log = console.log.bind(console);
  for (const name of ['log', 'info', 'debug'] as const) console[name] = console.error.bind(console);
  return { log, error: console.error.bind(console) };
}

/** Sets environment variables for commands that run functions in this process. */
async function prepareEnvironment(named: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, value] of Object.entries(await readEnvFile(process.cwd(), undefined))) process.env[name] ??= value;
  process.env['NODE_ENV'] ??= 'test';
  Object.assign(process.env, named);
}

async function dev({ query, ...settings }: DevArguments): Promise<void> {
  // The process of the functions ends with this one.
  process.once('SIGINT', () => process.exit(130));
  process.once('SIGTERM', () => process.exit(143));
  const reporter = new Reporter(console, process.cwd());
  const server = await startDevServer({
    ...settings,
    directory: process.cwd(),
    environment: process.env,
    report: (event) => reporter.report(event),
  });
  reporter.banner(server);
  if (query !== undefined) reporter.answer(query, await runQuery(server, query));
  reporter.waiting();
}

/** True for errors that the user can fix, also about a file of theirs. All others are bugs of this package and are printed with their stack. */
function isExpected(error: Error): boolean {
  if (error instanceof UsageError || error.name === 'DevError') return true;
  return 'syscall' in error && 'path' in error && !resolve(String(error.path)).startsWith(fileURLToPath(packageRoot));
}
