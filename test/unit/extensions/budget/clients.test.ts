import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { BudgetOptions, BudgetStore } from '../../../../src/entries/budget.ts';
import { createEvent } from '../../../../src/entries/testing.ts';
import type { PlatformName } from '../../../../src/entries/testing.ts';
import { sha256 } from '../../../../src/shared/sha256.ts';
import { fieldsOf, one, openShop } from '../../../support/budget-shop.ts';
import type { Fields, Shop } from '../../../support/budget-shop.ts';

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

const from = (ip: string, client?: string): Fields => ({ context: { ip }, ...(client !== undefined && { client }) });

/** Sends an operation for each of these clients, and returns the statuses. */
async function statusesOf({ send }: Shop, ...clients: readonly Fields[]): Promise<number[]> {
  const statuses: number[] = [];
  for (const client of clients) statuses.push((await send(one, client)).status);
  return statuses;
}

describe('a client with an identity', () => {
  test('has its own points, whatever its address', async () => {
    const clients = [from('192.0.2.1'), from('192.0.2.2'), from('192.0.2.1', 'grace')];

    assert.deepEqual(await statusesOf(openShop({ capacity: 1, anonymous }), ...clients), [200, 429, 200]);
  });

  test('is named by the context and the call, also asynchronously', async () => {
    const { store, ids } = recordingStore();
    const identity: BudgetOptions['identity'] = async ({ client }, call) =>
      `${client} ${call.request.headers.get('x-tenant')} ${call.platform}`;
    const { send } = openShop({ store, identity, whenStoreFails: 'refuse' });

    await send(one, { headers: { 'x-tenant': 't1' } });

    assert.deepEqual(ids, [`budget:default:${sha256('ada t1 web Request')}`]);
  });

  test('is also named by a number, as databases give ids', async () => {
    const { store, ids } = recordingStore();
    for (const identity of [() => 42, async () => 42n, () => '42', () => 0])
      await openShop({ store, identity, whenStoreFails: 'refuse' }).send(one);
    const wrong = await openShop({ identity: () => Number.NaN }).send(one);

    assert.deepEqual(
      ids,
      [42, 42, 42, 0].map((id) => `budget:default:${sha256(String(id))}`),
    );
    assert.deepEqual([wrong.status, wrong.codes], [500, ['INTERNAL_SERVER_ERROR']]);
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
    for (const identity of [unknown, {}])
      await openShop({ store, anonymous, whenStoreFails: 'refuse', ...identity }).send(one, from('192.0.2.1'));

    assert.deepEqual(marks, [true, undefined]);
  });

  test('is refused with 401 without the option anonymous', async () => {
    for (const identity of [() => undefined, () => null, async () => undefined]) {
      const { send, runs } = openShop({ identity });

      const answer = await send(one, from('192.0.2.1'));

      assert.deepEqual([answer.status, ...answer.codes, runs.length], [401, 'UNAUTHENTICATED', 0]);
    }
  });

  test('has the points of its address, by a policy of its own', async () => {
    const shop = openShop({ ...unknown, anonymous: { capacity: 3, refillPerSecond: 1 } });
    const [here, there] = [from('192.0.2.1'), from('192.0.2.2')];

    assert.deepEqual(fieldsOf(await shop.send(one, here)), ['"anonymous";r=2;t=1', '"anonymous";q=3;w=3', null]);
    assert.deepEqual(await statusesOf(shop, here, here, here, there), [200, 200, 429, 200]);
  });

  test('does not share the points of a client whose identity is that address', async () => {
    const shop = openShop({ identity: ({ client }) => (client === 'ada' ? undefined : '192.0.2.1'), capacity: 1, anonymous });

    assert.deepEqual(await statusesOf(shop, from('192.0.2.1'), from('192.0.2.1', 'x')), [200, 200]);
  });

  test('has the points of its IPv6 network of 64 bits, or of its IPv4 address in each notation, or else of the text', async () => {
    const clients = [
      ['2001:db8:0:7::1', '2001:db8:0:7:ffff:ffff:ffff:ffff', '2001:0DB8:0000:0007:0:0:0:2', '2001:db8::7:1:2:3:4'],
      ['2001:db8:0:8::1', '[2001:db8:0:8::2]:443', '2001:0db8:0000:0008:0000:0000:0000:0003:443'],
      ['2001:db8::1', '2001:db8:0:0:5::'],
      ['2001:db9::1:2:3:4:4711', '2001:db9::5:6:7:8:46532', '2001:db9::5:6:7:8', '2001:db9::5:46532'],
      ['fe80::1%eth0', 'fe80::2%eth1'],
      ['192.0.2.9', '192.0.2.9:4711', '::192.0.2.9', '::ffff:192.0.2.9'],
      ['192.0.2.6', '0:0:0:0:0:FFFF:192.0.2.6', '::ffff:c000:206', '::ffff:0:c000:0206'],
      ['192.0.2.8', '64:ff9b::192.0.2.8', '64:ff9b::c000:208'],
      ['::ffff:192.0.2.7'],
      // After the others in the network 0:0:0:0, which would otherwise have no points.
      ['::1', '0:0:0:0:0:0:0:1'],
      ['unknown'],
      ['hidden'],
    ];
    const shop = openShop({ ...unknown, anonymous });

    for (const addresses of clients)
      assert.deepEqual(
        await statusesOf(shop, ...addresses.map((ip) => from(ip))),
        addresses.map((_, at) => (at === 0 ? 200 : 429)),
      );
  });

  test('with identities that differ only in lone surrogates have separate buckets', async () => {
    const ids = new Set<string>();
    const store = { take: (id: string) => (ids.add(id), { isTaken: true, untilFull: 1 }) };
    for (const name of ['a\uD800', 'a\uD801', 'a\uFFFD'])
      await openShop({ store, whenStoreFails: 'refuse', identity: () => name }).send(one);

    assert.equal(ids.size, 3);
  });

  test('without an address is refused, also with the header of Workers or without a request, and the log says what to set', async () => {
    const shop = openShop({ ...unknown, anonymous });

    assert.deepEqual(await statusesOf(shop, {}, { headers: { 'cf-connecting-ip': '198.51.100.1' } }), [401, 401]);
    const direct = await shop.handler(one, {});

    assert.equal(direct.errors[0].extensions.code, 'UNAUTHENTICATED');
    const message = 'The platform reports no address of an anonymous client: set clientAddress of budget. Its operation was refused.';
    assert.deepEqual([shop.log[0]!.level, shop.log[0]!.message], ['warn', message]);
  });

  test('behind a proxy has the address that clientAddress returns', async () => {
    const clientAddress: BudgetOptions['clientAddress'] = ({ request }) => request.headers.get('cloudfront-viewer-address');
    const behind = (address: string): Fields => ({ ...from('192.0.2.1'), headers: { 'cloudfront-viewer-address': address } });
    const clients = [behind('198.51.100.1'), behind('198.51.100.1'), behind('198.51.100.2'), {}];

    assert.deepEqual(await statusesOf(openShop({ ...unknown, anonymous, clientAddress }), ...clients), [200, 429, 200, 401]);
  });
});

