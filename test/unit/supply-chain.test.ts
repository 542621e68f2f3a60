import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';

const root = join(import.meta.dirname, '../..');
const require = createRequire(import.meta.url);
const semver = require('semver') as {
  satisfies(version: string, range: string): boolean;
  intersects(one: string, other: string): boolean;
};

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
}

const manifest = readJSON<Manifest>('package.json');
const bad = readJSON<Readonly<Record<string, { readonly versions: string; readonly reason: string }>>>('test/unit/known-bad-versions.json');

test('no lock file has a version that is known to be bad', () => {
  const found: string[] = [];
  for (const file of ['package-lock.json', 'test/real/clients/package-lock.json'])
    for (const [path, { name, version }] of Object.entries(packagesIn(file))) {
      const known = bad[name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)];
      if (known !== undefined && version !== undefined && semver.satisfies(version, known.versions))
        found.push(`${file}: ${path} ${version}. ${known.reason}`);
    }

  assert.deepEqual(found, []);
});

test('no range of package.json allows a version that is known to be bad', () => {
  const ranges = Object.entries({ ...manifest.dependencies, ...manifest.peerDependencies });

  assert.deepEqual(
    ranges.filter(([name, range]) => bad[name] !== undefined && semver.intersects(range, bad[name].versions)),
    [],
  );
});

function packagesIn(file: string): Readonly<Record<string, { readonly name?: string; readonly version?: string }>> {
  return readJSON<{ packages: ReturnType<typeof packagesIn> }>(file).packages;
}

function readJSON<T>(file: string): T {
  return JSON.parse(readFileSync(join(root, file), 'utf8')) as T;
}
