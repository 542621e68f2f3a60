import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { BudgetOptions } from '../../../../src/entries/budget.ts';
import { budget } from '../../../../src/entries/budget.ts';
import type { EdgeOptions } from '../../../../src/entries/edge.ts';
import { ForbiddenError, InMemoryLRUCache } from '../../../../src/entries/index.ts';
import type { ServerPlugin } from '../../../../src/entries/index.ts';
import { limits } from '../../../../src/entries/limits.ts';
import { cacheControlDefinitions, edge } from '../../../../src/entries/edge.ts';
import { idempotency, idempotencyDefinitions, memoryStore as keyStore } from '../../../../src/entries/idempotency.ts';
import type { IdempotencyOptions } from '../../../../src/entries/idempotency.ts';

import { fieldsOf, one, openShop, stillStore, typeDefs } from '../../../support/budget-shop.ts';
import type { Fields, Shop } from '../../../support/budget-shop.ts';

const json = { 'content-type': 'application/json' };

// test/contract/doors.test.ts has the refusals and the fields of all doors.
describe('there is no way around', () => {
  // test/contract/generated/extensions/limits/cost.test.ts computes costs a second time.
  const ways: Readonly<Record<string, object>> = {
    fragments: { query: '{ ...F ...F2 } fragment F on Query { a b: a c: a d: a e: a f: a } fragment F2 on Query { ...F g: a ...F }' },
    'a list in a variable': { query: 'query ($n: Int) { books(first: $n) { title } }', variables: { n: 10 } },
    'another operation': { query: 'query Cheap { a } query Dear { books(first: 10) { title } }', operationName: 'Dear' },
  };
  for (const [name, body] of Object.entries(ways))
    test(`by ${name}, whose cost is above the capacity`, async () => {
      const { send, runs } = openShop();

      const { status, codes } = await send(body);

      assert.deepEqual([status, ...codes, runs], [422, 'COST_ABOVE_CAPACITY', []]);
    });

  test('by requests at the same time', async () => {
    const { send, runs } = openShop();

    const answers = await Promise.all(Array.from({ length: 30 }, () => send(one)));

    assert.deepEqual([runs.length, answers.filter(({ status }) => status === 429).length], [10, 20]);
  });
});

describe('a subscription', () => {
  const subscribe = async (perEvent?: boolean): Promise<readonly [text: string, left: string | null]> => {
    const { send } = openShop({ capacity: 2, perEvent });
    const { text } = await send({ query: 'subscription { ticks }' }, { headers: { accept: 'text/event-stream' } });
    return [text, fieldsOf(await send(one))[0]!];
  };

  test('takes its cost when it starts', async () => {
    const [text, left] = await subscribe();

    assert.deepEqual([text.match(/"ticks":\d/g), left], [['"ticks":1', '"ticks":2'], '"default";r=0;t=2']);
  });

  test('takes it for each event with perEvent, and ends with an error in place of an event that the client cannot pay', async () => {
    const [text, left] = await subscribe(true);

    assert.deepEqual([text.match(/"ticks":\d|RATE_LIMITED/g), left], [['"ticks":1', 'RATE_LIMITED'], '"default";r=0;t=2']);
  });
});

