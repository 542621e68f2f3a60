import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { posix, resolve } from 'node:path';

import { documentsInManifest } from '../project/documents/manifests.ts';
import type { ManifestDocument } from '../project/documents/manifests.ts';
import type { DocumentFile } from '../project/documents/check-documents.ts';
import type { CollectedDocument } from './collect-documents.ts';

/** New contents of files, by path. */
export type FileTexts = ReadonlyMap<string, string>;

/** The manifest of a folder. */
export function manifestPath(folder: string): string {
  return posix.join(folder, 'documents.json');
}

/** Reads the manifest of a folder. Undefined if there is none yet. */
export async function readManifest(folder: string, directory: string): Promise<DocumentFile | undefined> {
  const path = manifestPath(folder);
  const text = await readText(path, directory);
  return text === undefined ? undefined : { path, text };
}

/** The documents that the manifest does not have. */
export function missingIn(manifest: DocumentFile | undefined, collected: readonly CollectedDocument[]): CollectedDocument[] {
  const known = new Set(documentsOf(manifest).map(({ id }) => id));
  return collected.filter(({ id }) => !known.has(id));
}

/** The manifest with the documents that it does not have. Those that it has stay, for the clients of earlier releases. */
export function addTo(manifest: DocumentFile | undefined, missing: readonly CollectedDocument[]): string {
  if (manifest !== undefined && missing.length === 0) return manifest.text;
  const entries = [
    ...documentsOf(manifest).map(({ id, text, onError }) => [id, onError ? { text, onError } : text] as const),
    ...missing.map(({ id, text }) => [id, text] as const),
  ];
  return `${JSON.stringify(Object.fromEntries(entries), undefined, 2)}\n`;
}

function documentsOf(manifest: DocumentFile | undefined): ManifestDocument[] {
  return manifest === undefined ? [] : documentsInManifest(manifest);
}

/** The module of ids for clients, with its path. */
export function idsModule(folder: string, collected: readonly CollectedDocument[]): [path: string, text: string] {
  const lines = collected.map(({ name, id }) => `  ${name}: '${id}',\n`);
  const text = [
    '// Written by `graphql-functions documents`. Run it again instead of changing this file.\n',
    '\n/** The ids of the current operations by name, for clients. */\n',
    `export const ids = {${lines.length === 0 ? '' : `\n${lines.join('')}`}} as const;\n`,
  ].join('');
  return [posix.join(folder, 'ids.ts'), text];
}

/** The files whose text differs from what they contain now. */
export async function changesIn(files: FileTexts, directory: string): Promise<FileTexts> {
  const changes = await Promise.all(
    Array.from(files, async ([path, text]) => {
      const current = await readText(path, directory);
      return current !== undefined && withLineFeeds(current) === withLineFeeds(text) ? [] : [[path, text] as const];
    }),
  );
  return new Map(changes.flat());
}

/** Git may write the files of a repository with CRLF, which is no change. */
function withLineFeeds(text: string): string {
  return text.replaceAll('\r\n', '\n');
}

export async function writeFiles(files: FileTexts, directory: string): Promise<void> {
  for (const [path, text] of files) {
    await mkdir(resolve(directory, path, '..'), { recursive: true });
    await writeFile(resolve(directory, path), text);
  }
}

async function readText(path: string, directory: string): Promise<string | undefined> {
  try {
    return await readFile(resolve(directory, path), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
