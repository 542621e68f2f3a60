import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { TestContext } from 'node:test';

import { createHandler } from '../../../src/entries/aws-lambda.ts';
import { budget, dynamoDBStore, memoryStore } from '../../../src/entries/budget.ts';
import type { BudgetOptions, BudgetStore, DynamoDBClient, Take, TakeResult } from '../../../src/entries/budget.ts';
import { cases } from '../../support/long-form.ts';
import { createRandom } from '../../support/random.ts';
import type { Random } from '../../support/random.ts';

type Policy = NonNullable<BudgetOptions['whenStoreFails']>;
type Handler = (event: object, context: object) => Promise<{ data?: object; errors?: { extensions: { code: string } }[] }>;

const instances = [0, 1, 2];
/** The clock of an instance differs from that of the store by up to so many milliseconds. */
const maxSkew = 500;

/** An operation of a client. Its instance may crash while it waits. */
interface Sent {
  readonly client: string;
  readonly cost: number;
  readonly instance: number;
  /** True when its resolvers have run. */
  hasRun: boolean;
  /** When the store granted its points. Undefined: it did not. */
  takenAt: number | undefined;
  code: string | undefined;
}

interface History {
  readonly random: Random;
  /** How many of twelve calls of the store fail. */
  readonly faults: number;
  readonly crashes: boolean;
}

/** Instances over one store. Their steps run in a random order, and an instance may crash at any step. */
class World {
  readonly sent: Sent[] = [];
  now = 1_000_000;
  readonly capacity: number;
  readonly refillPerSecond: number;
  /** Points of operations that ran or were refused because the store failed, by the log. */
  logged = 0;
  readonly random: Random;
  readonly memory: BudgetStore = memoryStore({ now: () => this.now });
  readonly items: Map<string, any> = new Map();
  /** Takes that the store has granted or refused against the model. */
  readonly mistakes: string[] = [];
  /** By bucket: the microseconds of points that it had, and when. */
  readonly #points = new Map<string, { had: number; at: number }>();
  readonly #faults: number;
  readonly #crashes: boolean;
  readonly #skews: readonly number[];
  readonly #waiting: { readonly instance: number; readonly proceed: () => void }[] = [];
  readonly #crashed = new Set<number>();

  constructor({ random, faults, crashes }: History) {
    this.random = random;
    this.#faults = faults;
    this.#crashes = crashes;
    this.capacity = random.pick([1, 4, 10, 12.5]);
    this.refillPerSecond = random.pick([0.5, 1, 3, 8]);
    this.#skews = instances.map(() => random.below(2 * maxSkew) - maxSkew);
  }

