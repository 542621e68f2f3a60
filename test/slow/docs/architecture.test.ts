import { deepEqual } from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { test } from 'node:test';

import { templates } from '../../../scripts/structure.ts';
import { linksOf } from '../../support/markdown.ts';

const readmes = globSync('src/**/README.md', { exclude: [templates] }).map((path) => path.replaceAll('\\', '/'));

test('every path that ARCHITECTURE.md, CONTRIBUTING.md or a README.md of src/ mentions exists', () => {
  for (const page of ['ARCHITECTURE.md', 'CONTRIBUTING.md', ...readmes]) {
    const mentioned = [...readFileSync(page, 'utf8').matchAll(/`([\w.-]+\/[\w./-]+\.(?:ts|md))`/g)].map(([, path = '']) => path);
    const missing = mentioned.filter((path) => !['', 'src', posix.dirname(page)].some((base) => exists(posix.join(base, path))));

    deepEqual(missing, [], page);
  }
});

test('every link of ARCHITECTURE.md, CONTRIBUTING.md, SECURITY.md and the READMEs of src/ leads to a file', () => {
  for (const page of ['ARCHITECTURE.md', 'CONTRIBUTING.md', 'SECURITY.md', ...readmes]) {
    const links = linksOf(readFileSync(page, 'utf8')).filter((link) => !link.startsWith('https://'));
    const broken = links.filter((link) => !exists(posix.join(posix.dirname(page), link.split('#')[0] ?? '')));

    deepEqual(broken, [], page);
  }
});

function exists(path: string): boolean {
  return globSync(path).length > 0;
}
