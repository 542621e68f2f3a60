import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { TestContext } from 'node:test';

import { createHandler } from '../../../src/entries/fetch.ts';
import { idempotency, memoryStore } from '../../../src/entries/idempotency.ts';
import type { Claim, ClaimResult, IdempotencyOptions, IdempotencyStore } from '../../../src/entries/idempotency.ts';
import { recordId } from '../../../src/extensions/idempotency/keys.ts';
import { cases } from '../../support/long-form.ts';
import { createRandom } from '../../support/random.ts';
import type { Random } from '../../support/random.ts';

type Policy = NonNullable<IdempotencyOptions['afterCrash']>;
type Handler = (request: Request, context: object) => Promise<Response>;

const instances = [0, 1, 2];
/** The lease in seconds. */
const lease = 10;

/** A request in progress. Its instance may crash while it waits. */
interface Sent {
  readonly client: string;
  readonly key: string;
  readonly amount: number;
  readonly instance: number;
  answer?: { readonly status: number; readonly text: string; readonly isReplay: boolean };
}

/** A claim that the store has granted. Its time is that of the store's clock. */
interface Grant {
  readonly token: string;
  readonly leaseEnds: number;
}

/** Instances over one store. Their steps run in a random order, and an instance may crash at any step. */
class World {
  readonly sent: Sent[] = [];
  /** The client and key of every run. */
  readonly runs: string[] = [];
  readonly grants = new Map<string, Grant[]>();
  /** Records that were claimed during the lease of another claim. */
  readonly earlyClaims: string[] = [];
  now = 0;
  readonly #random: Random;
  readonly #store: IdempotencyStore;
  readonly #waiting: (() => void)[] = [];
  readonly #crashed = new Set<number>();
  readonly #clients: AbortController[] = [];

  constructor(random: Random) {
    this.#random = random;
    this.#store = memoryStore({ now: () => this.now });
  }

