import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import type { TestContext } from 'node:test';

import { GraphQLError, versionInfo } from 'graphql';

import { idempotencyKeyOf, memoryStore } from '../../../../src/entries/idempotency.ts';
import { limits } from '../../../../src/entries/limits.ts';
import type { IdempotencyOptions, IdempotencyStore } from '../../../../src/entries/idempotency.ts';
import { incrementalDelivery } from '../../../../src/entries/incremental.ts';
import type { ServerPlugin } from '../../../../src/entries/index.ts';
import { quiet } from '../../../support/clock.ts';
import { deferred } from '../../../support/deferred.ts';
import { charge, openBank, typeDefs } from '../../../support/bank.ts';
import type { Answer, Bank, Fields } from '../../../support/bank.ts';

const key = (value: string): Fields => ({ headers: { 'idempotency-key': value } });
const withKey = key('"key"');
const mutation = (selection: string, variables?: object): object => ({ query: `mutation ${selection}`, variables });
const failing = mutation('{ charge(fail: "secret") { number } }');

const twice = async ({ sendWithKey }: Bank, body: unknown = charge): Promise<readonly [Answer, Answer]> => [
  await sendWithKey(body),
  await sendWithKey(body),
];

/** Sends operations with the same key, one after the other. Returns what the client is told of each. */
async function told({ sendWithKey }: Bank, ...bodies: readonly unknown[]): Promise<string[]> {
  const lines: string[] = [];
  for (const body of bodies) lines.push((await sendWithKey(body)).told);
  return lines;
}

/** A memory store with some of its methods replaced. */
function storeWith(replaced: (store: IdempotencyStore) => Partial<IdempotencyStore>): IdempotencyStore {
  const store = memoryStore();
  return { ...store, ...replaced(store) };
}

const sending = (willSendResponse: (response: any) => void): ServerPlugin => ({
  requestDidStart: () => ({ willSendResponse: ({ response }) => willSendResponse(response) }),
});

const throwing =
  (message: string, extensions = {}) =>
  (): never => {
    throw new GraphQLError(message, { extensions });
  };

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

describe('the store', () => {
  type Failures = Partial<Record<'claim' | 'finish', readonly ('before' | 'after')[]>>;

  /** A memory store whose first calls fail before or after they took effect. */
  function failingStore({ claim = [], finish = [] }: Failures): IdempotencyStore {
    const left = { claim: [...claim], finish: [...finish] };
    const call = async <T>(name: 'claim' | 'finish', work: () => Promise<T>): Promise<T> => {
      const failure = left[name].shift();
      const result = failure === 'before' ? undefined : await work();
      if (failure !== undefined) throw new Error('connection refused');
      return result!;
    };
    return storeWith((store) => ({
      claim: (...given) => call('claim', () => store.claim(...given)),
      finish: (...given) => call('finish', () => store.finish(...given)),
    }));
  }

  for (const failures of [{ claim: ['before'] }, { claim: ['after'] }, { finish: ['before'] }, { finish: ['after'] }] as const)
    test(`is called again if ${JSON.stringify(failures)} its effect fails, and the mutation runs once`, async () => {
      const bank = openBank({ store: failingStore(failures) });

      assert.deepEqual(await told(bank, charge, charge), ['200', '200 replayed']);
      assert.deepEqual([bank.charges.length, bank.log], [1, []]);
    });

  for (const claim of ['before before', 'after after', 'before after'])
    test(`that is down (${claim}) is answered with 503, and nothing runs until it is up again`, async () => {
      const bank = openBank({ store: failingStore({ claim: claim.split(' ') as ('before' | 'after')[] }) });

      assert.deepEqual([await told(bank, charge), bank.charges], [['503 IDEMPOTENCY_STORE_UNAVAILABLE retry after 1'], []]);
      await bank.settled();
      assert.deepEqual([await told(bank, charge), bank.charges.length], [['200'], 1]);
      assert.equal(bank.log.filter(({ message }) => message.includes('cannot be checked')).length, 1);
    });

  test('that hangs is answered with 503 after two tries', async () => {
    let calls = 0;
    const hang = async (): Promise<never> => (calls++, new Promise<never>(() => {}));
    const bank = openBank({ store: storeWith(() => ({ claim: hang, release: async () => false })), storeTimeout: 1 });

    assert.equal((await bank.sendWithKey(charge)).status, 503);
    assert.deepEqual([calls, bank.charges], [2, []]);
  });

  test('has the answer before the client has it, so that an immediate retry is replayed', async () => {
    const store = storeWith((inner) => ({ finish: async (...given) => (await quiet(), inner.finish(...given)) }));

    assert.deepEqual(await told(openBank({ store }), charge, charge), ['200', '200 replayed']);
  });

  test('that fails after the mutation does not change the answer, and a retry is refused', async () => {
    const bank = openBank({ store: failingStore({ finish: ['before', 'before'] }) });

    const lines = await told(bank, charge, charge);

    assert.deepEqual([...lines, bank.charges.length], ['200', '409 IDEMPOTENCY_IN_PROGRESS retry after 5', 1]);
    assert.match(bank.log[0]!.message, /was not stored: a retry will be refused/);
  });
});

