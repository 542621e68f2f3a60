import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Progress } from '../../../../src/tools/cli/project/progress.ts';

/** A terminal with one line, and the text of the line after each write. */
class Terminal {
  readonly isTTY: boolean;
  readonly columns = 40;
  readonly seen: string[] = [];

  constructor(isTTY = true) {
    this.isTTY = isTTY;
  }

  write(text: string): void {
    this.seen.push(text.slice(text.lastIndexOf('\u001B[K') + '\u001B[K'.length));
  }
}

test('each step replaces the previous one, and nothing remains at the end', () => {
  const terminal = new Terminal();
  const progress = new Progress(terminal, {});

  progress.begin('graphql.ts', 2);
  progress.step('bundling');
  progress.step('checking');
  progress.end();

  assert.deepEqual(terminal.seen, ['  graphql.ts: bundling (1 of 2)', '  graphql.ts: checking (2 of 2)', '']);
});

test('a step fits the width of the terminal', () => {
  const terminal = new Terminal();
  const progress = new Progress(terminal, {});

  progress.begin('operations', 300);
  progress.step('src/components/very/deep/in/the/tree/book.graphql');

  assert.equal(terminal.seen[0]?.length, 39);
});

for (const [where, terminal, env] of [
  ['a pipe', new Terminal(false), {}],
  ['CI', new Terminal(), { CI: 'true' }],
] as const) {
  test(`in ${where} nothing is printed`, () => {
    const progress = new Progress(terminal, env);

    progress.begin('graphql.ts', 2);
    progress.step('bundling');
    progress.end();

    assert.deepEqual(terminal.seen, []);
  });
}