describe('with other plugins', () => {
  test('an operation that a plugin outside of budget() runs takes points, and the answer says so', async () => {
    const outside: ServerPlugin = {
      position: 'first',
      onlyWatches: true,
      request: async ({ runOperation }) => {
        const { result, head } = await runOperation(one);
        return { status: 200, headers: head.headers, body: JSON.stringify(result) };
      },
    };
    const { send, runs } = openShop({ server: { plugins: [outside] } });

    const { status, text } = await send(one);

    assert.deepEqual([status, text, runs], [200, '{"data":{"a":1}}', ['a']]);
  });

  const withKey = { headers: { 'idempotency-key': '"key"' } };
  const order = { query: 'mutation { order }' };

  /** A shop whose clients have keys and two points. `places` are those of the plugins limits(), rights, keys and points in the list. */
  const keyShop = (places: readonly number[], keys: Partial<IdempotencyOptions> = {}): Shop => {
    const refuseGrace: ServerPlugin = {
      admit: async ({ contextValue }) => {
        if ((contextValue as { client: string }).client === 'grace') throw new ForbiddenError('Not you.');
      },
    };
    const { store, wait } = stillStore();
    const all = [
      limits({ maxCost: 2 }),
      refuseGrace,
      idempotency({ store: keyStore(), identity: () => 'all', ...keys }),
      budget({ store, identity: () => 'all', capacity: 2, refillPerSecond: 1 }),
    ];
    const server = { typeDefs: [idempotencyDefinitions, typeDefs], plugins: places.map((place) => all[place]!) };
    return { ...openShop({ server }, { withoutBudget: true }), wait };
  };

  for (const places of [
    [0, 1, 2, 3],
    [3, 2, 1, 0],
    [2, 3, 0, 1],
    [3, 0, 2, 1],
  ])
    // prettier-ignore
    describe(`listed as ${places.map((place) => ['limits()', 'rights', 'keys', 'points'][place]).join(', ')}`, () => {
      test('a refusal for want of points does not use up an idempotency key, and a replay takes none', async () => {
        const { send, runs, wait } = keyShop(places);
        await send({ query: '{ a b: a }' });

        const told: string[] = [];
        for (const seconds of [0, 1, 0, 0]) {
          wait(seconds);
          const { status, headers } = await send(order, withKey);
          told.push(`${status} ${headers.has('idempotent-replayed') ? 'replayed' : ''}`);
        }

        assert.deepEqual(told, ['429 ', '200 ', '200 replayed', '200 replayed']);
        assert.deepEqual(runs.filter((name) => name === 'order').length, 1);
      });

      const refused: Readonly<Record<string, [status: number, body: object, fields?: Fields, keys?: Partial<IdempotencyOptions>]>> = {
        'above a limit': [422, { query: 'mutation { order b: order c: order }' }, withKey],
        'for want of a right': [403, order, { ...withKey, client: 'grace' }],
        'with a malformed key': [400, order, { headers: { 'idempotency-key': 'é' } }],
        'without a key that is required': [400, order, {}, { required: true }],
        'with the key of another operation': [422, { query: 'mutation { b: order }' }, withKey],
        'with variables that are wrong': [422, { query: 'mutation ($b: Boolean!) { order @skip(if: $b) }' }, withKey],
      };
      for (const [why, [status, body, fields, keys]] of Object.entries(refused))
        test(`a mutation that is refused ${why} takes no point, and no key`, async () => {
          const { send, runs } = keyShop(places, keys);
          await send(order, { headers: { 'idempotency-key': '"key"' } });

          const answers = [await send(body, fields), await send(body, fields)];
          const last = await send({ query: '{ a }' });

          assert.deepEqual(
            answers.map((answer) => answer.status),
            [status, status],
          );
          assert.deepEqual([last.status, fieldsOf(last)[0], runs], [200, '"default";r=0;t=2', ['order', 'a']]);
        });
    });

  /** A shop with a public field, whose clients have points by these options. */
  const edgeShop = (cdn: EdgeOptions, options: Partial<BudgetOptions>, isFirst = false): Shop => {
    const points = budget({ store: stillStore().store, identity: () => 'everyone', capacity: 10, refillPerSecond: 1, ...options });
    const plugins = isFirst ? [points, edge(cdn)] : [edge(cdn), points];
    const types = [cacheControlDefinitions, 'type Query { shared: Int @cacheControl(maxAge: 60) a: Int }'];
    return openShop({ server: { typeDefs: types, resolvers: {}, context: () => ({}), plugins } }, { withoutBudget: true });
  };
  const getting = (text: string): [undefined, Fields] => [
    undefined,
    { method: 'GET', url: `https://shop.example/?query=${encodeURIComponent(text)}`, headers: json, context: { ip: '192.0.2.7' } },
  ];

  test('a public answer of edge has no fields about the client, and the next private one has', async () => {
    for (const isFirst of [true, false]) {
      const { send } = edgeShop({ cdn: 'fastly' }, {}, isFirst);

      const answers = [await send(...getting('{ shared }')), await send(...getting('{ a }'))];

      assert.match(answers[0]!.headers.get('surrogate-control') ?? '', /max-age=60/);
      assert.deepEqual(answers.map(fieldsOf), [
        [null, null, null],
        ['"default";r=8;t=2', '"default";q=10;w=10', null],
      ]);
    }
  });

  test('an anonymous client does not make an answer private', async () => {
    const { send } = edgeShop({ cdn: 'netlify' }, { identity: () => undefined, anonymous: { capacity: 2, refillPerSecond: 1 } });

    const answers = [];
    for (let sent = 0; sent < 3; sent++) answers.push(await send(...getting('{ shared }')));

    const [first, , refused] = answers;
    assert.deepEqual(answers.map(({ status }) => status).join(), '200,200,429');
    assert.match(first!.headers.get('netlify-cdn-cache-control') ?? '', /max-age=60/);
    assert.equal(refused!.headers.get('cache-control'), 'private, no-store');
  });

  test('answers from the store of edge cost nothing', async () => {
    const waiting: Promise<unknown>[] = [];
    const { send } = edgeShop({ store: new InMemoryLRUCache(), deploy: 'one' }, { capacity: 1 });
    const context = { waitUntil: (work: Promise<unknown>) => void waiting.push(work) };

    for (const [query, status, left] of [
      ['{ shared }', 200, '"default";r=0;t=1'],
      ['{ shared }', 200, null],
      ['{ shared other: shared }', 422, null],
    ] as const) {
      const answer = await send({ query }, { context });
      await Promise.all(waiting);
      assert.deepEqual([answer.status, fieldsOf(answer)[0]], [status, left]);
    }
  });

  test('an answer that the application makes public has no fields about the client', async () => {
    for (const [name, value] of [
      ['cache-control', 'public, max-age=60'],
      ['cache-control', 'max-age=60'],
      ['surrogate-control', 'max-age=60'],
      ['expires', 'Thu, 01 Dec 2033 16:00:00 GMT'],
    ] as const) {
      const context = ({ response }: { response: { headers: { set: (name: string, value: string) => void } } }): object => {
        response.headers.set(name, value);
        return { client: 'ada' };
      };

      assert.deepEqual(fieldsOf(await openShop({ server: { context } }).send(one)), [null, null, null], `${name}: ${value}`);
    }
  });

  test('browsers of other origins may read the fields', async () => {
    const { send } = openShop({ server: { cors: { origin: 'https://app.example.com' } } });

    const answer = await send(one, { headers: { origin: 'https://app.example.com' } });

    assert.match(answer.headers.get('access-control-expose-headers')!, /RateLimit, RateLimit-Policy, Retry-After/);
  });
});
