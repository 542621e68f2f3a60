import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { warnIfRecreated } from '../../../src/server/startup/start.ts';
import { recordingLogger } from '../../support/recording-logger.ts';

/** Imports the module again, as in a new process, because it remembers the schemas of earlier handlers. */
async function freshProcess(name: string): Promise<typeof warnIfRecreated> {
  const module = (await import(`../../../src/server/startup/start.ts?${name}`)) as { warnIfRecreated: typeof warnIfRecreated };
  return module.warnIfRecreated;
}

test('createHandler called for every request causes one warning', async () => {
  const note = await freshProcess('same');
  const [logger, lines] = recordingLogger();

  for (let request = 0; request < 6; request++) note({ typeDefs: 'type Query { a: Int }', logger }).calls++;

  assert.equal(lines.length, 1);
  assert.equal(lines[0]?.level, 'warn');
  assert.match(lines[0]?.message ?? '', /Call it once, outside of your handler function/);
});

test('several handlers of one schema created before the first call cause no warning', async () => {
  const note = await freshProcess('module level');
  const [logger, lines] = recordingLogger();

  const made = Array.from({ length: 5 }, () => note({ typeDefs: 'type Query { a: Int }', logger }));
  for (const handler of made) handler.calls++;

  assert.deepEqual(lines, []);
});

test('a buffered and a streaming handler of one schema, each called once, cause no warning', async () => {
  const note = await freshProcess('buffered and streaming');
  const [logger, lines] = recordingLogger();
  const options = { typeDefs: 'type Query { a: Int }', logger };

  const both = [note(options), note(options)];
  for (const handler of both) handler.calls++;

  assert.deepEqual(lines, []);
});

test('routes whose modules are loaded while others already serve cause no warning', async () => {
  const note = await freshProcess('routes');
  const [logger, lines] = recordingLogger();
  const options = { typeDefs: 'type Query { a: Int }', logger };

  for (let route = 0; route < 5; route++) note(options).calls += 2;

  assert.deepEqual(lines, []);
});

test('handlers of different schemas cause no warning', async () => {
  const note = await freshProcess('different');
  const [logger, lines] = recordingLogger();

  for (let call = 0; call < 5; call++) note({ typeDefs: `type Query { a${call}: Int }`, logger }).calls++;

  assert.deepEqual(lines, []);
});

test('options returned by a function are not compared, because their schema is unknown', async () => {
  const note = await freshProcess('function');
  const [logger, lines] = recordingLogger();
  const options = () => ({ typeDefs: 'type Query { a: Int }', logger });

  for (let call = 0; call < 5; call++) note(options).calls++;

  assert.deepEqual(lines, []);
});
