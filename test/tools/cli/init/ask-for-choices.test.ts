import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';

import type { InitArguments } from '../../../../src/tools/cli/arguments.ts';
import { askForChoices } from '../../../../src/tools/cli/init/ask-for-choices.ts';
import type { ProjectChoices } from '../../../../src/tools/cli/init/compose-project.ts';
import { UsageError } from '../../../../src/tools/cli/read-options.ts';

const asked: InitArguments = { name: 'init', folder: '.', platform: undefined, codegen: undefined, tests: undefined, api: 'trusted' };

/** Types each line after a question has been printed. Undefined: ends the input, as Ctrl+D does. */
async function answer(
  settings: InitArguments,
  ...lines: readonly (string | undefined)[]
): Promise<{ choices: Promise<ProjectChoices>; shown: () => string }> {
  const input = Object.assign(new PassThrough(), { isTTY: true });
  const output = Object.assign(new PassThrough(), { isTTY: true });
  const left = [...lines];
  let shown = '';
  output.on('data', (chunk: Buffer) => {
    shown += chunk.toString();
    if (!/[:\]] $/.test(shown) || left.length === 0) return;
    const line = left.shift();
    if (line === undefined) input.end();
    else input.write(`${line}\n`);
  });
  return { choices: askForChoices(settings, { stdin: input, stdout: output }), shown: () => shown };
}

test('on a terminal, init asks for the platform, codegen and tests', async () => {
  const { choices, shown } = await answer(asked, 'workers', 'y', '');

  assert.deepEqual(await choices, { platform: 'workers', codegen: true, tests: false, api: 'trusted' });
  assert.match(shown(), /1\. netlify +Netlify\n +2\. lambda +AWS Lambda, deployed with SAM\n/);
  assert.match(shown(), /GraphQL Code Generator\? \[y\/N\] .*Add tests\? \[y\/N\] /s);
});

test('a platform can be chosen by its number, and init repeats the question after an invalid answer', async () => {
  const { choices, shown } = await answer(asked, '9', 'Node.js', ' 5 ', 'maybe', 'No', 'YES');

  assert.deepEqual(await choices, { platform: 'node', codegen: false, tests: true, api: 'trusted' });
  assert.match(shown(), /Expected a name or a number from 1 to 7: /);
  assert.match(shown(), /Expected y or n: /);
});

test('init asks only for what the options leave open', async () => {
  const { choices, shown } = await answer({ ...asked, platform: 'lambda', codegen: false }, 'yes');

  assert.deepEqual(await choices, { platform: 'lambda', codegen: false, tests: true, api: 'trusted' });
  assert.doesNotMatch(shown(), /Platform|Code Generator/);
});

test('when the input ends, init is cancelled', async () => {
  const { choices } = await answer(asked, 'node', undefined);

  await assert.rejects(choices, new UsageError('\nCanceled. Nothing was written.'));
});
