import { deepEqual, equal, ok } from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { runMigrate } from '../../../src/cli/migrate/migrate.ts';
import { findParser } from '../../../src/cli/migrate/parser.ts';
import { handlers } from '../../cli/migrate/handlers.ts';
import { runTypeScript } from '../../support/run-typescript.ts';
import { needs, partNamed } from '../parts.ts';

const root = join(import.meta.dirname, '../../..');
const { folder } = partNamed('version-3');

/** A project that has TypeScript 5.9 and no other parser, and another that has Babel's. */
async function migrated(
  context: TestContext,
  parser: 'typescript' | '@babel/parser',
): Promise<{ directory: string; texts: Record<string, string> }> {
  const directory = await mkdtemp(join(tmpdir(), 'typescript-'));
  context.after(() => rm(directory, { recursive: true, force: true }));
  await mkdir(join(directory, 'node_modules', dirname(parser)), { recursive: true });
  const from = parser === 'typescript' ? join(folder, 'node_modules') : join(root, 'node_modules');
  await symlink(join(from, parser), join(directory, 'node_modules', parser));
  for (const [file, text] of Object.entries(handlers)) {
    await mkdir(join(directory, 'functions'), { recursive: true });
    await writeFile(join(directory, file), text);
  }
  equal(findParser(directory).name, parser);
  const silent = { log() {}, error() {} };
  await runMigrate({ name: 'migrate', paths: ['.'], modern: false, isDryRun: false }, directory, silent as never);
  const files = Object.keys(handlers);
  const texts = await Promise.all(files.map((file) => readFile(join(directory, file), 'utf8')));
  return { directory, texts: Object.fromEntries(files.map((file, at) => [file, texts[at]!])) };
}

test("TypeScript 5.9's parser leads to the same files as Babel's", needs('version-3'), async (context) => {
  const byTypeScript = await migrated(context, 'typescript');
  const byBabel = await migrated(context, '@babel/parser');

  deepEqual(byTypeScript.texts, byBabel.texts);
});

// `node` is what "module": "commonjs" meant to projects of version 3.
for (const [module, moduleResolution] of [
  ['nodenext', 'nodenext'],
  ['commonjs', 'node'],
]) {
  test(
    `the handlers compile under strict TypeScript 5.9 with only their imports changed: ${module}`,
    needs('version-3'),
    async (context) => {
      const { directory } = await migrated(context, 'typescript');
      for (const name of ['graphql-functions', 'graphql', '@types'])
        await symlink(name === 'graphql-functions' ? root : join(root, 'node_modules', name), join(directory, 'node_modules', name));
      const typed = Object.keys(handlers).filter((file) => basename(file).startsWith('typed-'));
      ok(typed.length >= 5);
      const compilerOptions = {
        strict: true,
        noImplicitOverride: true,
        noEmit: true,
        module,
        moduleResolution,
        target: 'es2023',
        skipLibCheck: true,
        types: ['node'],
      };
      await writeFile(join(directory, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: typed }));

      deepEqual(await runTypeScript(directory, join(folder, 'node_modules/typescript/bin/tsc')), []);
    },
  );
}
