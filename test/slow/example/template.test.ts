import assert from 'node:assert/strict';
import { exec } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

import { build } from 'esbuild';

import { functionBundle } from '../../support/function-bundle.ts';
import { functionURLEvent, httpAPIEvent } from '../../support/events.ts';
import { createProject } from '../../support/functions-project.ts';
import { plainRequest, post } from '../../support/plain-http.ts';
import { serveCatalogue } from './catalogue-server.ts';

const root = join(import.meta.dirname, '../../..');
const template = await readFile(join(root, 'template.yaml'), 'utf8');

type Handler = (event: unknown, context?: unknown) => Promise<{ statusCode: number; headers: Record<string, string>; body: string }>;

/** The template without its comments, some of which are optional resources. */
const deployed = template.replaceAll(/^ *#.*\n/gm, '');

/** The handlers that template.yaml names, each with the source that it is bundled from. */
const functions = [...deployed.matchAll(/Handler: (\S+)[^]*?EntryPoints: \[(\S+)\]/g)].map(([, handler = '', entry = '']) => ({
  handler,
  entry,
}));

/** Bundles a function with the settings of the template's Metadata, and loads its handler as the runtime does. */
async function loadHandler(context: TestContext, name: string): Promise<Handler> {
  const { directory } = await createProject(context, {});
  const { handler, entry } =
    functions.find((candidate) => candidate.handler.startsWith(`${name}.`)) ?? assert.fail(`no handler of ${name}`);
  await build({
    absWorkingDir: root,
    entryPoints: [entry],
    outdir: directory,
    ...functionBundle,
    outExtension: { '.js': '.mjs' },
    minify: true,
    sourcemap: true,
    logLevel: 'silent',
  });
  const [file = '', exported = ''] = handler.split('.');
  const module = (await import(pathToFileURL(join(directory, `${file}.mjs`)).href)) as Record<string, Handler>;
  return module[exported] ?? assert.fail(`${file}.mjs has no export ${exported}`);
}

/** Loads the function with its environment variables, which it reads while it loads, as when it is deployed. */
async function loadGraphQL(context: TestContext): Promise<Handler> {
  const { url } = await serveCatalogue(context);
  process.env['CATALOGUE_URL'] = url;
  try {
    return await loadHandler(context, 'graphql');
  } finally {
    delete process.env['CATALOGUE_URL'];
  }
}

test('template.yaml names the two functions of the example', () => {
  assert.deepEqual(functions, [
    { handler: 'graphql.default', entry: 'functions/graphql.ts' },
    { handler: 'catalogue.lambda', entry: 'functions/catalogue.ts' },
  ]);
});

test('template.yaml has a streaming function in comments, which is valid as soon as they are uncommented', () => {
  const [comment = ''] = /(?:^  #(?: .*)?\n)+/m.exec(template.slice(template.indexOf('  # StreamingFunction'))) ?? [];
  const text = comment.replaceAll(/^  # ?/gm, '  ');

  assert.match(
    text,
    /^  StreamingFunction:\n    Type: AWS::Serverless::Function\n    Properties:\n      Handler: graphql-stream\.default\n/,
  );
  assert.match(text, /^      FunctionUrlConfig:\n        AuthType: NONE\n        InvokeMode: RESPONSE_STREAM\n/m);
  assert.match(text, /^        EntryPoints: \[functions\/graphql-stream\.ts\]\n/m);
});

test('the bundle that template.yaml describes answers the events of both event sources', async (context) => {
  const graphql = await loadGraphQL(context);
  const request = post({ query: '{ author(id: "austen") { name books { title } } }' });

  for (const event of [httpAPIEvent(request), functionURLEvent(request)]) {
    const { statusCode, headers, body } = await graphql(event);
    assert.equal(statusCode, 200);
    assert.match(headers['content-type'] ?? '', /^application\/json/);
    assert.deepEqual(JSON.parse(body), {
      data: { author: { name: 'Jane Austen', books: [{ title: 'Emma' }, { title: 'Persuasion' }, { title: 'Pride and Prejudice' }] } },
    });
  }
});

test('template.yaml routes the endpoint of tools, and the metadata of its authorization, to the GraphQL function', () => {
  const [graphql = ''] = deployed.split('  CatalogueFunction:');

  for (const path of ['/graphql/mcp', '/.well-known/oauth-protected-resource/graphql/mcp'])
    assert.ok(graphql.includes(`Path: ${path}\n`), path);
});

test('the path of the health check that template.yaml routes is answered without an operation', async (context) => {
  const graphql = await loadGraphQL(context);
  const [path = ''] = /\/graphql\/health/.exec(template) ?? [];

  const { statusCode, headers } = await graphql(httpAPIEvent(plainRequest({ path })));

  assert.equal(statusCode, 200);
  assert.match(headers['content-type'] ?? '', /^application\/health\+json/);
});

test('the catalogue’s bundle answers a function URL', async (context) => {
  const catalogue = await loadHandler(context, 'catalogue');

  const { statusCode, body } = await catalogue(functionURLEvent(plainRequest({ path: '/books/emma' })));

  assert.equal(statusCode, 200);
  assert.equal((JSON.parse(body) as { title: string }).title, 'Emma');
});

test('netlify.toml deploys what its build command writes, and names the function it redirects to', async (context) => {
  const toml = await readFile(join(root, 'netlify.toml'), 'utf8');
  // dist/ is already built.
  const [, command = ''] = /^command = '''npm run build && (.+)'''$/m.exec(toml) ?? [];
  const { directory } = await createProject(context, {});

  // Runs in a shell, which expands functions/*.ts.
  await promisify(exec)(command.replace('--outdir=built', `--outdir=${directory}`), {
    cwd: root,
    env: { ...process.env, PATH: `${join(root, 'node_modules/.bin')}:${process.env['PATH']}` },
  });

  assert.deepEqual((await readdir(directory)).toSorted(), ['catalogue.mjs', 'graphql.mjs']);
  assert.match(toml, /^directory = "built"$/m);
  assert.match(command, / --outdir=built /);
  assert.match(toml, /\[context\.dev\.environment\]\nNODE_ENV = "development"/);
  assert.match(toml, /^to = "\/\.netlify\/functions\/graphql"$/m);
});

test('graphql.ts has only a default export, because a handler export would make it a version-1 function on Netlify', async (context) => {
  const { directory } = await createProject(context, {});
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: ['functions/graphql.ts', 'functions/catalogue.ts'],
    outdir: directory,
    bundle: true,
    platform: 'node',
    format: 'esm',
    metafile: true,
    logLevel: 'silent',
  });
  const exported = Object.values(metafile.outputs).map(({ entryPoint, exports }) => [entryPoint, exports]);

  assert.deepEqual(Object.fromEntries(exported), {
    'functions/graphql.ts': ['default'],
    'functions/catalogue.ts': ['default', 'lambda'],
  });
});
