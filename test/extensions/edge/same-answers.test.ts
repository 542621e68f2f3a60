import assert from 'node:assert/strict';
import { test } from 'node:test';

import { edge } from '../../../src/entries/edge.ts';
import { createHandler } from '../../../src/entries/fetch.ts';
import type { OperationOutcome, ServerOptions, ServerPlugin } from '../../../src/entries/index.ts';
import { cases } from '../../support/long-form.ts';
import { createRandom } from '../../support/random.ts';
import { recordingLogger } from '../../support/recording-logger.ts';
import { MapCache } from './map-cache.ts';
import { randomQuery } from './random-query.ts';
import { active, randomRequest, randomServer } from './random-server.ts';
import { edgeServing } from './serving.ts';

const schemas = cases({ short: 15, long: 500 });
type Handler = (request: Request, context: object) => Promise<Response>;

/** Creates a handler for the random server of this seed. Equal seeds give equal servers. */
function handlerFor(seed: number, plugins: readonly ServerPlugin[]): Handler {
  const { lifetimeOf: _none, ...server } = randomServer(createRandom(seed));
  const [logger] = recordingLogger();
  const options = { ...server, logger, maskErrors: false, plugins: [...(server.plugins ?? []), ...plugins], nodeEnv: 'production' };
  return createHandler(options as ServerOptions) as unknown as Handler;
}

async function answerOf(handler: Handler, request: Request, user: string): Promise<string> {
  const response = await active.run({ user, calls: [] }, () => handler(request, { user, waitUntil: () => undefined }));
  return `${response.status} ${await response.text()}`;
}

test(`answers and errors of ${schemas} random servers are the same, byte for byte, with edge and without`, async () => {
  const random = createRandom(1_511);
  const differences: unknown[] = [];
  let objects = 0;
  for (let seed = 0; seed < schemas; seed++) {
    const bare = handlerFor(seed, []);
    const kept = handlerFor(seed, [edge({ cdn: 'fastly', varyHeaders: ['accept-language'], defaultMaxAge: 20 })]);
    const queries = [randomQuery(random), randomQuery(random), randomQuery(random)];
    for (let at = 0; at < 6; at++) {
      const { user, query, headers } = randomRequest(random, queries);
      const request = new Request(`https://api.example/graphql?${query}`, { headers });
      const [expected, actual] = [await answerOf(bare, request.clone(), user), await answerOf(kept, request, user)];
      if (expected !== actual) differences.push({ seed, query: decodeURIComponent(query), expected, actual });
      if (/\{"(?:a|list|any)":/.test(actual)) objects++;
    }
  }

  assert.deepEqual(differences.slice(0, 2), []);
  assert.ok(objects > schemas, `${objects} answers with objects`);
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
      for (const text of [first, second])
        assert.deepEqual(
          shown.filter((one) => !text.includes(one)),
          [],
          text,
        );
      assert.equal(second, first);
    });

function withExtensions(outcome: OperationOutcome, extensions: object | undefined): OperationOutcome {
  return extensions === undefined ? outcome : { ...outcome, result: { ...outcome.result, extensions: { ...extensions } } };
}
