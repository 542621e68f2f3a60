import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';

import type { GraphQLSchema } from 'graphql';

import type { CheckArguments } from './arguments.ts';
import { importEsbuild } from './bundle.ts';
import { toCallable } from './call-function.ts';
import { checkDocuments } from './check-documents.ts';
import type { Problem } from './check-documents.ts';
import { DevError } from './dev-error.ts';
import { findFunctions, resolveFunctionsFolder } from './functions-folder.ts';
import type { FunctionSource } from './functions-folder.ts';
import { BundleError, loadFunction } from './load-function.ts';
import { recordServers } from './recorded-servers.ts';
import type { RecordedServers } from './recorded-servers.ts';
import type { Terminal } from './reporter.ts';
import { placeOf } from './user-code.ts';

/**
 * Loads every function, which checks its options, schema and resolvers, and validates documents against the schema.
 * The result is the exit code: 1 when there is a problem.
 */
export async function runCheck(settings: CheckArguments, directory: string, terminal: Terminal): Promise<number> {
  const folder = await resolveFunctionsFolder(directory, settings.functions);
  const { functions, misnamed } = await findFunctions(folder);
  if (functions.length === 0) throw new DevError(`There is no function in ${folder}. Put one into ${join(folder, 'graphql.ts')}.`);
  const problems: Problem[] = misnamed.map((file) => ({
    place: file,
    message: 'Names of functions have letters, digits, "-" and "_" only.',
  }));

  const recorded = recordServers();
  const schemas = new Map<string, GraphQLSchema>();
  for (const source of functions) {
    terminal.error(`Checking ${relative(directory, source.file)} …`);
    const outcome = await checkFunction(source, recorded);
    if (outcome.problem !== undefined) problems.push(outcome.problem);
    if (outcome.schema !== undefined) schemas.set(source.name, outcome.schema);
  }
  problems.push(...(await checkFiles(settings, schemas, directory, terminal)));

  for (const { place, message } of problems) terminal.log(`${place === '' ? '' : `${shorten(place, directory)} `}${indented(message)}`);
  const count = problems.length === 1 ? '1 problem' : `${problems.length} problems`;
  if (problems.length > 0) terminal.error(`\n${count}.`);
  else terminal.log(`No problem in ${functions.map(({ name }) => name).join(', ')}.`);
  return problems.length > 0 ? 1 : 0;
}

async function checkFunction(source: FunctionSource, recorded: RecordedServers): Promise<{ problem?: Problem; schema?: GraphQLSchema }> {
  const before = recorded.servers.length;
  try {
    const { exports } = await loadFunction(await importEsbuild(), source, [recorded.plugin]);
    // Throws for a module that exports no function.
    toCallable(source.name, exports);
    const made = recorded.servers.at(before);
    return made === undefined ? {} : { schema: await made.schema() };
  } catch (error) {
    // esbuild names files and lines itself.
    if (error instanceof BundleError) return { problem: { place: '', message: error.message } };
    return { problem: { place: placeOf(error) ?? source.file, message: error instanceof Error ? error.message : String(error) } };
  }
}

async function checkFiles(
  { documents, function: name }: CheckArguments,
  schemas: ReadonlyMap<string, GraphQLSchema>,
  directory: string,
  terminal: Terminal,
): Promise<Problem[]> {
  if (documents.length === 0) return [];
  const paths = [...new Set(documents.flatMap((pattern) => globSync(pattern, { cwd: directory })))].toSorted();
  if (paths.length === 0) throw new DevError(`No file is named ${documents.join(', ')}. Put patterns into quotes: 'src/**/*.graphql'.`);
  const schema = name === undefined && schemas.size === 1 ? [...schemas.values()][0] : schemas.get(name ?? 'graphql');
  if (schema === undefined) {
    const known = [...schemas.keys()].join(', ') || 'none';
    return [{ place: '', message: `No schema to validate documents with. Name a GraphQL function with --function; sound ones: ${known}.` }];
  }
  terminal.error(`Checking ${paths.length === 1 ? '1 file' : `${paths.length} files`} of operations …`);
  const files = await Promise.all(paths.map(async (path) => ({ path, text: await readFile(join(directory, path), 'utf8') })));
  return checkDocuments(schema, files);
}

function shorten(place: string, directory: string): string {
  return place.startsWith(directory) ? relative(directory, place) : place;
}

function indented(message: string): string {
  return message.replaceAll('\n', '\n  ');
}
