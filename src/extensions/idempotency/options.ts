import type { GraphQLError } from 'graphql';

import { aFunction, assertEntries, boolean, isListOfText, text } from '../../shared/index.ts';
import type { Expectation, HTTPRequest, Milliseconds } from '../../shared/index.ts';
import type { Seconds } from '../../datasources/index.ts';
import { assertStore } from '../stores/index.ts';
import type { Identity, IdempotencyStore } from '../stores/index.ts';

/** Options of {@link idempotency}. */
export interface IdempotencyOptions<TContext = any> {
  /**
   * The store of the records: `redisStore`, `postgresStore`, `dynamoDBStore`, `d1Store`, `durableObjectStore`, `netlifyBlobsStore` or your
   * own.
   */
  readonly store: IdempotencyStore;
  /**
   * Returns the client that a key belongs to, for example the id of the user or the account, from what the server knows about it. Keys of
   * one client are never looked up for another. A number counts as its digits. Undefined, null and '' are refused with 401. If all callers
   * are one client, return a constant.
   */
  readonly identity: (contextValue: TContext, request: HTTPRequest | undefined) => Identity | Promise<Identity>;
  /** The mutations that are refused without a key: all, or these fields of `Mutation`. Default: false */
  readonly required?: boolean | readonly string[] | undefined;
  /** For how long records and answers are kept: at most a year, and longer than the longest run. Default: 86,400, a day. */
  readonly ttl?: Seconds | undefined;
  /**
   * The answer to a retry if the first attempt was interrupted, so that nobody knows whether it took effect. 'refuse': an error; a person can
   * look. 'run again': it runs, once the first attempt cannot be running any more; for mutations that are safe to repeat. Default: 'refuse'
   */
  readonly afterCrash?: 'refuse' | 'run again' | undefined;
  /** How long an attempt may take if the request has no deadline, at most a day. Default: 60; 'run again' then needs a number. */
  readonly lease?: Seconds | undefined;
  /**
   * The most milliseconds that each of two tries to reach the store may take, and that `identity` may take: at most a minute. Then the
   * request is refused with 503. Default: 500
   */
  readonly storeTimeout?: Milliseconds | undefined;
  /** Bytes of an answer. A larger one is not kept: a retry is refused, because the mutation has run. Default: 262,144 */
  readonly maxAnswerBytes?: number | undefined;
  /** Accept keys without quotation marks, as Stripe's clients send them. Default: false */
  readonly bareKeys?: boolean | undefined;
  /**
   * Returns true if these errors mean that nothing has happened, so that a retry may run. Called with errors as they were thrown, and only
   * if every root field of the operation has an error of its own resolver. Default: answers with errors are kept like all others.
   */
  readonly releaseIf?: ((errors: readonly GraphQLError[]) => boolean) | undefined;
  /** The beginning of the ids of records. Default: 'idempotency:' */
  readonly prefix?: string | undefined;
}

/** Seconds: a day. */
export const defaultTTL = 86_400;

const between = (unit: string, most: number): Expectation => ({
  words: `${unit} above 0 and at most ${most}`,
  holds: (value) => typeof value === 'number' && value > 0 && value <= most,
});

const expectations: Readonly<Record<keyof IdempotencyOptions, Expectation>> = {
  store: { words: 'one with claim, finish and release', holds: () => true },
  identity: { ...aFunction, words: "a function such as ({ user }) => user?.id, or () => 'everyone'", isRequired: true },
  required: {
    words: 'true, false or a list of mutations',
    holds: (value) => boolean.holds(value) || isListOfText(value),
  },
  // A year.
  ttl: between('seconds', 31_536_000),
  afterCrash: { words: "'refuse' or 'run again'", holds: (value) => value === 'refuse' || value === 'run again' },
  lease: between('seconds', 86_400),
  storeTimeout: between('milliseconds', 60_000),
  maxAnswerBytes: between('bytes', Number.MAX_SAFE_INTEGER),
  bareKeys: boolean,
  releaseIf: aFunction,
  prefix: text,
};

/** Throws a TypeError for wrong options, with a message that says what to write instead. */
export function assertIdempotencyOptions(options: IdempotencyOptions = {} as IdempotencyOptions): void {
  assertEntries('', options, expectations, 'idempotency');
  const { store, ttl = defaultTTL, lease } = options;
  assertStore('idempotency', store, ['claim', 'finish', 'release']);
  if (lease !== undefined && ttl <= lease)
    throw new TypeError(`Expected ttl of idempotency to be longer than lease, got ${ttl} and ${lease} seconds.`);
}
