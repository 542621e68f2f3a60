import { aFunction, assertEntries, boolean, describe, isRecord, text } from '../../shared/index.ts';
import type { Expectation, Milliseconds } from '../../shared/index.ts';
import type { RequestCall } from '../../server/index.ts';
import { assertStore } from '../stores/index.ts';
import type { BudgetStore, Identity } from '../stores/index.ts';

/** Options of {@link budget}. */
export interface BudgetOptions<TContext = any> {
  /** The store of the points: `redisStore`, `postgresStore`, `dynamoDBStore`, `d1Store`, `durableObjectStore` or your own. */
  readonly store: BudgetStore;
  /**
   * Returns the client whose points an operation takes, for example the id of the user or the account, from what the server knows about it.
   * A number counts as its digits. Undefined and null: the client is anonymous. An empty string is an error.
   */
  readonly identity: (contextValue: TContext, call: RequestCall) => Identity | Promise<Identity>;
  /** The points that a client has at most. A function gets the context, and may be asynchronous. */
  readonly capacity: number | ((contextValue: TContext) => number | Promise<number>);
  /** The points that a client gets back in a second, until it has `capacity`. A function gets the context, and may be asynchronous. */
  readonly refillPerSecond: number | ((contextValue: TContext) => number | Promise<number>);
  /**
   * The fate of operations while the store is down or slow. 'allow': they run without taking points. 'refuse': they get 503. Required, but
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
  /**
   * Each event of a subscription takes the cost of the operation, too. An event that the client cannot pay is not sent: the stream ends
   * with an error. Default: a subscription takes its cost when it starts.
   */
  readonly perEvent?: boolean | undefined;
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

const isAmount = (value: unknown): boolean => typeof value === 'number' && value > 0 && value < Infinity;

const amount: Expectation = { words: 'a finite number above 0', holds: isAmount };
const amountOfClient: Expectation = {
  words: `${amount.words}, or a function of the context`,
  holds: (value) => isAmount(value) || aFunction.holds(value),
};

const expectations: Readonly<Record<keyof BudgetOptions, Expectation>> = {
  store: { words: 'one with take', holds: () => true },
  identity: { ...aFunction, words: 'a function such as ({ user }) => user?.id', isRequired: true },
  capacity: { ...amountOfClient, isRequired: true },
  refillPerSecond: { ...amountOfClient, isRequired: true },
  whenStoreFails: { words: "'allow' or 'refuse'", holds: (value) => value === 'allow' || value === 'refuse' },
  anonymous: {
    words: '{ capacity, refillPerSecond }',
    holds: (value) => isRecord(value) && isAmount(value['capacity']) && isAmount(value['refillPerSecond']),
    entries: { capacity: amount, refillPerSecond: amount },
  },
  clientAddress: aFunction,
  perEvent: boolean,
  storeTimeout: { words: 'milliseconds, at most 60000', holds: (value) => isAmount(value) && (value as number) <= 60_000 },
  prefix: text,
};

/** Throws a TypeError for wrong options, with a message that says what to write instead. */
export function assertBudgetOptions(options: BudgetOptions = {} as BudgetOptions): void {
  assertEntries('', options, expectations, 'budget');
  const { store, capacity, refillPerSecond, whenStoreFails, anonymous, clientAddress } = options;
  assertStore('budget', store, ['take']);
  if (whenStoreFails === undefined && store.isInMemory !== true)
    throw new TypeError(
      "Expected the option whenStoreFails of budget to be 'allow' (operations run without taking points) or 'refuse' (they get 503), got undefined.",
    );
  for (const plan of [{ capacity, refillPerSecond }, anonymous]) if (plan !== undefined) assertPlan(plan);
  if (clientAddress !== undefined && anonymous === undefined)
    throw new TypeError('Expected anonymous of budget with clientAddress, which is only for anonymous clients.');
}

/** Throws for amounts that are not finite and above 0, and for a bucket that takes more than a year to fill. Functions are called later. */
export function assertPlan(plan: { readonly [TName in keyof Plan]: unknown }): void {
  const { capacity, refillPerSecond } = plan as Plan;
  for (const [name, value] of Object.entries({ capacity, refillPerSecond }))
    if (!amountOfClient.holds(value))
      throw new TypeError(`Expected the option ${name} of budget to be ${amount.words}, got ${describe(value)}.`);
  if (capacity / refillPerSecond > 31_536_000)
    throw new TypeError(`Expected capacity of budget to refill within a year, got ${capacity} points at ${refillPerSecond} per second.`);
}
