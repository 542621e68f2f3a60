/**
 * Runs the generated tests in their long form: the files that import test/support/long-form.ts. The plain suite has the same
 * tests with fewer cases.
 */
import { spawn } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const files = globSync('test/**/*.test.ts', { cwd: root }).filter((file) =>
  readFileSync(join(root, file), 'utf8').includes('/long-form.ts'),
);
const flags = ['--test', '--experimental-test-isolation=none', '--test-timeout=600000', '--test-reporter=spec', ...process.argv.slice(2)];
const child = spawn(process.execPath, [...flags, ...files], { stdio: 'inherit', cwd: root, env: { ...process.env, LONG_FORMS: 'yes' } });
child.on('exit', (code) => (process.exitCode = code ?? 1));
