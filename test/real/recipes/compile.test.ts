import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { codeBlocks } from '../../support/markdown.ts';
import { needs, pathInPart } from '../parts.ts';
import { writeRecipes } from './project.ts';

const root = join(import.meta.dirname, '../../..');

for (const page of globSync('docs/*.md', { cwd: root }).toSorted()) {
  const notes = codeBlocks(readFileSync(join(root, page), 'utf8')).map((block) => block.notes);
  for (const part of ['recipes', 'federation', 'pothos', 'postgres'].filter((name) => notes.some((one) => one['part'] === name)))
    test(`the recipes of ${page} compile, strictly, with the packages that they import`, needs(part), async (t) => {
      const project = await writeRecipes(page, part);
      t.after(() => project.remove());
      // The schema that some pages import without showing it.
      if (!existsSync(join(project.folder, 'graphql'))) writeSchema(join(project.folder, 'graphql'));
      if (notes.some(({ file }) => file?.endsWith('schema.prisma'))) {
        // The generator needs no SQL engine; this setting keeps it from downloading one.
        const env = { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: process.execPath };
        spawnSync(process.execPath, [pathInPart('recipes', 'prisma/build/index.js'), 'generate'], { cwd: project.folder, env });
      }

      assert.equal(await project.compile(), '');
    });
}

function writeSchema(folder: string): void {
  mkdirSync(folder);
  writeFileSync(join(folder, 'schema.ts'), "export const typeDefs = 'type Query { a: Int }', resolvers = {};");
}
