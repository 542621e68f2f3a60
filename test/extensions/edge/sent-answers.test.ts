import assert from 'node:assert/strict';
import { test } from 'node:test';

import { MapCache } from './map-cache.ts';
import { edgeServing } from './serving.ts';

const typeDefs = `
  scalar Any
  type Query { item: Item @cacheControl(maxAge: 60) settings: Any @cacheControl(maxAge: 60) }
  type Item @cacheControl(maxAge: 60) { name: String }`;

/** Creates a server with a slow store and a slow origin, and a plugin that changes an answer after it was sent. */
function noting(): { ask: (user: string) => Promise<string>; settled: () => Promise<void>; runs: () => number } {
  let runs = 0;
  let turns = async (): Promise<void> => {};
  const settings = { of: 'all' };
  const audit = {
    operation: async (call: any, next: () => Promise<any>) => {
      const outcome = await next();
      // Plugins change answers in this way for a log that is written after the answer is sent.
      const note = async (): Promise<void> => {
        await new Promise(setImmediate);
        const user = call.call.request.headers.get('x-user');
        if (outcome.result.data.item.name === 'all') outcome.result.data.item.name = user;
        outcome.result.extensions ??= { sentTo: user };
        settings.of = user;
      };
      call.call.invocation.waitUntil(note());
      return outcome;
    },
  };
  const { get, settled } = edgeServing({
    cdn: undefined,
    store: new MapCache(() => turns()),
    deploy: 'v1',
    server: {
      typeDefs,
      resolvers: { Query: { item: async () => (runs++, await turns(), { name: 'all' }), settings: () => settings } },
      plugins: [audit as never],
    },
  });
  turns = async () => {
    for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
  };
  return {
    ask: async (user) => (await get('{ item { name } settings }', { headers: { 'x-user': user } })).text(),
    settled,
    runs: () => runs,
  };
}

test('changes to a sent answer are not kept', async () => {
  const { ask, settled, runs } = noting();

  const first = await ask('anna');
  await settled();
  const last = await ask('bert');

  assert.deepEqual(new Set([first, last]), new Set(['{"data":{"item":{"name":"all"},"settings":{"of":"all"}}}']));
  assert.equal(runs(), 1);
});
