import assert from 'node:assert/strict';
import { exec } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';

import { httpAPIEvent, netlifyEvent } from '../../support/events.ts';
import { post } from '../../support/plain-http.ts';
import { createFolder } from '../bundle.ts';
import { followPages } from '../reader/follow-page.ts';
import { deploy } from '../lambda-function.ts';
import { needs, pathInPart } from '../parts.ts';

interface Bundler {
  zipFunctions(source: string, destination: string, options: object): Promise<unknown>;
}

// Follows only the page, from an empty folder to the function that Netlify and Lambda run.
test(
  'what docs/getting-started.md deploys answers in AWS’s runtime client, as Netlify packs it and as SAM does',
  {
    ...needs('netlify-cli', 'aws-lambda-ric'),
    timeout: 300_000,
  },
  async (context) => {
    const { folder, remove } = await followPages({ page: 'docs/getting-started.md', until: '## TypeScript' });
    context.after(remove);
    const page = await readFile(join(import.meta.dirname, '../../../docs/getting-started.md'), 'utf8');
    const [, command = ''] = /^command = '''(.+)'''$/m.exec(page) ?? [];
    await promisify(exec)(`PATH="$PWD/node_modules/.bin:$PATH"; ${command}`, { cwd: folder });
    const artifacts = await createFolder();
    context.after(() => artifacts.remove());
    const { zipFunctions } = (await import(pathInPart('netlify-cli', '@netlify/zip-it-and-ship-it/dist/main.js'))) as Bundler;
    await zipFunctions(join(folder, 'built'), artifacts.path, { archiveFormat: 'none', basePath: folder });
    const request = post({ query: '{ book(id: "emma") { title } }' });

    const onNetlify = await deploy({ taskRoot: `${artifacts.path}/graphql`, handler: '___netlify-entry-point.handler' });
    context.after(() => onNetlify.end());
    const streamed = await onNetlify.invoke(netlifyEvent(request));
    const onLambda = await deploy({ taskRoot: join(folder, 'built'), handler: 'graphql.default' });
    context.after(() => onLambda.end());
    const buffered = await onLambda.invoke(httpAPIEvent(request));

    assert.ok(streamed.kind === 'streamed', JSON.stringify(streamed));
    assert.match(streamed.body.toString(), /\{"data":\{"book":\{"title":"Emma"\}\}\}$/);
    assert.ok(buffered.kind === 'result', JSON.stringify(buffered));
    assert.equal((buffered.value as { body: string }).body, '{"data":{"book":{"title":"Emma"}}}');
  },
);
