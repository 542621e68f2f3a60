import { relative } from 'node:path';

import type { GraphQLSchema } from 'graphql';

import type { ServerOptions } from '../../../server/index.ts';
import { counted } from '../../../shared/index.ts';
import type { CheckArguments } from '../arguments.ts';
import { checkDocuments, readDocuments } from '../project/documents/check-documents.ts';
import { checkFunction } from './check-function.ts';
import type { CheckedFunction } from './check-function.ts';
import { csrfNotices } from '../project/csrf-notice.ts';
import { documentsIn } from '../project/documents/embedded-operations.ts';
import { findFunctions, noSuchFunction, resolveFunctionsFolder } from '../project/functions-folder.ts';
import { helperNotice, isHelper, noFunctionMessage } from '../project/no-function.ts';
import type { BundledFile } from '../project/no-function.ts';
import { printProblems, problemAsJSON } from '../project/print-problems.ts';
import type { Problem } from '../project/problem.ts';
import { recordServers } from '../project/recorded-servers.ts';
import type { Terminal } from '../project/paint.ts';
import { findUntrustedOperations } from './trusted-documents.ts';

/** A schema without problems, and the options of its server. */
interface CheckedSchema {
  readonly schema: GraphQLSchema;
  readonly options: ServerOptions;
}

/**
 * Loads every function, which checks its options, schema and resolvers, and validates documents against the schema. Returns the exit
 * code: 1 when there is a problem.
 */
export async function runCheck(settings: CheckArguments, directory: string, terminal: Terminal): Promise<number> {
  const chosen = await resolveFunctionsFolder(directory, settings.functions);
  const { folder } = chosen;
  for (const notice of chosen.notices) terminal.error(notice);
  const { functions, misnamed } = await findFunctions(folder);
  if (functions.length === 0) throw noSuchFunction('graphql', functions, folder);
  const problems: Problem[] = [
    ...chosen.problems,
    ...misnamed.map((file) => ({ file, message: 'Function names can only contain letters, digits, "-" and "_".' })),
  ];

  const recorded = recordServers();
  const schemas = new Map<string, CheckedSchema>();
  const checked: CheckedFunction[] = [];
  for (const source of functions) {
    terminal.error(`Checking ${relative(directory, source.file)} …`);
    const outcome = await checkFunction(source, directory, { recorded });
    checked.push(outcome);
    problems.push(...outcome.problems);
    const { schema, options } = outcome;
    if (schema !== undefined && options !== undefined) schemas.set(source.name, { schema, options });
  }
  const helpers = findHelpers(checked);
  for (const { bundled, isFunction } of checked)
    if (!isFunction && !helpers.includes(bundled))
      problems.push({ file: bundled.source.file, message: noFunctionMessage(bundled.source.name, bundled.exports) });
  for (const helper of helpers) terminal.error(helperNotice(helper, allOf(checked), directory));
  const served = checked.filter(({ bundled }) => !helpers.includes(bundled));
  for (const notice of noticesOf(served)) terminal.error(notice);
  if (problems.length === 0 || schemas.size > 0) problems.push(...(await checkFiles(settings, schemas, directory, terminal)));
  else if (settings.documents.length > 0) terminal.error('Operations were not checked. Fix the other problems first.');
  report(problems, settings.json, directory, terminal);
  if (problems.length > 0) return 1;
  if (!settings.json) terminal.log(`No problems in ${served.map(({ bundled }) => bundled.source.name).join(', ')}.`);
  return 0;
}

/** Notices that do not fail the check. */
function noticesOf(checked: readonly CheckedFunction[]): string[] {
  const unseen = checked.filter(
    ({ isFunction, bundled, servers, problems }) => isFunction && bundled.isGraphQL && servers + problems.length === 0,
  );
  return [
    ...unseen.map(
      ({ bundled }) =>
        `${bundled.source.name} did not call createHandler of graphql-functions when it was loaded, so its options and schema were not checked. ` +
        'Call it at the top level of the file: export default createHandler({ … }).',
    ),
    ...checked.flatMap(({ notices = [], bundled }) => notices.map((notice) => `${bundled.source.name}: ${notice}`)),
    ...checked.flatMap(({ options, bundled }) => (options === undefined ? [] : csrfNotices(bundled.source.name, options))),
  ];
}

function allOf(checked: readonly CheckedFunction[]): BundledFile[] {
  return checked.map(({ bundled }) => bundled);
}

/** Files that functions import, but that are not functions. */
function findHelpers(checked: readonly CheckedFunction[]): BundledFile[] {
  return checked.filter(({ isFunction, bundled }) => !isFunction && isHelper(bundled, allOf(checked))).map(({ bundled }) => bundled);
}

async function checkFiles(
  { documents, function: name }: CheckArguments,
  schemas: ReadonlyMap<string, CheckedSchema>,
  directory: string,
  terminal: Terminal,
): Promise<Problem[]> {
  if (documents.length === 0) return [];
  const files = await readDocuments(documents, directory);
  const checked = chooseSchema(name, schemas);
  if (checked === undefined) return [{ message: `No schema to validate operations against. ${whichFunction(schemas)}` }];
  terminal.error(`Checking operations in ${counted(files.length, 'file')} …`);
  const texts = files.flatMap(documentsIn);
  const problems = checkDocuments(checked.schema, texts);
  return problems.length > 0 ? problems : findUntrustedOperations(checked.options, texts);
}

/** Prints problems. Their number goes to stderr. */
function report(problems: readonly Problem[], json: boolean, directory: string, terminal: Terminal): void {
  if (json)
    terminal.log(
      JSON.stringify(
        problems.map((problem) => problemAsJSON(problem, directory)),
        undefined,
        2,
      ),
    );
  else printProblems(problems, directory, terminal);
  if (problems.length > 0) terminal.error(`\n${counted(problems.length, 'problem')}.`);
}

function chooseSchema(name: string | undefined, schemas: ReadonlyMap<string, CheckedSchema>): CheckedSchema | undefined {
  return name === undefined && schemas.size === 1 ? [...schemas.values()][0] : schemas.get(name ?? 'graphql');
}

function whichFunction(schemas: ReadonlyMap<string, CheckedSchema>): string {
  if (schemas.size === 0) return 'No function called createHandler.';
  return `Choose a GraphQL function with --function: ${[...schemas.keys()].join(', ')}.`;
}
