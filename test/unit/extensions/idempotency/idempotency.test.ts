import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { TestContext } from 'node:test';

import { GraphQLError, versionInfo } from 'graphql';

import { idempotency, idempotencyKeyOf, memoryStore } from '../../../../src/entries/idempotency.ts';
import { limits } from '../../../../src/entries/limits.ts';
import type { ClaimResult, IdempotencyOptions, IdempotencyStore } from '../../../../src/entries/idempotency.ts';
import { incrementalDelivery } from '../../../../src/entries/incremental.ts';
import type { ServerPlugin } from '../../../../src/entries/index.ts';
import { deferred } from '../../../support/deferred.ts';
import { charge, openBank, typeDefs } from '../../../support/bank.ts';
import type { Answer, Bank, Fields } from '../../../support/bank.ts';

/** Waits until everything that is ready has run. */
async function quiet(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
}

const key = (value: string): Fields => ({ headers: { 'idempotency-key': value } });

const twice = async ({ sendWithKey }: Bank, body: unknown): Promise<readonly [Answer, Answer]> => [
  await sendWithKey(body),
  await sendWithKey(body),
];

describe('a mutation that is sent again with its key', () => {
  test('runs once, and is answered with the same status and bytes', async () => {
    const bank = openBank();

    const [first, again] = await twice(bank, charge);

    assert.deepEqual(bank.charges, ['ada']);
    assert.deepEqual([first.status, first.text], [200, '{"data":{"charge":{"number":1,"client":"ada"}}}']);
    assert.deepEqual([again.status, again.text], [first.status, first.text]);
    assert.deepEqual(
      [first, again].map(({ headers }) => headers.get('idempotent-replayed')),
      [null, 'true'],
    );
    assert.match(again.headers.get('cache-control')!, /no-store/);
  });

  test('runs again with another key, for another client, and without a key', async () => {
    const bank = openBank();

    await bank.sendWithKey(charge);
    await bank.send(charge, key('"other"'));
    const other = await bank.sendWithKey(charge, { client: 'bob' });
    await bank.send(charge);
    await bank.send(charge);

    assert.deepEqual(bank.charges, ['ada', 'ada', 'bob', 'ada', 'ada']);
    assert.match(other.text, /bob/);
  });

  test('is refused with 409 and Retry-After while the first one is running', async () => {
    const gate = deferred();
    const bank = openBank({ server: { resolvers: { Mutation: { charge: () => gate.promise } } } });

    const first = bank.sendWithKey(charge);
    const again = await bank.sendWithKey(charge);
    gate.resolve();
    await first;

    assert.deepEqual([again.status, again.code, again.headers.get('retry-after')], [409, 'IDEMPOTENCY_IN_PROGRESS', '5']);
    assert.match(again.text, /"retryAfter":5/);
    assert.equal(JSON.parse(again.text).data, undefined);
  });

  const others: readonly (readonly [what: string, body: object])[] = [
    ['other variables', { query: 'mutation ($amount: Int) { charge(amount: $amount) { number } }', variables: { amount: 2 } }],
    ['another selection', { query: 'mutation { charge { number } }' }],
    ['an operation name', { query: 'mutation A { charge { number client } }', operationName: 'A' }],
  ];
  for (const [what, body] of others)
    test(`is refused with 422 if it has ${what}`, async () => {
      const bank = openBank();
      await bank.sendWithKey({ query: 'mutation ($amount: Int) { charge(amount: $amount) { number } }', variables: { amount: 1 } });

      const other = await bank.sendWithKey(body);

      assert.deepEqual([other.status, other.code, bank.charges.length], [422, 'IDEMPOTENCY_KEY_REUSED', 1]);
      assert.equal(bank.log.filter(({ message }) => message.includes('had another operation')).length, 1);
    });

  test('may have its variables in another order, other extensions and another media type', async () => {
    const bank = openBank();
    const query = 'mutation ($amount: Int, $fail: String) { charge(amount: $amount, fail: $fail) { number } }';

    const first = await bank.sendWithKey({ query, variables: { amount: 1, fail: null }, extensions: { a: 1 } });
    const again = await bank.sendWithKey(
      { query, variables: { fail: null, amount: 1 } },
      { headers: { accept: 'application/graphql-response+json' } },
    );

    // The status of a partial success differs by media type.
    assert.deepEqual([first.status, again.status, bank.charges.length], [200, 294, 1]);
    assert.match(again.headers.get('content-type')!, /graphql-response/);
  });

  const noReceipt = (status: number, classicStatus?: number): object => ({
    charge() {
      throw new GraphQLError('no', {
        extensions: { code: 'NO', http: { status, classicStatus, headers: { 'set-cookie': 'a=b', 'x-reason': 'no' } } },
      });
    },
  });
  const rawJSON = (JSON as unknown as { rawJSON: (source: string) => unknown }).rawJSON;
  const oddValue = { b: rawJSON('12345678901234567890'), a: rawJSON('1.0'), 1: -0, ['__proto__']: 1e21, text: '\u2028 \ud800 💸 \u0000 "' };
  const created: ServerPlugin = {
    requestDidStart: () => ({
      willSendResponse({ response: { http } }) {
        http.status = 201;
        http.headers.set('set-cookie', 'session=first');
      },
    }),
  };
  const replays: readonly (readonly [what: string, status: number, text: RegExp, body: object, server?: object])[] = [
    ['a masked error, with its errorId', 200, /"errorId":"\w+"/, { query: 'mutation { charge(fail: "secret") { number } }' }],
    [
      'data and an error',
      200,
      /"errorId":"\w+".*"a":\{/,
      { query: 'mutation { a: charge { number } b: charge(fail: "secret") { number } }' },
    ],
    ['the status of an error', 402, /"code":"NO"/, charge, { resolvers: { Mutation: noReceipt(402, 423) } }],
    [
      'the classic status of an error',
      423,
      /"code":"NO"/,
      charge,
      { resolvers: { Mutation: noReceipt(402, 423) }, httpStatusProfile: 'classic' },
    ],
    [
      'an error without its code, which formatError has removed',
      500,
      /"message":"no"/,
      charge,
      {
        resolvers: { Mutation: noReceipt(500) },
        formatError: ({ message }: Error) => ({ message }),
        typeDefs: typeDefs.replace('): Receipt', '): Receipt!'),
      },
    ],
    [
      'numbers that JavaScript would round, and unusual keys and texts',
      200,
      /12345678901234567890/,
      { query: 'mutation { anything }' },
      {
        typeDefs: 'scalar Any type Query { a: Int } type Mutation { anything: Any }',
        resolvers: { Mutation: { anything: () => oddValue } },
      },
    ],
    ['the status that a plugin has set', 201, /"number":1/, charge, { plugins: [created] }],
  ];
  for (const [what, status, text, body, server] of replays)
    test(`is answered byte for byte with ${what}, and without the header fields of the first answer`, async () => {
      const bank = openBank({ ...(server && { server }) });

      const [first, again] = await twice(bank, body);

      assert.match(first.text, text);
      assert.deepEqual([first.status, again.status, again.text], [status, status, first.text]);
      assert.deepEqual(
        ['idempotent-replayed', 'set-cookie', 'x-reason'].map((name) => again.headers.get(name)),
        ['true', null, null],
      );
    });

  test('is recognized by its hash and by its text', async () => {
    const { createHash } = await import('node:crypto');
    const extensions = { persistedQuery: { version: 1, sha256Hash: createHash('sha256').update(charge.query).digest('hex') } };
    const bank = openBank();

    await bank.sendWithKey({ ...charge, extensions });
    const again = await bank.sendWithKey({ extensions });
    const byText = await bank.sendWithKey(charge);

    assert.equal(bank.charges.length, 1);
    assert.deepEqual(
      [again, byText].map(({ headers }) => headers.get('idempotent-replayed')),
      ['true', 'true'],
    );
  });
});

describe('operations that ignore a key', () => {
  /** A store that fails the test when it is called. */
  const untouched: IdempotencyStore = {
    claim: () => assert.fail('claimed'),
    finish: () => assert.fail('finished'),
    release: () => assert.fail('released'),
  };
  const unused: readonly (readonly [what: string, body: unknown, status: number, code: string | undefined, fields?: Fields])[] = [
    ['a query with a malformed key', { query: '{ charges }' }, 200, undefined, key('no string')],
    ['a document that is not valid', { query: 'mutation { nothing }' }, 422, 'GRAPHQL_VALIDATION_FAILED'],
    ['a wrong variable', { query: 'mutation ($a: Int) { charge(amount: $a) { number } }', variables: { a: 'x' } }, 422, 'BAD_USER_INPUT'],
    [
      'too much cost',
      { query: 'mutation { a: charge { number } b: charge { number } c: charge { number } d: charge { number } }' },
      422,
      'GRAPHQL_VALIDATION_FAILED',
    ],
    ['a form of another site', 'query=mutation', 400, 'BAD_REQUEST', { headers: { 'content-type': 'text/plain' } }],
    ['a media type that cannot be sent', charge, 406, 'BAD_REQUEST', { headers: { accept: 'image/png' } }],
  ];
  for (const [what, body, status, code, fields] of unused)
    test(`do not call the store: ${what}`, async () => {
      const bank = openBank({ store: untouched, server: { plugins: [limits({ maxCost: 7 })] } });

      const answer = await bank.sendWithKey(body, fields);

      assert.deepEqual([answer.status, answer.code, bank.charges], [status, code, []]);
    });

  test('do not call the store: mutations without a key', async () => {
    const bank = openBank({ store: untouched });

    assert.equal((await bank.send(charge)).status, 200);
  });

  test('do not call the store: a context that fails', async () => {
    const context = (): never => {
      throw new GraphQLError('who?', { extensions: { code: 'UNAUTHENTICATED' } });
    };

    assert.equal((await openBank({ store: untouched, server: { context } as never }).sendWithKey(charge)).status, 401);
  });
});

describe('keys', () => {
  const accepted = [
    '"a"',
    '  "a"  ',
    '"a";v=1; x="y"; z',
    '"a";d=@1659578233;e=%"f%c3%bc";f=?1;g=:YQ==:;*h.i=-1.5;j=t/o:k',
    '"8e03978e-40d5-43dd-bc93-6894a57f9324"',
    String.raw`"\"\\ ~"`,
    `"${'k'.repeat(255)}"`,
  ];
  for (const value of accepted)
    test(`accept ${value.slice(0, 40)}`, async () => {
      assert.equal((await openBank().send(charge, key(value))).status, 200);
    });

  const refused = [
    '""',
    'a',
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
  for (const value of refused)
    test(`refuse ${value.slice(0, 40) || 'nothing'}`, async () => {
      const bank = openBank();

      const answer = await bank.send(charge, key(value));

      assert.deepEqual([answer.status, answer.code, bank.charges], [400, 'IDEMPOTENCY_KEY_INVALID', []]);
    });

  test('without quotation marks are accepted if bareKeys is true, and are the same as with them', async () => {
    const bank = openBank({ bareKeys: true });

    const first = await bank.send(charge, key('order-1'));
    const again = await bank.send(charge, key('"order-1"'));
    const both = await bank.send(charge, key('order-1, order-2'));

    assert.deepEqual([first.status, again.text, both.code], [200, first.text, 'IDEMPOTENCY_KEY_INVALID']);
  });

  test('may be the argument of @idempotent on the only field, as a literal, a variable or a default, also in a fragment', async () => {
    const bank = openBank();

    const named: readonly (readonly [query: string, variables?: object])[] = [
      ['mutation { charge @ idempotent(key: "one") { number } }'],
      ['mutation ($key: String!) { charge @idempotent(key: $key) { number } }', { key: 'two' }],
      ['mutation ($key: String! = "three") { __typename charge @idempotent(key: $key) { number } }'],
      ['mutation { ...F ...F } fragment F on Mutation { charge @idempotent(key: "four") { number } }'],
    ];
    const replayed: (string | null)[] = [];
    for (const [query, variables] of [...named, ...named])
      replayed.push((await bank.send({ query, variables })).headers.get('idempotent-replayed'));

    assert.deepEqual(replayed, [null, null, null, null, 'true', 'true', 'true', 'true']);
    assert.equal(bank.charges.length, 4);
  });

  test('of the header and of @idempotent are the same', async () => {
    const bank = openBank();
    await bank.sendWithKey(charge);

    const other = await bank.send({ query: 'mutation { charge @idempotent(key: "key") { number } }' });

    assert.equal(other.code, 'IDEMPOTENCY_KEY_REUSED');
  });

  const misplaced: readonly (readonly [what: string, query: string, fields?: Fields])[] = [
    ['together with the header', 'mutation { charge @idempotent(key: "one") { number } }', key('"one"')],
    ['with several root fields', 'mutation { a: charge @idempotent(key: "one") { number } b: charge { number } }'],
    ['below the root', 'mutation { charge { number @idempotent(key: "one") } }'],
    ['twice', 'mutation { charge @idempotent(key: "one") { number @idempotent(key: "two") } }'],
    ['with an empty key', 'mutation { charge @idempotent(key: "") { number } }'],
    ['with a key that is not ASCII', 'mutation { charge @idempotent(key: "ä") { number } }'],
  ];
  for (const [what, query, fields] of misplaced)
    test(`refuse @idempotent ${what}`, async () => {
      const bank = openBank();

      const answer = await bank.send({ query }, fields);

      assert.deepEqual([answer.status, answer.code, bank.charges], [400, 'IDEMPOTENCY_KEY_INVALID', []]);
    });

  test('are required for the fields that the option names, or for all mutations', async () => {
    const some = openBank({ required: ['chargeTwice'] });
    const all = openBank({ required: true });

    const answers = [
      await some.send({ query: 'mutation { ...F ...F } fragment F on Mutation { charge { number } } # idempotent' }),
      await some.send({ query: 'mutation { ...F } fragment F on Mutation { ... { chargeTwice { number } } }' }),
      await some.sendWithKey({ query: 'mutation { chargeTwice { number } }' }),
      await all.send(charge),
      await all.send({ query: '{ charges }' }),
    ];

    assert.deepEqual(
      answers.map(({ status, code }) => code ?? status),
      [200, 'IDEMPOTENCY_KEY_REQUIRED', 200, 'IDEMPOTENCY_KEY_REQUIRED', 200],
    );
    assert.equal(answers[1]!.status, 400);
  });

  for (const identity of [() => undefined, () => null, async () => ''])
    test(`without a client are refused with 401: ${String(identity)}`, async () => {
      const bank = openBank({ identity });

      const answer = await bank.sendWithKey(charge);

      assert.deepEqual([answer.status, answer.code, bank.charges], [401, 'IDEMPOTENCY_IDENTITY_MISSING', []]);
    });

  test('are refused if identity fails, or returns something else, without running', async () => {
    const failing = openBank({ identity: () => assert.fail('hunter2') });
    const wrong = openBank({ identity: () => 42 as never });

    const answers = [await failing.sendWithKey(charge), await wrong.sendWithKey(charge)];

    assert.deepEqual(
      answers.map(({ status }) => status),
      [500, 500],
    );
    assert.deepEqual([...failing.charges, ...wrong.charges], []);
  });

  test('cannot be forged with separators in an identity or a key', async () => {
    const bank = openBank();

    await bank.send(charge, { client: 'a', ...key('"b,c"') });
    await bank.send(charge, { client: 'a,b', ...key('"c"') });

    assert.deepEqual(bank.charges, ['a', 'a,b']);
  });
});

describe('batches', () => {
  const other = { query: 'mutation { chargeTwice { number } }' };

  test('are replayed element by element', async () => {
    const bank = openBank();

    const [first, again] = await twice(bank, [charge, { query: '{ charges }' }, other]);
    const alone = await bank.sendWithKey(charge);

    assert.equal(bank.charges.length, 2);
    const [one, , two] = JSON.parse(first.text) as unknown[];
    assert.deepEqual(JSON.parse(again.text), [one, { data: { charges: 2 } }, two]);
    assert.deepEqual(JSON.parse(alone.text), one);
    assert.deepEqual(
      [again, alone].map(({ headers }) => headers.get('idempotent-replayed')),
      [null, 'true'],
    );
  });

  test('in another order or grouping are refused, each element with its code', async () => {
    const bank = openBank();
    await bank.sendWithKey([charge, other]);

    const swapped = await bank.sendWithKey([other, charge]);
    const alone = await bank.sendWithKey(other);

    assert.equal(swapped.status, 200);
    assert.deepEqual(
      JSON.parse(swapped.text).map(({ errors }: any) => errors[0].extensions.code),
      ['IDEMPOTENCY_KEY_REUSED', 'IDEMPOTENCY_KEY_REUSED'],
    );
    assert.deepEqual([alone.status, bank.charges.length], [422, 2]);
  });

  test('may repeat an element with @idempotent alone, and have no Retry-After', async () => {
    const gate = deferred<object>();
    const bank = openBank({ server: { resolvers: { Mutation: { charge: () => gate.promise } } } });
    const named = { query: 'mutation { charge @idempotent(key: "one") { number } }' };

    const first = bank.send([{ query: '{ charges }' }, named]);
    const during = await bank.send([named]);
    gate.resolve({ number: 7 });
    await first;
    const again = await bank.send(named);

    assert.deepEqual([during.code, during.headers.get('retry-after')], ['IDEMPOTENCY_IN_PROGRESS', null]);
    assert.equal(again.text, '{"data":{"charge":{"number":7}}}');
  });
});

describe('the store', () => {
  /** A memory store whose first calls fail before or after they took effect. */
  function failing(failures: Partial<Record<'claim' | 'finish', readonly ('before' | 'after')[]>>): IdempotencyStore {
    const store = memoryStore();
    const left = { claim: [...(failures.claim ?? [])], finish: [...(failures.finish ?? [])] };
    const call = async <T>(name: 'claim' | 'finish', work: () => Promise<T>): Promise<T> => {
      const failure = left[name].shift();
      const result = failure === 'before' ? undefined : await work();
      if (failure !== undefined) throw new Error('connection refused');
      return result!;
    };
    return {
      ...store,
      claim: (id, claim) => call('claim', () => store.claim(id, claim)),
      finish: (id, finish) => call('finish', () => store.finish(id, finish)),
    };
  }

  for (const failures of [{ claim: ['before'] }, { claim: ['after'] }, { finish: ['before'] }, { finish: ['after'] }] as const)
    test(`is called again if ${JSON.stringify(failures)} its effect fails, and the mutation runs once`, async () => {
      const bank = openBank({ store: failing(failures) });

      const [first, again] = await twice(bank, charge);

      assert.deepEqual([first.status, again.status, again.text], [200, 200, first.text]);
      assert.deepEqual([bank.charges.length, bank.log], [1, []]);
    });

  for (const claim of [
    ['before', 'before'],
    ['after', 'after'],
    ['before', 'after'],
  ] as const)
    test(`that is down (${claim.join(', ')}) is answered with 503, and nothing runs until it is up again`, async () => {
      const bank = openBank({ store: failing({ claim }) });

      const first = await bank.sendWithKey(charge);
      const charged = [...bank.charges];
      await bank.settled();
      const again = await bank.sendWithKey(charge);

      assert.deepEqual(
        [first.status, first.code, first.headers.get('retry-after'), charged],
        [503, 'IDEMPOTENCY_STORE_UNAVAILABLE', '1', []],
      );
      assert.deepEqual([again.status, bank.charges.length], [200, 1]);
      assert.equal(bank.log.filter(({ message }) => message.includes('cannot be checked')).length, 1);
    });

  test('that hangs is answered with 503 after two tries', async () => {
    let calls = 0;
    const hanging: IdempotencyStore = {
      ...memoryStore(),
      claim: async () => (calls++, new Promise<never>(() => {})),
      release: async () => false,
    };
    const bank = openBank({ store: hanging, storeTimeout: 1 });

    const answer = await bank.sendWithKey(charge);

    assert.deepEqual([answer.status, calls, bank.charges], [503, 2, []]);
  });

  test('has a timeout, which also applies to identity', async () => {
    const bank = openBank({ identity: () => new Promise<never>(() => {}), storeTimeout: 1 });

    const { status } = await bank.sendWithKey(charge);

    assert.deepEqual([status, bank.charges], [500, []]);
  });

  test('that fails after the mutation does not change the answer, and a retry is refused', async () => {
    const bank = openBank({ store: failing({ finish: ['before', 'before'] }) });

    const [first, again] = await twice(bank, charge);

    assert.deepEqual([first.status, again.status, again.code, bank.charges.length], [200, 409, 'IDEMPOTENCY_IN_PROGRESS', 1]);
    assert.match(bank.log[0]!.message, /was not stored: a retry will be refused/);
  });
});

describe('an interrupted mutation', () => {
  /** Creates a bank over a store in which the first attempt was interrupted. `pass` advances its clock. */
  function interrupted(options: Partial<IdempotencyOptions> = {}): { bank: Bank; pass: (milliseconds: number) => void } {
    let time = 0;
    const store = memoryStore({ now: () => time });
    const claim = store.claim.bind(store);
    const crashing: IdempotencyStore = { ...store, finish: async () => { throw new Error('crashed'); }, claim }; // prettier-ignore
    const bank = openBank({ store: crashing, lease: 60, ...options });
    return { bank, pass: (milliseconds) => void (time += milliseconds) };
  }

  test('is refused without Retry-After when its lease is over, by default', async () => {
    const { bank, pass } = interrupted();
    await bank.sendWithKey(charge);
    pass(60_000);

    const again = await bank.sendWithKey(charge);
    const other = await bank.sendWithKey({ query: 'mutation { charge { number } }' });

    assert.deepEqual([again.status, again.code, again.headers.get('retry-after')], [409, 'IDEMPOTENCY_OUTCOME_UNKNOWN', null]);
    assert.deepEqual([other.status, bank.charges.length], [422, 1]);
    assert.equal(bank.log.filter(({ message }) => message.includes('its outcome is unknown')).length, 1);
  });

  test('runs again with afterCrash: "run again", when its lease is over', async () => {
    const { bank, pass } = interrupted({ afterCrash: 'run again' });
    await bank.sendWithKey(charge);
    pass(59_000);
    const early = await bank.sendWithKey(charge);
    pass(1_000);

    const again = await bank.sendWithKey(charge);

    assert.deepEqual([early.status, early.headers.get('retry-after')], [409, '1']);
    assert.deepEqual([again.status, bank.charges.length], [200, 2]);
  });

  test('cannot run again without a deadline or a lease', async () => {
    const { bank } = interrupted({ afterCrash: 'run again', lease: undefined });

    const answer = await bank.sendWithKey(charge);

    assert.deepEqual([answer.status, bank.charges], [500, []]);
    assert.match(String(bank.log[0]!.message), /Expected lease of idempotency/);
  });

  test('is forgotten after its ttl', async () => {
    const { bank, pass } = interrupted();
    await bank.sendWithKey(charge);
    pass(86_400_000);

    assert.equal((await bank.sendWithKey(charge)).status, 200);
  });
});

describe('answers', () => {
  test('above maxAnswerBytes are not kept: the mutation does not run again', async () => {
    const bank = openBank({ maxAnswerBytes: 10 });

    const [first, again] = await twice(bank, charge);

    assert.deepEqual([first.status, again.status, again.code, bank.charges.length], [200, 409, 'IDEMPOTENCY_ANSWER_NOT_KEPT', 1]);
    assert.equal(again.headers.get('retry-after'), null);
  });

  test('with errors are released if releaseIf says so, and every field has failed', async () => {
    const seen: string[] = [];
    const releaseIf: IdempotencyOptions['releaseIf'] = (errors) => (seen.push(errors[0]!.originalError!.message), true);
    const bank = openBank({ releaseIf });
    const failed = { query: 'mutation { charge(fail: "declined") { number } }' };
    const partly = { query: 'mutation { a: charge { number } b: charge(fail: "declined") { number } }' };

    for (const body of [failed, failed]) await bank.sendWithKey(body);
    for (const body of [partly, partly]) await bank.send(body, key('"2"'));

    assert.deepEqual(seen, ['declined', 'declined']);
    assert.equal(bank.charges.length, 2 + 2);
  });

  test('with errors are kept if releaseIf throws', async () => {
    const releaseIf = (): never => {
      throw new Error('lost');
    };
    const bank = openBank({ releaseIf });

    for (let tries = 0; tries < 2; tries++) await bank.sendWithKey({ query: 'mutation { charge(fail: "declined") { number } }' });

    assert.equal(bank.charges.length, 1);
    assert.ok(bank.log.some(({ message }) => message.startsWith('releaseIf of idempotency has failed.')));
  });

  const effects: readonly (readonly [what: string, typeDefs: string, query: string, onError?: string])[] = [
    ['with onError: HALT', 'reserve: Int charge: Int', 'mutation { reserve charge }', 'HALT'],
    ['where root fields are non-null', 'reserve: Int! charge: Int!', 'mutation { reserve charge }'],
    ['where the order is another', 'reserve: Int! charge: Int!', 'mutation { charge reserve }', 'NULL'],
    ['below a root field that has run', 'order: Order', 'mutation { order { fail } }'],
    ['below a non-null root field that has run', 'order: Order!', 'mutation { order { fail } }'],
  ];
  for (const [what, fields, query, onError] of effects)
    test(`are kept if a part of the mutation has run: an error ${what}`, async () => {
      const effectsOf: string[] = [];
      const fail = (): never => {
        throw new GraphQLError('declined');
      };
      const bank = openBank({
        releaseIf: () => true,
        server: {
          typeDefs: `type Query { a: Int } type Mutation { ${fields} } type Order { fail: Int! }`,
          resolvers: {
            Mutation: Object.fromEntries(
              Object.entries({ reserve: () => effectsOf.push('reserve'), charge: fail, order: () => (effectsOf.push('order'), {}) }).filter(
                ([name]) => fields.includes(`${name}:`),
              ),
            ),
            Order: { fail },
          } as never,
        },
      });

      const answers = [];
      for (let tries = 0; tries < 3; tries++) answers.push(await bank.sendWithKey({ query, onError }));

      assert.equal(effectsOf.length, 1);
      assert.deepEqual([answers[1]!.text, answers[2]!.text], [answers[0]!.text, answers[0]!.text]);
    });

  test('that a plugin sends in place of a replay are not marked as a replay, and have their own status', async () => {
    let fails = false;
    const failing: ServerPlugin = {
      async operation(_operation, next) {
        const outcome = await next();
        if (fails) throw new GraphQLError('Not now.', { extensions: { code: 'SERVICE_UNAVAILABLE' } });
        return outcome;
      },
    };
    const bank = openBank({ server: { plugins: [failing] } });
    await bank.sendWithKey({ query: 'mutation { charge(fail: "no") { number } }' });

    fails = true;
    const again = await bank.sendWithKey({ query: 'mutation { charge(fail: "no") { number } }' });

    assert.match(again.text, /Not now/);
    assert.deepEqual([again.status, again.headers.get('idempotent-replayed')], [503, null]);
  });

  test(
    'with parts are sent in a single response, and replayed',
    { skip: versionInfo.major < 17 && 'graphql 16 answers once' },
    async () => {
      const bank = openBank({ server: { incrementalDelivery: incrementalDelivery() } });
      const parted = { query: 'mutation { charge { number ... @defer { client } } }' };
      const accept = { headers: { accept: 'multipart/mixed;incrementalSpec=v0.2, application/json' } };

      const [without, first, again] = [
        await bank.send(parted, accept),
        await bank.sendWithKey(parted, accept),
        await bank.sendWithKey(parted, accept),
      ];

      assert.match(without.text, /hasNext/);
      assert.match(first.text, /\{"data":\{"charge":\{"number":2,"client":"ada"\}\}/);
      assert.equal(again.text, first.text);
    },
  );
});

describe('a client that disconnects', () => {
  const interrupted = 'mutation { charge { number } chargeTwice { number } }';
  const named = 'mutation { charge @idempotent(key: "key") { number } }';
  for (const [query, data] of [
    [interrupted, '{"data":{"charge":{"number":1},"chargeTwice":{"number":2}}}'],
    [named, '{"data":{"charge":{"number":1}}}'],
  ] as const)
    test(`aborts no signal of a mutation with a key, and gets its whole answer when it retries: ${query}`, async () => {
      const [started, gate] = [deferred(), deferred()];
      const ran: string[] = [];
      const pass = async (_: unknown, __: unknown, { signal }: { signal: AbortSignal }): Promise<object> => {
        ran.push('charge');
        started.resolve();
        await gate.promise;
        signal.throwIfAborted();
        return { number: 1 };
      };
      const context = ({ signal }: { signal: AbortSignal }): object => ({ client: 'ada', signal });
      const resolvers = { Mutation: { charge: pass, chargeTwice: () => (ran.push('chargeTwice'), { number: 2 }) } };
      const bank = openBank({ server: { context, resolvers } as never });
      const client = new AbortController();
      const send = (fields: Fields): Promise<Answer> => bank.send({ query }, { ...fields, ...(query === named ? {} : key('"key"')) });

      const first = send({ signal: client.signal });
      await started.promise;
      client.abort();
      await new Promise(setImmediate);
      gate.resolve();
      await first.catch(() => {});
      await bank.settled();

      assert.equal((await send({})).text, data);
      assert.deepEqual(ran, query === named ? ['charge'] : ['charge', 'chargeTwice']);
    });

  test('before its key is claimed has run nothing, even without asynchronous steps, and may retry', async () => {
    const context = ({ signal }: { signal: AbortSignal }): object => ({ client: 'ada', signal });
    const bank = openBank({ server: { context } as never });
    const client = new AbortController();
    client.abort();

    await bank.sendWithKey(charge, { signal: client.signal }).catch(() => {});
    await bank.settled();
    const before = bank.charges.length;
    const again = await bank.sendWithKey(charge);

    assert.deepEqual([before, again.status, bank.charges.length], [0, 200, 1]);
  });
});

describe('at the deadline', () => {
  const deadline = { ms: 1_000, reserveMs: 100 };

  /** Sends the charge, and advances the clock past the deadline once nothing else is ready. */
  async function sendUntilDeadline(t: TestContext, bank: Bank): Promise<Answer> {
    // Records do not expire when the clock is reset.
    t.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: Date.now() });
    const answering = bank.sendWithKey(charge);
    await quiet();
    t.mock.timers.tick(900);
    await quiet();
    t.mock.timers.tick(100);
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

    assert.equal(first.code, 'DEADLINE_EXCEEDED');
    assert.match(first.text, /It may have run\./);
    assert.deepEqual([again.status, again.text], [first.status, first.text]);
  });

  test('a record is not forgotten while its attempt is running, even if ttl is shorter', async (t) => {
    const store = memoryStore();
    const keeps: number[] = [];
    const noting: IdempotencyStore = { ...store, claim: (id, claim) => (keeps.push(claim.keep - claim.lease), store.claim(id, claim)) };

    await sendUntilDeadline(t, hanging({ store: noting, ttl: 1 }));

    assert.deepEqual(keeps, [0]);
  });

  test('the claim is kept until its lease ends with afterCrash: "run again"', async (t) => {
    let time = 0;
    const bank = hanging({ afterCrash: 'run again', store: memoryStore({ now: () => time }) });

    const first = await sendUntilDeadline(t, bank);
    const again = await bank.sendWithKey(charge);
    time = 2_900;
    const later = await bank.sendWithKey(charge);

    assert.deepEqual([first.code, again.code, again.headers.get('retry-after')], ['DEADLINE_EXCEEDED', 'IDEMPOTENCY_IN_PROGRESS', '3']);
    assert.equal(later.text, '{"data":{"charge":{"number":2,"client":null}}}');
  });

  test('a finished answer is sent after other plugins have seen it, even if the store does not confirm that it is kept', async (t) => {
    const store = memoryStore();
    const gate = deferred();
    const slow: IdempotencyStore = { ...store, finish: async (id, finish) => (await gate.promise, store.finish(id, finish)) };
    const committing: ServerPlugin = { execution: async (_execution, next) => next() };
    const bank = openBank({ store: slow, storeTimeout: 10_000, server: { deadline, plugins: [committing] } });

    const first = await sendUntilDeadline(t, bank);
    gate.resolve();
    await bank.settled();
    const again = await bank.sendWithKey(charge);

    assert.equal(first.text, '{"data":{"charge":{"number":1,"client":"ada"}}}');
    assert.deepEqual([again.status, again.text], [first.status, first.text]);
  });

  test('a claim that succeeds too late is released, because nothing has run', async (t) => {
    const store = memoryStore();
    const gate = deferred();
    const slow: IdempotencyStore = { ...store, claim: async (id, claim) => (await gate.promise, store.claim(id, claim)) };
    const bank = openBank({ store: slow, storeTimeout: 10_000, server: { deadline } });

    const first = await sendUntilDeadline(t, bank);
    gate.resolve();
    await bank.settled();
    const charged = bank.charges.length;
    const again = await bank.sendWithKey(charge);

    assert.deepEqual([first.status, first.code, charged], [504, 'DEADLINE_EXCEEDED', 0]);
    assert.deepEqual([again.status, bank.charges.length], [200, 1]);
  });
});

