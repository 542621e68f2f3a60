import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { idempotencyKeyOf, memoryStore } from '../../../../src/entries/idempotency.ts';
import type { IdempotencyOptions } from '../../../../src/entries/idempotency.ts';
import { limits } from '../../../../src/entries/limits.ts';
import { charge, key, mutation, openBank, storeWith, throwing, told, twice, withKey } from '../../../support/bank.ts';
import type { Fields } from '../../../support/bank.ts';
import { deferred } from '../../../support/deferred.ts';

describe('operations that ignore a key', () => {
  const fail = (): never => assert.fail('The store was called.');
  const four = mutation('{ a: charge { number } b: charge { number } c: charge { number } d: charge { number } }');
  const anonymous = { context: throwing('who?', { code: 'UNAUTHENTICATED' }) };
  const form = { ...withKey.headers, 'content-type': 'text/plain' };
  const image = { ...withKey.headers, accept: 'image/png' };
  const unused: readonly (readonly [what: string, told: string, body: unknown, fields?: Fields, server?: object])[] = [
    ['a query with a malformed key', '200', { query: '{ charges }' }, key('no string')],
    ['a document that is not valid', '422 GRAPHQL_VALIDATION_FAILED', mutation('{ nothing }'), withKey],
    ['a wrong variable', '422 BAD_USER_INPUT', mutation('($a: Int) { charge(amount: $a) { number } }', { a: 'x' }), withKey],
    ['too much cost', '422 GRAPHQL_VALIDATION_FAILED', four, withKey],
    ['a form of another site', '400 BAD_REQUEST', 'query=mutation', { headers: form }],
    ['a media type that cannot be sent', '406 BAD_REQUEST', charge, { headers: image }],
    ['a context that fails', '401 UNAUTHENTICATED', charge, withKey, anonymous],
    ['a mutation without a key', '200', charge],
  ];
  for (const [what, line, body, fields, server] of unused)
    test(`do not call the store: ${what}`, async () => {
      const store = { claim: fail, finish: fail, release: fail };
      const bank = openBank({ store, server: { plugins: [limits({ maxCost: 7 })], ...server } });

      assert.equal((await bank.send(body, fields)).told, line);
      assert.equal(bank.charges.length, fields === undefined ? 1 : 0);
    });
});