  /** Waits until this step may run, which is never for an instance that has crashed. */
  async turn(instance?: number): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#waiting.push(resolve);
    });
    if (instance !== undefined && this.#crashed.has(instance)) await new Promise<never>(() => {});
  }

  /** Calls the store. The call may fail before its effect, after it, or before an effect that happens much later. */
  async call<T>(instance: number, work: () => Promise<T>): Promise<T> {
    await this.turn(instance);
    const fault = this.#random.below(12);
    if (fault === 0) throw new Error('before');
    if (fault === 1) {
      void this.turn().then(work);
      throw new Error('delayed');
    }
    const result = await work();
    await this.turn(instance);
    if (fault === 2) throw new Error('after');
    return result;
  }

  storeOf(instance: number): IdempotencyStore {
    return {
      isLocal: true,
      claim: (id, claim) => this.call(instance, async () => this.#granted(id, claim, await this.#store.claim(id, claim))),
      finish: (id, finish) => this.call(instance, () => this.#store.finish(id, finish)),
      release: (id, release) => this.call(instance, async () => this.#released(id, await this.#store.release(id, release))),
    };
  }

  #granted(id: string, claim: Claim, result: ClaimResult): ClaimResult {
    if (result.state !== 'claimed') return result;
    const grants = this.grants.get(id) ?? [];
    const last = grants.at(-1);
    if (last !== undefined && last.token !== claim.token && last.leaseEnds > this.now) this.earlyClaims.push(id);
    this.grants.set(id, [...grants, { token: claim.token, leaseEnds: this.now + claim.lease }]);
    return result;
  }

  /** Records that a claim was released because nothing has run: then its lease no longer counts. */
  #released(id: string, isReleased: boolean): boolean {
    if (isReleased) this.grants.get(id)!.push({ token: '', leaseEnds: 0 });
    return isReleased;
  }

  async pay(instance: number, client: string, key: string): Promise<object> {
    await this.turn(instance);
    this.runs.push(`${client} ${key}`);
    await this.turn(instance);
    // An answer with an error is stored too.
    if (this.#random.chance(0.2)) throw new Error(`failed ${this.runs.length}`);
    return { number: this.runs.length, client };
  }

  async send(handler: Handler, sent: Sent): Promise<void> {
    this.sent.push(sent);
    const client = new AbortController();
    if (this.#random.chance(0.3)) this.#clients.push(client);
    const request = new Request('https://bank.example/', {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'idempotency-key': `"${sent.key}"`,
        'x-client': sent.client,
        'x-key': sent.key,
        'x-instance': String(sent.instance),
      },
      body: JSON.stringify({ query: `mutation { pay(amount: ${sent.amount}) { number client } }` }),
      signal: client.signal,
    });
    const response = await handler(request, { waitUntil: () => {} });
    sent.answer = {
      status: response.status,
      text: await response.text(),
      isReplay: response.headers.has('idempotent-replayed'),
    };
  }

  /** Runs the waiting steps in a random order until there are none. */
  async run(): Promise<void> {
    for (let idle = 0; idle < 2;) {
      const [next] = this.#waiting.splice(this.#random.below(Math.max(1, this.#waiting.length)), 1);
      next?.();
      idle = next === undefined ? idle + 1 : 0;
      if (this.#random.chance(0.03)) this.#crashed.add(this.#random.pick(instances));
      if (this.#random.chance(0.1)) this.now += this.#random.below(lease * 1500);
      if (this.#random.chance(0.1)) this.#clients.pop()?.abort();
      for (let turn = 0; turn < 12; turn++) await Promise.resolve();
      if (next === undefined) await new Promise(setImmediate);
    }
  }

  /** Restarts the instances that crashed. */
  restart(): void {
    this.#crashed.clear();
  }
}

let world: World;

function handlersFor(afterCrash: Policy): readonly Handler[] {
  return instances.map((instance) => {
    const store: IdempotencyStore = {
      isLocal: true,
      claim: (...given) => world.storeOf(instance).claim(...given),
      finish: (...given) => world.storeOf(instance).finish(...given),
      release: (...given) => world.storeOf(instance).release(...given),
    };
    const identity = async ({ client }: { client: string }): Promise<string> => {
      await world.turn(instance);
      return client;
    };
    return createHandler({
      nodeEnv: 'test',
      logger: { debug() {}, info() {}, warn() {}, error() {} },
      typeDefs: 'type Query { a: Int } type Mutation { pay(amount: Int): Receipt } type Receipt { number: Int client: String }',
      resolvers: {
        Mutation: { pay: (_: unknown, __: unknown, { client, key }: { client: string; key: string }) => world.pay(instance, client, key) },
      },
      context: ({ request }: { request: { headers: { get: (name: string) => string } } }) => ({
        client: request.headers.get('x-client'),
        key: request.headers.get('x-key'),
      }),
      plugins: [idempotency({ store, identity, afterCrash, lease })],
    } as never) as unknown as Handler;
  });
}

/** Counts of replays and repeated runs in the histories. */
interface Tally {
  replays: number;
  again: number;
}

async function runHistory(random: Random, handlers: readonly Handler[], policy: Policy, tally: Tally): Promise<void> {
  world = new World(random);
  const { sent } = world;
  for (let round = 0; round < 3; round++) {
    for (let request = 0; request < 3; request++) {
      const instance = random.pick(instances);
      const client = random.chance(0.8) ? 'ada' : 'bob';
      const key = random.chance(0.8) ? 'one' : 'two';
      void world.send(handlers[instance]!, { client, key, amount: random.chance(0.9) ? 1 : 2, instance }).catch(() => {});
    }
    await world.run();
    world.restart();
  }

  assert.deepEqual(world.earlyClaims, []);
  const answers = sent.filter(({ answer }) => answer?.status === 200);
  for (const { client, answer } of answers) if (answer!.text.includes('"number"')) assert.match(answer!.text, new RegExp(`"${client}"`));
  for (const name of new Set(sent.map(({ client, key }) => `${client} ${key}`))) {
    const runs = world.runs.filter((of) => of === name);
    if (policy === 'refuse') assert.ok(runs.length <= 1, `${name} ran ${runs.length} times`);
    const [client, key] = name.split(' ') as [string, string];
    const tokens = new Set(world.grants.get(recordId('idempotency:', [client, key, 0]))?.map(({ token }) => token));
    assert.ok(runs.length <= tokens.size, `${name} ran ${runs.length} times with ${tokens.size} claims`);
    tally.again += Math.max(0, runs.length - 1);
    const texts = answers.filter((one) => `${one.client} ${one.key}` === name && (policy === 'refuse' || one.answer!.isReplay));
    tally.replays += texts.filter(({ answer }) => answer!.isReplay).length;
    assert.ok(new Set(texts.map(({ answer }) => answer!.text)).size <= 1, `${name} has several answers`);
  }
}

describe('instances that crash, over a store that fails', () => {
  const histories = cases({ short: 50, long: 4_000 });
  // The long form takes minutes with LONG_FORM_FACTOR.
  const timeout = 1_800_000;

  async function runHistories(t: TestContext, policy: Policy): Promise<Tally> {
    // Timeouts of the store never fire, because the world simulates its faults.
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const random = createRandom(30);
    const handlers = handlersFor(policy);
    const tally: Tally = { replays: 0, again: 0 };
    for (let history = 0; history < histories; history++) await runHistory(random, handlers, policy, tally);
    return tally;
  }

  test(`run no mutation twice with "refuse", in ${histories} random orders`, { timeout }, async (t) => {
    const { replays, again } = await runHistories(t, 'refuse');

    assert.ok(replays > histories / 10, `${replays} replays`);
    assert.equal(again, 0);
  });

  test(`run no mutation twice during a lease with "run again", in ${histories} random orders`, { timeout }, async (t) => {
    const { replays, again } = await runHistories(t, 'run again');

    assert.ok(replays > histories / 10, `${replays} replays`);
    assert.ok(again > histories / 100, 'some have run again');
  });
});
