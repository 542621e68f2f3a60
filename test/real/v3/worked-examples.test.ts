import { deepEqual, equal } from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { promisify } from 'node:util';

import { codeBlocks } from '../../support/markdown.ts';
import { needs, partNamed } from '../parts.ts';

const root = join(import.meta.dirname, '../../..');
const { folder } = partNamed('other-servers');

/** The requests to each handler: a query, variables, a client error, the context, and a GET. */
const events = [
  post({ query: '{ hello(name: "you") }' }),
  post({ query: 'query Q($name: String) { hello(name: $name) me }', variables: { name: 'v' } }),
  post({ query: '{ me }' }),
  post({ query: '{ nope }' }),
  post({ query: '{' }),
  {
    ...post(undefined),
    requestContext: requestContext('GET'),
    rawQueryString: new URLSearchParams({ query: '{ hello(name: "got") }' }).toString(),
  },
];

/** The statuses of our answers to these requests. */
const statuses = [200, 200, 200, 422, 400, 200];

function requestContext(method: string): object {
  return { http: { method, path: '/graphql', sourceIp: '192.0.2.1' }, domainName: 'api.example.com', stage: '$default' };
}

function post(body: unknown): Record<string, unknown> {
  return {
    version: '2.0',
    rawPath: '/graphql',
    rawQueryString: '',
    headers: { 'content-type': 'application/json', accept: 'application/json', 'x-user': 'u1', 'apollo-require-preflight': '1' },
    requestContext: requestContext('POST'),
    ...(body !== undefined && { body: JSON.stringify(body) }),
    isBase64Encoded: false,
  };
}

interface Answer {
  readonly statusCode: number;
  readonly data: object | null;
  readonly hasErrors: boolean;
}

/** The statuses and data of the answers, and whether there are errors, whose messages differ between servers. */
async function answersOf(
  context: TestContext,
  { name, text, modules }: { name: string; text: string; modules: string },
): Promise<Answer[]> {
  const directory = await mkdtemp(join(tmpdir(), 'example-'));
  context.after(() => rm(directory, { recursive: true, force: true }));
  if (name === 'before.mjs') await symlink(modules, join(directory, 'node_modules'));
  else {
    await mkdir(join(directory, 'node_modules'));
    await symlink(modules, join(directory, 'node_modules/graphql-functions'));
    await symlink(join(root, 'node_modules/graphql'), join(directory, 'node_modules/graphql'));
  }
  await writeFile(join(directory, name), text);
  const program = `
    const { handler } = await import('./${name}');
    const answers = [];
    for (const event of ${JSON.stringify(events)}) {
      const { statusCode, body } = await handler(event, {}, () => {});
      const { data, errors } = JSON.parse(body);
      answers.push({ statusCode, data: data ?? null, hasErrors: errors !== undefined });
    }
    process.stdout.write(JSON.stringify(answers));
    process.exit(0);`;
  await writeFile(join(directory, 'run.mjs'), program);
  const { stdout } = await promisify(execFile)(process.execPath, ['--no-warnings', 'run.mjs'], {
    cwd: directory,
    env: { ...process.env, NODE_ENV: 'production' },
  });
  return JSON.parse(stdout) as Answer[];
}

test('the worked example of Apollo Server 5 on Lambda answers the same before and after', needs('other-servers'), async (context) => {
  const blocks = codeBlocks(await readFile(join(root, 'docs/migration-servers.md'), 'utf8'));
  const at = blocks.findIndex(({ language, text }) => language === 'js' && text.includes("'@apollo/server'"));
  const [before, after] = blocks.slice(at, at + 2);
  equal(after?.language, 'ts');

  const theirs = await answersOf(context, { name: 'before.mjs', text: before!.text, modules: join(folder, 'node_modules') });
  const ours = await answersOf(context, { name: 'after.ts', text: after!.text, modules: root });

  deepEqual(
    ours,
    theirs.map((answer, event) => (answer.statusCode === 400 ? { ...answer, statusCode: statuses[event]! } : answer)),
  );
});