describe('other plugins', () => {
  test('that refuse the operation around its execution release its key, in every order', async () => {
    for (const position of ['first', undefined, 'last'] as const) {
      let refuses = true;
      const refuse: NonNullable<ServerPlugin['execution']> = async (_execution, next) => {
        if (refuses) throw new GraphQLError('Not now.', { extensions: { code: 'MAINTENANCE' } });
        return next();
      };
      const bank = openBank({ server: { plugins: [{ execution: refuse, position }] } });

      const first = await bank.sendWithKey(charge);
      refuses = false;
      const again = await bank.sendWithKey(charge);

      assert.deepEqual([first.code, again.status, bank.charges.length], ['MAINTENANCE', 200, 1]);
    }
  });

  test('that fail around its execution after the resolvers, as a commit may, have their error stored, in every order', async () => {
    for (const position of ['first', undefined, 'last'] as const) {
      let fails = true;
      const committing: ServerPlugin = {
        position,
        execution: async (_execution, next) => {
          const outcome = await next();
          if (fails) throw new GraphQLError('The transaction was rolled back.');
          return outcome;
        },
      };
      const bank = openBank({ server: { plugins: [committing] } });

      const first = await bank.sendWithKey(charge);
      fails = false;
      const again = await bank.sendWithKey(charge);

      assert.match(first.text, /rolled back/);
      assert.deepEqual([again.status, again.text, bank.charges.length], [first.status, first.text, 1]);
    }
  });

  test('that fail after the resolvers do not release it', async () => {
    const failing: ServerPlugin = {
      requestDidStart: () => ({
        willSendResponse: () => {
          throw new Error('no tax');
        },
      }),
    };
    const bank = openBank({ server: { plugins: [failing] } });

    const [first, again] = await twice(bank, charge);

    assert.deepEqual([first.status, bank.charges.length], [500, 1]);
    assert.deepEqual([again.status, again.text], [first.status, first.text]);
  });
});

