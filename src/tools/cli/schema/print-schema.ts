import { writeFile } from 'node:fs/promises';
import { relative, resolve } from 'node:path';

import { printSchema } from 'graphql';

import type { SchemaArguments } from '../arguments.ts';
import { checkFunction } from '../check/check-function.ts';
import { artefactPlugin } from '../project/artefact-plugin.ts';
import { DevError } from '../project/problem.ts';
import { findFunction } from '../project/functions-folder.ts';
import { printProblems } from '../project/print-problems.ts';
import { recordServers } from '../project/recorded-servers.ts';
import type { Terminal } from '../project/paint.ts';

/** Prints the schema of a function as clients see it, or writes it into a file. The result is the exit code. */
export async function runPrintSchema(settings: SchemaArguments, directory: string, terminal: Terminal): Promise<number> {
  const source = await findFunction(directory, settings.functions, settings.function);
  const { problems, schema } = await checkFunction(source, directory, {
    recorded: recordServers(),
    plugins: [artefactPlugin(directory).plugin],
  });
  if (problems.length > 0) {
    printProblems(problems, directory, { log: terminal.error.bind(terminal), error: terminal.error.bind(terminal) });
    return 1;
  }
  if (schema === undefined)
    throw new DevError(`${relative(directory, source.file)} is not a GraphQL function: it does not call createHandler.`);
  const text = printSchema(schema);
  if (settings.out === undefined) {
    terminal.log(text);
    return 0;
  }
  await writeFile(resolve(directory, settings.out), `${text}\n`);
  terminal.error(`Wrote ${settings.out}.`);
  return 0;
}
