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

/** The outcome of a command. */
export interface CommandOutcome {
  readonly exitCode: number;
  /** True when the process must exit now, even if user code left something running. */
  readonly isOver: boolean;
}

/** Runs a command line. A server that has started keeps the process alive. */
export async function runCommand(argv: readonly string[]): Promise<CommandOutcome> {
  try {
    return await run(parseArguments(argv));
  } catch (error) {
    console.error(error instanceof Error && isExpected(error) ? error.message : error);
    return { exitCode: 1, isOver: true };
  }
}

async function run(command: Arguments): Promise<CommandOutcome> {
  if (command.name !== 'dev' && 'env' in command) await prepareEnvironment(command.env);
  const directory = process.cwd();
  switch (command.name) {
    case 'check':
      return over(await runCheck(command, directory, command.json ? reserveStdout() : console));
    case 'build':
      await runBuild(command, directory, console);
      return over(0);
    case 'documents':
      return over(await runDocuments(command, { directory, terminal: reserveStdout() }));
    case 'schema':
      return over(await runPrintSchema(command, directory, reserveStdout()));
    case 'init':
      return over(await runInit(command, { directory, terminal: console }));
    case 'migrate':
      return over(await runMigrate(command, directory, console));
    case 'help':
      console.log(command.text);
      break;
    case 'version':
      console.log(await readPackageVersion());
      break;
    case 'dev':
      await dev(command);
  }
  return { exitCode: 0, isOver: false };
}

function over(exitCode: number): CommandOutcome {
  return { exitCode, isOver: true };
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