describe('idempotencyKeyOf', () => {
  test('is never the key of another operation that shares the context', async () => {
    class Shared {
      client = 'ada';
    }
    const contextValue = new Shared();
    const seen: unknown[] = [];
    const note = (_: unknown, __: unknown, value: object): null => {
      try {
        seen.push(idempotencyKeyOf(value, 'charge'));
      } catch {
        seen.push('refused');
      }
      return null;
    };
    const bank = openBank({ server: { context: () => contextValue, resolvers: { Mutation: { charge: note } } } as never });

    await bank.sendWithKey(charge);
    await bank.send(charge);
    await bank.sendWithKey(charge, { headers: { 'idempotency-key': '"other"' } });

    assert.equal(typeof seen[0], 'string');
    assert.deepEqual(seen.slice(1), ['refused', 'refused']);
  });

  const keysOf = async (context?: () => object): Promise<(string | undefined)[]> => {
    const keys: (string | undefined)[] = [];
    const resolvers = {
      Mutation: {
        charge: (_: unknown, __: unknown, value: object) =>
          void keys.push(idempotencyKeyOf(value, 'charge'), idempotencyKeyOf(value, 'mail')),
      },
    };
    const failing: IdempotencyStore = { ...memoryStore(), claim: async (): Promise<ClaimResult> => ({ state: 'claimed' }) };
    const bank = openBank({ store: failing, server: { resolvers, ...(context && { context }) } as never });
    for (const name of ['"one"', '"one"', '"two"']) await bank.send(charge, key(name));
    await bank.send(charge);
    return keys;
  };

  test('is the same for every attempt, and differs by key and label; undefined without a key', async () => {
    const [charged, mailed, chargedAgain, mailedAgain, other, , none] = await keysOf();

    assert.match(charged!, /^[\da-f]{64}$/);
    assert.deepEqual([chargedAgain, mailedAgain, none], [charged, mailed, undefined]);
    assert.equal(new Set([charged, mailed, other]).size, 3);
  });
});

