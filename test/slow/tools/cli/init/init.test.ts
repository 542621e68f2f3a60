import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { parseArguments } from '../../../../../src/tools/cli/command-table.ts';
import { composeProject, initPlatforms } from '../../../../../src/tools/cli/init/compose-project.ts';
import type { InitPlatform } from '../../../../../src/tools/cli/init/compose-project.ts';
import { runCommandHere } from '../../../../support/command-here.ts';
import { startCommand } from '../../../../support/program.ts';
import type { Outcome } from '../../../../support/command-here.ts';
import { createProject, linkPackage } from '../../../../support/functions-project.ts';

const root = join(import.meta.dirname, '../../../../..');
const platforms = Object.keys(initPlatforms) as InitPlatform[];

/** The files that exist for only one platform. */
const filesOf: Readonly<Record<InitPlatform, readonly string[]>> = {
  netlify: ['functions/graphql.ts', 'netlify.toml'],
  lambda: ['functions/graphql.ts', 'template.yaml'],
  workers: ['src/index.ts', 'wrangler.jsonc'],
  nextjs: ['app/api/graphql/[[...path]]/route.ts', 'functions/graphql.ts'],
  node: ['dev.ts', 'environment.ts', 'functions/graphql.ts', 'server.ts'],
  hono: ['dev.ts', 'environment.ts', 'functions/graphql.ts', 'server.ts'],
  deno: ['dev.ts', 'environment.ts', 'functions/graphql.ts'],
};
const openFiles = [
  ...['books', 'context', 'options', 'resolvers', 'scalars', 'schema'].map((name) => `graphql/${name}.ts`),
  '.gitignore',
  'AGENTS.md',
  'README.md',
  'package.json',
  'test/graphql.test.ts',
  'tsconfig.json',
];
const files = [
  ...openFiles,
  'documents/documents.json',
  'documents/ids.ts',
  'operations/README.md',
  'operations/books.graphql',
  'operations/rest.graphql',
];

async function filesIn(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => !entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name));
  return paths.map((path) => path.slice(directory.length + 1).replaceAll('\\', '/')).toSorted();
}

const readText = (directory: string, file: string): Promise<string> => readFile(join(directory, file), 'utf8');

const readManifest = async (directory: string): Promise<any> => JSON.parse(await readText(directory, 'package.json'));

test('every option of init is read', () => {
  const chosen = { name: 'init', folder: 'api', platform: 'node', api: 'open' };

  assert.deepEqual(parseArguments(['init', 'api', '--platform', 'node', '--open-api']), chosen);
  assert.deepEqual(parseArguments(['init', '--subgraph']), { name: 'init', folder: '.', platform: undefined, api: 'subgraph' });
  assert.throws(() => parseArguments(['init', '--platform', 'nextj']), /one of netlify, .*, deno, got "nextj"\. Did you mean "nextjs"\?/);
  assert.throws(() => parseArguments(['init', '--subgraph', '--open-api']), /Expected --subgraph or --open-api, got both\./);
});

for (const platform of platforms) {
  test(`init writes the files of ${platform}, and prints them with the next commands`, async (context) => {
    const { directory } = await createProject(context, {});
    const expected = [...files, ...filesOf[platform]].toSorted();

    const { stdout } = await runCommandHere(directory, 'init', 'apis/My API', '--platform', platform);
    const { scripts } = await readManifest(join(directory, 'apis/My API'));

    assert.deepEqual(await filesIn(join(directory, 'apis/My API')), expected);
    assert.equal(
      stdout,
      `Wrote ${expected.length} files in apis/My API:\n  ${expected.join('\n  ')}\n\n` +
        'Next:\n  cd "apis/My API"\n  npm install\n  npm test\n  npm run dev\n\n' +
        'In production, only the operations in operations/ run. After a change, run: npm run documents\n',
    );
    assert.deepEqual(
      ['predev', 'precheck', 'prebuild'].map((name) => scripts[name]),
      ['npm run documents -- --ids', 'npm run documents -- --check', scripts['build'] && 'npm run documents -- --check'],
    );
  });
}

test('the documents of a new project are up to date, until there is another operation', async (context) => {
  const { directory } = await createProject(context, {});
  await runCommandHere(directory, 'init', '--platform', 'node');
  const { scripts } = await readManifest(directory);
  const check = [...scripts.documents.split(' ').slice(1), '--check'];

  const current = await runCommandHere(directory, ...check);
  await writeFile(join(directory, 'operations/new.graphql'), 'query New { books { genre } }');
  const missing = await runCommandHere(directory, ...check);

  assert.deepEqual(current, { code: 0, stdout: '', stderr: '' });
  assert.match(missing.stdout, /^operations\/new\.graphql:1:1 The operation New is not in documents\/documents\.json/);
  assert.equal(missing.code, 1);
});

for (const [flag, ...added] of [['--open-api'], ['--subgraph', 'ROUTER.md', 'graphql/router-secret.ts']] as const)
  test(`a project with ${flag} has no documents`, async (context) => {
    const { directory } = await createProject(context, {});
    await runCommandHere(directory, 'init', '--platform', 'node', flag);

    assert.deepEqual(await filesIn(directory), [...openFiles, ...added, ...filesOf.node].toSorted());
    assert.deepEqual(Object.keys((await readManifest(directory)).scripts), ['dev', 'check', 'build', 'start', 'test']);
    for (const file of ['README.md', 'package.json']) assert.doesNotMatch(await readText(directory, file), /documents/i);
  });

