// The size of a bundle with each server, minified and compressed with gzip. Run alone: node bench/size.ts
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

import { bundle, contestants } from './contestants.ts';
import { rounded } from './statistics.ts';

/** Kilobytes by server. */
export type SizeResult = Readonly<Record<string, { readonly gzipKB: number }>>;

export async function measureSizes(): Promise<SizeResult> {
  const entries = contestants.map(async (contestant) => {
    const bytes = readFileSync(await bundle(contestant, 'size', (path) => `export { create } from ${JSON.stringify(path)};`));
    const sizes = { gzipKB: rounded(gzipSync(bytes, { level: 9 }).length / 1000) };
    return [contestant.name, sizes] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

if (import.meta.main) console.table(await measureSizes());
