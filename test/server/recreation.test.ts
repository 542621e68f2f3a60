import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { warnIfRecreated } from '../../src/server/start.ts';
import { readBuild } from '../../src/schema/build/read-build.ts';
import { recordingLogger } from '../support/recording-logger.ts';

/** The module anew, as in a process of its own: it remembers what was served before. */
async function freshProcess(name: string): Promise<typeof warnIfRecreated> {
  const module = (await import(`../../src/server/start.ts?${name}`)) as { warnIfRecreated: typeof warnIfRecreated };
  return module.warnIfRecreated;
}

test('createHandler called for every request is warned of once', async () => {
  const note = await freshProcess('same');
  const [logger, lines] = recordingLogger();

  for (let request = 0; request < 6; request++) note({ typeDefs: 'type Query { a: Int }', logger }).calls++;

  assert.equal(lines.length, 1);
  assert.equal(lines[0]?.level, 'warn');
  assert.match(lines[0]?.message ?? '', /Call it once, outside of your handler function/);
});

test('several handlers of one schema that are made before any is called are nothing to warn of', async () => {
  const note = await freshProcess('module level');
  const [logger, lines] = recordingLogger();

  const made = Array.from({ length: 5 }, () => note({ typeDefs: 'type Query { a: Int }', logger }));
  for (const handler of made) handler.calls++;

  assert.deepEqual(lines, []);
});

test('a buffered and a streaming handler of one schema, each called once, are nothing to warn of', async () => {
  const note = await freshProcess('buffered and streaming');
  const [logger, lines] = recordingLogger();
  const options = { typeDefs: 'type Query { a: Int }', logger };

  const both = [note(options), note(options)];
  for (const handler of both) handler.calls++;

  assert.deepEqual(lines, []);
});

test('routes whose modules are loaded one after another, while the others serve, are nothing to warn of', async () => {
  const note = await freshProcess('routes');
  const [logger, lines] = recordingLogger();
  const options = { typeDefs: 'type Query { a: Int }', logger };

  for (let route = 0; route < 5; route++) note(options).calls += 2;

  assert.deepEqual(lines, []);
});

test('handlers of different schemas are nothing to warn of', async () => {
  const note = await freshProcess('different');
  const [logger, lines] = recordingLogger();

  for (let call = 0; call < 5; call++) note({ typeDefs: `type Query { a${call}: Int }`, logger }).calls++;

  assert.deepEqual(lines, []);
});

test('handlers of different builds are nothing to warn of, those of one build are', async () => {
  const note = await freshProcess('builds');
  const [logger, lines] = recordingLogger();
  const one = { build: readBuild({}), logger };
  const other = { build: readBuild({}), logger };

  for (const options of [one, other, one, other]) note(options).calls++;
  const before = lines.length;
  note(one);

  assert.deepEqual([before, lines.length], [0, 1]);
});

test('options made by a function are not looked at: nothing is known of their schema', async () => {
  const note = await freshProcess('function');
  const [logger, lines] = recordingLogger();
  const options = () => ({ typeDefs: 'type Query { a: Int }', logger });

  for (let call = 0; call < 5; call++) note(options).calls++;

  assert.deepEqual(lines, []);
});