for (const [count, ...flags] of [[5], [2, '--open-api'], [3, '--subgraph']] as const)
  test(`the tests of a new project with ${flags.join() || 'trusted documents'} pass, and check finds nothing in it`, async (context) => {
    const { directory } = await createProject(context, {});
    await runCommandHere(directory, 'init', '--platform', 'netlify', ...flags);
    await linkPackage({ directory }, 'graphql', '@types');

    const tests = await runNode(context, directory, {}, '--test');
    const check = await runCommandHere(directory, 'check');

    assert.equal(tests.code, 0, tests.stdout);
    assert.ok(tests.stdout.includes(`pass ${count}\n`), tests.stdout);
    assert.equal(check.code, 0, check.stdout);
    assert.equal(check.stdout.trim().split('\n').length, 1, check.stdout);
  });

test('a new subgraph asks for the secret of the router, except in development without one', async (context) => {
  const { directory, write } = await createProject(context, {});
  await runCommandHere(directory, 'init', '--platform', 'node', '--subgraph');
  await linkPackage({ directory }, 'graphql');
  await write({
    'ask.ts': `import handler from './functions/graphql.ts';
      const body = JSON.stringify({ query: '{ books(first: 1) { id } }' });
      const headers = { 'content-type': 'application/json' };
      const response = await handler(new Request('https://api.example/graphql', { method: 'POST', headers, body }));
      console.log(response.status);`,
  });
  const ask = (variables: NodeJS.ProcessEnv): Promise<Outcome> => runNode(context, directory, variables, 'ask.ts');

  const [open, closed, ...refused] = await Promise.all([
    ask({ NODE_ENV: 'development' }),
    ask({ NODE_ENV: 'production', ROUTER_SECRET: 'a secret of the router' }),
    ask({}),
    ask({ NODE_ENV: 'production', ROUTER_SECRET: '' }),
  ]);

  assert.deepEqual([open?.stdout, closed?.stdout], ['200\n', '401\n']);
  for (const { code, stderr } of refused) {
    assert.equal(code, 1);
    assert.match(stderr, /Expected routerSecret\.secrets to return secrets that are not empty, such as \[process\.env\.ROUTER_SECRET\]/);
  }
});

/** Runs a script with these variables, and no other secret of a router. */
function runNode(context: TestContext, directory: string, variables: NodeJS.ProcessEnv, ...argv: readonly string[]): Promise<Outcome> {
  return startCommand(context, argv, { cwd: directory, env: { ROUTER_SECRET: undefined, ...variables } }).exited;
}

test('the project is named after its folder, with a name that npm and Cloudflare accept', async () => {
  const nameIn = async (platform: InitPlatform, folder: string): Promise<string> => {
    const project = await composeProject({ platform, api: 'trusted' }, folder);
    return JSON.parse(project.get('package.json')!).name;
  };
  const wrangler = (await composeProject({ platform: 'workers', api: 'trusted' }, 'Books & more')).get('wrangler.jsonc');

  assert.equal(await nameIn('node', 'Books & more.'), 'books-more');
  assert.match(wrangler!, /"name": "books-more"/);
  // npm refuses to install a package into a project of the same name.
  assert.equal(await nameIn('node', 'graphql'), 'graphql-api');
  assert.equal(await nameIn('node', '本'), 'my-graphql-api');
  assert.equal(await nameIn('node', `${'a'.repeat(49)}-b`), 'a'.repeat(49));
});

test('projects get the version of this package, and the tested versions of others', async () => {
  const tested = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const parts = await readFile(join(root, 'test/support/real/parts.json'), 'utf8');

  for (const platform of platforms) {
    const project = await composeProject({ platform, api: 'trusted' }, 'api');
    const { dependencies, devDependencies } = JSON.parse(project.get('package.json')!);
    const { 'graphql-functions': version, ...others } = { ...dependencies, ...devDependencies };

    assert.equal(version, `^${tested.version}`);
    for (const [name, range] of Object.entries(others)) {
      const known = tested.devDependencies[name] ?? new RegExp(`"${name}": "(.+)"`).exec(parts)?.[1];
      if (known !== undefined) assert.equal(range, known.replace(/^\^?/, '^'), `${platform}: ${name}`);
    }
  }
});

test('init keeps other files, and writes nothing if one of its files exists', async (context) => {
  const { directory } = await createProject(context, { LICENSE: 'MIT', 'package.json': '{}', 'graphql/schema.ts': 'mine' });

  const { code, stdout, stderr } = await runCommandHere(directory, 'init', '--platform', 'node');

  assert.equal(code, 1);
  assert.equal(stdout, '');
  assert.equal(
    stderr,
    `init does not overwrite files. These already exist in ${directory}:\n  graphql/schema.ts\n  package.json\n` +
      'Nothing was written. Choose a new folder: graphql-functions init <folder>\n',
  );
  assert.deepEqual(await filesIn(directory), ['LICENSE', 'graphql/schema.ts', 'package.json']);
});

test('without a terminal and --platform, init names its options', async (context) => {
  const { directory } = await createProject(context, {});

  const { stderr } = await runCommandHere(directory, 'init', '--open-api');

  assert.match(
    stderr,
    /^init requires --platform, because it cannot prompt without a terminal:\n\n.* --platform <netlify \| lambda \| .*>/,
  );
  assert.deepEqual(await filesIn(directory), []);
});
