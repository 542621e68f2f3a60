import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { pathToFileURL } from 'node:url';

export const root = join(import.meta.dirname, '../..');

/** Every page of the documentation, by its path in the checkout; without docs/index.md, the front page of the site. */
export async function readPages(): Promise<Record<string, string>> {
  const names = (await readdir(join(root, 'docs'))).filter((name) => name.endsWith('.md') && name !== 'index.md');
  const paths = ['README.md', ...names.toSorted().map((name) => `docs/${name}`)];
  return Object.fromEntries(await Promise.all(paths.map(async (path) => [path, await readFile(join(root, path), 'utf8')] as const)));
}

/** Writes code of a page into this checkout, where it finds its packages, and imports one of the files. */
export async function importCode(t: TestContext, files: Readonly<Record<string, string>>): Promise<(file: string) => Promise<unknown>> {
  await mkdir(join(root, '.cache'), { recursive: true });
  const folder = await mkdtemp(join(root, '.cache/page-'));
  t.after(() => rm(folder, { recursive: true }));
  for (const [file, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), text);
  }
  return (file) => import(pathToFileURL(join(folder, file)).href) as Promise<unknown>;
}
