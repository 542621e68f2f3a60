// Bundled into the folder that `graphql-functions build --code-cache` writes, as its index.js.

import { readFileSync } from 'node:fs';

import { compileCached } from './compile-cached.ts';

/** A bundle and what V8 remembers of it, as they were written. */
export interface CachedBundle {
  readonly folder: string;
  /** Of the bundle, in the folder. */
  readonly file: string;
}

/** The cache's file: another version of V8 has one of another name. */
export function cacheFile({ file }: Pick<CachedBundle, 'file'>): string {
  return `${file}.${process.versions.v8}.cache`;
}

/**
 * Runs the bundle, with the cache when the bundle is what the cache was made of, and returns what it exports. The file of the
 * cache ends with a copy of that bundle: to compare the two takes 0.2 ms of a cold process, to work out a hash of 360 KB 2.5.
 */
export function loadCached(bundle: CachedBundle, load: NodeJS.Require): Record<string, unknown> {
  const path = `${bundle.folder}/${bundle.file}`;
  const bytes = readFileSync(path);
  return compileCached(path, bytes.toString('utf8'), cacheOf(bytes, readCache(bundle))).run(load);
}

/** What is in the cache is not looked at, which would take longer than half of what it saves: like the bundle it is read where nothing can write. */
function cacheOf(bundle: Buffer, stored: Buffer | undefined): Buffer | undefined {
  if (stored === undefined) return undefined;
  const end = stored.length - bundle.length;
  return end > 0 && stored.subarray(end).equals(bundle) ? stored.subarray(0, end) : undefined;
}

function readCache(bundle: CachedBundle): Buffer | undefined {
  try {
    return readFileSync(`${bundle.folder}/${cacheFile(bundle)}`);
  } catch {
    // Of another version of V8, or left out on purpose.
    return undefined;
  }
}
