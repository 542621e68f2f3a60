/**
 * Installs the packages that the pages of docs/ name, with the versions of today, and starts a function with each of them:
 *
 *     node scripts/page-dependencies.ts [page …]
 *
 * A function imports one package. On Lambda it is bundled with the command of the pages and runs in AWS's own runtime client, on Node in a
 * server with the command of docs/deploy.md, on Deno and Bun as it is, and on Workers, if it may run there, with wrangler. Prints a table: page, package, version (and the version that the
 * tests pin, if it differs), and for each platform whether the function has answered, or the first line of its failure. Exits with code 1
 * if a function has not answered.
 *
 * It needs the parts of `node test/real/install.ts test:real`.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { build } from 'esbuild';

import { functionBundle } from '../src/tools/cli/project/bundle-options.ts';
import { buildWithout } from '../src/tools/cli/project/bundle.ts';
import { findUnbundled } from '../src/tools/cli/project/unbundled-packages.ts';
import { functionURLEvent } from '../test/support/events.ts';
import { freePort } from '../test/support/free-port.ts';
import { post } from '../test/support/plain-http.ts';
import { deploy } from '../test/real/lambda-function.ts';
import { pathInPart } from '../test/real/parts.ts';
import { startProgram } from '../test/real/program.ts';

const root = join(import.meta.dirname, '..');

/** The pages about packages that functions import. Pages about clients, servers to compare with and tests have others. */
const pages = [
  'authentication',
  'cache-stores',
  'cache-stores-platforms',
  'data-source-undici',
  'databases',
  'databases-dynamodb',
  'databases-postgres',
  'databases-sql',
  'edge-cdns',
  'events',
  'federation',
  'idempotency-stores',
  'observability',
  'schema',
  'uploads',
];

/** Packages that a page installs for another process, and Prisma's client, from whose schema the page makes the code. */
const others = new Set(['graphql', 'graphql-functions', 'esbuild', '@apollo/gateway', 'type-graphql', '@prisma/client']);

/** Packages that run on Workers. Others need TCP clients, files or threads of Node. */
const onWorkers = new Set(['jose', 'dataloader', 'drizzle-orm', 'kysely', '@opentelemetry/api', '@apollo/subgraph', '@pothos/core']);

const query = '{ ok }';
const answer = '{"data":{"ok":true}}';
const notThere = '–';

interface Project {
  readonly folder: string;
  readonly dependency: string;
}

type Start = (project: Project) => Promise<string>;

const platforms: Readonly<Record<string, Start>> = {
  lambda: async ({ folder, dependency }) => {
    const taskRoot = join(folder, 'lambda');
    await bundle({ folder, dependency }, 'function.ts', join(taskRoot, 'graphql.mjs'));
    const deployed = await deploy({ taskRoot, handler: 'graphql.default' });
    try {
      if (deployed.initError?.kind === 'error') return deployed.initError.errorMessage;
      const outcome = await deployed.invoke(functionURLEvent(post({ query })));
      return outcome.kind === 'result' ? (outcome.value as { body: string }).body : JSON.stringify(outcome);
    } finally {
      await deployed.end();
    }
  },
  node: async ({ folder, dependency }) => {
    await bundle({ folder, dependency }, 'server.ts', join(folder, 'node/server.mjs'));
    return ask(process.execPath, ['--enable-source-maps', join(folder, 'node/server.mjs')], folder);
  },
  deno: async ({ folder }) => {
    const port = await freePort();
    return ask(pathInPart('deno', 'deno/deno'), ['serve', '-A', '--port', String(port), 'fetch.ts'], folder, port);
  },
  bun: ({ folder }) => ask(pathInPart('bun', '.bin/bun'), ['fetch.ts'], folder),
  workers: async ({ folder, dependency }) => {
    if (!onWorkers.has(dependency)) return notThere;
    const settings = { name: 'page', main: 'fetch.ts', compatibility_date: '2026-11-01', compatibility_flags: ['nodejs_compat'] };
    writeFileSync(join(folder, 'wrangler.json'), JSON.stringify(settings));
    const port = await freePort();
    const wrangler = pathInPart('wrangler', 'wrangler/wrangler-dist/cli.js');
    return ask(process.execPath, [wrangler, 'dev', '--port', String(port)], folder, port);
  },
};

/** Bundles as the pages say, and puts packages that cannot be bundled beside the bundle. */
async function bundle({ folder }: Project, entry: string, outfile: string): Promise<void> {
  // Paths of esbuild's report are relative to it.
  process.chdir(folder);
  const unbundled = findUnbundled([]);
  await buildWithout(unbundled, () =>
    build({
      ...functionBundle,
      absWorkingDir: folder,
      entryPoints: [entry],
      outfile,
      minify: true,
      metafile: true,
      plugins: [unbundled.plugin],
      logLevel: 'silent',
    }),
  );
  // The folder is elsewhere, so that a package that is neither in the bundle nor beside it is not found.
  if (unbundled.found.size > 0) symlinkSync(join(folder, 'node_modules'), join(outfile, '../node_modules'));
}

