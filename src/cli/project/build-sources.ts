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

/** The material of a build, read from its sources. */
export interface BuildMaterial {
  readonly from: BuildSources;
  /** The function's own `typeDefs`, for a build that names no files. */
  readonly typeDefs: unknown;
  /** The schema as clients see it. */
  readonly schema: GraphQLSchema;
  readonly directory: string;
}

/** Reads the files of a build, and makes the build. */
export async function makeBuild({ from, typeDefs, schema, directory }: BuildMaterial): Promise<BuildArtefact> {
  const files = await readSchemaFiles(from.schema, directory);
  const sources = files.length > 0 ? files.map(({ text }) => text) : sourcesOf(typeDefs);
  const documents = await readBuildDocuments(from.documents, directory);
  const mark = files.length > 0 ? {} : { typeDefs: typeDefsMark(typeDefs) };
  return makeArtefact(sources, { ...from, ...mark }, findKnownDocuments(schema, documents));
}

/** Files of operations, if any are named. Literals in code do not count: only the clients' own tools know the texts that they send. */
export async function readBuildDocuments(patterns: readonly string[], directory: string): Promise<DocumentFile[]> {
  const files = patterns.length === 0 ? [] : await readDocuments(patterns, directory);
  const code = files.find(({ path }) => isCode(path));
  if (code === undefined) return files;
  throw new DevError(
    `--documents takes .graphql files, and manifests that a client's tools have written of its code; ${code.path} is code itself.`,
  );
}

/** True when the content of a JSON file is a build. */
export function isArtefact(value: unknown): value is BuildArtefact {
  return typeof value === 'object' && value !== null && 'seal' in value && 'from' in value && 'types' in value;
}

/** The file of a server's build. Undefined: the server has no build that the command line gave it. */
export function buildFileOf(options: unknown): string | undefined {
  return pendingOf(options)?.pending;
}

/** The texts of the schema's files, where a build refers to them. */
export function textsOfBuild(options: unknown): readonly string[] | undefined {
  return pendingOf(options)?.typeDefs;
}

function pendingOf(options: unknown): PendingBuild | undefined {
  const { build } = (options ?? {}) as { build?: { artefact?: unknown } };
  const artefact = build?.artefact;
  return typeof artefact === 'object' && artefact !== null && isPending(artefact) ? artefact : undefined;
}
