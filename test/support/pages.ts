import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { pathToFileURL } from 'node:url';

import { codeBlocks } from './markdown.ts';
import { writeFiles } from './write-files.ts';

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
  await writeFiles(folder, files);
  return (file) => import(pathToFileURL(join(folder, file)).href) as Promise<unknown>;
}

/** The first block of a page in docs/ that contains a text. */
export async function blockOf(page: string, part: string): Promise<string> {
  const blocks = codeBlocks(await readFile(join(root, 'docs', page), 'utf8'));
  return blocks.find(({ text }) => text.includes(part))?.text ?? assert.fail(`${page} has no block with ${part}`);
}

/** Imports such a block, possibly with changes, beside other files. Any: the exports of a page. */
export async function importBlock(
  t: TestContext,
  [page, part, change = (text) => text]: readonly [page: string, part: string, change?: (text: string) => string],
  files: Readonly<Record<string, string>> = {},
): Promise<any> {
  const schema = "export const typeDefs = 'type Query { ok: Boolean }'; export const resolvers = {};";
  const load = await importCode(t, { 'functions/block.ts': change(await blockOf(page, part)), 'graphql/schema.ts': schema, ...files });
  return load('functions/block.ts');
}
