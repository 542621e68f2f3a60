import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { TestContext } from 'node:test';

import { edge } from '../../../src/entries/edge.ts';
import type { CDN } from '../../../src/entries/edge.ts';
import { createHandler } from '../../../src/entries/fetch.ts';
import type { ServerOptions } from '../../../src/entries/index.ts';
import { createRandom } from '../../support/random.ts';
import { recordingLogger } from '../../support/recording-logger.ts';
import { MapCache } from './map-cache.ts';
import { ModelCache } from './model-cache.ts';
import { deadline, leaksIn, randomQuery, randomRequest, randomServer } from './random-server.ts';

const cdns: readonly CDN[] = ['netlify', 'cloudflare', 'cloudfront', 'vercel', 'fastly', 'varnish', 'rfc9213'];
/** The long form is EDGE_SCHEMAS=500, which sends 10,000 requests. */
const schemas = Number(process.env['EDGE_SCHEMAS'] ?? 80);
const requestsOfEach = 20;

type Handler = (request: Request, context: object) => Promise<Response>;

describe('two users behind one cache', () => {
  test(`in ${schemas * requestsOfEach} requests to random schemas with random hints nothing of one user reaches another, and no answer is kept that the deadline has cut short`, async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const random = createRandom(Number(process.env['EDGE_SEED'] ?? 15));
    const leaks: unknown[] = [];
    let hits = 0;
    let personal = 0;
    let cutShort = 0;
    for (let schema = 0; schema < schemas; schema++) {
      const cdn = random.pick(cdns);
      const server = randomServer(random, true);
      const [logger] = recordingLogger();
      // Some servers also have a shared store.
      const store = random.chance(0.3) ? { store: new MapCache(), deploy: 'v1' } : {};
      const options = { varyHeaders: ['accept-language'], defaultMaxAge: random.pick([0, 20, 20]), ...store };
      const plugins = [...(server.plugins ?? []), edge({ cdn, ...options })];
      const handler = createHandler({ ...server, logger, plugins, nodeEnv: 'production' } as ServerOptions) as unknown as Handler;
      const cache = new ModelCache(cdn, ['accept-language']);
      const queries = [randomQuery(random), randomQuery(random)];
      for (let at = 0; at < requestsOfEach; at++) {
        const { user, language, query, headers } = randomRequest(random, queries);
        const isPost = 'store' in options && random.chance(0.3);
        const url = `https://${random.pick(['a', 'b'])}.example/graphql?${query}`;
        const request = isPost ? postOf(url, headers) : new Request(url, { headers });
        const hitsBefore = cache.hits;
        const response = await passing(
          t,
          cache.fetch(request, (asked) => handler(asked, { user, waitUntil: () => undefined })),
        );
        const body = await response.text();
        const isCutShort = body.includes('DEADLINE_EXCEEDED');
        if (isCutShort) cutShort++;
        if (isCutShort && cache.hits > hitsBefore) leaks.push({ cdn, query, body });
        if (/of [^"]/.test(body)) personal++;
        leaks.push(...leaksIn(body, user, language).map((text) => ({ cdn, query, text, user, schema: String(server.typeDefs) })));
        cache.time += random.below(10);
      }
      hits += cache.hits;
    }

    assert.deepEqual(leaks.slice(0, 3), []);
    // The test would prove nothing if no answer were kept, or no personal field selected.
    assert.ok(hits > schemas * 0.4, `${hits} hits`);
    assert.ok(personal > schemas * 2, `${personal} personal answers`);
    assert.ok(cutShort > schemas / 4, `${cutShort} answers at the deadline`);
  });
});

/** Lets time pass until `work` has ended: the deadline passes if it waits for a late field. */
async function passing<T>(t: TestContext, work: Promise<T>): Promise<T> {
  const ended: unknown[] = [];
  const end = (): void => void ended.push(work);
  work.then(end, end);
  for (let turn = 0; ended.length === 0; turn++) {
    await new Promise(setImmediate);
    if (turn > 2) t.mock.timers.tick(deadline.ms / 4);
  }
  return work;
}

/** Sends the same operation by POST. The key of a shared store contains its body. */
function postOf(url: string, headers: Record<string, string>): Request {
  const { searchParams, origin, pathname } = new URL(url);
  const user = searchParams.get('user');
  return new Request(`${origin}${pathname}${user === null ? '' : `?user=${user}`}`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ query: searchParams.get('query') }),
  });
}
