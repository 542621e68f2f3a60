/**
 * Runs the tests of src/executor, server, datasources and extensions, and prints how many branches they reach in each folder. Lists the
 * branches of security-relevant files that they do not reach. Takes about three minutes on two cores.
 *
 *     npm run coverage
 */
import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

import { areas } from './security-relevant.ts';

process.chdir(join(import.meta.dirname, '..'));

const folders = ['executor', 'server', 'datasources', 'extensions'];

interface FileCoverage {
  readonly file: string;
  readonly branches: number;
  readonly reached: number;
  /** The lines of the branches that are not reached. */
  readonly missed: readonly number[];
}

/**
 * Keeps the tests from starting a debugger, which src/tools/checks/function-place.ts does: from then on, V8 counts no branches of the
 * functions that have run before.
 */
const withoutDebugger = `data:text/javascript,process.getBuiltinModule('node:inspector').Session = class {
  connect() { throw new Error('The debugger would end the coverage of branches.'); }
};`.replaceAll('\n', '');

/** Tests that measure memory, CPU or turns, or start processes: they take a third of the time, and reach no branch that others do not. */
const skipped =
  /heap|a search for small requests|two processes over a real Redis|while they are killed|behaves like fetch for|changes to a sent answer/;

const reporter = `data:text/javascript,export default async function* (events) {
  for await (const { type, data } of events) if (type === 'test:fail' %26%26 data.details.type !== 'suite') yield data.file + ': ' + data.name + '\\n';
}`.replaceAll('\n', '');

const files = measure();
for (const folder of folders) {
  const inside = files.filter(({ file }) => file.startsWith(`src/${folder}/`));
  const [reached, branches] = [sumOf(inside, 'reached'), sumOf(inside, 'branches')];
  console.log(`src/${folder}: ${reached} of ${branches} branches, ${((reached / branches) * 100).toFixed(1)} %`);
}

for (const { file, branches, reached, missed } of files.filter((one) => one.file in areas)) {
  console.log(`${file}: ${reached} of ${branches} branches`);
  const lines = readFileSync(file, 'utf8').split('\n');
  for (const number of missed) console.log(`  ${number}: ${lines[number - 1]?.trim() ?? ''}`);
}

/** The coverage of each file of the folders, by all processes and threads that the tests start. */
function measure(): FileCoverage[] {
  const directory = mkdtempSync(join(tmpdir(), 'graphql-functions-coverage-'));
  try {
    const { status, stdout } = spawnSync(
      process.execPath,
      [
        `--import=${withoutDebugger}`,
        '--test',
        '--experimental-test-isolation=none',
        '--test-force-exit',
        `--test-skip-pattern=${skipped}`,
        `--test-reporter=${reporter}`,
        ...globSync([`test/unit/{${folders.join(',')}}/**/*.test.ts`, 'test/contract/**/*.test.ts']).toSorted(),
      ],
      { stdio: ['ignore', 'pipe', 'ignore'], encoding: 'utf8', env: { ...process.env, NODE_V8_COVERAGE: directory } },
    );
    if (status !== 0) console.log(`Some tests failed, so branches that they would have reached may be missing below:\n${stdout}`);
    return readReports(directory);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** What V8 writes when a process or thread ends. */
interface Report {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly {
      /** False: only calls of the function were counted. */
      readonly isBlockCoverage: boolean;
      readonly ranges: readonly Range[];
    }[];
  }[];
}

interface Range {
  readonly startOffset: number;
  readonly endOffset: number;
  readonly count: number;
}

/** Merges reports exactly, unlike the test runner: a branch is reached if it is in one of them. */
function readReports(directory: string): FileCoverage[] {
  const records = new Map<string, { readonly ranges: Map<string, Range>; readonly reached: Uint8Array; readonly source: string }>();
  for (const name of readdirSync(directory)) {
    const { result } = JSON.parse(readFileSync(join(directory, name), 'utf8')) as Report;
    for (const { url, functions } of result) {
      const file = relative(process.cwd(), url.startsWith('file:') ? fileURLToPath(url) : url);
      if (!folders.some((folder) => file.startsWith(`src/${folder}/`))) continue;
      const source = records.get(file)?.source ?? readFileSync(file, 'utf8');
      const record = records.get(file) ?? { ranges: new Map<string, Range>(), reached: new Uint8Array(source.length), source };
      records.set(file, record);
      const reached = new Uint8Array(source.length);
      // Outer ranges come first, so that the inner ones replace their counts.
      const ranges = functions
        .flatMap(({ isBlockCoverage, ranges: list }) => list.map((range) => ({ ...range, count: isBlockCoverage ? range.count : 0 })))
        .toSorted((one, other) => one.startOffset - other.startOffset || other.endOffset - one.endOffset);
      for (const range of ranges) {
        reached.fill(range.count > 0 ? 1 : 0, range.startOffset, range.endOffset);
        if (/\w/.test(source.slice(range.startOffset, range.endOffset)))
          record.ranges.set(`${range.startOffset} ${range.endOffset}`, range);
      }
      for (const [at, value] of reached.entries()) if (value === 1) record.reached[at] = 1;
    }
  }
  return [...records].map(([file, { ranges, reached, source }]) => {
    const branches = [...ranges.values()];
    const missed = branches.filter(({ startOffset, endOffset }) => !reached.subarray(startOffset, endOffset).includes(1));
    const lines = missed.map(({ startOffset }) => source.slice(0, startOffset).split('\n').length);
    return {
      file,
      branches: branches.length,
      reached: branches.length - missed.length,
      missed: lines.toSorted((one, other) => one - other),
    };
  });
}

function sumOf(list: readonly FileCoverage[], key: 'branches' | 'reached'): number {
  return list.reduce((sum, one) => sum + one[key], 0);
}
