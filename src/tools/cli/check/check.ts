import { relative } from 'node:path';

import type { GraphQLSchema } from 'graphql';

import { counted } from '../../../shared/index.ts';
import type { Problem } from '../../checks/for-cli.ts';
import type { CheckArguments } from '../arguments.ts';
import { checkDocuments, readDocuments } from '../project/documents/check-documents.ts';
import { checkBuilt } from './check-built.ts';
import { checkFunction } from './check-function.ts';
import { noticesOf } from '../project/option-notices.ts';
import { documentsIn } from '../project/documents/embedded-operations.ts';
import { findFunctions, noSuchFunction, resolveFunctionsFolder } from '../project/functions-folder.ts';
import { printProblems, problemAsJSON } from '../project/print-problems.ts';
import type { Terminal } from '../project/terminal.ts';

/**
 * Loads every function, which checks its options, schema and resolvers, and validates documents against the schema. Returns the exit
 * code: 1 when there is a problem.
 */
export async function runCheck(settings: CheckArguments, directory: string, terminal: Terminal): Promise<number> {
  const { built, json } = settings;
  const { problems, checked } =
    built === undefined
      ? await checkSources(settings, directory, terminal)
      : { problems: await checkBuilt(built, settings, directory), checked: [built] };
  const shown = problems.map((problem) => problemAsJSON(problem, directory));
  if (json) terminal.log(JSON.stringify(shown, undefined, 2));
  else printProblems(problems, directory, terminal.log.bind(terminal));
  if (problems.length > 0) terminal.error(`\n${counted(problems.length, 'problem')}.`);
  else if (!json) terminal.log(`No problems in ${checked.join(', ')}.`);
  return problems.length > 0 ? 1 : 0;
}

interface Checked {
  readonly problems: Problem[];
  /** The names of the functions. */
  readonly checked: readonly string[];
}

async function checkSources(settings: CheckArguments, directory: string, terminal: Terminal): Promise<Checked> {
  const folder = await resolveFunctionsFolder(directory, settings.functions);
  const { functions, misnamed } = await findFunctions(folder);
  if (functions.length === 0) throw noSuchFunction('graphql', functions, folder);
  const message = 'Function names can only contain letters, digits, "-" and "_".';
  const problems: Problem[] = misnamed.map((file) => ({ file, message }));
  /** The schemas without problems, for operations. */
  const schemas = new Map<string, GraphQLSchema>();
  const served: string[] = [];
  for (const source of functions) {
    const { name, file } = source;
    terminal.error(`Checking ${relative(directory, file)} …`);
    const { schema, documentSchema = schema, options, isFunction, notices, ...checked } = await checkFunction(source, settings.verbose);
    problems.push(...checked.problems);
    if (isFunction) served.push(name);
    if (documentSchema !== undefined && options !== undefined) schemas.set(name, documentSchema);
    for (const notice of notices) terminal.error(`${name}: ${notice}`);
    for (const notice of options === undefined ? [] : noticesOf(name, options)) terminal.error(notice);
  }
  if (problems.length === 0 || schemas.size > 0) problems.push(...(await checkFiles(settings, schemas, directory, terminal)));
  else if (settings.documents.length > 0) terminal.error('Operations were not checked. Fix the other problems first.');
  return { problems, checked: served };
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
    const known = [...schemas.keys()].join(', ');
    const advice = known === '' ? 'No function called createHandler.' : `Choose a GraphQL function with --function: ${known}.`;
    return [{ message: `No schema to validate operations against. ${advice}` }];
  }
  terminal.error(`Checking operations in ${counted(files.length, 'file')} …`);
  return checkDocuments(schema, files.flatMap(documentsIn));
}
