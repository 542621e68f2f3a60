import { parse, specifiedDirectives } from 'graphql';
import type { GraphQLSchema } from 'graphql';

import { createSchema } from '../../../executor/schema/index.ts';
import { counted, didYouMean } from '../../../shared/index.ts';
import type { DocumentsArguments } from '../arguments.ts';
import { findInSchema, positionAt } from '../../checks/for-cli.ts';
import { errorsIn } from '../../../server/for-tools.ts';
import { readDocuments } from '../project/documents/check-documents.ts';
import type { DocumentFile } from '../project/documents/check-documents.ts';
import { documentsIn } from '../project/documents/embedded-operations.ts';
import { checkManifest } from '../project/documents/manifests.ts';
import type { Terminal } from '../project/terminal.ts';
import { printProblems } from '../project/print-problems.ts';
import type { Problem } from '../../checks/for-cli.ts';
import { collectDocuments, findProblems } from './collect-documents.ts';
import type { CollectedDocument } from './collect-documents.ts';
import { addTo, changesIn, idsModule, manifestPath, readManifest, writeFiles } from './documents-folder.ts';

/** Where a command runs and prints. */
export interface Workplace {
  readonly directory: string;
  readonly terminal: Terminal;
}

/**
 * Collects the operations of the project, and adds those that are new to the manifest. Returns the exit code: with a problem it is 1 and
 * nothing is written. With the mode "check", nothing is written, and a missing document is a problem.
 */
export async function runDocuments(settings: DocumentsArguments, { directory, terminal }: Workplace): Promise<number> {
  const { folder, mode } = settings;
  const files = await readDocuments(settings.operations, directory);
  const manifest = await readManifest(folder, directory);
  const schema = await readSchema(settings.schema, directory);
  const found = Array.isArray(schema) ? schema : findAllProblems(schema, files, mode === 'ids' ? undefined : manifest);
  const problems = found.filter((problem) => !isLeftToCheck(problem));
  if (problems.length > 0) {
    printProblems(problems, directory, terminal.error.bind(terminal));
    if (manifest !== undefined && problems.some(({ file }) => file === manifest.path)) terminal.error(aboutManifest(manifest));
    terminal.error(`\n${counted(problems.length, 'problem')}. Nothing was written.`);
    return 1;
  }
  const collected = collectDocuments(files);
  const { text, missing } = mode === 'ids' ? {} : addTo(manifest, collected);
  const added = text === undefined ? [] : [[manifestPath(folder), text] as const];
  const changes = await changesIn(new Map([...added, idsModule(folder, collected)]), directory);
  if (mode === 'check') return reportMissing(missing ?? [], [...changes.keys()], folder, { directory, terminal });
  await writeFiles(changes, directory);
  for (const path of changes.keys()) terminal.log(`Wrote ${path}.`);
  if (changes.size === 0) terminal.log(`${folder} is up to date: ${counted(collected.length, 'document')}.`);
  return 0;
}

const specified = specifiedDirectives.map(({ name }) => name);

/**
 * Only the server knows the directives of plugins and extensions. Unknown directives are left to `check`, except known names with a
 * mistake.
 */
function isLeftToCheck({ message }: Problem): boolean {
  const [, name] = /\bUnknown directive "@(\w+)"/.exec(message) ?? [];
  return name !== undefined && didYouMean(name, specified) === '';
}

function aboutManifest({ path }: DocumentFile): string {
  return `\nClients of earlier releases may send the documents of ${path}. If no client sends a document any more, delete its entry by hand.`;
}

/** `manifest` is undefined while the schema changes: documents of earlier releases may be invalid. */
function findAllProblems(schema: GraphQLSchema, files: readonly DocumentFile[], manifest: DocumentFile | undefined): Problem[] {
  const inManifest = manifest === undefined ? [] : checkManifest(manifest, (text) => errorsIn(schema, () => parse(text)));
  return [...findProblems(schema, files), ...inManifest];
}

function reportMissing(
  missing: readonly CollectedDocument[],
  changed: readonly string[],
  folder: string,
  { directory, terminal }: Workplace,
): number {
  if (changed.length === 0) return 0;
  const problems = missing.map(({ name, id: _id, text: _text, ...place }) => ({
    ...place,
    message: `The operation ${name} is not in ${manifestPath(folder)}: production refuses it.`,
  }));
  printProblems(problems, directory, terminal.log.bind(terminal));
  terminal.error(`\n${folder} is not up to date (${changed.join(', ')}). Run the command without --check, and commit the folder.`);
  return 1;
}

/** The schema of SDL files, or of literals in code, read as the server reads `typeDefs`: definitions of the same type are merged. */
async function readSchema(patterns: readonly string[], directory: string): Promise<GraphQLSchema | Problem[]> {
  const files = (await readDocuments(patterns, directory)).flatMap(documentsIn);
  const typeDefs = files.map(({ text }) => text);
  const inLiterals = files.flatMap(({ problem }) => problem ?? []);
  if (inLiterals.length > 0) return inLiterals;
  const problems = findInSchema(typeDefs, {}).map(({ message, sdl }): Problem => {
    const file = files.find(({ text }) => text === sdl?.text)?.path ?? patterns.join(', ');
    return { file, ...(sdl && positionAt(sdl.text, sdl.offset)), message };
  });
  return problems.some((problem) => !isLeftToCheck(problem)) ? problems : createSchema({ typeDefs }, { checkWhole: false });
}
