import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { describe, test } from 'node:test';

import { prepareRelease } from '../../../scripts/release.ts';
import type { Manifest } from '../../../scripts/release.ts';
import { packPackage } from '../../support/packed-package.ts';

const root = join(import.meta.dirname, '../../..');
const workflows = join(root, '.github/workflows');

const manifest: Manifest = {
  version: '2.0.0-rc.1',
  homepage: 'https://docs.example',
  bugs: { url: 'https://github.com/some/name/issues' },
  repository: { type: 'git', url: 'git+https://github.com/some/name.git' },
};
const changelog = '# Changelog\n\n## 2.0.0-rc.1 (2026-12-01)\n\n- New: [a](docs/a.md).\n\n## 1.0.0 (2026-11-01)\n\n- Old.\n';
const security = 'Write to security@books.example.';
const readme = '[here](docs/a.md#b) [there](https://a.example/) ![one](docs/a.png) <img src="docs/b.svg">';

describe('the preparation of a release', () => {
  test('turns links and images of the README into absolute URLs of the tag', () => {
    assert.equal(
      prepareRelease('v2.0.0-rc.1', { manifest, changelog, readme, security })['README.md'],
      '[here](https://github.com/some/name/blob/v2.0.0-rc.1/docs/a.md#b) [there](https://a.example/) ' +
        '![one](https://raw.githubusercontent.com/some/name/v2.0.0-rc.1/docs/a.png) ' +
        '<img src="https://raw.githubusercontent.com/some/name/v2.0.0-rc.1/docs/b.svg">',
    );
  });

  test('leaves no relative link in the README of this project', () => {
    const text = prepareRelease('v2.0.0-rc.1', { manifest, changelog, readme: readFileSync(join(root, 'README.md'), 'utf8'), security })[
      'README.md'
    ];
    const targets = Array.from(text.matchAll(/\]\(([^)\s]+)\)|src(?:set)?="([^"]+)"/g), ([, link, source]) => link ?? source ?? '');

    assert.ok(targets.length > 10);
    assert.deepEqual(
      targets.filter((target) => !target.startsWith('https://')),
      [],
    );
  });

  test('takes the notes from the changelog, with absolute links, and gives a prerelease the dist-tag next', () => {
    const { 'release-notes.md': notes, 'release-tag.txt': distTag } = prepareRelease('v2.0.0-rc.1', {
      manifest,
      changelog,
      readme,
      security,
    });

    assert.deepEqual([notes, distTag], ['- New: [a](https://github.com/some/name/blob/v2.0.0-rc.1/docs/a.md).\n', 'next']);
    assert.equal(
      prepareRelease('v1.0.0', { manifest: { ...manifest, version: '1.0.0' }, changelog, readme, security })['release-tag.txt'],
      'latest',
    );
  });

  test('must come before npm publishes a checkout', () => {
    assert.throws(
      () => execFileSync(process.execPath, [join(root, 'scripts/release.ts'), '--prepared'], { stdio: 'pipe' }),
      /Run node scripts\/release\.ts v<version> first/,
    );
    assert.equal(
      (JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> }).scripts['prepublishOnly'],
      'node scripts/release.ts --prepared',
    );
  });

  test('fails with an error that lists everything that is missing', () => {
    assert.throws(
      () => prepareRelease('v2.0.0', { manifest: { version: '2.1.0' }, changelog: '## 2.1.0 (unreleased)\n', readme, security: '' }),
      (error: Error) => {
        assert.match(error.message, /version 2\.1\.0, but the tag is v2\.0\.0/);
        for (const part of ['CHANGELOG.md has no "## 2.1.0', '"repository"', '"homepage"', '"bugs"', 'SECURITY.md needs'])
          assert.ok(error.message.includes(part), part);
        return true;
      },
    );
  });
});

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