describe('the address of an anonymous client is the one that the platform reports, whatever the header fields say', () => {
  const claimed = ['x-real-ip', 'forwarded', 'cf-connecting-ip', 'true-client-ip', 'x-client-ip', 'x-nf-client-connection-ip'];
  // A load balancer appends the address of the connection.
  const forged = { ...Object.fromEntries(claimed.map((name) => [name, '198.51.100.1'])), 'x-forwarded-for': '198.51.100.1, 203.0.113.9' };
  const addresses: readonly [PlatformName, address: string, context?: object, headers?: Readonly<Record<string, string>>][] = [
    ...(['aws-http', 'aws-http-v1', 'aws-rest', 'function-url'] as const).map(
      (platform) => [platform, '192.0.2.1'] as [PlatformName, string],
    ),
    ...(['alb', 'alb-multi', 'lattice', 'lattice-v1'] as const).map((platform) => [platform, '203.0.113.9'] as [PlatformName, string]),
    ['netlify-v1', '203.0.113.9', {}, { 'x-nf-client-connection-ip': '203.0.113.9' }],
    ['fetch', '203.0.113.9', { ip: '203.0.113.9' }],
  ];
  for (const [platform, address, context = {}, headers = {}] of addresses)
    test(platform, async () => {
      const { store, ids } = recordingStore();
      const { handler } = openShop({ ...unknown, store, anonymous, whenStoreFails: 'refuse' });
      const fields = { 'content-type': 'application/json', ...forged, ...headers };

      await handler(createEvent(platform, { method: 'POST', headers: fields, body: JSON.stringify(one) }), context);

      assert.deepEqual(ids, [`budget:anonymous:${sha256(address)}`]);
    });
});
