import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createHandler } from '../../../src/entries/index.ts';
import type { ServerPlugin } from '../../../src/entries/index.ts';
import { createTester } from '../../../src/entries/testing.ts';
import { importBlock } from '../../support/pages.ts';

test('the extension of docs/plugins.md limits fields by address, tells other plugins, and is in a list once', async (t) => {
  const { perMinute } = await importBlock(t, ['plugins.md', 'perMinute']);
  const facts: unknown[] = [];
  const watching: ServerPlugin = {
    onlyWatches: true,
    async operation(operation, next) {
      const outcome = await next();
      facts.push(operation.facts.get('perMinute'));
      return outcome;
    },
  };
  const typeDefs = 'type Query { ok: Boolean } type Mutation { signIn: Boolean @perMinute(max: 2) other: Boolean }';
  const resolvers = { Mutation: { signIn: () => true, other: () => true } };
  const { run } = createTester(createHandler({ typeDefs, resolvers, plugins: [perMinute(), watching] }));

  const first = await run('mutation { signIn other }');
  const aliased = await run('mutation { a: signIn ...B } fragment B on Mutation { b: signIn }');

  assert.deepEqual(first.data, { signIn: true, other: true });
  assert.deepEqual(aliased.data, { a: true, b: null });
  assert.equal(aliased.errors?.[0]?.extensions?.['code'], 'TOO_MANY_CALLS');
  assert.deepEqual(facts, [1, 3]);
  assert.throws(
    () => createHandler({ typeDefs, resolvers, plugins: [perMinute(), perMinute()] }),
    /Expected perMinute\(\) once in plugins, got it twice/,
  );
});
