import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

import { runCommandHere } from '../../support/command-here.ts';
import { createProject, linkPackage } from '../../support/functions-project.ts';
import { codeBlocks, linksOf } from '../../support/markdown.ts';
import { readPages, root } from '../../support/pages.ts';
import { startCommand } from '../../support/program.ts';

const text = await readFile(join(root, 'AGENTS.md'), 'utf8');
const pages = await readPages();

/** The tasks of a newcomer, each with its page and a part of a code block that shows how; snippets.test.ts compiles and runs the blocks. */
const tasks = {
  'add a type with a list and pages': ['schema.md', 'pageInfo'],
  'add a scalar': ['schema.md', 'parseValue'],
  'type the resolvers': ['codegen.md', 'CodegenConfig'],
  'call a REST API with a token': ['data-sources.md', 'willSendRequest'],
  'keep responses of a REST API': ['caching.md', 'cacheOptionsFor'],
  'read a database, one call for all parents': ['databases.md', 'batch('],
  'verify the user': ['authentication.md', 'jwtVerify'],
  'write a rule of rights': ['authentication.md', 'authorization<'],
  'keep a session in a cookie': ['cors.md', 'cookie'],
  'add a route': ['rest.md', 'rest('],
  'add a tool': ['mcp.md', 'mcp('],
  'run a mutation once': ['idempotency.md', 'idempotency('],
  'limit costs of clients': ['rate-limiting.md', 'budget('],
  'run only reviewed operations': ['trusted-documents.md', 'trustedDocuments'],
  'send an error with a code': ['errors.md', 'GraphQLError'],
  'send events': ['streaming.md', 'subscribe'],
  'write a test': ['testing.md', 'createTester'],
  'record spans': ['observability.md', 'openTelemetry'],
  'deploy to Netlify': ['getting-started.md', 'createHandler'],
  'deploy to AWS Lambda': ['aws.md', 'graphql-functions/aws-lambda'],
  'deploy to Cloudflare Workers': ['platforms.md', 'graphql-functions/fetch'],
  'deploy a container': ['platforms.md', 'serve('],
} as const;

test('AGENTS.md is short, and names only pages that exist', () => {
  assert.ok(text.split('\n').length <= 61);
  assert.deepEqual(
    namedPages().filter((page) => pages[page] === undefined),
    [],
  );
});

for (const [task, [page, part]] of Object.entries(tasks))
  test(`an agent that wants to ${task} finds the page in two steps, with code that runs`, () => {
    const first = namedPages();
    const second = first.flatMap((path) => linksOf(pages[path]!).map((link) => `docs/${link.replace(/#.*/, '')}`));

    assert.ok([...first, ...second].includes(`docs/${page}`));
    assert.ok(codeBlocks(pages[`docs/${page}`]!).some((block) => block.language === 'ts' && block.text.includes(part)));
  });

test('each command of AGENTS.md proves that a new project works', async (context) => {
  const { directory } = await createProject(context, {});
  await runCommandHere(directory, 'init', '--platform', 'netlify');
  await linkPackage({ directory }, 'graphql', '@types');
  const [block] = codeBlocks(text).filter(({ language }) => language === 'sh');
  const [check = '', dev = '', ...others] = block!.text.trim().split('\n');

  const checked = await runCommandHere(directory, ...wordsOf(check));
  const tests = await startCommand(context, ['--test'], { cwd: directory }).exited;
  const serving = startCommand(context, [join(root, 'dist/esm/cli/main.js'), ...wordsOf(dev)], { cwd: directory });

  assert.equal(checked.code, 0, checked.stdout);
  assert.equal(tests.code, 0, tests.stdout);
  assert.deepEqual(others, ['npm test']);
  await serving.printed(/"__typename": ?"Query"/);
  await serving.end();
});

function namedPages(): string[] {
  return Array.from(text.matchAll(/`([\w-]+\.md)`/g), ([, name = '']) => `docs/${name}`);
}

/** The arguments of `npx graphql-functions …`. */
function wordsOf(line: string): string[] {
  return Array.from(line.matchAll(/'([^']*)'|(\S+)/g), ([, quoted, word = '']) => quoted ?? word).slice(2);
}
