/**
 * Installs what folders of test/real need, and runs their tests against the built package.
 *
 *     npm run test:real                    all of them
 *     npm run test:real clients stores     two of them
 */
import { execSync } from 'node:child_process';
import { readdirSync } from 'node:fs';

import { installParts } from '../test/support/real/install.ts';

const parts = process.argv.length > 2 ? process.argv.slice(2) : readdirSync('test/real');
for (const part of parts) {
  if (part === 'clients') execSync('npm ci --prefix test/real/clients --no-audit --no-fund --ignore-scripts', { stdio: 'inherit' });
  if (part === 'browser') execSync('npm run site', { stdio: 'inherit' });
  installParts(part);
}
process.argv.splice(2, parts.length, 'test/real', ...parts.map((part) => `real/${part}/`));
await import('./test.ts');
