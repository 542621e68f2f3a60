import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { createFolder } from './bundle.ts';
import type { Folder } from './bundle.ts';
import { deploy } from './lambda-function.ts';
import { needs } from './parts.ts';
import type { Outcome } from './runtime-api.ts';

// The behavior of the platform for failures that functions of this library must not have.
describe('the sandbox of the tests', needs('aws-lambda-ric'), () => {
  let folder: Folder;

  before(async () => {
    folder = await createFolder();
    await folder.write('function.mjs', functions);
  });
  after(() => folder.remove());

  const invoke = async (name: string): Promise<Outcome & { log: string }> => {
    const deployed = await deploy({ taskRoot: folder.path, handler: `function.${name}`, timeout: 1000 });
    try {
      return { ...(await deployed.invoke({})), log: deployed.log() };
    } finally {
      await deployed.end();
    }
  };

  test('kills a function that times out', async () => {
    const outcome = await invoke('hangs');

    assert.ok(outcome.kind === 'error');
    assert.deepEqual([outcome.errorType, outcome.errorMessage], ['Sandbox.Timedout', 'Task timed out after 1.00 seconds']);
  });

  test('detects that a function has ended its process', async () => {
    const outcome = await invoke('exits');

    assert.ok(outcome.kind === 'error');
    assert.deepEqual([outcome.errorType, outcome.errorMessage], ['Runtime.ExitError', 'Runtime exited with error: exit status 3']);
  });

  test('refuses a result of more than 6 MiB', async () => {
    const outcome = await invoke('answersTooMuch');

    assert.ok(outcome.kind === 'error');
    assert.equal(outcome.errorType, 'Function.ResponseSizeTooLarge');
  });

  test('returns the error of a function that throws to the invoker', async () => {
    const outcome = await invoke('throws');

    assert.ok(outcome.kind === 'error');
    assert.deepEqual([outcome.errorType, outcome.errorMessage], ['TypeError', 'on purpose']);
    assert.match(outcome.log, /Invoke Error.*on purpose/);
  });

  test('accepts a streamed response', async () => {
    const outcome = await invoke('streams');

    assert.ok(outcome.kind === 'streamed');
    assert.deepEqual([outcome.contentType, outcome.body.toString(), outcome.failure], ['text/plain', 'one, two', undefined]);
  });

  test('accepts a streamed response that fails midway', async () => {
    const outcome = await invoke('streamsHalf');

    assert.ok(outcome.kind === 'streamed');
    assert.deepEqual([outcome.body.toString(), outcome.failure], ['one', 'TypeError']);
  });
});

const functions = `
  export const hangs = () => new Promise(() => setInterval(() => {}, 1000));
  export const exits = () => process.exit(3);
  export const answersTooMuch = async () => 'x'.repeat(6_291_556);
  export const throws = async () => { throw new TypeError('on purpose'); };
  export const streams = awslambda.streamifyResponse(async (event, stream) => {
    stream.setContentType('text/plain');
    stream.write('one, ');
    stream.end('two');
  });
  export const streamsHalf = awslambda.streamifyResponse(async (event, stream) => {
    stream.write('one');
    throw new TypeError('on purpose');
  });`;