describe('keys', () => {
  const accepted = [
    '"a"',
    '  "a"  ',
    '"a";v=1; x="y"; z',
    '"a";d=@1659578233;e=%"f%c3%bc";f=?1;g=:YQ==:;*h.i=-1.5;j=t/o:k',
    String.raw`"\"\\ ~"`,
    `"${'k'.repeat(255)}"`,
  ];
  const refused = [
    '""',
    '8e03978e-40d5-43dd-bc93-6894a57f9324',
    '"a", "b"',
    '"a',
    '"\u00e4"',
    String.raw`"\a"`,
    `"${'k'.repeat(256)}"`,
    `"${'k'.repeat(1_000)}"`,
    '"a" b',
    '1',
    '',
  ];
  for (const value of [...accepted, ...refused])
    test(`${accepted.includes(value) ? 'accept' : 'refuse'} ${value.slice(0, 40) || 'nothing'}`, async () => {
      const bank = openBank();

      const answer = await bank.send(charge, key(value));

      const isAccepted = accepted.includes(value);
      assert.deepEqual([answer.told, bank.charges.length], isAccepted ? ['200', 1] : ['400 IDEMPOTENCY_KEY_INVALID', 0]);
    });

  test('without quotation marks are accepted if bareKeys is true, and are the same as with them', async () => {
    const bank = openBank({ bareKeys: true });

    const lines: string[] = [];
    for (const value of ['order-1', '"order-1"', 'order-1, order-2']) lines.push((await bank.send(charge, key(value))).told);

    assert.deepEqual(lines, ['200', '200 replayed', '400 IDEMPOTENCY_KEY_INVALID']);
  });

  test('may be the argument of @idempotent on the only field, as a literal, a variable or a default, also in a fragment', async () => {
    const bank = openBank();
    const named = [
      mutation('{ charge @ idempotent(key: "one") { number } }'),
      mutation('($key: String!) { charge @idempotent(key: $key) { number } }', { key: 'two' }),
      mutation('($key: String! = "three") { __typename charge @idempotent(key: $key) { number } }'),
      mutation('{ ...F ...F } fragment F on Mutation { charge @idempotent(key: "four") { number } }'),
    ];

    const lines: string[] = [];
    for (const body of [...named, ...named]) lines.push((await bank.send(body)).told);

    assert.deepEqual(lines, [...named.map(() => '200'), ...named.map(() => '200 replayed')]);
  });

  test('of the header and of @idempotent are the same', async () => {
    const bank = openBank();
    await bank.sendWithKey(charge);

    assert.equal((await bank.send(mutation('{ charge @idempotent(key: "key") { number } }'))).code, 'IDEMPOTENCY_KEY_REUSED');
  });

  const misplaced: readonly (readonly [what: string, selection: string, fields?: Fields])[] = [
    ['together with the header', '{ charge @idempotent(key: "one") { number } }', withKey],
    ['with several root fields', '{ a: charge @idempotent(key: "one") { number } b: charge { number } }'],
    ['below the root', '{ charge { number @idempotent(key: "one") } }'],
    ['twice', '{ charge @idempotent(key: "one") { number @idempotent(key: "two") } }'],
    ['with an empty key', '{ charge @idempotent(key: "") { number } }'],
    ['with a key that is not ASCII', '{ charge @idempotent(key: "ä") { number } }'],
  ];
  for (const [what, selection, fields] of misplaced)
    test(`refuse @idempotent ${what}`, async () => {
      const bank = openBank();

      const answer = await bank.send(mutation(selection), fields);

      assert.deepEqual([answer.told, bank.charges], ['400 IDEMPOTENCY_KEY_INVALID', []]);
    });

  const needed = '400 IDEMPOTENCY_KEY_REQUIRED';
  const requirements: readonly (readonly [IdempotencyOptions['required'], told: string, body: object, fields?: Fields])[] = [
    [['chargeTwice'], '200', mutation('{ ...F ...F } fragment F on Mutation { charge { number } } # idempotent')],
    [['chargeTwice'], needed, mutation('{ ...F } fragment F on Mutation { ... { chargeTwice { number } } }')],
    [['chargeTwice'], '200', mutation('{ chargeTwice { number } }'), withKey],
    [true, needed, charge],
    [true, '200', { query: '{ charges }' }],
  ];
  for (const [required, line, body, fields] of requirements)
    test(`with required: ${String(required)}, ${JSON.stringify(body)} ${fields ? 'with' : 'without'} a key: ${line}`, async () => {
      assert.equal((await openBank({ required }).send(body, fields)).told, line);
    });

  const identities: readonly (readonly [identity: () => unknown, told: string])[] = [
    [() => undefined, '401 IDEMPOTENCY_IDENTITY_MISSING'],
    [() => null, '401 IDEMPOTENCY_IDENTITY_MISSING'],
    [async () => '', '401 IDEMPOTENCY_IDENTITY_MISSING'],
    [() => assert.fail('hunter2'), '500 INTERNAL_SERVER_ERROR'],
    [() => ({ id: 42 }), '500 INTERNAL_SERVER_ERROR'],
    [() => new Promise(() => {}), '500 INTERNAL_SERVER_ERROR'],
  ];
  for (const [identity, line] of identities)
    test(`of an unknown client are refused: ${String(identity)}`, async () => {
      const bank = openBank({ identity: identity as never, storeTimeout: 1 });

      assert.deepEqual([await told(bank, charge), bank.charges], [[line], []]);
    });

  test('of a client that is named by a number are those of its digits', async () => {
    for (const identity of [() => 42, async () => 42n]) {
      const store = memoryStore();
      const lines = [await told(openBank({ store, identity }), charge), await told(openBank({ store, identity: () => '42' }), charge)];

      assert.deepEqual(lines, [['200'], ['200 replayed']]);
    }
  });

  test('cannot be forged with separators in an identity or a key', async () => {
    const bank = openBank();

    await bank.send(charge, { client: 'a', ...key('"b,c"') });
    await bank.send(charge, { client: 'a,b', ...key('"c"') });

    assert.deepEqual(bank.charges, ['a', 'a,b']);
  });
});

