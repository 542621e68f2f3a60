import { deepEqual, equal, match } from 'node:assert/strict';
import { test } from 'node:test';

import { createHandler } from '../../../src/entries/index.ts';
import type { ServerPlugin } from '../../../src/entries/index.ts';
import { recordingLogger } from '../../support/recording-logger.ts';

let schemas = 0;

/** The warnings that are logged until two operations have run. */
async function warningsFor(plugin: object, nodeEnv = 'development'): Promise<string[]> {
  const [logger, lines] = recordingLogger();
  const typeDefs = `type Query { hello: String } # plugins ${++schemas}`;
  const handler = createHandler({ typeDefs, nodeEnv, logger, plugins: [plugin as ServerPlugin] });
  for (let count = 0; count < 2; count++) await handler({ query: '{ hello }' });
  return lines.filter(({ level }) => level === 'warn').map(({ message }) => message);
}

const nothing = (): void => {};

test('warns once about a misspelt hook of a plugin', async () => {
  deepEqual(await warningsFor({ requestDidstart: nothing }), [
    '"requestDidstart" in a plugin is never called. Did you mean "requestDidStart"?',
  ]);
});

test('warns once about a misspelt hook of an operation', async () => {
  deepEqual(await warningsFor({ requestDidStart: () => ({ willSendRespons: nothing }) }), [
    '"willSendRespons" in the object that requestDidStart returns is never called. Did you mean "willSendResponse"?',
  ]);
});

test('warns about a misspelt hook of the server', async () => {
  deepEqual(await warningsFor({ serverWillStart: async () => ({ drainServers: nothing }) }), [
    '"drainServers" in the object that serverWillStart returns is never called. Did you mean "drainServer"?',
  ]);
});

test('names the right place of a misplaced hook', async () => {
  deepEqual(await warningsFor({ willSendResponse: nothing }), [
    'The hook willSendResponse is never called: it belongs in the object that requestDidStart returns, but is in a plugin.',
  ]);
});

test('checks methods of a class', async () => {
  class Mine {
    requestDidStartt(): void {}
  }

  equal((await warningsFor(new Mine())).length, 1);
});

test('does not warn about other properties and methods of a plugin', async () => {
  deepEqual(await warningsFor({ name: 'mine', requestsStarted: 0, collect: nothing, requestDidStart: () => ({ report: nothing }) }), []);
});

test('plugins with private members, and frozen ones, work as they do in production', async () => {
  class Counting implements ServerPlugin {
    #count = 0;
    requestDidStart(): void {
      this.#count++;
    }
    get count(): number {
      return this.#count;
    }
  }
  const counting = new Counting();
  let frozenRuns = 0;

  await warningsFor(counting);
  await warningsFor(Object.freeze({ requestDidStart: () => void frozenRuns++ }));

  deepEqual([counting.count, frozenRuns], [2, 2]);
});

test('does not warn outside of development', async () => {
  for (const nodeEnv of ['production', 'test', ''])
    deepEqual(await warningsFor({ requestDidstart: nothing, requestDidStart: () => ({ willSendRespons: nothing }) }, nodeEnv), []);
});

const wrong: Readonly<Record<string, [around: (execution: unknown, next: () => Promise<unknown>) => unknown, message: RegExp]>> = {
  'that calls next twice': [
    async (_execution, next) => (await next(), next()),
    /Expected aroundExecution of a plugin to call next\(\) once/,
  ],
  'that returns nothing': [async (_execution, next) => void (await next()), /Expected around of a plugin to return the result of next\(\)/],
};
for (const [what, [around, message]] of Object.entries(wrong))
  test(`says what is wrong with a wrapper of one execution ${what}`, async () => {
    const [logger, lines] = recordingLogger();
    const plugin = { executionWillStart: () => ({ around }) } as unknown as ServerPlugin;
    const handler = createHandler({ typeDefs: 'type Query { hello: String }', nodeEnv: 'development', logger, plugins: [plugin] });

    await handler({ query: '{ hello }' });

    match(JSON.stringify(lines.map((line) => line.message)), message);
  });
