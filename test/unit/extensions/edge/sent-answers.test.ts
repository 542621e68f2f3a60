import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { HTTPRequest, OperationOutcome, ServerPlugin } from '../../../../src/entries/index.ts';
import { MapCache } from '../../../support/edge/map-cache.ts';
import { edgeServing } from '../../../support/edge/serving.ts';

const typeDefs = `
  scalar Any
  type Query { item: Item @cacheControl(maxAge: 60) settings: Any @cacheControl(maxAge: 60) }
  type Item @cacheControl(maxAge: 60) { name: String }`;

test('changes to a sent answer are not kept', async () => {
  let runs = 0;
  const settings = { of: 'all' };
  const turns = async (): Promise<void> => {
    for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
  };
  // Plugins change answers in this way for a log that is written after the answer is sent.
  const note = async (request: HTTPRequest, result: any): Promise<void> => {
    await new Promise(setImmediate);
    const user = request.headers.get('x-user');
    if (result.data.item.name === 'all') result.data.item.name = user;
    result.extensions ??= { sentTo: user };
    settings.of = user!;
  };
  const audit: ServerPlugin = {
    operation: async ({ call }, next) => {
      const outcome = await next();
      call.invocation.waitUntil(note(call.request, outcome.result));
      return outcome;
    },
  };
  const { get, settled } = edgeServing({
    cdn: undefined,
    store: new MapCache(turns),
    deploy: 'v1',
    server: {
      typeDefs,
      resolvers: { Query: { item: async () => (runs++, await turns(), { name: 'all' }), settings: () => settings } } as never,
      plugins: [audit],
    },
  });
  const ask = async (user: string): Promise<string> => (await get('{ item { name } settings }', { headers: { 'x-user': user } })).text();

  const first = await ask('anna');
  await settled();
  const last = await ask('bert');

  assert.deepEqual(new Set([first, last]), new Set(['{"data":{"item":{"name":"all"},"settings":{"of":"all"}}}']));
  assert.equal(runs, 1);
});

const rawJSON = (source: string): unknown => (JSON as unknown as { rawJSON: (source: string) => unknown }).rawJSON(source);

for (const [name, options] of Object.entries({
  'from a store': { cdn: undefined, store: new MapCache(), deploy: 'v1' },
  'for a router': { cdn: 'apollo-router' },
} as const))
  for (const [what, extensions] of [
    ['without extensions', undefined],
    ['with extensions', { build: 7 }],
  ] as const)
    test(`numbers that JavaScript would round keep their text ${name}, in an answer ${what}`, async () => {
      const value = { b: rawJSON('9007199254740993'), a: rawJSON('1.0'), '1': rawJSON('1E400'), text: '"extensions":' };
      const adding: ServerPlugin = { operation: async (_call, next) => withExtensions(await next(), extensions) };
      const { post, settled } = edgeServing({
        ...options,
        server: {
          typeDefs: 'scalar Any type Query { any: Any @cacheControl(maxAge: 60) }',
          resolvers: { Query: { any: () => value } },
          plugins: [adding],
        } as never,
      });
      const query = `{ ${extensions === undefined ? 'plain' : 'extended'}: any }`;

      const first = await (await post({ query })).text();
      await settled();
      const second = await (await post({ query })).text();

      const shown = ['"1":1E400', '"b":9007199254740993', '"a":1.0', ...(extensions === undefined ? [] : ['"build":7'])];
      for (const one of shown) assert.ok(first.includes(one), first);
      assert.equal(second, first);
    });

function withExtensions(outcome: OperationOutcome, extensions: object | undefined): OperationOutcome {
  return extensions === undefined ? outcome : { ...outcome, result: { ...outcome.result, extensions: { ...extensions } } };
}
