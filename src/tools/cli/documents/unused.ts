import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';

import { parse } from 'graphql';

import { messageOf } from '../../../shared/index.ts';
import type { UnusedDocumentsArguments } from '../arguments.ts';
import { filesNamed, readDocuments } from '../project/documents/check-documents.ts';
import { documentsInManifest } from '../project/documents/known-documents.ts';
import type { ManifestDocument } from '../project/documents/known-documents.ts';
import { DevError } from '../project/problem.ts';
import { collectDocuments } from './collect-documents.ts';
import { applyChanges, changesIn, planRemoval, readDocumentsFolder } from './documents-folder.ts';
import type { DatedWorkplace } from './documents.ts';

/**
 * Lists the documents of earlier releases that no cost line of a log has, and removes them with `remove`. Documents of the current
 * release are not listed: removed, they would be added again. Returns the exit code.
 */
export async function runUnusedDocuments(
  settings: UnusedDocumentsArguments,
  { directory, terminal }: Omit<DatedWorkplace, 'today'>,
): Promise<number> {
  const files = await readDocuments(settings.operations, directory);
  const folder = await readDocumentsFolder(settings.folder, directory);
  const { collected, all } = readable(() => ({ collected: collectDocuments(files), all: folder.manifests.flatMap(documentsInManifest) }));
  const logged = new Set<string>();
  for (const file of settings.logs.flatMap((pattern) => filesNamed(pattern, directory, "--log 'logs/*.jsonl'")))
    for await (const id of idsIn(resolve(directory, file))) logged.add(id);
  if (logged.size === 0)
    throw new DevError(
      `No line of ${settings.logs.join(', ')} has a documentId or a hash. Expected lines of costLine() from graphql-functions/cost-line.`,
    );
  const isCurrent = new Set(collected.map(({ id }) => id));
  const unused = all.filter(({ id }) => !isCurrent.has(id) && !logged.has(id.replace(/^sha256:/, '')));
  for (const document of unused) terminal.log(`${document.id}  ${nameOf(document)}  ${document.path}:${document.line}`);
  terminal.error(`${unused.length} of ${all.length} documents are unused.`);
  if (!settings.remove || unused.length === 0) return 0;
  const changes = await changesIn(planRemoval(folder, new Set(unused.map(({ id }) => id)), collected), directory);
  await applyChanges(changes, folder, directory);
  for (const [path, text] of changes) terminal.error(`${text === undefined ? 'Deleted' : 'Wrote'} ${path}.`);
  return 0;
}

/** Invalid files do not belong to this command. */
function readable<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new DevError(`Cannot read the documents: ${messageOf(error)}. See graphql-functions documents --check`, { cause: error });
  }
}

/**
 * The ids in the lines of a log: `documentId`, and `hash`, by which a document is known whose client sent the text. Platforms put other
 * words before the JSON of a line, or put it into a JSON string, where its quotes are escaped.
 */
async function* idsIn(file: string): AsyncGenerator<string> {
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Infinity }))
    for (const [, id = ''] of line.matchAll(/\\*"(?:documentId|hash)\\*"\s*:\s*\\*"(?:sha256:)?([^"\\]+)/g)) yield id;
}

/** The names of the operations of a document. */
function nameOf({ text }: ManifestDocument): string {
  try {
    const names = parse(text).definitions.map((one) => (one.kind === 'OperationDefinition' ? one.name?.value : undefined));
    return names.filter((name) => name !== undefined).join(', ') || 'unnamed';
  } catch {
    return 'unreadable';
  }
}
