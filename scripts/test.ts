/**
 * Runs test files in two processes, the fast ones in one. Prints failures, slow files, and as the last line `N passed, N failed`. What
 * tests print is shown only if their process crashes; `npx node --test <file>` shows it for one file.
 *
 *     node scripts/test.ts                      the plain suite
 *     node scripts/test.ts --fast               for every save: without tests that start processes, bundle, or take long
 *     node scripts/test.ts --long               the generated tests, with more cases
 *     node scripts/test.ts test/tools/cli/dev/*.ts    some files
 *
 * `--build` builds the package first. Other flags go to `node --test`. Fails if a test fails, no test ran, or a process crashed.
 */
import { spawn, spawnSync } from 'node:child_process';
import type { StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

import { reportDescriptor } from './test-reporter.ts';
import type { ProcessResult, Report } from './test-reporter.ts';

process.chdir(join(import.meta.dirname, '..'));

/** Tests that import one of these start a process or a thread, bundle, or run generated input. */
const heavyImport =
  /from '(?:node:child_process|node:worker_threads|esbuild)'|\/src\/(?:\w+\/)*cli\/|\/support\/(?:random|long-form|heap-growth|differential\/[\w-]+)\.ts'/;
/** Other tests that take long: many requests up to a limit. */
const longRun =
  /\/(?:bills|promises|small-values|result-size|nesting|default-caches|hostile-input|answer-limit|answers|opentelemetry|masking|audits|input-work|endless-lists|response-cache|large-selections|(?:node-)?hosts|create-index|fingerprint)\.test\.ts$/;
/** Seconds from which a file is listed as slow. */
const slow = 3;
/** The number of characters of a crashed process's output to print. */
const lastPrinted = 5000;

const ourFlags = ['--fast', '--long', '--build'];
const args = process.argv.slice(2);
const [isFast, isLong, builds] = ourFlags.map((flag) => args.includes(flag));
const flags = args.filter((arg) => arg.startsWith('-') && !ourFlags.includes(arg));
const given = args.filter((arg) => !arg.startsWith('-'));
const isPlain = given.length === 0 && !isFast && !isLong;
const files = chooseFiles();

// Fast tests take as long as loading the code that they share.
const processes = isFast ? 1 : 2;
console.log(`${files.length} test files.${isPlain ? ' This takes about five minutes on two cores.' : ''}`);
if (builds && spawnSync(process.execPath, ['scripts/build.ts'], { stdio: 'inherit' }).status !== 0) process.exit(1);

const shards = Array.from({ length: processes }, (): string[] => []);
// Tests of the packed package run in one process, which packs it once.
for (const [at, file] of files.entries()) shards[importsPackage(file) ? 0 : at % processes]!.push(file);
process.exitCode = report(await Promise.all(shards.filter(({ length }) => length > 0).map(runInProcess)));

function chooseFiles(): readonly string[] {
  if (given.length > 0) return given;
  const plain = globSync(['test/*.test.ts', 'test/!(real|clients|browser)/**/*.test.ts']).toSorted();
  if (isFast) return plain.filter((file) => !longRun.test(file) && !isHeavy(file));
  return isLong ? plain.filter((file) => readFileSync(file, 'utf8').includes('/long-form.ts')) : plain;
}

function importsPackage(file: string): boolean {
  return readFileSync(file, 'utf8').includes('/support/packed-package.ts');
}

/** The file itself, or a helper among the tests that it imports. */
function isHeavy(file: string, seen: Set<string> = new Set()): boolean {
  if (seen.has(file)) return false;
  seen.add(file);
  const source = readFileSync(file, 'utf8');
  if (file.includes('/cli/') || heavyImport.test(source)) return true;
  const helpers = Array.from(source.matchAll(/from '(\.[^']+)'/g), ([, path = '']) => relative('.', resolve(dirname(file), path)));
  return helpers.some((helper) => helper.startsWith('test/') && existsSync(helper) && isHeavy(helper, seen));
}

/** Resolves to the counts of the reporter. A process that fails without a failed test, or ends too early, counts as one failure. */
async function runInProcess(chosen: readonly string[]): Promise<ProcessResult> {
  const defaults = [
    '--test',
    '--experimental-test-isolation=none',
    `--test-timeout=${isLong ? 600_000 : 300_000}`,
    '--test-reporter=./scripts/test-reporter.ts',
  ];
  const environment = {
    ...process.env,
    ...(isLong && { LONG_FORMS: 'yes' }),
    ...(isFast && { NODE_COMPILE_CACHE: 'node_modules/.cache/tests' }),
  };
  const stdio: StdioOptions = ['ignore', 'pipe', 'pipe'];
  stdio[reportDescriptor] = 'pipe';
  const child = spawn(process.execPath, [...defaults, ...flags, ...chosen], { stdio, env: environment });
  const ended = once(child, 'close') as Promise<[number | null, string | null]>;
  let printed = '';
  const keep = (text: string): void => void (printed = (printed + text).slice(-lastPrinted));
  for (const output of [child.stdout, child.stderr]) output?.setEncoding('utf8').on('data', keep);
  let result: ProcessResult | undefined;
  for await (const line of createInterface({ input: child.stdio[reportDescriptor] as Readable })) {
    const reported = JSON.parse(line) as Report;
    if ('result' in reported) ({ result } = reported);
    else console.log(reported.text);
  }
  const [code, signal] = await ended;
  if (result && (code === 0 || result.failed > 0)) return result;
  console.log(`${printed}\nFAILED a test process ended with ${signal ?? `exit code ${code}`}. It ran ${chosen.join(' ')}`);
  return { passed: 0, skipped: 0, milliseconds: {}, ...result, failed: 1 };
}

/** The exit code. */
function report(results: readonly ProcessResult[]): number {
  const slowFiles = results
    .flatMap(({ milliseconds }) => Object.entries(milliseconds))
    .filter(([, time]) => time > slow * 1000)
    .toSorted(([, one], [, other]) => other - one);
  for (const [file, time] of slowFiles) console.log(`slow    ${(time / 1000).toFixed(1)} s  ${file}`);
  const [passed = 0, failed = 0, skipped = 0] = (['passed', 'failed', 'skipped'] as const).map((what) =>
    results.reduce((sum, result) => sum + result[what], 0),
  );
  if (passed + failed === 0) console.log('No test ran.');
  console.log(`${passed} passed, ${failed} failed${skipped === 0 ? '' : `, ${skipped} skipped`}`);
  return failed > 0 || passed === 0 ? 1 : 0;
}
