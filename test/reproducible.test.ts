import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { test } from 'node:test';

import { cases } from './support/long-form.ts';
import { packPackage, packPackageIn } from './support/packed-package.ts';

const root = join(import.meta.dirname, '..');
/** The build bundles this package, and names its files by their real paths, so a link would not do. */
const bundledPackage = 'smol-toml';

// Two builds and two packs take 15 s of CPU.
test(
  'the tarball has the same bytes when it is built in another folder, in another time zone and with another umask',
  { skip: cases({ short: 0, long: 1 }) === 0 && 'the long form runs it' },
  async () => {
    const parent = mkdtempSync(join(tmpdir(), 'graphql-functions-second-build-'));
    const checkout = join(parent, 'a longer path');
    try {
      copyCheckout(checkout);
      execFileSync('/bin/sh', ['-c', 'umask 077 && exec "$0" scripts/build.ts', process.execPath], {
        cwd: checkout,
        env: { ...process.env, TZ: 'Pacific/Kiritimati', LANG: 'tr_TR.UTF-8' },
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      const [first, second] = await Promise.all([packPackage(), packPackageIn(checkout)]);

      assert.deepEqual(second.files, first.files);
      assert.ok(readFileSync(second.tarball).equals(readFileSync(first.tarball)), 'The files of both tarballs differ in content or mode.');
    } finally {
      rmSync(parent, { recursive: true, force: true });
    }
  },
);

/** The sources, with the same file modes, and the installed packages. */
function copyCheckout(checkout: string): void {
  const left = ['node_modules', '.git'];
  cpSync(root, checkout, { recursive: true, filter: (path) => !left.includes(basename(path)) && !/^dist\b/.test(basename(path)) });
  const modules = join(checkout, 'node_modules');
  mkdirSync(modules);
  for (const name of readdirSync(join(root, 'node_modules'))) {
    if (name === bundledPackage) cpSync(join(root, 'node_modules', name), join(modules, name), { recursive: true });
    else symlinkSync(join(root, 'node_modules', name), join(modules, name));
  }
}