describe('an interrupted mutation', () => {
  /** Creates a bank over a store in which the first attempt was interrupted. `pass` advances its clock. */
  function interrupted(options: Partial<IdempotencyOptions> = {}): { bank: Bank; pass: (milliseconds: number) => void } {
    let time = 0;
    const store = { ...memoryStore({ now: () => time }), finish: async () => Promise.reject(new Error('crashed')) };
    return { bank: openBank({ store, lease: 60, ...options }), pass: (milliseconds) => void (time += milliseconds) };
  }

  test('is refused without Retry-After when its lease is over, by default, and is forgotten after its ttl', async () => {
    const { bank, pass } = interrupted();
    await bank.sendWithKey(charge);
    pass(60_000);

    const lines = await told(bank, charge, mutation('{ charge { number } }'));

    assert.deepEqual([...lines, bank.charges.length], ['409 IDEMPOTENCY_OUTCOME_UNKNOWN', '422 IDEMPOTENCY_KEY_REUSED', 1]);
    assert.equal(bank.log.filter(({ message }) => message.includes('its outcome is unknown')).length, 1);
    pass(86_400_000);
    assert.deepEqual(await told(bank, charge), ['200']);
  });

  test('runs again with afterCrash: "run again", when its lease is over', async () => {
    const { bank, pass } = interrupted({ afterCrash: 'run again' });
    await bank.sendWithKey(charge);
    pass(59_000);
    const early = await told(bank, charge);
    pass(1_000);

    assert.deepEqual([...early, ...(await told(bank, charge))], ['409 IDEMPOTENCY_IN_PROGRESS retry after 1', '200']);
    assert.equal(bank.charges.length, 2);
  });

  test('cannot run again without a deadline or a lease', async () => {
    const { bank } = interrupted({ afterCrash: 'run again', lease: undefined });

    assert.deepEqual([await told(bank, charge), bank.charges], [['500 INTERNAL_SERVER_ERROR'], []]);
    assert.match(bank.log[0]!.message, /Expected lease of idempotency/);
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

describe('a client that disconnects', () => {
  const contextWithSignal = ({ signal }: { signal: AbortSignal }): object => ({ client: 'ada', signal });
  for (const [selection, fields, ran] of [
    ['{ charge { number } chargeTwice { number } }', withKey, ['charge', 'chargeTwice']],
    ['{ charge @idempotent(key: "key") { number } }', {}, ['charge']],
  ] as const)
    test(`aborts no signal of a mutation with a key, and gets its whole answer when it retries: ${selection}`, async () => {
      const [started, gate] = [deferred(), deferred()];
      const runs: string[] = [];
      const pass = async (_: unknown, __: unknown, { signal }: { signal: AbortSignal }): Promise<object> => {
        runs.push('charge');
        started.resolve();
        await gate.promise;
        signal.throwIfAborted();
        return { number: 1 };
      };
      const resolvers = { Mutation: { charge: pass, chargeTwice: () => ({ number: runs.push('chargeTwice') }) } };
      const bank = openBank({ server: { context: contextWithSignal, resolvers } as never });
      const client = new AbortController();

      const first = bank.send(mutation(selection), { ...fields, signal: client.signal });
      await started.promise;
      client.abort();
      await new Promise(setImmediate);
      gate.resolve();
      await first.catch(() => {});
      await bank.settled();

      const { data, errors } = JSON.parse((await bank.send(mutation(selection), fields)).text);
      assert.deepEqual([Object.keys(data), errors, runs], [ran, undefined, ran]);
    });

  test('before its key is claimed has run nothing, even without asynchronous steps, and may retry', async () => {
    const bank = openBank({ server: { context: contextWithSignal } as never });

    await bank.sendWithKey(charge, { signal: AbortSignal.abort() }).catch(() => {});
    await bank.settled();

    assert.equal(bank.charges.length, 0);
    assert.deepEqual(await told(bank, charge), ['200']);
  });
});

describe('an error of a resolver with the code DEADLINE_EXCEEDED is not the deadline of the server', () => {
  // Any: resolvers of a schema in text.
  const resolvers = (runs: { count: number }): any => ({
    Mutation: { charge: () => (runs.count++, throwing('The bank is slow.', { code: 'DEADLINE_EXCEEDED' })()) },
  });

  test('so its answer is kept, also with afterCrash: "run again"', async () => {
    const runs = { count: 0 };
    let time = Date.now();
    const store = memoryStore({ now: () => time });
    const bank = openBank({ afterCrash: 'run again', lease: 5, store, server: { resolvers: resolvers(runs) } });

    const first = await bank.sendWithKey(charge);
    time += 60_000;
    const again = await bank.sendWithKey(charge);

    assert.deepEqual([runs.count, again.text], [1, first.text]);
  });

  test('so releaseIf decides about it', async () => {
    const runs = { count: 0 };
    const bank = openBank({ releaseIf: () => true, server: { resolvers: resolvers(runs) } });

    await twice(bank);

    assert.equal(runs.count, 2);
  });
});

for (const status of [99, 42, 600, 200.5, '200', null, {}])
  test(`a stored answer with the impossible status ${JSON.stringify(status)} is refused, not replayed`, async () => {
    const store = storeWith(({ claim }) => ({
      claim: async (id, given) => {
        const found = await claim(id, given);
        return found.state === 'finished' ? { ...found, answer: JSON.stringify({ result: { data: null }, status }) } : found;
      },
    }));

    assert.deepEqual(await told(openBank({ store }), charge, charge), ['200', '409 IDEMPOTENCY_ANSWER_NOT_KEPT']);
  });

describe('at the deadline', () => {
  const deadline = { ms: 1_000, reserveMs: 100 };

  /** Sends the charge, and advances the clock past the deadline once nothing else is ready. */
  async function sendUntilDeadline(t: TestContext, bank: Bank): Promise<Answer> {
    // Records do not expire when the clock is reset.
    t.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: Date.now() });
    const answering = bank.sendWithKey(charge);
    for (const milliseconds of [900, 100]) {
      await quiet();
      t.mock.timers.tick(milliseconds);
    }
    await quiet();
    t.mock.timers.reset();
    return answering;
  }

  /** A bank whose first charge hangs. */
  function hanging(options: Partial<IdempotencyOptions> = {}): Bank {
    let charges = 0;
    const resolvers = { Mutation: { charge: () => (charges++ === 0 ? new Promise(() => {}) : { number: charges }) } };
    return openBank({ ...options, server: { resolvers, deadline } });
  }

  test('the partial answer is kept, and replayed', async (t) => {
    const bank = hanging();

    const [first, again] = [await sendUntilDeadline(t, bank), await bank.sendWithKey(charge)];

    assert.match(first.text, /It may have run\./);
    assert.deepEqual([again.told, again.text], [`${first.status} DEADLINE_EXCEEDED replayed`, first.text]);
  });

  test('a record is not forgotten while its attempt is running, even if ttl is shorter', async (t) => {
    const keeps: number[] = [];
    const store = storeWith(({ claim }) => ({ claim: (id, given) => (keeps.push(given.keep - given.lease), claim(id, given)) }));

    await sendUntilDeadline(t, hanging({ store, ttl: 1 }));

    assert.deepEqual(keeps, [0]);
  });

  test('the claim is kept until its lease ends with afterCrash: "run again"', async (t) => {
    let time = 0;
    const bank = hanging({ afterCrash: 'run again', store: memoryStore({ now: () => time }) });

    const lines = [(await sendUntilDeadline(t, bank)).code, ...(await told(bank, charge))];
    time = 2_900;

    assert.deepEqual(lines, ['DEADLINE_EXCEEDED', '409 IDEMPOTENCY_IN_PROGRESS retry after 3']);
    assert.equal((await bank.sendWithKey(charge)).text, '{"data":{"charge":{"number":2,"client":null}}}');
  });

  const committing: ServerPlugin = { execution: async (_execution, next) => next() };
  for (const [what, slow, first, again, charges] of [
    [
      'a finished answer is sent after other plugins have seen it, even if the store has not confirmed it',
      'finish',
      '200',
      '200 replayed',
      1,
    ],
    ['a claim that succeeds too late is released, because nothing has run', 'claim', '504 DEADLINE_EXCEEDED', '200', 0],
  ] as const)
    test(what, async (t) => {
      const gate = deferred();
      const store = storeWith((inner) => ({ [slow]: async (...given: [never, never]) => (await gate.promise, inner[slow](...given)) }));
      const bank = openBank({ store, storeTimeout: 10_000, server: { deadline, plugins: [committing] } });

      assert.equal((await sendUntilDeadline(t, bank)).told, first);
      gate.resolve();
      await bank.settled();
      assert.equal(bank.charges.length, charges);
      assert.deepEqual([await told(bank, charge), bank.charges.length], [[again], 1]);
    });
});

describe('other plugins', () => {
  const later = throwing('Not now.', { code: 'MAINTENANCE' });
  const rows: readonly (readonly [what: string, plugin: (fails: () => boolean) => ServerPlugin, again: RegExp])[] = [
    [
      'that refuse the operation around its execution release its key',
      (fails) => ({ execution: async (_execution, next) => (fails() ? later() : next()) }),
      /^200$/,
    ],
    [
      'that fail around its execution after the resolvers, as a commit may, have their error stored',
      (fails) => ({ execution: async (_execution, next) => next().then((outcome) => (fails() ? later() : outcome)) }),
      /MAINTENANCE replayed$/,
    ],
    ['that fail after the resolvers do not release it', (fails) => sending(() => fails() && later()), /MAINTENANCE replayed$/],
  ];
  for (const [what, plugin, again] of rows)
    for (const position of ['first', undefined, 'last'] as const)
      test(`${what}, ${position ?? 'in the order of the list'}`, async () => {
        let fails = true;
        const bank = openBank({ server: { plugins: [{ ...plugin(() => fails), position }] } });

        assert.match((await bank.sendWithKey(charge)).told, /MAINTENANCE$/);
        fails = false;
        assert.match((await bank.sendWithKey(charge)).told, again);
        assert.equal(bank.charges.length, 1);
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

describe('a stored answer', () => {
  const http = { headers: { 'set-cookie': 'a=1' } };
  const forms = {
    'no JSON': 'x',
    null: 'null',
    'no result': '{}',
    'a result that is a list': '{"result":[]}',
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

describe('a server', () => {
  test('does not start with required fields that do not exist', async () => {
    const bank = openBank({ required: ['charg'] });

    assert.equal((await bank.send({ query: '{ charges }' })).status, 500);
    assert.match(String((bank.log[0]!.details[0] as Error).message), /"charg"/);
  });
});
