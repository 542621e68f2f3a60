import assert from 'node:assert/strict';
import { test } from 'node:test';

import { FunctionThread } from '../../../../src/tools/cli/dev/function-thread.ts';

test('a request that a reloaded function does not finish fails with that reason', async (context) => {
  const ignore = (): void => {};
  const data = {
    name: 'slow',
    file: import.meta.filename,
    code: 'export default () => { setInterval(() => {}, 1000); return new Promise(() => {}); };',
    files: [],
    directory: '/',
    settings: { platform: 'fetch' },
  } as const;
  const thread = new FunctionThread(data, process.env, { onCrash: ignore, onRequest: ignore, onProblem: ignore, onNotice: ignore });
  await thread.ready;
  context.mock.timers.enable({ apis: ['setTimeout'] });

  const answer = thread.call({ method: 'GET', url: 'http://localhost/slow', headers: [], body: undefined });
  thread.retire();
  context.mock.timers.tick(10_000);

  await assert.rejects(answer, { message: /^The function was reloaded\. This request had not finished 10 s later/ });
});
