import assert from 'node:assert/strict';
import { access, readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { test } from 'node:test';

import { anchorsOf, linksOf } from '../../support/markdown.ts';
import { readPages, root } from '../../support/pages.ts';

const pages = await readPages();
const ofProject = ['ARCHITECTURE.md', 'CONTRIBUTING.md', 'SECURITY.md'];

for (const path of [...Object.keys(pages), ...ofProject]) {
  const page = pages[path] ?? (await readFile(join(root, path), 'utf8'));

  test(`every link of ${path} has a target`, async () => {
    const broken: string[] = [];
    for (const link of linksOf(page)) if (!(await leadsSomewhere(path, link))) broken.push(link);

    assert.deepEqual(broken, []);
  });
}

test('docs/README.md lists every page', () => {
  const listed = new Set(linksOf(pages['docs/README.md'] ?? '').map((link) => `docs/${link}`));
  const missing = Object.keys(pages).filter((path) => !path.endsWith('README.md') && !listed.has(path));

  assert.deepEqual(missing, []);
});

/** Skips links to other sites, because tests need no network. */
async function leadsSomewhere(path: string, link: string): Promise<boolean> {
  if (/^https:\/\/\w/.test(link)) return true;
  const [file = '', anchor] = link.split(/#(.*)/);
  const target = file === '' ? path : relative(root, join(root, dirname(path), file));
  if (anchor !== undefined) return anchorsOf(pages[target] ?? '').includes(anchor);
  return access(join(root, target)).then(
    () => true,
    () => false,
  );
}
