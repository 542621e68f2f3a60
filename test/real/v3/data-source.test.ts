import { deepEqual, ok } from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { needs, partNamed } from '../../support/real/parts.ts';
import { installOurs } from './answers.ts';

function callsWith(project: string, library: string): Record<string, unknown> {
  const program = join(import.meta.dirname, 'data-source-calls.ts');
  const env = { ...process.env, NODE_ENV: 'test' };
  return JSON.parse(execFileSync(process.execPath, ['--no-warnings', program, project, library], { env, encoding: 'utf8' })) as Record<
    string,
    unknown
  >;
}

test(
  'apollo-datasource-rest 3.7 and /v3/datasource-rest send the same requests and return the same results',
  needs('version-3'),
  (context) => {
    const { folder } = partNamed('version-3');
    const directory = mkdtempSync(join(tmpdir(), 'graphql-functions-v3-data-source-'));
    context.after(() => rmSync(directory, { recursive: true, force: true }));
    installOurs(directory, join(folder, 'node_modules/graphql'));

    const theirs = callsWith(folder, 'apollo-datasource-rest');
    const ours = callsWith(directory, 'graphql-functions/v3/datasource-rest');

    ok(Object.keys(theirs).length >= 15);
    deepEqual(ours, theirs);
  },
);
