/**
 * Runs the tests of src/executor, server, datasources and extensions, and prints how many branches they reach in each folder. Lists the
 * branches of security-relevant files that they do not reach, and fails if one of them has no reason in `unreached`. Takes about three
 * minutes on two cores.
 *
 *     npm run coverage
 */
import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { areas, unreached } from './security-relevant.ts';

process.chdir(join(import.meta.dirname, '..'));

const folders = ['executor', 'server', 'datasources', 'extensions'];

interface FileCoverage {
  readonly file: string;
  readonly branches: number;
  readonly reached: number;
  /** The lines of the branches that are not reached. */
  readonly missed: readonly number[];
}

const files = measure();
for (const folder of folders) {
  const inside = files.filter(({ file }) => file.startsWith(`src/${folder}/`));
  const [reached, branches] = [sumOf(inside, 'reached'), sumOf(inside, 'branches')];
  console.log(`src/${folder}: ${reached} of ${branches} branches, ${((reached / branches) * 100).toFixed(1)} %`);
}

let unexplained = 0;
for (const { file, branches, reached, missed } of files.filter((one) => one.file in areas)) {
  console.log(`${file}: ${reached} of ${branches} branches`);
  const lines = readFileSync(file, 'utf8').split('\n');
  for (const number of missed) {
    const line = lines[number - 1]?.trim() ?? '';
    const reason = unreached[file]?.[line];
    if (reason === undefined) unexplained++;
    console.log(`  ${number}: ${line}\n      ${reason ?? 'no reason'}`);
  }
}
if (unexplained > 0) process.exitCode = 1;

/** The coverage of each file of the folders, by the lcov reporter of Node. */
function measure(): FileCoverage[] {
  const directory = mkdtempSync(join(tmpdir(), 'graphql-functions-coverage-'));
  const report = join(directory, 'lcov.info');
  try {
    const { status } = spawnSync(
      process.execPath,
      [
        '--test',
        '--experimental-test-isolation=none',
        '--experimental-test-coverage',
        ...folders.map((folder) => `--test-coverage-include=src/${folder}/**`),
        '--test-reporter=lcov',
        `--test-reporter-destination=${report}`,
        ...globSync(`test/{${[...folders, 'contract', 'conformance', 'security'].join(',')}}/**/*.test.ts`).toSorted(),
      ],
      { stdio: 'ignore' },
    );
    if (status !== 0) console.log('Some tests failed: branches that they would have reached are missing below.');
    return readReport(readFileSync(report, 'utf8'));
  } finally {
    rmSync(directory, { recursive: true });
  }
}

function readReport(report: string): FileCoverage[] {
  return report
    .split('end_of_record')
    .filter((record) => record.includes('SF:'))
    .map((record) => {
      const valuesOf = (key: string): string[] => [...record.matchAll(new RegExp(`^${key}:(.*)$`, 'gm'))].map(([, value = '']) => value);
      const branches = valuesOf('BRDA').map((value) => value.split(','));
      const missed = branches.filter(([, , , count]) => count === '0' || count === '-').map(([line]) => Number(line));
      return { file: valuesOf('SF')[0]!, branches: branches.length, reached: branches.length - missed.length, missed };
    });
}

function sumOf(list: readonly FileCoverage[], key: 'branches' | 'reached'): number {
  return list.reduce((sum, one) => sum + one[key], 0);
}
