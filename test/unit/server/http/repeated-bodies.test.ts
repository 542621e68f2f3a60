import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { createEndpoint } from '../../../support/endpoint.ts';
import { get, json, post } from '../../../support/plain-http.ts';
import { createRandom } from '../../../support/random.ts';

describe('a repeated body', () => {
  it('gets the same response, whatever was sent in between', async () => {
    const endpoint = createEndpoint();
    const random = createRandom(7);
    const names = Array.from({ length: 60 }, () => `${random.below(10)}aaaa${random.below(10)}`);

    for (let round = 0; round < 400; round++) {
      const asked = Array.from({ length: 1 + random.below(2) }, () => random.pick(names));
      const operations = asked.map((name) => ({ query: `{ hello(name: "${name}") }` }));
      const response = await endpoint.send(post(operations.length === 1 ? operations[0] : operations));

      const answers = asked.map((name) => ({ data: { hello: `Hello, ${name}!` } }));
      assert.deepEqual(json(response), answers.length === 1 ? answers[0] : answers);
    }
  });

  it('is refused again if it was refused before', async () => {
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

  it('selects its operation again', async () => {
    const endpoint = createEndpoint();
    const query = 'query A { hello(name: "a") } query B { hello(name: "b") }';

    for (const operationName of ['A', 'B', 'A', 'B']) {
      const response = await endpoint.send(post({ query, operationName, variables: {}, extensions: null }));
      assert.deepEqual(json(response), { data: { hello: `Hello, ${operationName.toLowerCase()}!` } });
    }
  });

  it('is checked against its method each time: GET and QUERY refuse what POST runs', async () => {
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
    it(`is a new request without changes that a plugin made to the previous one${isBatch ? ', in a batch' : ''}`, async () => {
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
            async operation({ request }, next) {
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

  for (const isBatch of [false, true]) {
    it(`has new variables at every depth, without changes that a plugin or resolver made to the previous ones${isBatch ? ', in a batch' : ''}`, async () => {
      for (const isSeen of [false, true]) {
        // Any: scalar values are passed to resolvers unchanged.
        const spoil = (value: any): string => {
          const before = JSON.stringify(value);
          value.users.push('alice');
          value.users[0].name = 'alice';
          value.user = 'alice';
          return before;
        };
        const endpoint = createEndpoint({
          typeDefs: 'scalar JSON type Query { print(value: JSON): String }',
          resolvers: { Query: { print: (_parent: unknown, { value }: { value: unknown }) => spoil(value) } },
          ...(isSeen && {
            plugins: [
              { requestDidStart: ({ request }: any) => void (request.variables.value.seen = request.variables.value.seen === undefined) },
            ],
          }),
        });
        const value = { users: [{ name: 'bob' }, null, [1, 'a']], user: null };
        const operation = { query: 'query ($value: JSON) { print(value: $value) }', variables: { value }, extensions: { a: { b: 1 } } };
        const expected = { data: { print: JSON.stringify(isSeen ? { ...value, seen: true } : value) } };

        for (let round = 0; round < 5; round++) {
          const response = await endpoint.send(post(isBatch ? [operation, operation] : operation));
          assert.deepEqual(json(response), isBatch ? [expected, expected] : expected);
        }
      }
    });
  }

  it('is distinguished from one of the same length with another value', async () => {
    const endpoint = createEndpoint();
    const query = 'query ($name: String) { hello(name: $name) }';

    for (let round = 0; round < 6; round++) {
      const name = `user ${round % 3}`;
      assert.deepEqual(json(await endpoint.send(post({ query, variables: { name } }))), { data: { hello: `Hello, ${name}!` } });
    }
  });

  it('with large variables gets few errors again', async () => {
    const endpoint = createEndpoint();
    const variables = { numbers: Array.from({ length: 3_000 }, () => 'x') };
    const query = 'query ($numbers: [Int!]!) { sum(numbers: $numbers) }';

    const answers: unknown[] = [];
    for (let round = 0; round < 4; round++) answers.push(json(await endpoint.send(post({ query, variables }))));

    assert.ok((answers[0] as { errors: unknown[] }).errors.length < 10);
    assert.deepEqual(
      answers,
      Array.from(answers, () => answers[0]),
    );
  });
});