describe('batches', () => {
  const other = mutation('{ chargeTwice { number } }');

  test('are replayed element by element', async () => {
    const bank = openBank();

    const [first, again] = await twice(bank, [charge, { query: '{ charges }' }, other]);
    const alone = await bank.sendWithKey(charge);

    const [one, , two] = JSON.parse(first.text) as unknown[];
    assert.deepEqual(JSON.parse(again.text), [one, { data: { charges: 2 } }, two]);
    assert.deepEqual([JSON.parse(alone.text), again.told, alone.told], [one, '200', '200 replayed']);
  });

  test('in another order or grouping are refused, each element with its code', async () => {
    const bank = openBank();
    await bank.sendWithKey([charge, other]);

    const swapped = await bank.sendWithKey([other, charge]);

    assert.deepEqual([swapped.told, swapped.text.split('IDEMPOTENCY_KEY_REUSED').length], ['200 IDEMPOTENCY_KEY_REUSED', 3]);
    assert.deepEqual([await told(bank, other), bank.charges.length], [['422 IDEMPOTENCY_KEY_REUSED'], 2]);
  });

  test('may repeat an element with @idempotent alone, and have no Retry-After', async () => {
    const gate = deferred<object>();
    const bank = openBank({ server: { resolvers: { Mutation: { charge: () => gate.promise } } } });
    const named = mutation('{ charge @idempotent(key: "one") { number } }');

    const first = bank.send([{ query: '{ charges }' }, named]);
    const during = await bank.send([named]);
    gate.resolve({ number: 7 });
    await first;

    assert.equal(during.told, '200 IDEMPOTENCY_IN_PROGRESS');
    assert.equal((await bank.send(named)).text, '{"data":{"charge":{"number":7}}}');
  });
});

describe('idempotencyKeyOf', () => {
  /** The keys that the resolver of each attempt gets. */
  const keysOf = async (names: readonly (string | undefined)[], context?: object): Promise<(string | undefined)[]> => {
    const keys: (string | undefined)[] = [];
    const note = (_: unknown, __: unknown, value: object): void => {
      for (const label of ['charge', 'mail'])
        try {
          keys.push(idempotencyKeyOf(value, label));
        } catch {
          keys.push('refused');
        }
    };
    const forgetful = storeWith(() => ({ claim: async () => ({ state: 'claimed' }) }));
    const server = { resolvers: { Mutation: { charge: note } }, ...(context && { context: () => context }) };
    const bank = openBank({ store: forgetful, server: server as never });
    for (const name of names) await bank.send(charge, name === undefined ? {} : key(name));
    return keys;
  };

  test('is the same for every attempt, and differs by key and label; undefined without a key', async () => {
    const [charged, mailed, chargedAgain, mailedAgain, other, , none] = await keysOf(['"one"', '"one"', '"two"', undefined]);

    assert.match(charged!, /^[\da-f]{64}$/);
    assert.deepEqual([chargedAgain, mailedAgain, none], [charged, mailed, undefined]);
    assert.equal(new Set([charged, mailed, other]).size, 3);
  });

  test('is never the key of another operation that shares the context', async () => {
    class Shared {
      client = 'ada';
    }

    const [first, , ...others] = await keysOf(['"key"', undefined, '"other"'], new Shared());

    assert.equal(typeof first, 'string');
    assert.deepEqual(new Set(others), new Set(['refused']));
  });
});

describe('CORS', () => {
  const listed = { allowedHeaders: ['Content-Type'], exposedHeaders: 'X-Cost' };
  const requested = { 'access-control-request-headers': 'content-type,idempotency-key' };
  for (const [what, cors, method, header, value, headers = {}] of [
    ['allows the request header, too', listed, 'OPTIONS', 'allow', 'Content-Type, Idempotency-Key'],
    ['exposes the response headers, too', listed, 'POST', 'expose', 'X-Cost, Idempotent-Replayed, Retry-After'],
    ['allows what the preflight requests if no list is set', {}, 'OPTIONS', 'allow', 'content-type,idempotency-key', requested],
  ] as const)
    test(what, async () => {
      const preflight = method === 'OPTIONS' && { 'access-control-request-method': 'POST' };
      const fields = { method, headers: { origin: 'https://shop.example', ...preflight, ...headers } };

      const answer = await openBank({ server: { cors } }).send({ query: '{ charges }' }, fields);

      assert.equal(answer.headers.get(`access-control-${header}-headers`), value);
    });
});

describe('a server', () => {
  test('does not start with required fields that do not exist', async () => {
    const bank = openBank({ required: ['charg'] });

    assert.equal((await bank.send({ query: '{ charges }' })).status, 500);
    assert.match(String((bank.log[0]!.details[0] as Error).message), /"charg"/);
  });
});
