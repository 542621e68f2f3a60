import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';

import { serve } from '../../../src/entries/node.ts';
import { root } from '../../support/pages.ts';

test('the commands of docs/security.md have the outcome that the page names', async (context) => {
  const page = await readFile(join(root, 'docs/security.md'), 'utf8');
  const server = await serve(
    {
      csrfPrevention: true,
      typeDefs: 'type Query { ok: Boolean }',
      nodeEnv: 'production',
      logger: { ...console, warn: () => {}, info: () => {} },
    },
    { port: 0, host: '127.0.0.1', signals: false },
  );
  context.after(() => server.close());
  const commands = [...page.matchAll(/`(curl [^`]+)`: (?:expect (\d+)|no `([\w-]+)`)/g)];
  assert.equal(commands.length, 4);

  for (const [, command = '', status, header] of commands) {
    const { stdout } = await promisify(execFile)('sh', ['-c', command.replace('curl ', 'curl -s -i ')], {
      env: { ...process.env, URL: `${server.url}graphql` },
    });
    if (status !== undefined) assert.match(stdout, new RegExp(`^HTTP/1.1 ${status} `), command);
    if (header !== undefined) assert.doesNotMatch(stdout, new RegExp(header, 'i'), command);
  }
});
