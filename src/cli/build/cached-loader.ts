// Bundled into the folder that `graphql-functions build --code-cache` writes, as its index.js.

import { readFileSync } from 'node:fs';

import { fingerprintOf } from '../../schema/build/fingerprint.ts';
import { compileCached } from './compile-cached.ts';

/** A bundle and what V8 remembers of it, as they were written. */
export interface CachedBundle {
  readonly folder: string;
  /** Of the bundle, in the folder. */
  readonly file: string;
  readonly fingerprint: string;
}

/** The cache's file: another version of V8 has one of another name. */
export function cacheFile({ file }: Pick<CachedBundle, 'file'>): string {
  return `${file}.${process.versions.v8}.cache`;
}

/**
 * Runs the bundle, with the cache when the bundle is what was written, and returns what it exports. What is in the cache
 * is not looked at, which would take longer than half of what it saves: like the bundle it is read where nothing can write.
 */
export function loadCached(bundle: CachedBundle, load: NodeJS.Require): Record<string, unknown> {
  const path = `${bundle.folder}/${bundle.file}`;
  const bytes = readFileSync(path);
  const cache = readCache(bundle);
  const isOriginal = cache !== undefined && fingerprintOf(bytes) === bundle.fingerprint;
  return compileCached(path, bytes.toString('utf8'), isOriginal ? cache : undefined).run(load);
}

function readCache(bundle: CachedBundle): Uint8Array | undefined {
  try {
    return readFileSync(`${bundle.folder}/${cacheFile(bundle)}`);
  } catch {
    // Of another version of V8, or left out on purpose.
    return undefined;
  }
}
