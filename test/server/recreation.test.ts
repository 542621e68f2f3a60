import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { warnOfRecreation } from '../../src/server/recreation.ts';
import { readBuild } from '../../src/schema/build/read-build.ts';
import { recordingLogger } from '../support/recording-logger.ts';

/** The module anew, as in a process of its own: it remembers what was served before. */
async function freshProcess(name: string): Promise<typeof warnOfRecreation> {
  const module = (await import(`../../src/server/recreation.ts?${name}`)) as { warnOfRecreation: typeof warnOfRecreation };
  return module.warnOfRecreation;
}

test('createHandler called again for the same schema, as in a handler, is warned of once', async () => {
  const warn = await freshProcess('same');
  const [logger, lines] = recordingLogger();

  for (let call = 0; call < 5; call++) warn({ typeDefs: 'type Query { a: Int }', logger });

  assert.equal(lines.length, 1);
  assert.equal(lines[0]?.level, 'warn');
  assert.match(lines[0]?.message ?? '', /Call it once, outside of your handler function/);
});

test('handlers of different schemas are nothing to warn of', async () => {
  const warn = await freshProcess('different');
  const [logger, lines] = recordingLogger();

  for (let call = 0; call < 5; call++) warn({ typeDefs: `type Query { a${call}: Int }`, logger });

  assert.deepEqual(lines, []);
});

test('handlers of different builds are nothing to warn of, those of one build are', async () => {
  const warn = await freshProcess('builds');
  const [logger, lines] = recordingLogger();
  const one = { build: readBuild({}), logger };
  const other = { build: readBuild({}), logger };

  warn(one);
  warn(other);
  const before = lines.length;
  warn(one);

  assert.deepEqual([before, lines.length], [0, 1]);
});

test('options made by a function are not looked at: nothing is known of their schema', async () => {
  const warn = await freshProcess('function');
  const [logger, lines] = recordingLogger();
  const options = () => ({ typeDefs: 'type Query { a: Int }', logger });

  warn(options);
  warn(options);

  assert.deepEqual(lines, []);
});
