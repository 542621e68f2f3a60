import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cp, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';

import { packPackage } from '../../support/packed-package.ts';

const root = join(import.meta.dirname, '../../..');
const workflows = join(root, '.github/workflows');
const execute = promisify(execFile);

test('the package contains only the files that are meant to be published', async () => {
  const { files } = await packPackage();
  const meant =
    /^(?:package\.json|README\.md|LICENSE|AGENTS\.md|CHANGELOG\.md|docs\/(?:[\w-]+\.md|examples\/[\w/.-]+|playground\.png|figures\/[\w-]+\.(?:svg|png))|src\/tools\/cli\/init\/templates\/.+|dist\/(?:esm|cjs)\/(?:[\w-]+\/)*[\w-]+\.(?:js|js\.map|d\.ts)|dist\/(?:esm|cjs)\/package\.json|dist\/playground\/(?:main\.js|style\.css|worker\.js)\.gz|dist\/playground-licenses\.txt)$/;

  assert.ok(files.length > 100);
  assert.deepEqual(
    files.filter((path) => !meant.test(path)),
    [],
  );
});

test('the same sources, built in another folder with other rights for new files, pack to the same bytes', async (t) => {
  const copy = await copyOfCheckout();
  t.after(() => rm(copy, { recursive: true, force: true }));

  await execute('sh', ['-c', 'umask 077 && node scripts/build.ts && npm pack --ignore-scripts'], { cwd: copy });

  const [tarball = ''] = (await readdir(copy)).filter((name) => name.endsWith('.tgz'));
  assert.ok(readFileSync(join(copy, tarball)).equals(readFileSync((await packPackage()).tarball)));
});

test('npm publish refuses until the owner has named the repository, which also fills the places for reports', async (t) => {
  const copy = await copyOfCheckout();
  t.after(() => rm(copy, { recursive: true, force: true }));
  const publish = (): Promise<unknown> => execute('npm', ['run', 'prepublishOnly'], { cwd: copy });

  await assert.rejects(publish, { stderr: /Expected package\.json to name the repository, got undefined\. Run: node scripts\/owner\.mjs/ });
  await execute('node', ['scripts/owner.mjs', 'https://github.com/acme/graph'], { cwd: copy });
  await publish();

  const read = (path: string): string => readFileSync(join(copy, path), 'utf8');
  assert.match(read('package.json'), /"url": "git\+https:\/\/github\.com\/acme\/graph\.git"/);
  assert.match(read('SECURITY.md'), /^Address for reports: <https:\/\/github\.com\/acme\/graph\/security\/advisories\/new>$/m);
  assert.doesNotMatch(read('.github/ISSUE_TEMPLATE/config.yml'), /owner\/name/);
});

test('the workflows pin every action to a commit', async () => {
  const texts = (await readdir(workflows)).map((name) => readFileSync(join(workflows, name), 'utf8'));
  const used = texts.flatMap((text) => Array.from(text.matchAll(/uses: (\S+)/g), ([, action = '']) => action));

  assert.deepEqual(
    used.filter((action) => !/^\.\/|@[0-9a-f]{40}$/.test(action)),
    [],
  );
});

/** The files of the checkout that git knows, beside the installed packages. */
async function copyOfCheckout(): Promise<string> {
  const copy = await mkdtemp(join(tmpdir(), 'graphql-functions-copy-'));
  const { stdout } = await execute('git', ['ls-files', '--cached', '--others', '--exclude-standard', '--deduplicate', '-z'], { cwd: root });
  for (const path of stdout.split('\0').filter((one) => one !== '' && !one.startsWith('test/')))
    await cp(join(root, path), join(copy, path)).catch(ignoreDeletedFile);
  await symlink(join(root, 'node_modules'), join(copy, 'node_modules'), 'dir');
  return copy;
}

function ignoreDeletedFile(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}
