import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { createHandler as createLambdaHandler } from '../../../../src/entries/aws-lambda.ts';
import { budget } from '../../../../src/entries/budget.ts';
import type { BudgetOptions, BudgetStore } from '../../../../src/entries/budget.ts';
import { createEvent, readResult } from '../../../../src/entries/testing.ts';
import type { PlatformName } from '../../../../src/entries/testing.ts';
import { sha256 } from '../../../../src/shared/sha256.ts';
import { answerOf, fieldsOf, one, openShop, platformsOfAWS } from '../../../support/budget-shop.ts';
import type { Answer } from '../../../support/budget-shop.ts';

const json = { 'content-type': 'application/json' };
const anonymous = { capacity: 1, refillPerSecond: 1 };
const unknown: Partial<BudgetOptions> = { identity: () => undefined };

/** Records the ids of the buckets, and which are of anonymous clients. Grants everything. */
function recordingStore(): { store: BudgetStore; ids: string[]; marks: unknown[] } {
  const [ids, marks]: [string[], unknown[]] = [[], []];
  return {
    ids,
    marks,
    store: {
      take: async (id, { isAnonymous }) => {
        ids.push(id);
        marks.push(isAnonymous);
        return { isTaken: true, untilFull: 1_000_000 };
      },
    },
  };
}

describe('a client with an identity', () => {
  test('has its own points, whatever its address', async () => {
    const { send } = openShop({ capacity: 1, anonymous });

    const statuses = [
      await send(one, { context: { ip: '192.0.2.1' } }),
      await send(one, { context: { ip: '192.0.2.2' } }),
      await send(one, { client: 'grace', context: { ip: '192.0.2.1' } }),
    ].map(({ status }) => status);

    assert.deepEqual(statuses, [200, 429, 200]);
  });

  test('is named by the context and the call, also asynchronously', async () => {
    const { store, ids } = recordingStore();
    const identity: BudgetOptions['identity'] = async ({ client }, call) =>
      `${client} ${call.request.headers.get('x-tenant')} ${call.platform}`;
    const { send } = openShop({ store, identity, whenStoreFails: 'refuse' });

    await send(one, { headers: { 'x-tenant': 't1' } });

    assert.deepEqual(ids, [`budget:default:${sha256('ada t1 web Request')}`]);
  });

  test('is not readable in a shared store', async () => {
    const { store, ids } = recordingStore();
    const { send } = openShop({ store, prefix: 'shop:', whenStoreFails: 'refuse', identity: () => 'secret key' });

    await send(one);

    assert.deepEqual(ids, [`shop:default:${sha256('secret key')}`]);
  });
});

