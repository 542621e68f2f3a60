import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

import { runCommandHere } from '../../../support/command-here.ts';
import { startCommand } from '../../../support/program.ts';
import { serveOnLoopback } from '../../../support/real/loopback.ts';
import { createProject, linkPackage } from '../../../support/functions-project.ts';

const main = join(import.meta.dirname, '../../../../dist/esm/cli/main.js');
const hello = { 'functions/hello.ts': "export default () => { console.log('called'); return new Response('hello'); };" };
const graphql =
  "import { createHandler } from 'graphql-functions';\nexport default createHandler({ csrfPrevention: true, typeDefs: 'type Query { a: Int }' });";

test('dev prints the address of every function, serves it, and shows what it logs', async (context) => {
  const { directory } = await createProject(context, hello);

  const { printed } = startCommand(context, [main, 'dev', '--port', '0'], { cwd: directory });
  const [, address = ''] = await printed(/(http:\/\/localhost:\d+\/\.netlify\/functions\/hello)[^]*Ctrl\+C/);

  assert.equal(await (await fetch(address)).text(), 'hello');
  await printed(/called/);
});

/** With graphql 16, dev first prints what is not supported. */
const notice = String.raw`(?:graphql 16[^\n]*\n)?`;

test('a port that is in use is reported in one line, with exit code 1', async (context) => {
  const { directory } = await createProject(context, hello);
  const port = new URL(await serveOnLoopback(context, () => {})).port;

  const { code, stderr } = await startCommand(context, [main, 'dev', '--host', '127.0.0.1', '--port', port], { cwd: directory }).exited;

  assert.equal(code, 1);
  assert.match(stderr, new RegExp(`^${notice}Port ${port} is in use[^\\n]*--port[^\\n]*\\n$`));
});

test('a file that cannot be written is reported in one line, with exit code 1', async (context) => {
  const { directory } = await createProject(context, { 'functions/graphql.ts': graphql });
  await linkPackage({ directory });

  const { code, stderr } = await startCommand(context, [main, 'schema', '--out', 'functions'], { cwd: directory }).exited;

  assert.equal(code, 1);
  assert.match(stderr, /^EISDIR: [^\n]*functions'\n$/);
});

test('an old Node gets one line that says what to do', async (context) => {
  const { directory } = await createProject(context, hello);
  // Pretends to be an old Node before any other code runs.
  const pretend = "data:text/javascript,Object.defineProperty(process,'versions',{value:{...process.versions,node:'20.20.2'}})";

  const { code, stderr } = await startCommand(context, ['--import', pretend, main, 'dev'], { cwd: directory }).exited;

  assert.equal(code, 1);
  assert.match(stderr, /^graphql-functions requires Node\.js 22\.19\+, 24 or 26; this is Node\.js 20\.20\.2\.[^\n]*npm i -D node@24\n$/);
});

test('without esbuild, the error is the command that installs it', async (context) => {
  const { directory } = await createProject(context, hello);
  // Makes `esbuild` resolve to a missing package, whatever is installed.
  const hook = "resolve: (name, context, next) => next(name === 'esbuild' ? 'esbuild-that-is-not-installed' : name, context)";
  const without = `data:text/javascript,import { registerHooks } from 'node:module'; registerHooks({ ${hook} });`;

  const { code, stderr } = await startCommand(context, ['--import', without, main, 'dev', '--port', '0'], { cwd: directory }).exited;

  assert.equal(code, 1);
  assert.match(stderr, new RegExp(`^${notice}[^\\n]*npm i -D esbuild\\n$`));
});

test('with --json, stdout contains only the list; logs of functions go to stderr, and work that they leave running is stopped', async (context) => {
  const logs = `import { createHandler } from 'graphql-functions';
    console.log(process.env['WORD']);
    setInterval(() => {}, 1000);
    export default createHandler({ csrfPrevention: true, typeDefs: 'type Query { ok: Boolean }' });`;
  const { directory } = await createProject(context, { 'functions/graphql.ts': logs });
  await linkPackage({ directory });

  const { code, stdout, stderr } = await startCommand(context, [main, 'check', '--json', '--env', 'WORD=loaded'], { cwd: directory })
    .exited;

  assert.deepEqual([stdout, code], ['[]\n', 0]);
  assert.match(stderr, /loaded/);
});

test('schema prints the schema as clients see it, and nothing else', async (context) => {
  const { directory } = await createProject(context, {
    'functions/graphql.ts': `import { createHandler } from 'graphql-functions';
      if (process.env['WORD'] !== undefined) console.log(process.env['WORD']);
      export default createHandler({ csrfPrevention: true, typeDefs: ['type Query { ok: Boolean }', 'extend type Query { more: Int }'] });`,
  });
  await linkPackage({ directory }, 'graphql');

  const { code, stdout } = await startCommand(context, [main, 'schema', '--env', 'WORD=loaded'], { cwd: directory }).exited;
  const written = await runCommandHere(directory, 'schema', '--out', 'schema.graphql');

  assert.equal(code, 0);
  assert.equal(stdout, 'type Query {\n  ok: Boolean\n  more: Int\n}\n');
  assert.equal(written.stdout, '');
  assert.equal(await readFile(join(directory, 'schema.graphql'), 'utf8'), stdout);
});

test('check accepts @semanticNonNull without a definition, and schema keeps it', async (context) => {
  const { directory } = await createProject(context, {
    'functions/graphql.ts': `import { createHandler } from 'graphql-functions';
export default createHandler({ csrfPrevention: true, typeDefs: 'type Query { a: String @semanticNonNull b: [Int] @semanticNonNull(levels: [0, 1]) c: Int @deprecated }' });`,
  });
  await linkPackage({ directory }, 'graphql');

  const checked = await runCommandHere(directory, 'check');
  const { code, stdout } = await runCommandHere(directory, 'schema');

  assert.deepEqual([checked.code, code], [0, 0]);
  assert.match(stdout, /^directive @semanticNonNull\(levels: \[Int!\]! = \[0\]\) on FIELD_DEFINITION\n/);
  assert.match(stdout, /a: String @semanticNonNull\n\s+b: \[Int\] @semanticNonNull\(levels: \[0, 1\]\)\n\s+c: Int @deprecated/);
});
