import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { posix, resolve } from 'node:path';

import { Kind, parse } from 'graphql';

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

/**
 * Adds missing documents to the manifest, and returns its text. Present documents stay for the clients of earlier releases. Documents whose
 * operation has changed are marked as replaced.
 */
export function addTo(
  manifest: DocumentFile | undefined,
  collected: readonly CollectedDocument[],
): { readonly text: string; readonly missing: readonly CollectedDocument[] } {
  const newest = new Map(collected.map(({ name, id }) => [name, id]));
  const known = manifest === undefined ? [] : documentsInManifest(manifest);
  const kept = known.map((one) => {
    const id = newest.get(nameIn(one.text));
    return id === undefined || (id !== one.id) === (one.isReplaced === true) ? one : { ...one, isReplaced: id !== one.id };
  });
  const missing = collected.filter(({ id }) => known.every((one) => one.id !== id));
  if (manifest !== undefined && missing.length === 0 && kept.every((one, at) => one === known[at])) return { ...manifest, missing };
  const all: readonly ManifestDocument[] = [...kept, ...missing];
  const entries = all.map(({ id, text, onError, isReplaced }) => [
    id,
    onError || isReplaced ? { text, onError, isReplaced: isReplaced || undefined } : text,
  ]);
  return { text: `${JSON.stringify(Object.fromEntries(entries), undefined, 2)}\n`, missing };
}

function nameIn(text: string): string {
  return parse(text).definitions.find((node) => node.kind === Kind.OPERATION_DEFINITION)?.name?.value ?? '';
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

/** Returns the files whose text would change. Line breaks do not count, because Git may write files with CRLF. */
export async function changesIn(files: FileTexts, directory: string): Promise<FileTexts> {
  const changes = new Map<string, string>();
  for (const [path, text] of files) {
    const current = await readText(path, directory);
    if (current?.replaceAll('\r\n', '\n') !== text.replaceAll('\r\n', '\n')) changes.set(path, text);
  }
  return changes;
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
