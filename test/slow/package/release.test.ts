import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

import { packPackage } from '../../support/packed-package.ts';

const root = join(import.meta.dirname, '../../..');
const workflows = join(root, '.github/workflows');

test('the package contains only the files that are meant to be published', async () => {
  const { files } = await packPackage();
  const meant =
    /^(?:package\.json|README\.md|LICENSE|CHANGELOG\.md|docs\/(?:[\w-]+\.md|examples\/[\w/.-]+|playground\.png|figures\/[\w-]+\.(?:svg|png))|src\/tools\/cli\/init\/templates\/.+|dist\/(?:esm|cjs)\/(?:[\w-]+\/)*[\w-]+\.(?:js|js\.map|d\.ts)|dist\/(?:esm|cjs)\/package\.json|dist\/playground\/(?:main\.js|style\.css|worker\.js)\.gz|dist\/playground-licenses\.txt)$/;

  assert.ok(files.length > 100);
  assert.deepEqual(
    files.filter((path) => !meant.test(path)),
    [],
  );
});

test('the workflows pin every action to a commit', async () => {
  const texts = (await readdir(workflows)).map((name) => readFileSync(join(workflows, name), 'utf8'));
  const used = texts.flatMap((text) => Array.from(text.matchAll(/uses: (\S+)/g), ([, action = '']) => action));

  assert.deepEqual(
    used.filter((action) => !/^\.\/|@[0-9a-f]{40}$/.test(action)),
    [],
  );
});
