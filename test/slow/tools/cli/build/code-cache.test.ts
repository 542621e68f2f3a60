import assert from 'node:assert/strict';
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { TestContext } from 'node:test';

import { cacheFile } from '../../../../../src/tools/cli/build/cached-loader.ts';
import { writeCodeCache } from '../../../../../src/tools/cli/build/code-cache.ts';
import { compileCached } from '../../../../../src/tools/cli/build/compile-cached.ts';
import { collectCreators, warmUp } from '../../../../../src/tools/cli/build/warm-up.ts';
import { startCommand } from '../../../../support/program.ts';
import { createProject, linkPackage } from '../../../../support/functions-project.ts';

const asks = `require('./out').handler({ body: '' }).then(({ body }) => console.log(body));`;

interface Cached {
  readonly folder: string;
  /** The bundle's name, without its folder. */
  readonly bundle: string;
  /** The response of the deployed folder's handler, in a separate process. */
  readonly answer: () => Promise<string>;
}

let built = '';
before(async () => {
  built = await mkdtemp(join(tmpdir(), 'code-cache-'));
  await writeFile(join(built, 'function.ts'), `${hello}\nexport default 1;`);
  await writeCodeCache({ file: join(built, 'function.ts'), folder: join(built, 'out'), flags: ['--expose-gc'] });
});
after(() => rm(built, { recursive: true }));

/** A copy of the build of `hello`, which is built only once. */
async function cachedHello(context: TestContext): Promise<Cached> {
  const { directory } = await createProject(context, { 'function.ts': hello, 'ask.cjs': asks });
  const folder = join(directory, 'out');
  await cp(join(built, 'out'), folder, { recursive: true });
  const bundle = (await readdir(folder)).find((name) => /^function-\w+\.js$/.test(name)) ?? '';
  const answer = async (): Promise<string> => {
    const { stdout, stderr } = await startCommand(context, ['--expose-gc', join(directory, 'ask.cjs')], { cwd: directory }).exited;
    return `${stdout}${stderr}`.trim();
  };
  return { folder, bundle, answer };
}

const hello = `export const handler = async (): Promise<{ body: string }> => ({ body: 'world' });`;

test('the folder is a function that can be deployed, with the exports of the source', async (context) => {
  const { folder, answer } = await cachedHello(context);

  assert.equal(await answer(), 'world');
  assert.match(await readFile(join(folder, 'index.js'), 'utf8'), /exports\.default=\w+\.default/);
});

test('V8 accepts the cache that was written', async (context) => {
  const { folder, bundle } = await cachedHello(context);
  const cache = cacheFile({ file: bundle });
  const probe = `
    import { readFileSync } from 'node:fs';
    import { compileCached } from ${JSON.stringify(new URL('../../../../../src/tools/cli/build/compile-cached.ts', import.meta.url).href)};
    const [source, cache] = process.argv.slice(2).map((file) => readFileSync(file));
    const ofV8 = cache.subarray(0, cache.length - source.length);
    console.log(ofV8.length > 0, compileCached(process.argv[2], source.toString('utf8'), ofV8).script.cachedDataRejected);`;
  await writeFile(join(folder, 'probe.mts'), probe);

  const { stdout } = await startCommand(context, ['--expose-gc', 'probe.mts', bundle, cache], { cwd: folder }).exited;

  assert.equal(stdout, 'true false\n');
});

test('a bundle that is replaced by another of the same length runs its new code, not that of the cache', async (context) => {
  const { folder, bundle, answer } = await cachedHello(context);
  const path = join(folder, bundle);

  await writeFile(path, (await readFile(path, 'utf8')).replace('world', 'other'));

  assert.equal(await answer(), 'other');
});

test('a function without its cache, or with another file in its place, still runs', async (context) => {
  const { folder, bundle, answer } = await cachedHello(context);
  const cache = join(folder, cacheFile({ file: bundle }));

  await writeFile(cache, 'no cache at all');
  const other = await answer();
  await rm(cache);

  assert.deepEqual([other, await answer()], ['world', 'world']);
});

test('while the cache is created, operations of another schema run through the bundle, and no resolver of the function runs', async (context) => {
  const { directory } = await createProject(context, {
    'function.ts': `
      import { createHandler } from 'graphql-functions/aws-lambda';
      const hello = () => { throw new Error('called'); };
      export const handler = createHandler({ typeDefs: 'type Query { hello: String }', resolvers: { Query: { hello } } });`,
  });
  await linkPackage({ directory });
  const folder = join(directory, 'out');
  await writeCodeCache({ file: join(directory, 'function.ts'), folder, flags: [] });
  const [bundle] = (await readdir(folder)).filter((name) => name.startsWith('function-') && name.endsWith('.js')) as [string];

  const creators = collectCreators();
  compileCached(join(folder, bundle), await readFile(join(folder, bundle), 'utf8')).run(createRequire(import.meta.url));
  const answers = await Promise.all(Array.from(creators, warmUp));

  const bodies = answers.flat().map((answer) => JSON.parse((answer as { body: string }).body) as { data?: object; errors?: unknown });
  assert.equal(bodies.length, 3);
  for (const { data, errors } of bodies) assert.ok(data !== undefined && errors === undefined, JSON.stringify(errors));
});

test('files of an earlier build are removed, and the user’s files are not', async (context) => {
  const { folder, bundle } = await cachedHello(context);
  const file = join(folder, '../function.ts');
  await writeFile(file, hello.replace('world', 'earth'));

  await writeCodeCache({ file, folder, flags: [] });
  const names = await readdir(folder);
  await writeFile(join(folder, 'notes.txt'), '');

  assert.ok(!names.includes(bundle) && names.length === 4, names.join());
  await assert.rejects(writeCodeCache({ file, folder, flags: [] }), /needs an empty folder.*notes\.txt/);
});

test('a function that cannot be bundled says why, and files of an earlier build stay', async (context) => {
  const { folder } = await cachedHello(context);
  const names = await readdir(folder);
  const file = join(folder, '../function.ts');
  await writeFile(file, `await null;\n${hello}`);

  await assert.rejects(writeCodeCache({ file, folder, flags: [] }), {
    name: 'DevError',
    message: /Cannot bundle the function[^]*Top-level await[^]*function\.ts:1:0/,
  });
  assert.deepEqual(await readdir(folder), names);
});

test('a function that cannot be loaded says why', async (context) => {
  const { folder } = await cachedHello(context);
  const file = join(folder, '../function.ts');
  await writeFile(file, "throw new Error('No database is set.');");

  await assert.rejects(writeCodeCache({ file, folder, flags: [] }), /Cannot run the function[^]*No database is set/);
});
