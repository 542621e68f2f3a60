import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { createEndpoint } from '../support/endpoint.ts';
import { get, json, post } from '../support/plain-http.ts';
import { createRandom } from '../support/random.ts';

describe('a body that comes again', () => {
  it('is answered as the first time, whatever came between', async () => {
    const endpoint = createEndpoint();
    const random = createRandom(7);
    // Alike in length and in most characters: all of them want to be kept in a few places.
    const names = Array.from({ length: 60 }, () => `${random.below(10)}aaaa${random.below(10)}`);

    for (let round = 0; round < 400; round++) {
      const asked = Array.from({ length: 1 + random.below(2) }, () => random.pick(names));
      const operations = asked.map((name) => ({ query: `{ hello(name: "${name}") }` }));
      const response = await endpoint.send(post(operations.length === 1 ? operations[0] : operations));

      const answers = asked.map((name) => ({ data: { hello: `Hello, ${name}!` } }));
      assert.deepEqual(json(response), answers.length === 1 ? answers[0] : answers);
    }
  });

  it('is refused again if it was refused', async () => {
    const endpoint = createEndpoint({ allowBatchedHttpRequests: { limit: 2 } });
    const bodies = [
      '{"query":',
      '{"query":1}',
      '[{"query":"{ hello }"},{"query":2}]',
      `[${Array.from({ length: 3 }, () => '{"query":"{ hello }"}')}]`,
    ];

    for (const body of bodies) {
      const first = await endpoint.send(post(body));
      const second = await endpoint.send(post(body));
      assert.deepEqual([second.status, second.body], [first.status, first.body]);
    }
  });

  it('names its operation again', async () => {
    const endpoint = createEndpoint();
    const query = 'query A { hello(name: "a") } query B { hello(name: "b") }';

    for (const operationName of ['A', 'B', 'A', 'B']) {
      const response = await endpoint.send(post({ query, operationName, variables: {}, extensions: null }));
      assert.deepEqual(json(response), { data: { hello: `Hello, ${operationName.toLowerCase()}!` } });
    }
  });

  it('is judged by its method each time: what POST may run, GET and QUERY may not', async () => {
    const endpoint = createEndpoint();
    const request = { query: 'mutation { write }' };

    for (let round = 0; round < 2; round++) {
      const byPOST = await endpoint.send(post(request));
      const byQUERY = await endpoint.send({ ...post(request), method: 'QUERY' });
      assert.deepEqual([byPOST.status, byQUERY.status], [200, 405]);
      assert.equal((await endpoint.send(get(request))).status, 405);
    }
  });

  for (const isBatch of [false, true]) {
    it(`is a new request for its user: nothing that a plugin wrote to the last one is in it${isBatch ? ', in a batch' : ''}`, async () => {
      const seen: object[] = [];
      // Any: the request is read-only by its types, not at run time.
      const spoil = (request: any): void => {
        seen.push(structuredClone({ ...request, http: undefined }));
        request.variables.user = 'alice';
        request.extensions.user = 'alice';
        Object.assign(request, { operationName: 'Alice' });
      };
      const endpoint = createEndpoint({
        plugins: [
          {
            requestDidStart({ request }) {
              spoil(request);
            },
            async aroundOperation({ request }, next) {
              const outcome = await next();
              spoil(request);
              return outcome;
            },
          },
        ],
      });
      const operation = { query: '{ hello }', variables: {}, extensions: {} };

      for (let round = 0; round < 3; round++) await endpoint.send(post(isBatch ? [operation] : operation));

      const first = seen.slice(0, seen.length / 3);
      assert.equal(seen.length, 6);
      assert.deepEqual(seen.slice(2), [...first, ...first]);
    });
  }
});
