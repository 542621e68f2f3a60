import assert from 'node:assert/strict';
import { exec } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

import { followPage } from './follow-page.ts';
import { needs } from './parts.ts';

const run = promisify(exec);

test(
  'docs/getting-started.md, followed to the letter, ends with the file that Netlify deploys',
  { ...needs('codegen'), timeout: 240_000 },
  async (context) => {
    const { folder, transcript, remove } = await followPage('docs/getting-started.md', '## Where a caller is');
    context.after(remove);
    const [, command = ''] = /^command = "(.+)"$/m.exec(await readFile(join(folder, 'netlify.toml'), 'utf8')) ?? [];

    await run('npx tsc -p .', { cwd: folder });
    await run(`PATH="$PWD/node_modules/.bin:$PATH"; ${command}`, { cwd: folder });
    const module = (await import(pathToFileURL(join(folder, 'built/graphql.mjs')).href)) as {
      default: (request: Request) => Promise<Response>;
    };
    const body = JSON.stringify({ query: '{ book(id: "emma") { title year } }' });
    const response = await module.default(
      new Request('https://example.com/graphql', { method: 'POST', headers: { 'content-type': 'application/json' }, body }),
    );

    assert.match(transcript, /"title": "Frankenstein"/);
    assert.deepEqual(await response.json(), { data: { book: { title: 'Emma', year: 1815 } } });
  },
);

test(
  'docs/codegen.md, followed to the letter, type-checks and answers; its fixture is what the generator writes',
  { ...needs('codegen'), timeout: 240_000 },
  async (context) => {
    const { folder, remove } = await followPage('docs/codegen.md', '## Other ways to load');
    context.after(remove);

    assert.equal(
      await readFile(join(folder, 'graphql/resolvers-types.ts'), 'utf8'),
      await readFile(join(import.meta.dirname, '../docs/resolvers-types.txt'), 'utf8'),
    );
  },
);
