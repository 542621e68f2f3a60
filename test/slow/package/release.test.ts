import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { describe, test } from 'node:test';

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

test('the pictures of the pages in the package are in it, too', async () => {
  const { files } = await packPackage();
  const pages = files.filter((path) => /^docs\/[\w-]+\.md$/.test(path));
  const pictures = pages.flatMap((path) => {
    const text = readFileSync(join(root, path), 'utf8');
    const targets = Array.from(
      text.matchAll(/!\[[^\]]*\]\(([^)\s]+)\)|\bsrc(?:set)?="([^"]+)"/g),
      ([, link, source]) => link ?? source ?? '',
    );
    return targets.filter((target) => !target.startsWith('https://')).map((target) => posix.join('docs', target));
  });

  assert.ok(pictures.length > 0);
  assert.deepEqual(
    pictures.filter((path) => !files.includes(path)),
    [],
  );
});

describe('the workflows', async () => {
  for (const name of await readdir(workflows)) {
    const text = readFileSync(join(workflows, name), 'utf8');

    test(`${name} pins every action to a commit`, () => {
      const used = Array.from(text.matchAll(/uses: (\S+)/g), ([, action = '']) => action);

      assert.deepEqual(
        used.filter((action) => !/^\.\/|@[0-9a-f]{40}$/.test(action)),
        [],
      );
    });
  }
});
