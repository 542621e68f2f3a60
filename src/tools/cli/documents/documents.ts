import { resolve } from 'node:path';

import type { Plugin } from 'esbuild';
import { parse, Source } from 'graphql';
import type { GraphQLError, GraphQLSchema } from 'graphql';

import { createSchema } from '../../../executor/schema/index.ts';
import { counted, messageOf } from '../../../shared/index.ts';
import type { DocumentsArguments } from '../arguments.ts';
import { checkGraphQLFunction } from '../check/check-function.ts';
import { checkDefinitions } from '../check/check-definitions.ts';
import { errorsIn, readDocuments, toProblems } from '../project/documents/check-documents.ts';
import type { DocumentFile } from '../project/documents/check-documents.ts';
import { documentsIn } from '../project/documents/embedded-operations.ts';
import { checkManifest, documentsInManifest, findConflicts } from '../project/documents/manifests.ts';
import { findFunction } from '../project/functions-folder.ts';
import type { Terminal } from '../project/paint.ts';
import { printProblems } from '../project/print-problems.ts';
import type { Problem } from '../project/problem.ts';
import { collectDocuments, findProblems } from './collect-documents.ts';
import type { CollectedDocument } from './collect-documents.ts';
import { applyChanges, changesIn, planRelease, readDocumentsFolder, releasedIn } from './documents-folder.ts';
import type { DocumentsFolder, FileChanges } from './documents-folder.ts';

/** Where a command runs, where it prints, and today's date, YYYY-MM-DD. */
export interface DatedWorkplace {
  readonly directory: string;
  readonly terminal: Terminal;
  readonly today: string;
}

/**
 * Collects the operations of the project, and writes them as a manifest beside those of earlier releases. Returns the exit code: with a
 * problem it is 1 and nothing is written. With `check`, nothing is written, and a missing document is a problem.
 */
export async function runDocuments(settings: DocumentsArguments, { directory, terminal, today }: DatedWorkplace): Promise<number> {
  const files = await readDocuments(settings.operations, directory);
  const folder = await readDocumentsFolder(settings.folder, directory);
  const schema = await readSchema(settings, directory);
  const problems = isProblems(schema) ? schema : findAllProblems(schema, { files, folder, isDraft: settings.mode === 'draft' });
  if (problems.length > 0) {
    printProblems(problems, directory, { ...terminal, log: (line) => terminal.error(line) });
    if (problems.some(({ file }) => releasedIn(folder).some(({ path }) => path === file))) terminal.error(aboutReleased);
    terminal.error(`\n${counted(problems.length, 'problem')}. Nothing was written.`);
    return 1;
  }
  const collected = collectDocuments(files);
  const { files: planned, added } = planRelease(folder, collected, settings.mode === 'draft' ? undefined : today);
  const changes = await changesIn(planned, directory);
  if (settings.mode === 'check') return reportMissing(added, changes, { folder: settings.folder, directory, terminal });
  await applyChanges(changes, folder, directory);
  for (const [path, text] of changes) terminal.log(`${text === undefined ? 'Deleted' : 'Wrote'} ${path}.`);
  if (changes.size === 0) terminal.log(`${settings.folder} is up to date: ${counted(collected.length, 'document')}.`);
  return 0;
}

const aboutReleased =
  '\nClients of earlier releases send the documents of these manifests. If no client sends a document any more, delete it from its manifest.';

interface DocumentSources {
  readonly files: readonly DocumentFile[];
  readonly folder: DocumentsFolder;
  readonly isDraft: boolean;
}

function findAllProblems(schema: GraphQLSchema, { files, folder, isDraft }: DocumentSources): Problem[] {
  const released = releasedIn(folder);
  // While the schema changes, documents of earlier releases may be invalid.
  const errorsOf = (text: string): readonly Error[] => (isDraft ? [] : errorsIn(schema, text));
  const problems = [...findProblems(schema, files), ...released.flatMap((file) => checkManifest(file, errorsOf))];
  return problems.length > 0 ? problems : findConflicts([...released.flatMap(documentsInManifest), ...collectDocuments(files)]);
}

function reportMissing(
  added: readonly CollectedDocument[],
  changes: FileChanges,
  { folder, directory, terminal }: Pick<DatedWorkplace, 'directory' | 'terminal'> & { readonly folder: string },
): number {
  if (changes.size === 0) return 0;
  const missing = added.map(({ name, id, path, line }): Problem => {
    const what = name === undefined ? `The document ${id}` : `The operation ${name}`;
    return { file: path, line, column: 1, message: `${what} is in no manifest of ${folder}: production refuses it.` };
  });
  printProblems(missing, directory, terminal);
  terminal.error(
    `\n${folder} is not up to date (${[...changes.keys()].join(', ')}). Run the command without --check, and commit the folder.`,
  );
  return 1;
}

/** The schema of files, or of the function as clients see it. */
async function readSchema(settings: DocumentsArguments, directory: string): Promise<GraphQLSchema | Problem[]> {
  if (settings.schema.length > 0) return readSchemaFiles(settings.schema, directory);
  const source = await findFunction(directory, settings.functions, settings.function);
  // The documents may be missing, or not valid for the new schema.
  const { problems, schema } = await checkGraphQLFunction(source, directory, {
    plugins: [documentsStub(settings.folder, directory)],
    external: settings.external,
  });
  return schema ?? [...problems];
}

/** Replaces the generated module of a documents folder, so that a function can be loaded before its documents are written. */
function documentsStub(folder: string, directory: string): Plugin {
  const generated = resolve(directory, folder, 'index.ts');
  return {
    name: 'graphql-functions-documents',
    setup(build) {
      build.onResolve({ filter: /^\.{1,2}\// }, ({ path, resolveDir }) => {
        const file = resolve(resolveDir, path);
        return file === generated || resolve(file, 'index.ts') === generated || `${file}.ts` === generated
          ? { path: generated, namespace: 'documents' }
          : undefined;
      });
      build.onLoad({ filter: /.*/, namespace: 'documents' }, () => ({ contents: 'export const documents = [];', loader: 'ts' }));
    },
  };
}

/** Definitions in files of SDL, or in literals of code, read as the server reads `typeDefs`: those of the same type are merged. */
async function readSchemaFiles(patterns: readonly string[], directory: string): Promise<GraphQLSchema | Problem[]> {
  const texts = (await readDocuments(patterns, directory)).flatMap(documentsIn);
  const problems = texts.flatMap(({ path, text }) => {
    try {
      parse(new Source(text, path));
      return [];
    } catch (error) {
      return toProblems(path, [error as GraphQLError]);
    }
  });
  if (problems.length > 0) return problems;
  try {
    const typeDefs = texts.map(({ text }) => text).join('\n');
    const schema = createSchema({ typeDefs }, { checkWhole: false });
    const { unknown } = checkDefinitions(parse(typeDefs).definitions);
    if (unknown.length > 0) throw new Error(`it uses types that it does not define: ${unknown.join(', ')}.`);
    return schema;
  } catch (error) {
    return [{ message: `Cannot read the schema from ${patterns.join(', ')}: ${messageOf(error)}` }];
  }
}

function isProblems(schema: GraphQLSchema | Problem[]): schema is Problem[] {
  return Array.isArray(schema);
}
