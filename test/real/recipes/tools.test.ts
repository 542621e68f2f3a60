import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { composeProject } from '../../../src/tools/cli/init/compose-project.ts';
import { packPackage } from '../../support/packed-package.ts';
import { needs, pathInPart } from '../../support/real/parts.ts';
import { writeFiles } from '../../support/write-files.ts';
import { writeRecipes } from './project.ts';

// Runs the test runners and editor tools of the documentation on the files that it shows.

for (const [name, module, ...command] of [
  ['vitest', 'vitest', 'vitest/vitest.mjs', 'run'],
  ['jest', '@jest/globals', 'jest/bin/jest.js'],
] as const) {
  test(`a test passes with ${name}, set up as docs/testing.md says`, needs(name), async (t) => {
    const project = await writeRecipes('docs/testing.md', name);
    t.after(() => project.remove());
    await writeFile(
      join(project.folder, 'hello.test.ts'),
      `import { expect, test } from '${module}';
import { createTester } from 'graphql-functions/testing';
const { run } = createTester({ typeDefs: 'type Query { hello: String! }', resolvers: { Query: { hello: () => 'Hello!' } } });
test('says hello', async () => {
  expect(await run('{ hello }')).toMatchObject({ data: { hello: 'Hello!' } });
});
`,
    );
    const [program, ...args] = command;

    const ran = spawnSync(process.execPath, ['--experimental-vm-modules', pathInPart(name, program), ...args], {
      cwd: project.folder,
      encoding: 'utf8',
      env: { PATH: process.env['PATH'] },
    });

    assert.equal(ran.status, 0, ran.stdout + ran.stderr);
    assert.match(ran.stdout + ran.stderr, /1 passed/);
  });
}

test('gql.tada types the operations of docs/codegen.md, and graphql-config finds the schema', needs('tada'), async (t) => {
  const project = await writeRecipes('docs/codegen.md', 'tada');
  t.after(() => project.remove());
  await writeFile(join(project.folder, 'schema.graphql'), 'type Query { books: [Book!]! } type Book { title: String! }');
  await writeFile(
    join(project.folder, 'client/wrong.ts'),
    "import { titlesOf } from './books.js';\ntitlesOf({ books: [{ title: 1 }] });\n",
  );
  const run = (program: string, ...args: string[]): string => {
    const { stdout, stderr } = spawnSync(process.execPath, [pathInPart('tada', program), ...args], {
      cwd: project.folder,
      encoding: 'utf8',
    });
    return stdout + stderr;
  };

  const generated = run('gql.tada/bin/cli.js', 'generate-output');
  const complaints = run('typescript/bin/tsc', '-p', '.');
  const { loadConfig } = createRequire(pathInPart('tada', 'graphql-config/package.json'))('graphql-config') as ConfigTool;
  const config = await loadConfig({ rootDir: project.folder });
  const schema = await config.getDefault().getSchema();

  assert.match(generated, /generated successfully/);
  assert.match(complaints, /^client\/wrong\.ts\(2,\d+\): error TS2322: Type 'number' is not assignable to type 'string'\.\n$/);
  assert.ok(schema.getType('Book'));
});

/** The part of graphql-config that the test uses. */
interface ConfigTool {
  loadConfig(options: { rootDir: string }): Promise<{
    getDefault(): { getSchema(): Promise<{ getType(name: string): unknown }> };
  }>;
}

test("a project with Yarn's Plug'n'Play, which has no folder of packages, passes its checks and tests", needs('yarn'), async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'plug-and-play-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const files = Object.fromEntries(await composeProject({ platform: 'lambda', api: 'trusted' }, 'shop'));
  const { dependencies, ...manifest } = JSON.parse(files['package.json']!) as { readonly dependencies: object };
  const { tarball } = await packPackage();
  await writeFiles(folder, {
    ...files,
    'package.json': JSON.stringify({ ...manifest, dependencies: { ...dependencies, 'graphql-functions': `file:${tarball}` } }),
    'yarn.lock': '',
    '.yarnrc.yml': 'nodeLinker: pnp\nenableTelemetry: false\nenableGlobalCache: false\nenableImmutableInstalls: false\n',
  });
  // NODE_TEST_CONTEXT would make the test runner of the project silent.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const yarn = (...args: string[]): string => {
    // Yarn has certificates of its own, and a machine may reach its registry with others, which npm takes from the system.
    const program = ['--use-system-ca', pathInPart('yarn', '@yarnpkg/cli-dist/bin/yarn.js')];
    const { status, stdout, stderr } = spawnSync(process.execPath, [...program, ...args], { cwd: folder, encoding: 'utf8', env });
    return status === 0 ? stdout : stdout + stderr;
  };

  const installed = yarn('install');

  assert.match(yarn('graphql-functions', 'documents'), /documents is up to date: 3 documents\./, installed);
  assert.match(yarn('graphql-functions', 'check'), /No problems in graphql\./);
  assert.match(yarn('node', '--test'), /pass 5\b/);

  yarn('remove', 'esbuild');

  assert.match(yarn('graphql-functions', 'check'), /compiles functions with esbuild, which is not installed/);
});
