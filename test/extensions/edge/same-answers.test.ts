import assert from 'node:assert/strict';
import { test } from 'node:test';

import { edge } from '../../../src/entries/edge.ts';
import { createHandler } from '../../../src/entries/fetch.ts';
import type { ServerOptions, ServerPlugin } from '../../../src/entries/index.ts';
import { cases } from '../../support/long-form.ts';
import { createRandom } from '../../support/random.ts';
import { recordingLogger } from '../../support/recording-logger.ts';
import { randomQuery, randomRequest, randomServer } from './random-server.ts';

const schemas = cases({ short: 15, long: 500 });
type Handler = (request: Request, context: object) => Promise<Response>;

/** Creates a handler for the random server of this seed. Equal seeds give equal servers. */
function handlerFor(seed: number, plugins: readonly ServerPlugin[]): Handler {
  const server = randomServer(createRandom(seed));
  const [logger] = recordingLogger();
  const options = { ...server, logger, maskErrors: false, plugins: [...(server.plugins ?? []), ...plugins], nodeEnv: 'production' };
  return createHandler(options as ServerOptions) as unknown as Handler;
}

async function answerOf(handler: Handler, request: Request, user: string): Promise<string> {
  const response = await handler(request, { user, waitUntil: () => undefined });
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
