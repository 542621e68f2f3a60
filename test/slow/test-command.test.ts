import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';

const folder = mkdtempSync(join(tmpdir(), 'test-command-'));
after(() => rmSync(folder, { recursive: true }));

const passes = file('passes', "test('one', () => {}); test('two', () => {}); test('three', { skip: 'no Redis' }, () => {});");
const fails = file(
  'fails',
  "describe('adding', () => { test('works', () => { throw new Error('1 + 1 was 3'); }); test('stays', () => {}); });",
);
const others = file('others', "test('four', () => {}); test('five', { skip: true }, () => {});");
const exits = file('exits', "process.stdout.write('last words\\n', () => process.exit(0));");
const dies = file('dies', "test('dies', () => { process.kill(process.pid, 'SIGKILL'); });");
const empty = file('empty', '');
const prints = file('prints', "test('prints', () => { process.stdout.write('no newline'); console.error(new Error('expected')); });");

describe('the test command', () => {
  it('ends with one line that counts the tests of both processes', () => {
    const { status, lines } = run(passes, others);

    assert.deepEqual([status, lines.at(-1)], [0, '3 passed, 0 failed, 2 skipped']);
    assert.match(lines.join('\n'), /skipped .*passes\.test\.mjs:2 three$/m);
  });

  it('names a test that fails, shows its error, and fails', () => {
    const { status, lines } = run(passes, fails);

    assert.deepEqual([status, lines.at(-1)], [1, '3 passed, 1 failed, 1 skipped']);
    assert.match(lines.join('\n'), /FAILED .*fails\.test\.mjs:2 adding > works\nError: 1 \+ 1 was 3/);
  });

  it('counts tests that print, and does not show what they print', () => {
    const { status, lines } = run(passes, prints);

    assert.deepEqual([status, lines.at(-1)], [0, '3 passed, 0 failed, 1 skipped']);
    assert.doesNotMatch(lines.join('\n'), /no newline|Error: expected/);
  });

  it('fails when a process ends before its tests do, and shows its output', () => {
    for (const ending of [exits, dies]) {
      const { status, lines } = run(passes, ending);

      assert.deepEqual([status, lines.at(-1)], [1, '2 passed, 1 failed, 1 skipped']);
      assert.equal(lines.includes('last words'), ending === exits);
    }
  });

  it('fails when no test ran', () => {
    const { status, lines } = run(empty);

    assert.deepEqual([status, lines.at(-1)], [1, '0 passed, 0 failed, 0 skipped']);
  });
});

function file(name: string, text: string): string {
  writeFileSync(join(folder, `${name}.test.mjs`), `import { describe, test } from 'node:test';\n${text}\n`);
  return `${name}.test.mjs`;
}

function run(...names: readonly string[]): { readonly status: number | null; readonly lines: readonly string[] } {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const { status, stdout } = spawnSync(process.execPath, ['scripts/test.ts', folder, ...names], { encoding: 'utf8', env });
  return { status, lines: stdout.trimEnd().split('\n') };
}
