import { sha256 } from '../../../shared/index.ts';

const known = new Map<string, string>();

/** The hash that identifies a document in persisted queries: SHA-256 in hexadecimal digits, memoized for short documents. */
export function documentHash(source: string): string {
  const hash = known.get(source) ?? sha256(source);
  if (known.size === 500) known.clear();
  // The map would keep long texts in memory.
  if (source.length <= 4096) known.set(source, hash);
  return hash;
}
