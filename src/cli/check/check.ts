import { join, relative } from 'node:path';

import type { GraphQLSchema } from 'graphql';

import type { CheckArguments } from '../arguments.ts';
import { artefactPlugin } from '../project/artefact-plugin.ts';
import { checkDocuments, readDocuments } from '../project/check-documents.ts';
import { checkFunction } from './check-function.ts';
import { DevError } from '../project/dev-error.ts';
import { documentsIn } from '../project/embedded-operations.ts';
import { findFunctions, resolveFunctionsFolder } from '../project/functions-folder.ts';
import type { FunctionSource } from '../project/functions-folder.ts';
import { printProblems, printProblemsAsJSON } from '../project/print-problems.ts';
import type { Problem } from '../project/problem.ts';
import { recordServers } from '../project/recorded-servers.ts';
import type { Terminal } from '../reporter.ts';
import { findStaleBuild } from './stale-build.ts';

/**
 * Loads every function, which checks its options, schema and resolvers, and validates documents against the schema.
 * The result is the exit code: 1 when there is a problem.
 */
export async function runCheck(settings: CheckArguments, directory: string, terminal: Terminal): Promise<number> {
  const folder = await resolveFunctionsFolder(directory, settings.functions);
  const { functions, misnamed } = await findFunctions(folder);
  if (functions.length === 0) throw new DevError(`There is no function in ${folder}. Put one into ${join(folder, 'graphql.ts')}.`);
  const problems: Problem[] = misnamed.map((file) => ({ file, message: 'Names of functions have letters, digits, "-" and "_" only.' }));

  const recorded = recordServers();
  const schemas = new Map<string, GraphQLSchema>();
  for (const source of functions) {
    terminal.error(`Checking ${relative(directory, source.file)} …`);
    const builds = artefactPlugin(directory);
    const outcome = await checkFunction(source, recorded, directory, [builds.plugin]);
    problems.push(...outcome.problems, ...(await findStaleBuild(outcome, builds.found, directory)));
    if (outcome.schema !== undefined) schemas.set(source.name, outcome.schema);
  }
  if (problems.length === 0 || schemas.size > 0) problems.push(...(await checkFiles(settings, schemas, directory, terminal)));
  else if (settings.documents.length > 0) terminal.error('The operations are not checked before the schema is sound.');
  report(problems, functions, settings, directory, terminal);
  return problems.length > 0 ? 1 : 0;
}

function report(
  problems: readonly Problem[],
  functions: readonly FunctionSource[],
  { json }: CheckArguments,
  directory: string,
  terminal: Terminal,
): void {
  const count = problems.length === 1 ? '1 problem' : `${problems.length} problems`;
  if (json) printProblemsAsJSON(problems, directory, terminal);
  else printProblems(problems, directory, terminal);
  if (problems.length > 0) terminal.error(`\n${count}.`);
  else if (!json) terminal.log(`No problem in ${functions.map(({ name }) => name).join(', ')}.`);
}

async function checkFiles(
  { documents, function: name }: CheckArguments,
  schemas: ReadonlyMap<string, GraphQLSchema>,
  directory: string,
  terminal: Terminal,
): Promise<Problem[]> {
  if (documents.length === 0) return [];
  const files = await readDocuments(documents, directory);
  const schema = name === undefined && schemas.size === 1 ? [...schemas.values()][0] : schemas.get(name ?? 'graphql');
  if (schema === undefined) {
    const known = [...schemas.keys()].join(', ') || 'none';
    return [{ message: `No schema to validate documents with. Name a GraphQL function with --function; sound ones: ${known}.` }];
  }
  terminal.error(`Checking ${files.length === 1 ? '1 file' : `${files.length} files`} of operations …`);
  return checkDocuments(schema, files.flatMap(documentsIn));
}