  /** Waits until this step may run, which is never for an instance that has crashed. */
  async turn(instance: number): Promise<void> {
    await new Promise<void>((proceed) => {
      this.#waiting.push({ instance, proceed });
    });
    if (this.#crashed.has(instance)) await new Promise<never>(() => {});
  }

  /** Calls the store. The call may fail before its effect, after it, or before an effect that happens much later. */
  async call<T>(instance: number, work: () => T | Promise<T>): Promise<T> {
    await this.turn(instance);
    const fault = this.random.below(12);
    if (fault < this.#faults) {
      if (fault === 1) {
        // The request is on its way, though its instance may crash.
        void new Promise<void>((proceed) => void this.#waiting.push({ instance: -1, proceed })).then(work).catch(() => {});
        throw new Error('delayed');
      }
      if (fault === 2) await work();
      throw new Error('failed');
    }
    const result = await work();
    await this.turn(instance);
    return result;
  }

  /** The model: points that come back with time, up to the capacity. True if it grants the take. */
  model(id: string, { cost, capacity }: Take): boolean {
    const { had, at } = this.#points.get(id) ?? { had: capacity, at: this.now };
    const has = Math.min(capacity, had + (this.now - at) * 1000);
    const isGranted = has >= cost;
    this.#points.set(id, { had: isGranted ? has - cost : has, at: this.now });
    return isGranted;
  }

  /** Runs the waiting steps in a random order until there are none. */
  async run(setTime: (time: number) => void): Promise<void> {
    for (let idle = 0; idle < 2;) {
      const [next] = this.#waiting.splice(this.random.below(Math.max(1, this.#waiting.length)), 1);
      setTime(this.now + (this.#skews[next?.instance ?? -1] ?? 0));
      next?.proceed();
      idle = next === undefined ? idle + 1 : 0;
      // All that follows from this step runs before the next one.
      await new Promise(setImmediate);
      if (this.#crashes && this.random.chance(0.03)) this.#crashed.add(this.random.pick(instances));
      if (this.random.chance(0.2)) this.now += this.random.below(3_000);
    }
  }

  /** Restarts the instances that crashed. */
  restart(): void {
    this.#crashed.clear();
  }
}

let world: World;
/** The operation whose points an instance is about to take. */
const current = new Map<number, Sent>();

/** A take, with the time at which it had its effect. */
type TakeAt = TakeResult & { readonly at: number };
type TakePoints = (instance: number, id: string, take: Take) => Promise<TakeAt>;

/** The store's own clock decides. Each take is compared with the model. */
const takeInMemory: TakePoints = (instance, id, take) =>
  world.call(instance, async () => {
    const isExpected = world.model(id, take);
    const result = await world.memory.take(id, take);
    if (result.isTaken !== isExpected) world.mistakes.push(`${id} ${JSON.stringify(take)} at ${world.now}: ${result.isTaken}`);
    return { ...result, at: world.now };
  });

/** The clock of the instance decides, as with DynamoDB. */
const takeInDynamoDB: TakePoints = async (instance, id, take) => {
  let at = Number.NaN;
  const { items } = world;
  const client: DynamoDBClient = {
    getItem: async ({ Key }) => {
      const found = await world.call(instance, () => ({ Item: items.get(Key.id.S) }));
      // Points are granted by the time of the read.
      at = world.now;
      return found;
    },
    putItem: ({ Item, ConditionExpression, ExpressionAttributeValues }) =>
      world.call(instance, () => {
        const known = items.get(Item.id.S);
        const isUnchanged = ConditionExpression.startsWith('attribute_not_exists')
          ? known === undefined
          : known?.value.S === ExpressionAttributeValues[':version'].S;
        if (!isUnchanged) throw Object.assign(new Error('refused'), { name: 'ConditionalCheckFailedException' });
        items.set(Item.id.S, Item);
      }),
  };
  const result = await dynamoDBStore({ client, table: 't' }).take(id, take);
  return { ...result, at };
};

function handlersFor(whenStoreFails: Policy, takePoints: TakePoints): readonly Handler[] {
  const log = (message: string): void => {
    world.logged += Number(/An operation of ([\d.]+) points? took none/.exec(message)?.[1] ?? 0);
  };
  return instances.map((instance) => {
    const take: BudgetStore['take'] = async (id, points) => {
      const sent = current.get(instance)!;
      const result = await takePoints(instance, id, points);
      if (result.isTaken) sent.takenAt = result.at;
      return result;
    };
    const identity = async ({ sent }: { sent: Sent }): Promise<string> => {
      await world.turn(instance);
      current.set(instance, sent);
      return sent.client;
    };
    const plan = { capacity: () => world.capacity, refillPerSecond: () => world.refillPerSecond };
    return createHandler({
      nodeEnv: 'test',
      deadline: false,
      logger: { debug() {}, info() {}, warn: log, error: log },
      typeDefs: 'type Query { a: Int }',
      resolvers: { Query: { a: (_: unknown, __: unknown, { sent }: { sent: Sent }) => void (sent.hasRun = true) } },
      context: ({ context }: { context: Sent }) => ({ sent: context }),
      plugins: [budget({ store: { isLocal: true, take }, identity, ...plan, whenStoreFails })],
    } as never) as unknown as Handler;
  });
}

/** Counts over all histories, so that the test does not pass because nothing happened. */
interface Tally {
  runs: number;
  refused: number;
  let: number;
}

async function runHistory(history: History, handlers: readonly Handler[], setTime: (time: number) => void): Promise<World> {
  world = new World(history);
  const { random, sent } = world;
  for (let round = 0; round < 3; round++) {
    for (let request = 0; request < 4; request++) {
      const one: Sent = {
        client: random.chance(0.8) ? 'ada' : 'bob',
        cost: 1 + random.below(4),
        instance: random.pick(instances),
        hasRun: false,
        takenAt: undefined,
        code: undefined,
      };
      sent.push(one);
      const query = queries[one.cost - 1];
      void handlers[one.instance]!({ query }, one).then(({ errors }) => (one.code = errors?.[0]?.extensions.code));
    }
    await world.run(setTime);
    world.restart();
  }
  // A free operation lets each instance log what it has not logged yet.
  setTime(world.now + 200_000);
  for (const handler of handlers) await handler({ query: '{ __typename }' }, {});
  return world;
}

const queries = ['{ a }', '{ a b: a }', '{ a b: a c: a }', '{ a b: a c: a d: a }'];

/** The store never grants more than the capacity and what has refilled, in any stretch of time. Clocks of instances add their difference. */
function assertNeverMore({ sent, capacity, refillPerSecond }: World, skew: number): void {
  for (const client of ['ada', 'bob']) {
    const granted = sent
      .filter((one) => one.client === client && one.takenAt !== undefined)
      .sort((one, other) => one.takenAt! - other.takenAt!);
    for (let first = 0; first < granted.length; first++) {
      let points = 0;
      for (const { cost, takenAt } of granted.slice(first)) {
        points += cost;
        const most = capacity + (refillPerSecond * (takenAt! - granted[first]!.takenAt! + skew)) / 1000;
        assert.ok(points <= most + 1e-6, `${points} points of ${most}`);
      }
    }
  }
}

describe('instances over one store', () => {
  const histories = cases({ short: 100, long: 1_000 });
  // The long form takes minutes with LONG_FORM_FACTOR.
  const timeout = 1_800_000;

  async function runHistories(
    t: TestContext,
    handlers: readonly Handler[],
    { faults, crashes, check }: Omit<History, 'random'> & { readonly check: (world: World) => void },
  ): Promise<Tally> {
    // Timeouts of the store never fire, because the world simulates its faults.
    t.mock.timers.enable({ apis: ['setTimeout', 'Date'] });
    const random = createRandom(46);
    const tally: Tally = { runs: 0, refused: 0, let: 0 };
    for (let history = 0; history < histories; history++) {
      const over = await runHistory({ random, faults, crashes }, handlers, (time) => t.mock.timers.setTime(time));
      check(over);
      for (const { hasRun, takenAt, code } of over.sent) {
        if (hasRun) tally.runs++;
        if (hasRun && takenAt === undefined) tally.let++;
        if (code === 'RATE_LIMITED') tally.refused++;
      }
    }
    assert.ok(tally.runs > histories && tally.refused > histories / 4, JSON.stringify(tally));
    return tally;
  }

  test(`without faults grant exactly what the model does, in ${histories} random orders`, { timeout }, async (t) => {
    const check = (over: World): void => {
      assert.deepEqual(over.mistakes, []);
      assertNeverMore(over, 0);
      for (const { hasRun, takenAt, code, cost } of over.sent) {
        const expected = cost > over.capacity ? 'COST_ABOVE_CAPACITY' : takenAt === undefined ? 'RATE_LIMITED' : undefined;
        assert.deepEqual([code, hasRun], [expected, takenAt !== undefined]);
      }
    };

    await runHistories(t, handlersFor('refuse', takeInMemory), { faults: 0, crashes: false, check });
  });

  test(
    `that crash, over a store that fails, run nothing without points with 'refuse', in ${histories} random orders`,
    { timeout },
    async (t) => {
      const check = (over: World): void => {
        assertNeverMore(over, 0);
        for (const { hasRun, takenAt } of over.sent) if (hasRun) assert.notEqual(takenAt, undefined);
      };

      await runHistories(t, handlersFor('refuse', takeInMemory), { faults: 3, crashes: true, check });
    },
  );

  test(`over a store that fails log what runs without points with 'allow', in ${histories} random orders`, { timeout }, async (t) => {
    for (const crashes of [false, true]) {
      t.mock.timers.reset();
      const check = (over: World): void => {
        assertNeverMore(over, 0);
        const free = over.sent.filter(({ hasRun, takenAt }) => hasRun && takenAt === undefined).reduce((sum, { cost }) => sum + cost, 0);
        // An operation whose points are in the log may crash before it runs.
        if (crashes) assert.ok(over.logged >= free, `${over.logged} points of ${free}`);
        else assert.equal(over.logged, free);
      };

      const tally = await runHistories(t, handlersFor('allow', takeInMemory), { faults: 3, crashes, check });
      assert.ok(tally.let > histories, JSON.stringify(tally));
    }
  });

  test(
    `with clocks that differ, over DynamoDB, exceed by what refills in the difference, in ${histories} random orders`,
    { timeout },
    async (t) => {
      const check = (over: World): void => {
        assertNeverMore(over, 2 * maxSkew);
        for (const { hasRun, takenAt } of over.sent) if (hasRun) assert.notEqual(takenAt, undefined);
      };

      await runHistories(t, handlersFor('refuse', takeInDynamoDB), { faults: 3, crashes: true, check });
    },
  );
});