describe('an anonymous client', () => {
  test('is marked for the store, so that many of them do not displace others', async () => {
    const { store, marks } = recordingStore();
    const options = { store, anonymous, whenStoreFails: 'refuse' } as const;
    const context = { ip: '192.0.2.1' };

    await openShop({ ...options, ...unknown }).send(one, { context });
    await openShop(options).send(one, { context });

    assert.deepEqual(marks, [true, undefined]);
  });

  test('is refused with 401 without the option anonymous', async () => {
    for (const identity of [() => undefined, () => null, async () => undefined]) {
      const { send, runs } = openShop({ identity });

      const answer = await send(one, { context: { ip: '192.0.2.1' } });

      assert.deepEqual([answer.status, ...answer.codes, runs.length], [401, 'UNAUTHENTICATED', 0]);
    }
  });

  test('has the points of its address, by a policy of its own', async () => {
    const { send } = openShop({ ...unknown, anonymous: { capacity: 2, refillPerSecond: 1 } });

    const answers = [
      await send(one, { context: { ip: '192.0.2.1' } }),
      await send(one, { context: { ip: '192.0.2.1' } }),
      await send(one, { context: { ip: '192.0.2.1' } }),
      await send(one, { context: { ip: '192.0.2.2' } }),
    ];

    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 429, 200],
    );
    assert.deepEqual(fieldsOf(answers[0]!), ['"anonymous";r=1;t=1', '"anonymous";q=2;w=2', null]);
  });

  test('does not share the points of a client whose identity is that address', async () => {
    const { send } = openShop({ identity: ({ client }) => (client === 'ada' ? undefined : '192.0.2.1'), capacity: 1, anonymous });

    const answers = [await send(one, { context: { ip: '192.0.2.1' } }), await send(one, { client: 'x', context: { ip: '192.0.2.1' } })];

    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200],
    );
  });

  test('with IPv6 has the points of its network of 64 bits', async () => {
    const { send } = openShop({ ...unknown, anonymous });
    const statusFrom = async (ip: string): Promise<number> => (await send(one, { context: { ip } })).status;

    const statuses = [
      await statusFrom('2001:db8:0:7::1'),
      await statusFrom('2001:db8:0:7:ffff:ffff:ffff:ffff'),
      await statusFrom('2001:0DB8:0000:0007:0:0:0:2'),
      await statusFrom('2001:db8::7:1:2:3:4'),
      await statusFrom('2001:db8:0:8::1'),
      await statusFrom('2001:db8::1'),
      await statusFrom('2001:db8:0:0:5::'),
      await statusFrom('::1'),
      await statusFrom('0:0:0:0:0:0:0:1'),
      await statusFrom('::ffff:192.0.2.9'),
      await statusFrom('192.0.2.9'),
      await statusFrom('192.0.2.9:4711'),
      await statusFrom('[2001:db8:0:8::2]:443'),
      await statusFrom('2001:0db8:0000:0008:0000:0000:0000:0003:443'),
      await statusFrom('fe80::1%eth0'),
      await statusFrom('fe80::2%eth1'),
    ];

    assert.deepEqual(statuses, [200, 429, 429, 429, 200, 200, 429, 200, 429, 200, 429, 429, 429, 429, 200, 429]);
  });

  test('with IPv4 has the same points in each notation of IPv6, and behind NAT64', async () => {
    const { send } = openShop({ ...unknown, anonymous });
    const statusFrom = async (ip: string): Promise<number> => (await send(one, { context: { ip } })).status;

    const statuses: number[] = [];
    for (const ip of ['192.0.2.9', '::ffff:c000:209', '0:0:0:0:0:FFFF:192.0.2.9', '::192.0.2.9', '::ffff:0:c000:0209', '64:ff9b::c000:209'])
      statuses.push(await statusFrom(ip));
    for (const ip of ['64:ff9b::192.0.2.8', '192.0.2.8', '::ffff:192.0.2.7']) statuses.push(await statusFrom(ip));

    assert.deepEqual(statuses, [200, 429, 429, 429, 429, 429, 200, 429, 200]);
  });

  test('with identities that differ only in lone surrogates have separate buckets', async () => {
    const ids = new Set<string>();
    const store = { take: (id: string) => (ids.add(id), { isTaken: true, untilFull: 1 }) };
    for (const name of ['a\uD800', 'a\uD801', 'a\uFFFD']) {
      const { send } = openShop({ store, whenStoreFails: 'refuse', identity: () => name });
      await send(one);
    }

    assert.equal(ids.size, 3);
  });

  test('whose address is no IP address has points of its own', async () => {
    const { send } = openShop({ ...unknown, anonymous });
    const statusFrom = async (ip: string): Promise<number> => (await send(one, { context: { ip } })).status;

    assert.deepEqual([await statusFrom('unknown'), await statusFrom('unknown'), await statusFrom('hidden')], [200, 429, 200]);
  });

  test('cannot choose its address with header fields', async () => {
    const forged = [
      'x-forwarded-for',
      'x-real-ip',
      'forwarded',
      'cf-connecting-ip',
      'true-client-ip',
      'client-ip',
      'x-client-ip',
      'fastly-client-ip',
      'x-nf-client-connection-ip',
    ];
    for (const platform of [...platformsOfAWS, 'fetch'] as const) {
      const { handler } = openShop({ ...unknown, anonymous });
      const send = async (address: string): Promise<Answer> => {
        // A load balancer appends the address of the connection.
        const headers = {
          ...json,
          ...Object.fromEntries(forged.map((name) => [name, address])),
          'x-forwarded-for': `${address}, 203.0.113.9`,
        };
        const event = createEvent(platform, { method: 'POST', headers, body: JSON.stringify(one) });
        return answerOf(readResult(platform, await handler(event, { ip: '192.0.2.1' })));
      };

      assert.deepEqual([(await send('198.51.100.1')).status, (await send('198.51.100.2')).status], [200, 429], platform);
    }
  });

  test('of Workers alone is known by cf-connecting-ip', async (t) => {
    const { send } = openShop({ ...unknown, anonymous });
    const fields = { headers: { 'cf-connecting-ip': '198.51.100.1' } };

    const answer = await send(one, fields);

    assert.deepEqual([answer.status, ...answer.codes], [401, 'UNAUTHENTICATED']);
    t.diagnostic('test/real/stores/stores.test.ts sends it to workerd');
  });

  test('without an address is refused, and the log says what to set', async () => {
    const { send, log } = openShop({ ...unknown, anonymous });

    const answers = [await send(one), await send(one)];

    assert.deepEqual(
      answers.map(({ status }) => status),
      [401, 401],
    );
    assert.deepEqual(log.map(({ level, message }) => [level, message])[0], [
      'warn',
      'The platform reports no address of an anonymous client: set clientAddress of budget. Its operation was refused.',
    ]);
  });

  test('behind a proxy has the address that clientAddress returns', async () => {
    const { send } = openShop({ ...unknown, anonymous, clientAddress: ({ request }) => request.headers.get('cloudfront-viewer-address') });
    const from = (address: string): object => ({ headers: { 'cloudfront-viewer-address': address }, context: { ip: '192.0.2.1' } });

    const statuses = [
      (await send(one, from('198.51.100.1'))).status,
      (await send(one, from('198.51.100.1'))).status,
      (await send(one, from('198.51.100.2'))).status,
      (await send(one)).status,
    ];

    assert.deepEqual(statuses, [200, 429, 200, 401]);
  });

  test('of a direct invocation is refused, because there is no address', async () => {
    const plugin = budget({
      store: recordingStore().store,
      identity: () => undefined,
      capacity: 1,
      refillPerSecond: 1,
      anonymous,
      whenStoreFails: 'allow',
    });
    const handler = createLambdaHandler({
      nodeEnv: 'test',
      typeDefs: 'type Query { a: Int }',
      plugins: [plugin],
      logger: { ...console, warn() {} },
    });

    const { errors } = (await handler({ query: '{ a }' } as never, {} as never)) as any;

    assert.equal(errors[0].extensions.code, 'UNAUTHENTICATED');
  });
});

describe('the address of an anonymous client is the one that the platform reports', () => {
  const addresses: readonly [PlatformName, address: string, context?: object, headers?: Readonly<Record<string, string>>][] = [
    ['aws-http', '192.0.2.1'],
    ['aws-rest', '192.0.2.1'],
    ['function-url', '192.0.2.1'],
    ['alb', '203.0.113.9', {}, { 'x-forwarded-for': '198.51.100.66, 203.0.113.9' }],
    ['lattice', '203.0.113.9', {}, { 'x-forwarded-for': '198.51.100.66, 203.0.113.9' }],
    ['netlify-v1', '203.0.113.9', {}, { 'x-nf-client-connection-ip': '203.0.113.9' }],
    ['fetch', '203.0.113.9', { ip: '203.0.113.9' }],
  ];
  for (const [platform, address, context = {}, headers = {}] of addresses)
    test(platform, async () => {
      const { store, ids } = recordingStore();
      const { handler } = openShop({ ...unknown, store, anonymous, whenStoreFails: 'refuse' });

      await handler(createEvent(platform, { method: 'POST', headers: { ...json, ...headers }, body: JSON.stringify(one) }), context);

      assert.deepEqual(ids, [`budget:anonymous:${sha256(address)}`]);
    });
});
