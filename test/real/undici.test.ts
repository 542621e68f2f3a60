import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { RequestListener } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { createRandom } from '../support/random.ts';
import { askAtRandom } from './ask-at-random.ts';
import { needs, partNamed } from './parts.ts';

describe("behind undici's cache, shared between users", () => {
  test('in 1,000 requests to random schemas with random hints no data of one user reaches another', needs('undici'), async (t) => {
    // Any: its types are in a folder that TypeScript does not read.
    const undici: any = createRequire(join(partNamed('undici').folder, 'index.js'))('undici');
    const listeners = new Map<string, RequestListener>();
    let asked = 0;
    const origin = createServer((request, response) => {
      asked++;
      listeners.get(request.url!.split('?')[0]!)!(request, response);
    });
    await new Promise<void>((resolve) => origin.listen(0, '127.0.0.1', resolve));
    const dispatcher = new undici.Agent().compose(undici.interceptors.cache({ type: 'shared', methods: ['GET'] }));
    t.after(async () => {
      await dispatcher.close();
      origin.closeAllConnections();
      origin.close();
    });

    const { leaks, kept, personal } = await askAtRandom({
      random: createRandom(1_517),
      schemas: 50,
      // undici reads only standard fields: s-maxage and Vary.
      cdn: 'cloudfront',
      serve: (schema, listener) => listeners.set(`/${schema}`, listener),
      ask: async (schema, { query, headers }) => {
        const before = asked;
        const url = `http://127.0.0.1:${(origin.address() as AddressInfo).port}/${schema}?${query}`;
        const response = await undici.request(url, { dispatcher, headers });
        return { body: await response.body.text(), isKept: asked === before };
      },
    });

    t.diagnostic(`${kept} of 1,000 from the cache, ${personal} personal`);
    assert.deepEqual(leaks.slice(0, 3), []);
    assert.ok(kept > 50 && personal > 100, `${kept} kept, ${personal} personal`);
  });
});
