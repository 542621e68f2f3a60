import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';

import type { InitArguments } from '../../../../../src/tools/cli/arguments.ts';
import { askForChoices } from '../../../../../src/tools/cli/init/ask-for-choices.ts';
import type { ProjectChoices } from '../../../../../src/tools/cli/init/compose-project.ts';
import { UsageError } from '../../../../../src/tools/cli/read-options.ts';

/** Types each line after a question has been printed. Undefined: ends the input, as Ctrl+D does. */
function answer(
  chosen: Partial<InitArguments>,
  ...lines: readonly (string | undefined)[]
): { choices: Promise<ProjectChoices>; shown: () => string } {
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
  const choices = askForChoices({ platform: undefined, api: undefined, ...chosen }, { stdin: input, stdout: output });
  return { choices, shown: () => shown };
}

test('on a terminal, init asks for the platform, and for who sends operations, until it gets a name or number', async () => {
  const { choices, shown } = answer({}, '9', ' 3 ', 'open');

  assert.deepEqual(await choices, { platform: 'workers', api: 'open' });
  assert.match(shown(), /Expected a name or a number from 1 to 7: /);
  assert.match(shown(), /1\. netlify +Netlify\n +2\. lambda +AWS Lambda, deployed with SAM\n/);
  assert.match(shown(), /Who sends operations:\n +1\. trusted +your own clients: .*\n +2\. open +anyone: /);
});

test('init asks only for what the options leave open', async () => {
  const { choices, shown } = answer({ api: 'subgraph' }, 'lambda');

  assert.deepEqual(await choices, { platform: 'lambda', api: 'subgraph' });
  assert.doesNotMatch(shown(), /Who sends/);
});

test('when the input ends, init is canceled', async () => {
  await assert.rejects(answer({}, 'node', undefined).choices, new UsageError('\nCanceled. Nothing was written.'));
});
