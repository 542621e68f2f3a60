import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { KnownBodies } from '../../src/http/known-bodies.ts';
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

  for (const isBatch of [false, true]) {
    it(`has variables of its own, at every depth: nothing that a plugin or a resolver wrote to the last is in them${isBatch ? ', in a batch' : ''}`, async () => {
      for (const isSeen of [false, true]) {
        // Any: the values of a scalar are handed to resolvers as they came.
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

  it('is told from one of the same length with another value', async () => {
    const endpoint = createEndpoint();
    const query = 'query ($name: String) { hello(name: $name) }';

    for (let round = 0; round < 6; round++) {
      const name = `user ${round % 3}`;
      assert.deepEqual(json(await endpoint.send(post({ query, variables: { name } }))), { data: { hello: `Hello, ${name}!` } });
    }
  });

  it('has heavy variables again, whose errors are few', async () => {
    const endpoint = createEndpoint();
    // Short enough to be kept, if it were light.
    const variables = { numbers: Array.from({ length: 980 }, () => 'x') };
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

describe('variables that may be a password are not kept', () => {
  const queries = {
    'of a mutation': 'mutation ($password: String) { write }',
    'of a mutation after space and a comment': '# sign in\n  mutation ($password: String) { write }',
    'of a document with a mutation': 'query A { hello } mutation B($password: String) { write }',
    'of a persisted query, which may be a mutation': undefined,
  };

  for (const [name, query] of Object.entries(queries))
    it(name, () => {
      const known = new KnownBodies();
      const request = { query, operationName: undefined, variables: { password: 'secret' }, extensions: undefined };

      for (let round = 0; round < 2; round++) known.keep('a body', { kind: 'single', request });

      assert.equal(known.find('a body'), undefined);
    });

  it('those of a query are', () => {
    const known = new KnownBodies();
    const request = { query: 'query ($id: ID) { hello }', operationName: undefined, variables: { id: '1' }, extensions: undefined };

    for (let round = 0; round < 2; round++) known.keep('a body', { kind: 'single', request });

    assert.deepEqual(known.find('a body'), { kind: 'single', request });
  });
});
