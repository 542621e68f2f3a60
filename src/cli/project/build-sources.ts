import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';

import type { GraphQLSchema } from 'graphql';

import type { BuildArtefact, BuildSources } from '../../schema/build/build-artefact.ts';
import { isPending, typeDefsMark } from '../../schema/build/read-build.ts';
import type { PendingBuild } from '../../schema/build/read-build.ts';
import { sourcesOf } from '../../schema/sdl/type-defs.ts';
import { filesNamed, readDocuments } from './documents/check-documents.ts';
import type { DocumentFile } from './documents/check-documents.ts';
import { DevError } from './problem.ts';
import { isCode } from './documents/embedded-operations.ts';
import { findKnownDocuments } from './documents/known-documents.ts';
import { makeArtefact } from './make-artefact.ts';

/** A file of schema text. */
export interface SchemaFile {
  readonly path: string;
  readonly text: string;
}

/** The files that patterns name, in the order of their paths, which is the order of the schema. Throws a DevError for a pattern that names none. */
export async function readSchemaFiles(patterns: readonly string[], directory: string): Promise<SchemaFile[]> {
  const paths = [...new Set(patterns.flatMap((pattern) => filesNamed(pattern, directory, "--schema 'schema/**/*.graphql'")))].toSorted();
  return Promise.all(
    paths.map(async (path) => ({ path: resolve(directory, path), text: await readFile(resolve(directory, path), 'utf8') })),
  );
}

/** The sources of a build, read. */
export interface BuildMaterial {
  readonly from: BuildSources;
  /** The function's own, where no files are named. */
  readonly typeDefs: unknown;
  /** As clients see it. */
  readonly schema: GraphQLSchema;
  readonly directory: string;
}

/** Reads everything that a build is made of, and makes it. */
export async function makeBuild({ from, typeDefs, schema, directory }: BuildMaterial): Promise<BuildArtefact> {
  const files = await readSchemaFiles(from.schema, directory);
  const sources = files.length > 0 ? files.map(({ text }) => text) : sourcesOf(typeDefs);
  const documents = await readBuildDocuments(from.documents, directory);
  const mark = files.length > 0 ? {} : { typeDefs: typeDefsMark(typeDefs) };
  return makeArtefact(sources, { ...from, ...mark }, findKnownDocuments(schema, documents));
}

/** Files of operations, if any are asked for. What clients make of the literals in their code, only their own tools know. */
export async function readBuildDocuments(patterns: readonly string[], directory: string): Promise<DocumentFile[]> {
  const files = patterns.length === 0 ? [] : await readDocuments(patterns, directory);
  const code = files.find(({ path }) => isCode(path));
  if (code === undefined) return files;
  throw new DevError(
    `--documents takes .graphql files, and manifests that a client's tools have written of its code; ${code.path} is code itself.`,
  );
}

/** True when what was imported from a file of JSON is a build. */
export function isArtefact(value: unknown): value is BuildArtefact {
  return typeof value === 'object' && value !== null && 'seal' in value && 'from' in value && 'types' in value;
}

/** The file that a server's build is in; undefined: it has none that the command line gave it. */
export function buildFileOf(options: unknown): string | undefined {
  return pendingOf(options)?.pending;
}

/** The schema's own texts, where they come by way of a build. */
export function textsOfBuild(options: unknown): readonly string[] | undefined {
  return pendingOf(options)?.typeDefs;
}

function pendingOf(options: unknown): PendingBuild | undefined {
  const { build } = (options ?? {}) as { build?: { artefact?: unknown } };
  const artefact = build?.artefact;
  return typeof artefact === 'object' && artefact !== null && isPending(artefact) ? artefact : undefined;
}
