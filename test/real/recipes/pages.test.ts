import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { httpAPIEvent } from '../../support/events.ts';
import { post } from '../../support/plain-http.ts';
import { followPages } from '../../support/real/reader/follow-page.ts';
import { needs } from '../../support/real/parts.ts';

// Follows pages literally, each in a temporary folder: writes every file and runs every command, in order.

const settings = { ...needs('codegen'), timeout: 240_000 };
const query = '{ book(id: "emma") { title year } }';

test('docs/getting-started.md ends with the file that Netlify deploys', settings, async (context) => {
  const reader = await followPages(context, { page: 'docs/getting-started.md' });
  const [, command = ''] = /^command = '''(.+)'''$/m.exec(await readFile(join(reader.folder, 'netlify.toml'), 'utf8')) ?? [];

  await reader.run('npx tsc -p .');
  await reader.run(`PATH="$PWD/node_modules/.bin:$PATH"; ${command}`);
  const module = (await import(pathToFileURL(join(reader.folder, 'built/graphql.mjs')).href)) as {
    default: (request: Request) => Promise<Response>;
  };
  const headers = { 'content-type': 'application/json' };
  const request = new Request('https://example.com/graphql', { method: 'POST', headers, body: JSON.stringify({ query }) });
  const response = await module.default(request);

  assert.match(reader.transcript, /"title":"Frankenstein"/);
  assert.match(reader.transcript, /\$ curl[^]*\{"data":\{"book":\{"title":"Emma","year":1815\}\}\}/);
  assert.deepEqual(await response.json(), { data: { book: { title: 'Emma', year: 1815 } } });
});

test('docs/codegen.md type-checks and answers; its fixture is the generator’s output', settings, async (context) => {
  const reader = await followPages(context, { page: 'docs/codegen.md', until: '## Other ways to load' });

  assert.equal(
    await readFile(join(reader.folder, 'graphql/resolvers-types.ts'), 'utf8'),
    await readFile(join(import.meta.dirname, '../../slow/docs/resolvers-types.txt'), 'utf8'),
  );
});

test('docs/aws.md ends with a bundle that answers an event of the HTTP API; its other functions load', settings, async (context) => {
  const reader = await followPages(context, { page: 'docs/aws.md' });

  const response = await answerOf(join(reader.folder, '.aws-sam/build/GraphQLFunction/graphql.mjs'), '{ hello(name: "Ada") }');
  const checked = await reader.run('npx graphql-functions check');

  assert.match(reader.transcript, /Build Succeeded/);
  assert.equal(response, '{"data":{"hello":"Hello, Ada!"}}');
  assert.match(checked, /No problems in compressed, graphql, graphql-stream\./);
});

test('docs/testing.md: each of its tests passes, and so do its checks', settings, async (context) => {
  const reader = await followPages(
    context,
    { page: 'docs/getting-started.md', until: '## Deploy it' },
    { page: 'docs/testing.md', until: '## Vitest and Jest' },
  );

  const output = await reader.run('NODE_ENV=test node --test');

  assert.match(output, /pass 6\n/);
  assert.match(output, /fail 0\n/);
});

test('docs/build.md, in the folder of docs/aws.md, writes a folder that answers an event of the HTTP API', settings, async (context) => {
  const reader = await followPages(context, { page: 'docs/aws.md', until: '## The settings' }, { page: 'docs/build.md' });

  const response = await answerOf(join(reader.folder, 'dist/index.js'), '{ hello(name: "Ada") }', 'handler');

  assert.match(reader.transcript, /Wrote dist: deploy it unchanged/);
  assert.equal(response, '{"data":{"hello":"Hello, Ada!"}}');
});

/** The body of a Lambda bundle's answer to an operation. */
async function answerOf(bundle: string, operation: string, name = 'default'): Promise<string> {
  const module = (await import(pathToFileURL(bundle).href)) as Record<
    string,
    (event: object, context: object) => Promise<{ body: string }>
  >;
  const { body } = await module[name]!(httpAPIEvent(post({ query: operation })), { awsRequestId: '1' });
  return body;
}