describe('CORS', () => {
  const origin = 'https://shop.example';

  test('allows the request header and exposes the response headers, in addition to the listed ones', async () => {
    const { send } = openBank({ server: { cors: { allowedHeaders: ['Content-Type'], exposedHeaders: 'X-Cost' } } });

    const allowed = await send('', { method: 'OPTIONS', headers: { origin, 'access-control-request-method': 'POST' } });
    const exposed = await send({ query: '{ charges }' }, { headers: { origin } });

    assert.equal(allowed.headers.get('access-control-allow-headers'), 'Content-Type, Idempotency-Key');
    assert.equal(exposed.headers.get('access-control-expose-headers'), 'X-Cost, Idempotent-Replayed, Retry-After');
  });

  test('allows what the preflight requests if no list is set', async () => {
    const requested = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'content-type,idempotency-key' };

    const { headers } = await openBank({ server: { cors: {} } }).send('', { method: 'OPTIONS', headers: { origin, ...requested } });

    assert.equal(headers.get('access-control-allow-headers'), 'content-type,idempotency-key');
  });
});

describe('a stored answer of another form', () => {
  for (const [what, text] of [
    ['no JSON', 'x'],
    ['null', 'null'],
    ['no result', '{}'],
    ['a result that is a list', '{"result":[]}'],
    ['header fields', '{"result":{"errors":[{"message":"x"}]},"http":{"headers":{"set-cookie":"a=1"}}}'],
    ['header fields of an error', '{"result":{"errors":[{"message":"x","extensions":{"http":{"headers":{"set-cookie":"a=1"}}}}]}}'],
    ['header fields of the result', '{"result":{"data":{},"extensions":{"http":{"headers":{"set-cookie":"a=1"}}}}}'],
  ] as const)
    test(`is not replayed as an answer, and sets no cookie: ${what}`, async () => {
      const inner = memoryStore();
      const store: IdempotencyStore = {
        ...inner,
        claim: async (id, claim) => {
          const result = await inner.claim(id, claim);
          return result.state === 'finished' ? { ...result, answer: text } : result;
        },
      };
      const bank = openBank({ store });
      await bank.sendWithKey(charge);

      const again = await bank.sendWithKey(charge);

      assert.equal(again.headers.get('set-cookie'), null);
      assert.equal(bank.charges.length, 1);
      if (!what.startsWith('header fields')) assert.deepEqual([again.status, again.code], [409, 'IDEMPOTENCY_ANSWER_NOT_KEPT']);
    });
});

