import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { TestContext } from 'node:test';

import { memoryStore } from '../../../../src/entries/idempotency.ts';
import type { IdempotencyOptions } from '../../../../src/entries/idempotency.ts';
import type { ServerPlugin } from '../../../../src/entries/index.ts';
import { charge, mutation, openBank, sending, storeWith, throwing, told, twice, withKey } from '../../../support/bank.ts';
import type { Answer, Bank } from '../../../support/bank.ts';
import { quiet } from '../../../support/clock.ts';
import { deferred } from '../../../support/deferred.ts';

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
