import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';

import { codeBlocks } from '../../support/markdown.ts';
import { needs, pathInPart } from '../../support/real/parts.ts';
import { writeRecipes } from './project.ts';

const root = join(import.meta.dirname, '../../..');

const parts = ['recipes', 'federation', 'pothos', 'postgres'];
const ofPages = globSync('docs/*.md', { cwd: root }).flatMap((page) => {
  const notes = codeBlocks(readFileSync(join(root, page), 'utf8')).map((block) => block.notes['part']);
  return parts.filter((part) => notes.includes(part)).map((part) => ({ page, part, example: undefined }));
});
const ofExamples = globSync('{databases,events}/*', { cwd: join(root, 'docs/examples') }).map((example) => ({
  page: `docs/${dirname(example)}.md`,
  part: example.endsWith('postgres') ? 'postgres' : 'recipes',
  example,
}));

for (const { page, part, example } of [...ofPages, ...ofExamples])
  test(`${example ?? `the recipes of ${page}`}: compiles, strictly, with the packages of ${part}`, needs(part), async (t) => {
    const project = await writeRecipes(page, part, example);
    t.after(() => project.remove());
    // The schema that some pages import without showing it.
    if (!existsSync(join(project.folder, 'graphql'))) writeSchema(join(project.folder, 'graphql'));
    if (existsSync(join(project.folder, 'prisma.config.ts'))) {
      // The generator needs no SQL engine; this setting keeps it from downloading one.
      const env = { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: process.execPath };
      spawnSync(process.execPath, [pathInPart('recipes', 'prisma/build/index.js'), 'generate'], { cwd: project.folder, env });
    }

    assert.equal(await project.compile(), '');
  });

function writeSchema(folder: string): void {
  mkdirSync(folder);
  writeFileSync(join(folder, 'schema.ts'), "export const typeDefs = 'type Query { a: Int }', resolvers = {};");
}