test('a stored answer has no header fields, which may be cookies', async () => {
  const inner = memoryStore();
  const stored: string[] = [];
  const store: IdempotencyStore = {
    ...inner,
    finish: (...given) => {
      stored.push(JSON.stringify(given));
      return inner.finish(...given);
    },
  };
  const signIn: ServerPlugin = {
    requestDidStart: () => ({
      willSendResponse({ response }) {
        response.result = { ...response.result, extensions: { http: { headers: { 'set-cookie': 'session=first' } } } };
      },
    }),
  };
  const bank = openBank({ store, server: { plugins: [signIn] } });

  const first = await bank.sendWithKey(charge);

  assert.equal(first.headers.get('set-cookie'), 'session=first');
  assert.equal(stored.length, 1);
  assert.doesNotMatch(stored[0]!, /cookie|session/);
});

describe('options', () => {
  const wrong: readonly (readonly [what: string, options: object, message: RegExp])[] = [
    ['no store', { store: undefined }, /claim, finish, release.*got undefined/],
    ['a KeyValueCache', { store: new Map() }, /got a client, or a KeyValueCache, which is not atomic/],
    ['Workers KV', { store: { get() {}, put() {}, list() {}, delete() {}, getWithMetadata() {} } }, /got Workers KV.*conditional writes/],
    ['a memcached client', { store: { get() {}, set() {}, add() {}, replace() {}, delete() {} } }, /got memcached.*evicts/],
    ['no identity', { identity: undefined }, /identity .* 'everyone', got undefined/],
    ['a constant identity', { identity: 'everyone' }, /to be a function/],
    ['a wrong afterCrash', { afterCrash: 'rerun' }, /'refuse' or 'run again'/],
    ['a negative ttl', { ttl: -1 }, /ttl .* above 0 and at most 31536000, got -1/],
    ['an endless ttl', { ttl: Infinity }, /ttl .* at most 31536000, got Infinity/],
    ['a ttl that is no number', { ttl: Number.NaN }, /ttl .* above 0/],
    ['a ttl below the longest run', { ttl: 60, lease: 60 }, /ttl of idempotency to be longer than lease, got 60 and 60 seconds/],
    ['a lease of two days', { lease: 172_800 }, /lease .* at most 86400/],
    ['a timeout of an hour', { storeTimeout: 3_600_000 }, /storeTimeout .* at most 60000/],
    ['required with a text', { required: 'charge' }, /required .* true, false or a list of mutations, got "charge"/],
  ];
  for (const [what, options, message] of wrong)
    test(`refuse ${what}`, () => {
      assert.throws(() => idempotency({ store: memoryStore(), identity: () => 'everyone', ...options } as IdempotencyOptions), message);
    });

  test('refuse memoryStore() in production, unless there is only one process', async () => {
    const server = { nodeEnv: 'production' };

    const refused = await openBank({ server }).send({ query: '{ charges }' });
    const allowed = await openBank({ server, store: memoryStore({ isOnlyProcess: true }) }).send({ query: '{ charges }' });

    assert.deepEqual([refused.status, allowed.status], [500, 200]);
  });

  test('refuse the plugin twice in one server, but not one for each of two servers', async () => {
    const extension = (): ServerPlugin => idempotency({ store: memoryStore(), identity: () => 'everyone' }) as ServerPlugin;

    const answers = [await openBank().send(charge), await openBank().send(charge)];

    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200],
    );
    assert.throws(() => openBank({ server: { plugins: [extension()] } }), /idempotency\(\) once in plugins, got it twice/);
  });

  test('refuse required fields that do not exist', async () => {
    const bank = openBank({ required: ['charg'] });

    assert.equal((await bank.send({ query: '{ charges }' })).status, 500);
    assert.match(String((bank.log[0]!.details[0] as Error).message), /"charg"/);
  });
});
