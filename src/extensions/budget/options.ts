import { assertKnownOptions, describe, isRecord } from '../../shared/index.ts';
import type { Milliseconds } from '../../shared/index.ts';
import type { CostRules, RequestCall } from '../../server/index.ts';
import type { BudgetStore } from '../stores/index.ts';

/** Options of {@link budget}. */
export interface BudgetOptions<TContext = any> {
  /** Where the points are: `redisStore`, `postgresStore`, `dynamoDBStore`, `d1Store`, `durableObjectStore` or your own. */
  readonly store: BudgetStore;
  /**
   * Returns the client whose points an operation takes, for example the id of the user or the account, from what the server knows about it.
   * Undefined and null: the client is anonymous. An empty string is an error.
   */
  readonly identity: (contextValue: TContext, call: RequestCall) => string | null | undefined | Promise<string | null | undefined>;
  /** The points that a client has at most. A function gets the context, and may be asynchronous. */
  readonly capacity: number | ((contextValue: TContext) => number | Promise<number>);
  /** The points that a client gets back in a second, until it has `capacity`. A function gets the context, and may be asynchronous. */
  readonly refillPerSecond: number | ((contextValue: TContext) => number | Promise<number>);
  /**
   * What happens to operations if the store is down or slow. 'allow': they run without taking points. 'refuse': they get 503. Required, but
   * for `memoryStore`, where the default is 'refuse'.
   */
  readonly whenStoreFails?: 'allow' | 'refuse' | undefined;
  /** The points of anonymous clients, by their address. Default: anonymous clients are refused with 401. */
  readonly anonymous?: Plan | undefined;
  /**
   * Returns the address of an anonymous client, for servers behind a proxy or CDN. Undefined, null and '': the operation is refused.
   * Default: the address that the platform reports.
   */
  readonly clientAddress?: ((call: RequestCall) => string | null | undefined) | undefined;
  /** How costs are computed, as in `maxCost`. Only without `maxCost`, whose rules apply otherwise. Default: those of `maxCost` */
  readonly cost?: CostRules | undefined;
  /** How long an operation waits for the store, at most a minute. Default: 250 */
  readonly storeTimeout?: Milliseconds | undefined;
  /** The beginning of the ids of buckets. Default: 'budget:' */
  readonly prefix?: string | undefined;
}

/** The points of a client. */
export interface Plan {
  /** The points that a client has at most. */
  readonly capacity: number;
  /** The points that a client gets back in a second. */
  readonly refillPerSecond: number;
}

/** Throws for options that would not do what they say. */
export function assertBudgetOptions(options: BudgetOptions): void {
  assertKnownOptions(options, known, { of: 'budget' });
  const { store, identity, capacity, refillPerSecond, whenStoreFails, anonymous, clientAddress, cost, storeTimeout = 1 } = options;
  assertStore(store as unknown as Methods);
  if (typeof identity !== 'function')
    throw new TypeError(`Expected identity of budget to be a function such as ({ user }) => user?.id, got ${describe(identity)}.`);
  if (typeof capacity !== 'function') assertPositive('capacity', capacity);
  if (typeof refillPerSecond !== 'function') assertPositive('refillPerSecond', refillPerSecond);
  if (typeof capacity === 'number' && typeof refillPerSecond === 'number') assertPlan({ capacity, refillPerSecond });
  if (whenStoreFails !== 'allow' && whenStoreFails !== 'refuse' && (whenStoreFails !== undefined || store.isInMemory !== true))
    throw new TypeError(
      `Expected whenStoreFails of budget to be 'allow' (operations run without taking points) or 'refuse' (they get 503), got ${describe(whenStoreFails)}.`,
    );
  if (anonymous !== undefined) {
    assertPositive('anonymous.capacity', anonymous?.capacity);
    assertPositive('anonymous.refillPerSecond', anonymous.refillPerSecond);
    assertPlan(anonymous);
  }
  if (clientAddress !== undefined && typeof clientAddress !== 'function')
    throw new TypeError(`Expected clientAddress of budget to be a function, got ${describe(clientAddress)}.`);
  if (clientAddress !== undefined && anonymous === undefined)
    throw new TypeError('Expected anonymous of budget with clientAddress, which is only for anonymous clients.');
  if (cost !== undefined) assertRules(cost);
  if (!(storeTimeout > 0 && storeTimeout <= 60_000))
    throw new TypeError(`Expected storeTimeout of budget to be above 0 and at most 60000, got ${describe(storeTimeout)}.`);
}

const known: Readonly<Record<keyof BudgetOptions, true>> = {
  store: true,
  identity: true,
  capacity: true,
  refillPerSecond: true,
  whenStoreFails: true,
  anonymous: true,
  clientAddress: true,
  cost: true,
  storeTimeout: true,
  prefix: true,
};

/** Throws for a number that is not finite and above 0. */
export function assertPositive(name: string, value: unknown): void {
  if (typeof value !== 'number' || !(value > 0 && value < Infinity))
    throw new TypeError(`Expected ${name} of budget to be a finite number above 0, got ${describe(value)}.`);
}

/** Throws for a bucket that takes more than a year to fill. */
export function assertPlan({ capacity, refillPerSecond }: Plan): void {
  if (capacity / refillPerSecond > 31_536_000)
    throw new TypeError(
      `Expected capacity of budget to refill within a year, got ${capacity} points at ${refillPerSecond} points per second.`,
    );
}

const rules = ['listSize', 'sizeArguments', 'fields'];

function assertRules(cost: CostRules): void {
  if (!isRecord(cost)) throw new TypeError(`Expected cost of budget to be an object such as { listSize: 20 }, got ${describe(cost)}.`);
  const unknown = Object.keys(cost).find((name) => !rules.includes(name));
  if (unknown !== undefined) throw new TypeError(`Expected cost of budget to have listSize, sizeArguments and fields, got "${unknown}".`);
  const { listSize = 10, sizeArguments = [], fields = {} } = cost as CostRules;
  assertPositive('cost.listSize', listSize);
  if (!Array.isArray(sizeArguments) || sizeArguments.some((name) => typeof name !== 'string'))
    throw new TypeError(`Expected cost.sizeArguments of budget to be a list of names, got ${describe(sizeArguments)}.`);
  const wrong = Object.entries(fields).find(([, points]) => typeof points !== 'number' || !(points >= 0 && points < Infinity));
  if (wrong !== undefined)
    throw new TypeError(`Expected cost.fields of budget to have costs that are not negative, got ${describe(wrong[1])} for "${wrong[0]}".`);
}

type Methods = Readonly<Record<string, unknown>> | null | undefined;

/** Refuses stores that can only read and then write, or that do not count points. */
function assertStore(store: Methods): void {
  if (typeof store?.['take'] === 'function') return;
  throw new TypeError(`Expected store of budget to have take, such as redisStore(…), got ${nameOf(store)}.`);
}

function nameOf(store: Methods): string {
  const has = (name: string): boolean => store?.[name] !== undefined;
  if (has('limit'))
    return "Cloudflare's binding ratelimit, which counts calls, not points, in each location. Use durableObjectStore or d1Store";
  if (has('claim') || (has('getWithMetadata') && has('setJSON')))
    return 'a store without take, such as Netlify Blobs, which cannot take points in one atomic operation. Use redisStore or postgresStore';
  if (has('getWithMetadata')) return 'Workers KV, which has no conditional writes. Use durableObjectStore or d1Store';
  return has('get') ? 'a client, or a KeyValueCache, which is not atomic' : describe(store);
}
