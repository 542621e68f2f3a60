import { globSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { sha256 } from '../../../shared/index.ts';
import type { TrustedDocument } from '../../../server/index.ts';
import { documentsInManifest } from '../project/documents/manifests.ts';
import type { DocumentFile } from '../project/documents/check-documents.ts';
import type { CollectedDocument } from './collect-documents.ts';

/** The folder of manifests: its JSON files, and the modules that are generated from them. */
export interface DocumentsFolder {
  /** Its path in the project, with forward slashes. */
  readonly path: string;
  readonly manifests: readonly DocumentFile[];
}

/** New contents of files by path; undefined for a file to delete. */
export type FileChanges = ReadonlyMap<string, string | undefined>;

/** Reads the manifests of a folder, which may not exist yet. */
export async function readDocumentsFolder(path: string, directory: string): Promise<DocumentsFolder> {
  const files = globSync(`${path}/*.json`, { cwd: directory }).map((file) => file.replaceAll('\\', '/'));
  const manifests = files.toSorted().map(async (file) => ({ path: file, text: await readFile(join(directory, file), 'utf8') }));
  return { path, manifests: await Promise.all(manifests) };
}

/** The manifests of releases, and those that clients' tools have written into the folder. */
export function releasedIn(folder: DocumentsFolder): DocumentFile[] {
  return folder.manifests.filter(({ path }) => path !== draftOf(folder));
}

function draftOf({ path }: DocumentsFolder): string {
  return `${path}/draft.json`;
}

/** What a release or a draft changes. */
export interface ReleasePlan {
  readonly files: FileChanges;
  /** The documents that no manifest of a release has. */
  readonly added: readonly CollectedDocument[];
}

/**
 * Adds the documents of the current release that no earlier one has, as a separate manifest: each document is stored once, and
 * released manifests never change. `today` names the manifest (YYYY-MM-DD); undefined: it is a draft, which the next run replaces.
 */
export function planRelease(folder: DocumentsFolder, collected: readonly CollectedDocument[], today: string | undefined): ReleasePlan {
  const draftPath = draftOf(folder);
  const released = releasedIn(folder);
  const known = new Set(released.flatMap(documentsInManifest).map(({ id }) => id));
  const added = [...new Map(collected.filter(({ id }) => !known.has(id)).map((document) => [document.id, document])).values()];
  const text = toManifest(added);
  const path = today === undefined ? draftPath : `${folder.path}/${today}-${sha256(text).slice(0, 8)}.json`;
  const manifests = [...released, ...(added.length > 0 ? [{ path, text }] : [])];
  const kept = new Set(manifests.map((manifest) => manifest.path));
  const files = new Map<string, string | undefined>([
    ...folder.manifests.filter((manifest) => !kept.has(manifest.path)).map((manifest) => [manifest.path, undefined] as const),
    ...manifests.map((manifest) => [manifest.path, manifest.text] as const),
    [`${folder.path}/index.ts`, serverModule(manifests.map((manifest) => manifest.path.slice(folder.path.length + 1)))],
    [`${folder.path}/ids.ts`, clientModule(collected)],
  ]);
  return { files, added };
}

/** The changes whose result differs from what the files contain now. */
export async function changesIn(files: FileChanges, directory: string): Promise<FileChanges> {
  const changes = await Promise.all(
    Array.from(files, async ([path, text]) => {
      const current = await readFile(join(directory, path), 'utf8').catch(() => undefined);
      return current !== undefined && text !== undefined && withLineFeeds(current) === withLineFeeds(text) ? [] : [[path, text] as const];
    }),
  );
  return new Map(changes.flat());
}

/** Git may write the files of a repository with CRLF, which is no change. */
function withLineFeeds(text: string): string {
  return text.replaceAll('\r\n', '\n');
}

/** Writes and deletes files. */
export async function applyChanges(changes: FileChanges, { path }: DocumentsFolder, directory: string): Promise<void> {
  if (changes.size > 0) await mkdir(join(directory, path), { recursive: true });
  for (const [file, text] of changes) await (text === undefined ? rm(join(directory, file)) : writeFile(join(directory, file), text));
}

function toManifest(documents: readonly CollectedDocument[]): string {
  const entries = documents.map(({ id, text, onError }): [string, string | TrustedDocument] => [id, onError ? { text, onError } : text]);
  return `${JSON.stringify(Object.fromEntries(entries), undefined, 2)}\n`;
}

const notice = '// Written by `graphql-functions documents`. Run it again instead of changing this file.\n';

/** Imports every manifest by its name, because a bundle cannot read a folder. */
function serverModule(names: readonly string[]): string {
  const sorted = names.toSorted();
  const imports = sorted.map((name, at) => `import manifest${at + 1} from './${name}' with { type: 'json' };\n`);
  return [
    notice,
    "import type { TrustedDocumentManifest } from 'graphql-functions';\n",
    imports.length === 0 ? '' : `\n${imports.join('')}`,
    '\n/** The documents of this release and of earlier ones, for the option `trustedDocuments`. */\n',
    `export const documents = [${sorted.map((_, at) => `manifest${at + 1}`).join(', ')}] as readonly TrustedDocumentManifest[];\n`,
  ].join('');
}

function clientModule(collected: readonly CollectedDocument[]): string {
  const lines = collected.filter(({ name }) => name !== undefined).map(({ name, id }) => `  ${name}: '${id}',\n`);
  return [
    notice,
    '\n/** The ids of the operations of this release by name, for clients. */\n',
    `export const ids = {${lines.length === 0 ? '' : `\n${lines.join('')}`}} as const;\n`,
  ].join('');
}
