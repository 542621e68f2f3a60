import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { deferred } from '../../../../support/deferred.ts';
import { createEndpoint } from '../../../../support/endpoint.ts';
import { json, post } from '../../../../support/plain-http.ts';
import { after } from '../../../../support/stages.ts';

const good = { query: '{ hello }' };
const answered = { data: { hello: 'Hello, world!' } };

describe('a batch', () => {
  it('returns an array in the order of its elements, whichever finishes first', async () => {
    const done: string[] = [];
    const second = deferred();
    const hello = async (_: unknown, { name }: { name: string }): Promise<string> => {
      if (name === 'first') await second.promise;
      done.push(name);
      if (name === 'second') second.resolve();
      return name;
    };
    const endpoint = createEndpoint({ resolvers: { Query: { hello } } });

    const response = await endpoint.send(post(['first', 'second'].map((name) => ({ query: `{ hello(name: "${name}") }` }))));

    assert.deepEqual(json(response), [{ data: { hello: 'first' } }, { data: { hello: 'second' } }]);
    assert.deepEqual(done, ['second', 'first']);
  });

  const bad: Readonly<Record<string, { element: unknown; code: string }>> = {
    null: { element: null, code: 'BAD_REQUEST' },
    'a query that is not a string': { element: { query: 7 }, code: 'BAD_REQUEST' },
    'variables of a wrong type': { element: { ...good, variables: [] }, code: 'BAD_REQUEST' },
    'a document that does not parse': { element: { query: '{' }, code: 'GRAPHQL_PARSE_FAILED' },
    'a resolver that throws': { element: { query: '{ explode }' }, code: 'INTERNAL_SERVER_ERROR' },
  };
  for (const [name, { element, code }] of Object.entries(bad)) {
    it(`with ${name} in it answers its other elements (Apollo 5: one 400; v3: 500)`, async () => {
      const endpoint = createEndpoint();

      const response = await endpoint.send(post([good, element, good]));

      assert.equal(response.status, 200);
      const [first, second, third] = json(response);
      assert.deepEqual([first, third], [answered, answered]);
      assert.equal(second.errors[0].extensions.code, code);
    });
  }

  it('with a result that JSON cannot represent fails only that element', async () => {
    const typeDefs = 'scalar Any type Query { any(which: String): Any }';
    const cyclic: Record<string, unknown> = {};
    cyclic['self'] = cyclic;
    const values: Record<string, unknown> = { cycle: cyclic, bigint: [10n], fine: { a: 1 } };
    const endpoint = createEndpoint({
      typeDefs,
      resolvers: { Query: { any: (_: unknown, { which }: { which: string }) => values[which] } },
    });

    const response = await endpoint.send(
      post(['fine', 'cycle', 'bigint', 'fine'].map((which) => ({ query: `{ any(which: "${which}") }` }))),
    );

    const messages = json(response).map((one: { errors?: { message: string }[] }) => one.errors?.[0]?.message);
    assert.deepEqual(messages, [undefined, 'Internal server error', 'Internal server error', undefined]);
    assert.deepEqual(json(response)[3], { data: { any: { a: 1 } } });
  });

  it('has the status 200, whatever its elements set, and the headers and cookies of all', async () => {
    let index = 0;
    const endpoint = createEndpoint({
      context: ({ response }) => {
        index += 1;
        response.status = 418;
        response.headers.set(`x-${index}`, 'yes');
        response.headers.append('set-cookie', `c${index}=1`);
        response.headers.append('vary', `X-${index}`);
        return {};
      },
    });

    const { status, headers, setCookies } = await endpoint.send(post([good, { query: '{' }]));

    assert.deepEqual([status, headers.get('x-1'), headers.get('x-2')], [200, 'yes', 'yes']);
    assert.deepEqual([setCookies, headers.get('vary')], [['c1=1', 'c2=1'], 'X-1, X-2, Accept']);
  });

  it('can have as many elements as allowBatchedHttpRequests.limit, by default 10; with one more, nothing runs', async () => {
    for (const [limit, options] of [
      [2, { allowBatchedHttpRequests: { limit: 2 } }],
      [10, {}],
    ] as const) {
      const endpoint = createEndpoint(options);

      const within = await endpoint.send(post(Array.from({ length: limit }, () => good)));
      const beyond = await endpoint.send(post(Array.from({ length: limit + 1 }, () => good)));

      assert.deepEqual([within.status, beyond.status, endpoint.runs.length], [200, 400, limit]);
      assert.equal(json(beyond).errors[0].message, `Expected a batch of at most ${limit} operations, got ${limit + 1}.`);
    }
  });

  it('gives each element the same share of the token limit: elements over it are refused, the others run', async () => {
    const endpoint = createEndpoint({ maxTokens: 20 });
    const element = (name: string): object => ({ query: `{ ${name}: hello }` });
    const large = { query: '{ c: hello d: hello }' };
    await endpoint.send(post(large));

    for (let round = 0; round < 2; round++) {
      const [a, b, c, d] = json(await endpoint.send(post([element('a'), element('b'), large, { query: '{hello' }])));

      assert.deepEqual([a, b], [{ data: { a: 'Hello, world!' } }, { data: { b: 'Hello, world!' } }]);
      assert.match(
        c.errors[0].message,
        /^Expected each document of a batch of 4 to have at most 5 tokens, with its fragments written out, got 8\.$/,
      );
      for (const { errors } of [c, d]) assert.equal(errors[0].extensions.code, 'GRAPHQL_PARSE_FAILED');
    }
  });

  it('shares it when fragments make many fields of few tokens', async () => {
    const endpoint = createEndpoint({ maxTokens: 110 });
    const wide = {
      query:
        '{ a: books { ...F } b: books { ...F } c: books { ...F } d: books { ...F } } fragment F on Book { title author { ...A } x: author { ...A } y: author { ...A } } fragment A on Author { name a: name b: name c: name }',
    };

    const [alone, batch] = [await endpoint.send(post(wide)), await endpoint.send(post([wide, { query: '{ hello }' }]))];

    assert.equal(alone.status, 200);
    const [refused, other] = json(batch);
    assert.match(refused.errors[0].message, /^Expected each document of a batch of 2 to have at most 55 tokens, with .* got 72\.$/);
    assert.equal(other.errors, undefined);
  });
});

it('a malformed element of a batch is seen by the hooks of operations, as the others are, and runs nothing', async () => {
  const requests = new Set<object>();
  const seen: unknown[] = [];
  const endpoint = createEndpoint({
    context: () => (seen.push('context'), {}),
    plugins: [
      {
        requestDidStart: ({ requestIsBatched }) => void seen.push(requestIsBatched),
        operation: after(({ request }, { errors, executed, contextFailed }) => {
          requests.add(request);
          seen.push([request.query, errors.length, executed === true, contextFailed]);
        }),
        contextCreationDidFail: () => void seen.push('contextCreationDidFail'),
      },
    ],
  });

  const response = await endpoint.send(post([good, { query: 5 }]));

  assert.equal(json(response).length, 2);
  assert.deepEqual(seen.filter(Array.isArray), [
    [undefined, 1, false, false],
    [good.query, 0, true, false],
  ]);
  assert.deepEqual(new Set(seen.filter((one) => !Array.isArray(one))), new Set([true, 'context']));
  assert.deepEqual([requests.size, endpoint.runs], [2, ['hello']]);
});
