/**
 * Runs the test files of folders, in two processes. Prints failed and skipped tests, a line for every 50 files, the ten slowest files, and
 * as the last line the count. What tests print is shown only if their process crashes; `npx node --test <file>` shows it for one file.
 *
 *     node scripts/test.ts "test/{unit,contract}"                 npm test
 *     node scripts/test.ts "test/{unit,contract}" server/doors    npm test server/doors: only the files whose path contains it
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { relative } from 'node:path';
import { run } from 'node:test';
import type { EventData } from 'node:test';
import { inspect } from 'node:util';

type Report = { text?: string; outcome?: keyof typeof counts; file?: string; milliseconds?: number; ended?: true };
type Details = { error?: Error & { failureType?: string }; type?: string; duration_ms: number };

const [folders = '', ...parts] = process.argv.slice(2);
const counts = { passed: 0, failed: 0, skipped: 0 };
const times = new Map<string, number>();
const files = globSync(`${folders}/**/*.test.{ts,mjs}`, { exclude: ['**/node_modules'] })
  .filter((file) => parts.length === 0 || parts.some((part) => file.includes(part)))
  .toSorted();

if (process.send) {
  await runFiles();
} else {
  const halves = [0, 1].map((half) => files.filter((_, at) => at % 2 === half));
  await Promise.all(halves.filter(({ length }) => length > 0).map(runInProcess));
  const slowest = [...times].toSorted(([, one], [, other]) => other - one).slice(0, 10);
  for (const [file, milliseconds] of slowest) console.log(`${(milliseconds / 1000).toFixed(1).padStart(6)} s  ${file}`);
  if (counts.failed > 0 || counts.passed === 0) process.exitCode = 1;
  console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
}

async function runInProcess(half: readonly string[]): Promise<void> {
  const child = fork(import.meta.filename, [folders, ...half], { silent: true });
  let [printed, isComplete] = ['', false];
  const keep = (text: string): void => void (printed = (printed + text).slice(-5000));
  for (const output of [child.stdout!, child.stderr!]) output.setEncoding('utf8').on('data', keep);
  child.on('message', (report: Report) => (report.ended ? (isComplete = true) : take(report)));
  const [code, signal] = await once(child, 'close');
  if (code !== 0 || !isComplete) take({ outcome: 'failed', text: `${printed}\nFAILED a process ended with ${signal ?? `code ${code}`}` });
}

function take({ text, outcome, file, milliseconds = 0 }: Report): void {
  if (text !== undefined) console.log(text);
  if (outcome !== undefined) counts[outcome]++;
  if (file === undefined) return;
  times.set(file, (times.get(file) ?? 0) + milliseconds);
  if (times.get(file) === milliseconds && times.size % 50 === 0) console.log(`${times.size} of ${files.length} files`);
}

async function runFiles(): Promise<void> {
  const path: string[] = [];
  // What the files of test/real start and load wants a process for each. The others share what takes most time: loaded code.
  const isolation = folders === 'test/real' ? 'process' : 'none';
  for await (const { type, data } of run({ files, isolation, concurrency: 1, timeout: 300_000 })) {
    if (type === 'test:start') path.splice(data.nesting, path.length, data.name);
    // The process fails, and no test does.
    if (type === 'test:diagnostic' && /asynchronous activity/.test(data.message)) process.send!({ text: data.message });
    // A file without tests is reported as a test that passed; Node 22 does not say which.
    if (type === 'test:fail' || (type === 'test:pass' && data.file !== undefined && data.name !== data.file))
      process.send!(reportOf(data, path));
  }
  process.send!({ ended: true });
}

function reportOf(data: EventData.TestFail | EventData.TestPass, path: readonly string[]): Report {
  const { error, type, duration_ms: milliseconds } = data.details as Details;
  const file = relative('.', data.file ?? '');
  const name = `${file}:${data.line} ${[...path.slice(0, data.nesting), data.name].join(' > ')}`;
  const own = data.nesting === 0 ? { file, milliseconds } : {};
  if (error?.failureType === 'subtestsFailed' || (!error && type === 'suite')) return own;
  if (error) return { ...own, outcome: 'failed', text: `FAILED ${name}\n${inspect(error.cause ?? error)}\n` };
  return data.skip === undefined ? { ...own, outcome: 'passed' } : { ...own, outcome: 'skipped', text: `skipped ${name}` };
}
