import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

import { DevError } from '../project/problem.ts';
import type { Node } from './references.ts';

/** A file of the project that is being changed. */
export interface SourceFile {
  readonly file: string;
  readonly text: string;
  readonly program: Node;
}

const sourceFile = /\.(?:[mc]?[jt]s|[jt]sx)$/;
const passedOver = new Set([
  'node_modules',
  'dist',
  'build',
  'coverage',
  '.git',
  '.netlify',
  '.serverless',
  '.aws-sam',
  '.next',
  '.wrangler',
]);

/** The source files of a path, including subfolders. Throws for a missing path. */
export async function findSourceFiles(path: string): Promise<string[]> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) throw new DevError(`Expected files or folders to migrate; ${path} does not exist.`);
  if (!found.isDirectory()) return [path];
  const entries = await readdir(path, { withFileTypes: true });
  const inside = await Promise.all(
    entries.map((entry) => {
      if (entry.isDirectory()) return passedOver.has(entry.name) ? [] : findSourceFiles(join(path, entry.name));
      return entry.isFile() && sourceFile.test(entry.name) && !entry.name.endsWith('.d.ts') ? [join(path, entry.name)] : [];
    }),
  );
  return inside.flat();
}
