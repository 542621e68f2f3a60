import { parseArguments } from './arguments.ts';
import type { Arguments, DevArguments } from './arguments.ts';
import { runBuild } from './build/build.ts';
import { runCheck } from './check/check.ts';
import { startDevServer, shutDown } from './dev/dev.ts';
import type { DevServer } from './dev/dev.ts';
import { runDoctor } from './doctor/doctor.ts';
import { readEnvFile, UsageError } from './read-options.ts';
import { followRunner } from './dev/follow-runner.ts';
import { openBrowser } from './dev/listen.ts';
import { readOwnVersion, requirementNotices } from './requirements.ts';
import { askFunction } from './dev/run-query.ts';
import { runMigrate } from './migrate/migrate.ts';
import { runPrintSchema } from './schema/print-schema.ts';
import { schemaFileNotice } from './project/schema-file-notice.ts';
import { tsconfigNotice } from './dev/tsconfig-notice.ts';
import { Reporter } from './reporter.ts';
import type { Terminal } from './project/paint.ts';

/** How a command has gone. */
export interface CommandOutcome {
  readonly exitCode: number;
  /** True when the process is to end now, whatever user code may have left running. */
  readonly isOver: boolean;
}

/** Runs the command of the given arguments. A server that has started keeps the process alive. */
export async function runCommand(argv: readonly string[]): Promise<CommandOutcome> {
  try {
    return await run(parseArguments(argv));
  } catch (error) {
    console.error(error instanceof Error && isExpected(error) ? error.message : error);
    return { exitCode: 1, isOver: true };
  }
}

async function run(command: Arguments): Promise<CommandOutcome> {
  if (command.name === 'check') {
    await prepareEnvironment('test', command.env);
    return { exitCode: await runCheck(command, process.cwd(), command.json ? ownStdout() : console), isOver: true };
  }
  if (command.name === 'build') {
    await prepareEnvironment('test', command.env);
    return { exitCode: await runBuild(command, process.cwd(), console), isOver: true };
  }
  if (command.name === 'schema') {
    await prepareEnvironment('test', command.env);
    return { exitCode: await runPrintSchema(command, process.cwd(), ownStdout()), isOver: true };
  }
  if (command.name === 'doctor') {
    await prepareEnvironment('development', command.env);
    return { exitCode: await runDoctor(command, process.cwd(), console), isOver: true };
  }
  if (command.name === 'migrate') return { exitCode: await runMigrate(command, process.cwd(), console), isOver: true };
  if (command.name === 'help') console.log(command.usage);
  else if (command.name === 'version') console.log(await readOwnVersion());
  else await dev(command);
  return { exitCode: 0, isOver: false };
}

/** Programs read the output of these commands, so stdout holds nothing else: what functions log goes to stderr. */
function ownStdout(): Terminal {
  const log = console.log.bind(console);
  for (const name of ['log', 'info', 'debug'] as const) console[name] = console.error.bind(console);
  return { log, error: console.error.bind(console) };
}

/** These commands run functions in this process. */
async function prepareEnvironment(nodeEnv: string, named: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, value] of Object.entries(await readEnvFile(process.cwd(), undefined))) process.env[name] ??= value;
  process.env['NODE_ENV'] ??= nodeEnv;
  Object.assign(process.env, named);
}

async function dev({ query, open, ...settings }: DevArguments): Promise<void> {
  let server: DevServer | undefined;
  // Ctrl+C goes to all processes of the terminal, esbuild's included; this signal comes to one.
  process.once('SIGTERM', () => void shutDown(server, 143));
  await followRunner(process.env, () => {
    console.error('What started the dev server is gone, and so it ends.');
    void shutDown(server, 0);
  });
  for (const notice of requirementNotices(process.versions.node)) console.error(notice);
  const tsconfig = await tsconfigNotice(process.cwd());
  if (tsconfig !== undefined) console.error(tsconfig);
  const reporter = new Reporter(console, process.cwd());
  server = await startDevServer({
    ...settings,
    directory: process.cwd(),
    environment: process.env,
    report: (event) => reporter.report(event),
  });
  const schemaFiles = await schemaFileNotice(
    Array.from(server.functions.values(), ({ bundled }) => bundled),
    process.cwd(),
  );
  if (schemaFiles !== undefined) console.error(schemaFiles);
  reporter.banner(server, query);
  if (query !== undefined) reporter.answer(query, await askFunction(server, query), server);
  if (open) openPage(server);
  reporter.waiting();
}

function openPage({ url, prefix, functions }: DevServer): void {
  const shown = [...functions.values()].find(({ isGraphQL, isHelper }) => isGraphQL && !isHelper);
  if (shown === undefined) console.error('There is no GraphQL function to open.');
  else openBrowser(`${url}${prefix}/${shown.name}`, () => console.error('No browser could be opened here: open the address yourself.'));
}

/** True for errors that the user can put right. Any other is a mistake of ours, and shows its stack. */
function isExpected(error: Error): boolean {
  return error instanceof UsageError || error.name === 'DevError';
}
