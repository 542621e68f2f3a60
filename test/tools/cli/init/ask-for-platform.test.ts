import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';

import { askForPlatform } from '../../../../src/tools/cli/init/ask-for-platform.ts';
import { UsageError } from '../../../../src/tools/cli/read-options.ts';

/** Types each line after a question has been printed. Undefined: ends the input, as Ctrl+D does. */
function answer(...lines: readonly (string | undefined)[]): { platform: Promise<string>; shown: () => string } {
  const input = Object.assign(new PassThrough(), { isTTY: true });
  const output = Object.assign(new PassThrough(), { isTTY: true });
  const left = [...lines];
  let shown = '';
  output.on('data', (chunk: Buffer) => {
    shown += chunk.toString();
    if (!shown.endsWith(': ') || left.length === 0) return;
    const line = left.shift();
    if (line === undefined) input.end();
    else input.write(`${line}\n`);
  });
  return { platform: askForPlatform({ stdin: input, stdout: output }), shown: () => shown };
}

test('on a terminal, init asks for the platform', async () => {
  const { platform, shown } = answer('workers');

  assert.equal(await platform, 'workers');
  assert.match(shown(), /1\. netlify +Netlify\n +2\. lambda +AWS Lambda, deployed with SAM\n/);
});

test('a platform can be chosen by its number, and init repeats the question after an invalid answer', async () => {
  const { platform, shown } = answer('9', 'Node.js', ' 5 ');

  assert.equal(await platform, 'node');
  assert.match(shown(), /Expected a name or a number from 1 to 7: /);
});

test('when the input ends, init is canceled', async () => {
  await assert.rejects(answer(undefined).platform, new UsageError('\nCanceled. Nothing was written.'));
});
