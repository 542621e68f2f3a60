import { relative } from 'node:path';

import type { GraphQLSchema } from 'graphql';

import type { CheckArguments } from '../arguments.ts';
import { artefactPlugin } from '../project/artefact-plugin.ts';
import { checkDocuments, readDocuments } from '../project/documents/check-documents.ts';
import { checkFunction } from './check-function.ts';
import type { CheckedFunction } from './check-function.ts';
import { csrfNotice } from '../project/csrf-notice.ts';
import { documentsIn } from '../project/documents/embedded-operations.ts';
import { findFunctions, noSuchFunction, resolveFunctionsFolder } from '../project/functions-folder.ts';
import type { FunctionSource } from '../project/functions-folder.ts';
import { helperNotice, isHelper, noFunctionMessage } from '../project/no-function.ts';
import type { BundledFile } from '../project/no-function.ts';
import { printProblems, printProblemsAsJSON } from '../project/print-problems.ts';
import type { Problem } from '../project/problem.ts';
import { recordServers } from '../project/recorded-servers.ts';
import { schemaFileNotice } from '../project/schema-file-notice.ts';
import type { Terminal } from '../project/paint.ts';
import { findStaleBuild } from './stale-build.ts';

/**
 * Loads every function, which checks its options, schema and resolvers, and validates documents against the schema.
 * Returns the exit code: 1 when there is a problem.
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
  const schemas = new Map<string, GraphQLSchema>();
  const checked: CheckedFunction[] = [];
  for (const source of functions) {
    terminal.error(`Checking ${relative(directory, source.file)} …`);
    const builds = artefactPlugin(directory);
    const outcome = await checkFunction(source, directory, { recorded, plugins: [builds.plugin] });
    checked.push(outcome);
    problems.push(...outcome.problems, ...(await findStaleBuild(outcome, builds.found, directory)));
    if (outcome.schema !== undefined) schemas.set(source.name, outcome.schema);
  }
  const helpers = findHelpers(checked);
  for (const { bundled, isFunction } of checked)
    if (!isFunction && !helpers.includes(bundled))
      problems.push({ file: bundled.source.file, message: noFunctionMessage(bundled.source.name, bundled.exports) });
  for (const helper of helpers) terminal.error(helperNotice(helper, allOf(checked), directory));
  const served = checked.filter(({ bundled }) => !helpers.includes(bundled));
  for (const notice of await noticesOf(served, directory)) terminal.error(notice);
  if (problems.length === 0 || schemas.size > 0) problems.push(...(await checkFiles(settings, schemas, { directory, terminal })));
  else if (settings.documents.length > 0) terminal.error('Operations are checked once the schema has no problems.');
  report({ problems, functions: served.map(({ bundled }) => bundled.source), json: settings.json }, { directory, terminal });
  return problems.length > 0 ? 1 : 0;
}

/** Notices that do not fail the check. */
async function noticesOf(checked: readonly CheckedFunction[], directory: string): Promise<string[]> {
  const unseen = checked.filter(
    ({ isFunction, bundled, servers, problems }) => isFunction && bundled.isGraphQL && servers + problems.length === 0,
  );
  const schemaFiles = await schemaFileNotice(allOf(checked), directory);
  return [
    ...unseen.map(
      ({ bundled }) =>
        `${bundled.source.name} did not call createHandler of graphql-functions when it was loaded, so its options and schema were not checked. ` +
        'Call it at the top level of the file: export default createHandler({ … }).',
    ),
    ...(schemaFiles === undefined ? [] : [schemaFiles]),
    ...checked.flatMap(({ options, bundled }) => (options && csrfNotice(bundled.source.name, options)) ?? []),
  ];
}

function allOf(checked: readonly CheckedFunction[]): BundledFile[] {
  return checked.map(({ bundled }) => bundled);
}

/** Files that functions import, but that are not functions. */
function findHelpers(checked: readonly CheckedFunction[]): BundledFile[] {
  return checked.filter(({ isFunction, bundled }) => !isFunction && isHelper(bundled, allOf(checked))).map(({ bundled }) => bundled);
}

interface Report {
  readonly problems: readonly Problem[];
  readonly functions: readonly FunctionSource[];
  readonly json: boolean;
}

/** Where a command runs and prints. */
interface Workplace {
  readonly directory: string;
  readonly terminal: Terminal;
}

function report({ problems, functions, json }: Report, { directory, terminal }: Workplace): void {
  const count = problems.length === 1 ? '1 problem' : `${problems.length} problems`;
  if (json) printProblemsAsJSON(problems, directory, terminal);
  else printProblems(problems, directory, terminal);
  if (problems.length > 0) terminal.error(`\n${count}.`);
  else if (!json) terminal.log(`No problems in ${functions.map(({ name }) => name).join(', ')}.`);
}

async function checkFiles(
  { documents, function: name }: CheckArguments,
  schemas: ReadonlyMap<string, GraphQLSchema>,
  { directory, terminal }: Workplace,
): Promise<Problem[]> {
  if (documents.length === 0) return [];
  const files = await readDocuments(documents, directory);
  const schema = name === undefined && schemas.size === 1 ? [...schemas.values()][0] : schemas.get(name ?? 'graphql');
  if (schema === undefined) {
    const known = [...schemas.keys()].join(', ') || 'none';
    return [{ message: `No schema to validate operations against. Choose a GraphQL function with --function: ${known}.` }];
  }
  terminal.error(`Checking ${files.length === 1 ? '1 file' : `${files.length} files`} of operations …`);
  return checkDocuments(schema, files.flatMap(documentsIn));
}
