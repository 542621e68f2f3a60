import { parseArguments, usage, UsageError } from './arguments.ts';
import type { DevArguments } from './arguments.ts';
import { startDevServer } from './dev.ts';
import { askFunction } from './query.ts';
import { Reporter } from './reporter.ts';

/** Runs the command of the given arguments; the result is the exit code. A server that has started keeps the process alive. */
export async function runCommand(argv: readonly string[]): Promise<number> {
  try {
    const command = parseArguments(argv);
    if (command.name === 'help') console.log(usage);
    else await dev(command);
    return 0;
  } catch (error) {
    console.error(error instanceof Error && isExpected(error) ? error.message : error);
    return 1;
  }
}

async function dev({ query, ...settings }: DevArguments): Promise<void> {
  const reporter = new Reporter(console, process.cwd());
  const server = await startDevServer({
    ...settings,
    directory: process.cwd(),
    environment: process.env,
    report: (event) => reporter.report(event),
  });
  reporter.banner(server, query);
  if (query !== undefined) reporter.answer(query, await askFunction(server, query));
  reporter.waiting();
}

/** What the user can put right. Anything else is a mistake of ours, and shows its stack. */
function isExpected(error: Error): boolean {
  return error instanceof UsageError || error.name === 'DevError';
}
