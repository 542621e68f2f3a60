/**
 * Runs the tests for every save: those that start no process and bundle nothing, and are no long run of generated input.
 *
 * Which they are is found by what they import, so that a new file needs no entry anywhere; only long runs are named here.
 */
import { spawn } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

const root = join(import.meta.dirname, '..');

/** Whoever imports these starts a process, a thread or a bundler. */
const heavyImport = /from '(?:node:child_process|node:worker_threads|esbuild)'|\/src\/cli\//;
const longRun = /(?:generated-events|differential|users|answer-limit|dist|readme|types|snippets)\.test\.ts$/;

const files = globSync(['test/*.test.ts', 'test/!(real|clients|browser|cli)/**/*.test.ts'], { cwd: root }).map((file) => join(root, file));
const fast = files.filter((file) => !longRun.test(file) && !isHeavy(file, new Set()));
console.log(`${fast.length} of ${files.length} files; \`npm test\` runs them all.`);
const flags = ['--test', '--experimental-test-isolation=none', '--test-timeout=300000', '--test-reporter=dot', ...process.argv.slice(2)];
const child = spawn(process.execPath, [...flags, ...fast], { stdio: 'inherit', cwd: root });
child.on('exit', (code) => (process.exitCode = code ?? 1));

/** Itself, or a helper of the tests that it imports. */
function isHeavy(file: string, seen: Set<string>): boolean {
  if (seen.has(file)) return false;
  seen.add(file);
  const text = readFileSync(file, 'utf8');
  if (heavyImport.test(text)) return true;
  const helpers = [...text.matchAll(/from '(\.[^']+)'/g)].map(([, path = '']) => resolve(dirname(file), path));
  return helpers.some((helper) => helper.includes(`${join(root, 'test')}/`) && existsSync(helper) && isHeavy(helper, seen));
}
