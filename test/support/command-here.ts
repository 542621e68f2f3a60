import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

import { parseArguments } from '../../src/tools/cli/command-table.ts';
import type { Arguments } from '../../src/tools/cli/arguments.ts';
import { runBuild } from '../../src/tools/cli/build/build.ts';
import { runCheck } from '../../src/tools/cli/check/check.ts';
import { runDocuments } from '../../src/tools/cli/documents/documents.ts';
import { runInit } from '../../src/tools/cli/init/init.ts';
import { UsageError } from '../../src/tools/cli/read-options.ts';
import type { Terminal } from '../../src/tools/cli/project/terminal.ts';
import { runPrintSchema } from '../../src/tools/cli/schema/print-schema.ts';
import type { ProgramExit } from './program.ts';
import { createProject } from './functions-project.ts';
import type { Project } from './functions-project.ts';

/** The output of a command and how it ended. */
export type Outcome = Pick<ProgramExit, 'code' | 'stdout' | 'stderr'>;

/**
 * Runs `check`, `build`, `documents`, `schema` or `init` in this process, with a terminal that records. It takes about a sixth of the CPU of a
 * process (0.12 against 0.7 s); test/slow/tools/cli/main.test.ts shows what belongs to the process itself.
 *
 * Node imports a file once for each path: a project on which several commands run needs `createMovingProject`.
 */
export async function runCommandHere(directory: string, ...argv: readonly string[]): Promise<Outcome> {
  let stdout = '';
  let stderr = '';
  const terminal: Terminal = { log: (line) => (stdout += `${line}\n`), error: (line) => (stderr += `${line}\n`) };
  const { NODE_ENV: nodeEnv } = process.env;
  const cwd = process.cwd();
  process.chdir(directory);
  process.env['NODE_ENV'] ??= 'test';
  try {
    return { code: await run(parseArguments(argv), directory, terminal), stdout, stderr };
  } catch (error) {
    if (!(error instanceof UsageError) && (error as Error).name !== 'DevError') throw error;
    return { code: 1, stdout, stderr: `${stderr}${(error as Error).message}\n` };
  } finally {
    process.chdir(cwd);
    if (nodeEnv === undefined) delete process.env['NODE_ENV'];
    // The command records handlers until its process ends. Later tests create theirs without it.
    Reflect.deleteProperty(globalThis, Symbol.for('graphql-functions.observer'));
    // Source maps would make the stacks of later tests in this process slow.
    process.setSourceMapsEnabled(false);
  }
}

async function run(command: Arguments, directory: string, terminal: Terminal): Promise<number> {
  if (command.name === 'check') return runCheck(command, directory, terminal);
  if (command.name === 'build') return runBuild(command, directory, terminal);
  if (command.name === 'schema') return runPrintSchema(command, directory, terminal);
  if (command.name === 'documents') return runDocuments(command, { directory, terminal });
  if (command.name === 'init') return runInit(command, { directory, terminal });
  throw new Error(`The command ${command.name} is not run here.`);
}

/** A project that moves to another folder before each command, so that each imports the current functions. */
export interface MovingProject extends Project {
  readonly run: (...argv: readonly string[]) => Promise<Outcome>;
}

export async function createMovingProject(context: TestContext, files: Readonly<Record<string, string>>): Promise<MovingProject> {
  const parent = await createProject(context, {});
  let moves = 0;
  const inFolder = (path: string): string => join(String(moves), path);
  const project: MovingProject = {
    get directory() {
      return join(parent.directory, String(moves));
    },
    write: (contents) => parent.write(Object.fromEntries(Object.entries(contents).map(([path, text]) => [inFolder(path), text]))),
    remove: (path) => parent.remove(inFolder(path)),
    async run(...argv) {
      const { directory } = project;
      moves++;
      await rename(directory, project.directory);
      return runCommandHere(project.directory, ...argv);
    },
  };
  await project.write(files);
  return project;
}
