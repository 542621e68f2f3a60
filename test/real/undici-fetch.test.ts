import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';

import { needs, partNamed } from './parts.ts';

/** The plain suite compares with the version in node_modules. */
for (const part of ['undici-6', 'undici'])
  test(`undiciFetch behaves like fetch, with ${part} ${partNamed(part).version}`, needs(part), () => {
    const preload = join(import.meta.dirname, 'undici-version.ts');
    const file = join(import.meta.dirname, '../datasources/undici-fetch.test.ts');
    const env = { ...process.env, UNDICI_FOLDER: partNamed(part).folder, NODE_TEST_CONTEXT: undefined };

    const { status, stdout } = spawnSync(process.execPath, ['--import', preload, file], { env, encoding: 'utf8' });

    assert.equal(status, 0, stdout);
  });