async function ask(command: string, args: readonly string[], cwd: string, port?: number): Promise<string> {
  const address = port ?? (await freePort());
  const { PATH, HOME } = process.env;
  const program = startProgram(command, args, {
    cwd,
    env: { PATH, HOME, PORT: String(address), NODE_ENV: 'production', WRANGLER_SEND_METRICS: 'false' },
  });
  const over = new AbortController();
  void program.exited.then(() => over.abort());
  try {
    for (let attempt = 0; attempt < 600 && !over.signal.aborted; attempt++) {
      const body = await fetch(`http://127.0.0.1:${address}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query }),
      }).then(
        (response) => response.text(),
        () => undefined,
      );
      if (body !== undefined) return body;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    return program.output();
  } finally {
    // wrangler ends its own processes, for which a killed one has no time.
    program.signal('SIGTERM');
    const timer = setTimeout(() => void program.end(), 10_000);
    await program.exited;
    clearTimeout(timer);
  }
}

/** The packages of each command of a page. */
function commandsOf(page: string): string[][] {
  const text = readFileSync(join(root, `docs/${page}.md`), 'utf8');
  const commands = [...text.matchAll(/npm i(?:nstall)? (?!-)([^`\n]+)/g)].map(([, names = '']) => names.trim());
  const lists = [...new Set(commands)].map((names) => names.split(/\s+/).filter((name) => !others.has(nameOf(name))));
  return lists.filter((names) => names.length > 0);
}

function nameOf(specifier: string): string {
  return specifier.replace(/(?<=.)@.*$/, '');
}

/** Installs packages beside the newest graphql that they allow. Returns the reason if npm refuses. */
function prepare(folder: string, specifiers: readonly string[]): string | undefined {
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  const flags = ['--no-audit', '--no-fund', '--loglevel=error'];
  const install = (graphql: string): string | undefined => {
    try {
      execFileSync('npm', ['install', ...flags, ...specifiers, graphql], { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
      return undefined;
    } catch (error) {
      return (error as { stderr: Buffer }).stderr.toString();
    }
  };
  const problem = install('graphql@17');
  if (problem !== undefined && install('graphql@16') !== undefined) return problem;
  // The package finds its dependencies beside itself, but graphql in the project, as when it is installed.
  mkdirSync(join(folder, 'node_modules/graphql-functions'));
  for (const name of ['dist', 'package.json'])
    execFileSync('cp', ['-r', join(root, name), join(folder, 'node_modules/graphql-functions', name)]);
  return undefined;
}

function writeSources(folder: string, dependency: string): void {
  const options = `{ csrfPrevention: true, typeDefs: 'type Query { ok: Boolean }', resolvers: { Query: { ok: () => Object.keys(dependency).length > 0 } } }`;
  const source = (entry: string, rest: string): string => `import * as dependency from '${dependency}';\n${entry}\n${rest}\n`;
  const handler = `createHandler(${options})`;
  writeFileSync(
    join(folder, 'function.ts'),
    source("import { createHandler } from 'graphql-functions/aws-lambda';", `export default ${handler};`),
  );
  writeFileSync(
    join(folder, 'fetch.ts'),
    source("import { createHandler } from 'graphql-functions/fetch';", `export default { fetch: ${handler}.fetch };`),
  );
  writeFileSync(
    join(folder, 'server.ts'),
    source("import { serve } from 'graphql-functions/node';", `await serve(${options}, { port: Number(process.env.PORT) });`),
  );
}

const pinned = readFileSync(join(root, 'test/real/parts.json'), 'utf8');
const rows: string[][] = [['page', 'package', 'version', ...Object.keys(platforms)]];
let failures = 0;
for (const page of process.argv.length > 2 ? process.argv.slice(2) : pages)
  for (const specifiers of commandsOf(page)) await tryCommand(page, specifiers);
if (failures > 0) process.exitCode = 1;
console.log(`${rows.length - 1} packages, ${failures} failures`);

async function tryCommand(page: string, specifiers: readonly string[]): Promise<void> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'page-')));
  try {
    const problem = prepare(folder, specifiers);
    if (problem !== undefined) {
      failures++;
      print([page, specifiers.join(' '), `not installed: ${firstLine(problem)}`]);
      return;
    }
    for (const dependency of new Set(specifiers.map(nameOf)))
      print([page, dependency, versionOf(folder, dependency), ...(await startAll(folder, dependency))]);
  } finally {
    process.chdir(root);
    rmSync(folder, { recursive: true, force: true });
  }
}

async function startAll(folder: string, dependency: string): Promise<string[]> {
  writeSources(folder, dependency);
  const results: string[] = [];
  for (const start of Object.values(platforms)) {
    for (const name of ['lambda', 'node']) rmSync(join(folder, name), { recursive: true, force: true });
    const given = await start({ folder, dependency }).catch((error: unknown) => String((error as Error).message));
    if (![answer, notThere].includes(given.trim())) failures++;
    results.push(given.trim() === answer ? 'answered' : firstLine(given));
  }
  return results;
}

function versionOf(folder: string, dependency: string): string {
  const { version } = JSON.parse(readFileSync(join(folder, 'node_modules', dependency, 'package.json'), 'utf8')) as { version: string };
  const tested = new RegExp(`"${dependency}": "([^"]+)"`).exec(pinned)?.[1];
  const graphql = readFileSync(join(folder, 'node_modules/graphql/package.json'), 'utf8').includes('"version": "16.')
    ? ' with graphql 16'
    : '';
  return `${version}${graphql}${tested === undefined || tested === version ? '' : ` (pinned: ${tested})`}`;
}

function firstLine(text: string): string {
  const line = text.split('\n').find((one) => /error|cannot|not /i.test(one)) ?? text.split('\n')[0] ?? '';
  return line.trim().slice(0, 100);
}

function print(row: string[]): void {
  rows.push(row);
  console.log(row.join(' | '));
}
