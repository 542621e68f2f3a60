/**
 * Prints the CPU time (user and system) of each test file, the highest first. Includes the processes that it starts and waits for. A
 * file that runs alone also loads code that files of `npm test` share (about 0.5 s), so the sum is larger.
 *
 *     node scripts/test-times.ts                     the files of `npm test`
 *     node scripts/test-times.ts test/slow/tools/cli/*.test.ts  some files
 */
import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const files = process.argv.length > 2 ? process.argv.slice(2) : globSync('test/{unit,contract}/**/*.test.ts', { cwd: root });

const times = files.map((file) => ({ file, ...cpuSecondsOf(file) })).toSorted((one, other) => other.seconds - one.seconds);
for (const { file, seconds, passed } of times) console.log(`${seconds.toFixed(2).padStart(7)} s  ${file}${passed ? '' : '  (failed)'}`);
console.log(
  `${times
    .reduce((sum, { seconds }) => sum + seconds, 0)
    .toFixed(2)
    .padStart(7)} s  in ${times.length} files`,
);

/** Node does not report the CPU time of child processes; the shell's `time` does. */
function cpuSecondsOf(file: string): { readonly seconds: number; readonly passed: boolean } {
  const command = 'TIMEFORMAT="%U %S"; time "$0" --test --experimental-test-isolation=none --test-reporter=dot "$1" >/dev/null 2>/dev/null';
  const { stderr, status } = spawnSync('bash', ['-c', command, process.execPath, file], { cwd: root, encoding: 'utf8' });
  const [user = NaN, system = NaN] = stderr.trim().split(' ').map(Number);
  return { seconds: user + system, passed: status === 0 };
}
