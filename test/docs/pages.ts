import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '../..');

/** Every page of the documentation, by its path in the checkout; without docs/index.md, the front page of the site. */
export async function readPages(): Promise<Record<string, string>> {
  const names = (await readdir(join(root, 'docs'))).filter((name) => name.endsWith('.md') && name !== 'index.md');
  const paths = ['README.md', ...names.toSorted().map((name) => `docs/${name}`)];
  return Object.fromEntries(await Promise.all(paths.map(async (path) => [path, await readFile(join(root, path), 'utf8')] as const)));
}
