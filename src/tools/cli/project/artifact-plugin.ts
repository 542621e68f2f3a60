import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname, relative, resolve } from 'node:path';

import type { OnLoadResult, Plugin } from 'esbuild';

import type { BuildArtifact, PendingBuild } from '../../../executor/schema/index.ts';
import { isArtifact } from './build-sources.ts';
import { readDocuments } from './documents/check-documents.ts';

/** The builds of a function. */
export interface ArtifactPlugin {
  readonly plugin: Plugin;
  /** The imported builds, by file. */
  readonly found: ReadonlyMap<string, BuildArtifact>;
}

/** A build that is about to be written: its file and its sources. */
export interface ExpectedArtifact {
  readonly file: string;
  readonly schema: readonly string[];
}

/**
 * Replaces a function's build with the current text of its schema files. Development works with a missing or stale build, and
 * checks can point to lines of the schema files.
 */
export function artifactPlugin(directory: string, expected?: ExpectedArtifact): ArtifactPlugin {
  const found = new Map<string, BuildArtifact>();
  const plugin: Plugin = {
    name: 'graphql-functions-build',
    setup(build) {
      build.onResolve({ filter: /\.json$/ }, ({ path, resolveDir }) => {
        const file = resolve(resolveDir, path);
        if (file === expected?.file) return { path: file };
        if (!path.startsWith('.') || !path.endsWith('.build.json') || existsSync(file)) return undefined;
        return { errors: [{ text: `${basename(file)} does not exist in ${dirname(file)} yet. Create it: npx graphql-functions build` }] };
      });
      build.onLoad({ filter: /\.json$/ }, async ({ path }) => {
        const made = await readArtifact(path);
        if (made !== undefined) found.set(path, made);
        const schema = path === expected?.file ? expected.schema : made?.from.schema;
        return schema && pendingBuild(path, schema, directory);
      });
    },
  };
  return { plugin, found };
}

/** The build in a file. Undefined if it contains none. */
export async function readArtifact(file: string): Promise<BuildArtifact | undefined> {
  try {
    const value: unknown = JSON.parse(await readFile(file, 'utf8'));
    return isArtifact(value) ? value : undefined;
  } catch {
    // The file is missing, or not JSON; esbuild reports which.
    return undefined;
  }
}

async function pendingBuild(file: string, patterns: readonly string[], directory: string): Promise<OnLoadResult> {
  try {
    const files = await readDocuments(patterns, directory);
    const pending: PendingBuild = { pending: file, ...(files.length > 0 && { typeDefs: files.map(({ text }) => text) }) };
    const schemaFiles = files.map(({ path }) => resolve(directory, path));
    // The build file lists its schema files, so it is watched too.
    const watchFiles = [...schemaFiles, ...(existsSync(file) ? [file] : [])];
    return { contents: JSON.stringify(pending), loader: 'json', watchFiles, watchDirs: [...new Set(schemaFiles.map(dirname))] };
  } catch (error) {
    return { errors: [{ text: `${relative(directory, file)}: ${(error as Error).message}` }] };
  }
}
