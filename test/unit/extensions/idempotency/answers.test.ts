import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';

import { versionInfo } from 'graphql';

import { incrementalDelivery } from '../../../../src/entries/incremental.ts';
import type { ServerPlugin } from '../../../../src/entries/index.ts';
import {
  charge,
  failing,
  key,
  mutation,
  openBank,
  sending,
  storeWith,
  throwing,
  told,
  twice,
  typeDefs,
  withKey,
} from '../../../support/bank.ts';

describe('a mutation that is sent again with its key', () => {
  test('runs once, and is answered with the same status and bytes', async () => {
    const bank = openBank();

    const [first, again] = await twice(bank);

    assert.deepEqual([first.told, again.told, bank.charges], ['200', '200 replayed', ['ada']]);
    for (const { text } of [first, again]) assert.equal(text, '{"data":{"charge":{"number":1,"client":"ada"}}}');
    assert.match(again.headers.get('cache-control')!, /no-store/);
  });

  test('runs again with another key, for another client, and without a key', async () => {
    const bank = openBank();

    for (const fields of [withKey, key('"other"'), { ...withKey, client: 'bob' }, {}, {}]) await bank.send(charge, fields);

    assert.deepEqual(bank.charges, ['ada', 'ada', 'bob', 'ada', 'ada']);
  });

  const ofAmount = '($amount: Int) { charge(amount: $amount) { number } }';
  for (const [what, body] of Object.entries({
    'other variables': mutation(ofAmount, { amount: 2 }),
    'a list in its variables': mutation(ofAmount, { amount: 1, more: [] }),
    'another selection': mutation('{ charge { number } }'),
    'an operation name': { ...mutation('A { charge { number client } }'), operationName: 'A' },
  }))
    test(`is refused with 422 if it has ${what}`, async () => {
      const bank = openBank();

      assert.deepEqual(await told(bank, mutation(ofAmount, { amount: 1 }), body), ['200', '422 IDEMPOTENCY_KEY_REUSED']);
      assert.equal(bank.charges.length, 1);
      assert.equal(bank.log.filter(({ message }) => message.includes('had another operation')).length, 1);
    });

  test('may have its variables in another order, other extensions and another media type', async () => {
    const bank = openBank();
    const query = 'mutation ($amount: Int, $fail: String) { charge(amount: $amount, fail: $fail) { number } }';

    const first = await bank.sendWithKey({
      query,
      variables: { amount: 1, fail: null, more: [1, { a: [], b: '2' }] },
      extensions: { a: 1 },
    });
    const accept = 'application/graphql-response+json';
    const again = await bank.sendWithKey(
      { query, variables: { more: [1, { b: '2', a: [] }], fail: null, amount: 1 } },
      { headers: { accept } },
    );

    // The status of a partial success differs by media type.
    assert.deepEqual([first.status, again.status, bank.charges.length], [200, 294, 1]);
    assert.match(again.headers.get('content-type')!, /graphql-response/);
  });

  const headers = { 'set-cookie': 'a=b', 'x-reason': 'no' };
  const refusing = (status: number, classicStatus?: number): object => ({
    resolvers: { Mutation: { charge: throwing('no', { code: 'NO', http: { status, classicStatus, headers } }) } },
  });
  const rawJSON = (JSON as unknown as { rawJSON: (source: string) => unknown }).rawJSON;
  const oddValue = { b: rawJSON('12345678901234567890'), a: rawJSON('1.0'), 1: -0, ['__proto__']: 1e21, text: '\u2028 \ud800 💸 \u0000 "' };
  const odd = { typeDefs: 'scalar Any type Query { a: Int } type Mutation { odd: Any }', resolvers: { Mutation: { odd: () => oddValue } } };
  const strict = { formatError: ({ message }: Error) => ({ message }), typeDefs: typeDefs.replace('): Receipt', '): Receipt!') };
  const created = sending(({ http }) => {
    http.status = 201;
    http.headers.set('set-cookie', 'session=first');
  });
  const partly = mutation('{ a: charge { number } b: charge(fail: "secret") { number } }');
  const replays: readonly (readonly [what: string, status: number, text: RegExp, body: object, server?: object])[] = [
    ['a masked error, with its errorId', 200, /"errorId":"\w+"/, failing],
    ['data and an error', 200, /"errorId":"\w+".*"a":\{/, partly],
    ['the status of an error', 402, /"code":"NO"/, charge, refusing(402, 423)],
    ['the classic status of an error', 423, /"code":"NO"/, charge, { ...refusing(402, 423), httpStatusProfile: 'classic' }],
    ['an error whose code formatError has removed', 500, /"message":"no"/, charge, { ...refusing(500), ...strict }],
    ['numbers that JavaScript would round, and unusual keys and texts', 200, /12345678901234567890/, mutation('{ odd }'), odd],
    ['the status that a plugin has set', 201, /"number":1/, charge, { plugins: [created] }],
  ];
  for (const [what, status, text, body, server = {}] of replays)
    test(`is answered byte for byte with ${what}, and without the header fields of the first answer`, async () => {
      const [first, again] = await twice(openBank({ server }), body);

      assert.match(first.text, text);
      assert.deepEqual([first.status, again.status, again.text], [status, status, first.text]);
      assert.deepEqual(
        ['idempotent-replayed', 'set-cookie', 'x-reason'].map((name) => again.headers.get(name)),
        ['true', null, null],
      );
    });

  test('is recognized by its hash and by its text', async () => {
    const extensions = { persistedQuery: { version: 1, sha256Hash: createHash('sha256').update(charge.query).digest('hex') } };

    const lines = await told(openBank(), { ...charge, extensions }, { extensions }, charge);

    assert.deepEqual(lines, ['200', '200 replayed', '200 replayed']);
  });
});

describe('answers', () => {
  test('above maxAnswerBytes are not kept: the mutation does not run again', async () => {
    const bank = openBank({ maxAnswerBytes: 10 });

    assert.deepEqual(await told(bank, charge, charge), ['200', '409 IDEMPOTENCY_ANSWER_NOT_KEPT']);
    assert.equal(bank.charges.length, 1);
  });

  test('with errors are released if releaseIf says so, and every field has failed', async () => {
    const seen: string[] = [];
    const bank = openBank({ releaseIf: (errors) => (seen.push(errors[0]!.originalError!.message), true) });
    const partly = mutation('{ a: charge { number } b: charge(fail: "declined") { number } }');

    for (const body of [failing, failing, partly, partly]) await bank.send(body, key(`"${body === failing ? 1 : 2}"`));

    assert.deepEqual([seen, bank.charges.length], [['secret', 'secret'], 2 + 2]);
  });

  test('with errors are kept if releaseIf throws', async () => {
    const bank = openBank({ releaseIf: throwing('lost') });

    await twice(bank, failing);

    assert.equal(bank.charges.length, 1);
    assert.ok(bank.log.some(({ message }) => message.startsWith('releaseIf of idempotency has failed.')));
  });

  const effects: readonly (readonly [what: string, typeDefs: string, selection: string, onError?: string])[] = [
    ['with onError: HALT', 'reserve: Int charge: Int', '{ reserve charge }', 'HALT'],
    ['where root fields are non-null', 'reserve: Int! charge: Int!', '{ reserve charge }'],
    ['where the order is another', 'reserve: Int! charge: Int!', '{ charge reserve }', 'NULL'],
    ['below a root field that has run', 'order: Order', '{ order { fail } }'],
    ['below a non-null root field that has run', 'order: Order!', '{ order { fail } }'],
  ];
  for (const [what, fields, selection, onError] of effects)
    test(`are kept if a part of the mutation has run: an error ${what}`, async () => {
      let count = 0;
      const run = (): object => (count++, {});
      const charging = { reserve: () => ++count, charge: throwing('declined') };
      const bank = openBank({
        releaseIf: () => true,
        server: {
          typeDefs: `type Query { a: Int } type Mutation { ${fields} } type Order { fail: Int! }`,
          resolvers: { Mutation: fields.startsWith('order') ? { order: run } : charging, Order: { fail: throwing('declined') } } as never,
        },
      });

      const [first, again] = await twice(bank, { ...mutation(selection), onError });

      assert.deepEqual([again.text, count], [first.text, 1]);
      assert.match(again.told, / replayed$/);
    });

  test('that a plugin sends in place of a replay are not marked as a replay, and have their own status', async () => {
    let attempts = 0;
    const later = throwing('Not now.', { code: 'SERVICE_UNAVAILABLE' });
    const around: ServerPlugin = {
      operation: async (_operation, next) => {
        const outcome = await next();
        return attempts++ > 0 ? later() : outcome;
      },
    };

    assert.deepEqual(await told(openBank({ server: { plugins: [around] } }), failing, failing), [
      '200 INTERNAL_SERVER_ERROR',
      '503 SERVICE_UNAVAILABLE',
    ]);
  });

  const skip = versionInfo.major < 17 && 'graphql 16 answers once';
  test('with parts are sent in a single response, and replayed', { skip }, async () => {
    const bank = openBank({ server: { incrementalDelivery: incrementalDelivery() } });
    const parted = mutation('{ charge { number ... @defer { client } } }');
    const accept = { headers: { accept: 'multipart/mixed;incrementalSpec=v0.2, application/json' } };

    const [without, first, again] = [
      await bank.send(parted, accept),
      await bank.sendWithKey(parted, accept),
      await bank.sendWithKey(parted, accept),
    ];

    assert.match(without.text, /hasNext/);
    assert.match(first.text, /\{"data":\{"charge":\{"number":2,"client":"ada"\}\}/);
    assert.equal(again.text, first.text);
  });
});

describe('a stored answer', () => {
  const http = { headers: { 'set-cookie': 'a=1' } };
  const forms = {
    'no JSON': 'x',
    null: 'null',
    'no result': '{}',
    'a result that is a list': '{"result":[]}',
    ...Object.fromEntries(
      [99, 600, 200.5, '200', null, {}].map((status) => [
        `the status ${JSON.stringify(status)}`,
        JSON.stringify({ result: { data: null }, status }),
      ]),
    ),
    'header fields': JSON.stringify({ result: { errors: [{ message: 'x' }] }, http }),
    'header fields of an error': JSON.stringify({ result: { errors: [{ message: 'x', extensions: { http } }] } }),
    'header fields of the result': JSON.stringify({ result: { data: {}, extensions: { http } } }),
  };
  for (const [what, answer] of Object.entries(forms))
    test(`of another form is not replayed as an answer, and sets no cookie: ${what}`, async () => {
      const store = storeWith(({ claim }) => ({ claim: async (...given) => ({ ...(await claim(...given)), answer }) }));
      const bank = openBank({ store });

      const [, again] = await twice(bank);

      assert.deepEqual([again.headers.get('set-cookie'), bank.charges.length], [null, 1]);
      if (!what.startsWith('header fields')) assert.equal(again.told, '409 IDEMPOTENCY_ANSWER_NOT_KEPT');
    });

  test('has no header fields, which may be cookies', async () => {
    const stored: string[] = [];
    const store = storeWith(({ finish }) => ({ finish: (...given) => (stored.push(JSON.stringify(given)), finish(...given)) }));
    const signIn = sending((response) => {
      response.result = { ...response.result, extensions: { http: { headers: { 'set-cookie': 'session=first' } } } };
    });

    const { headers } = await openBank({ store, server: { plugins: [signIn] } }).sendWithKey(charge);

    assert.deepEqual([headers.get('set-cookie'), stored.length], ['session=first', 1]);
    assert.doesNotMatch(stored[0]!, /cookie|session/);
  });
});
