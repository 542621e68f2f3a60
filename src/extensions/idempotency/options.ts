import type { GraphQLError } from 'graphql';

import { assertKnownOptions, describe } from '../../shared/index.ts';
import type { HTTPRequest, Milliseconds } from '../../shared/index.ts';
import type { Seconds } from '../../datasources/index.ts';
import type { IdempotencyStore } from '../stores/index.ts';

/** Options of {@link idempotency}. */
export interface IdempotencyOptions<TContext = any> {
  /** Where the records are: `redisStore`, `postgresStore`, `dynamoDBStore`, `d1Store`, `durableObjectStore`, `netlifyBlobsStore` or your own. */
  readonly store: IdempotencyStore;
  /**
   * Returns the client that a key belongs to, for example the id of the user or the account, from what the server knows about it. Keys of
   * one client are never looked up for another. Undefined, null and '' are refused with 401. If all callers are one client, return a
   * constant.
   */
  readonly identity: (
    contextValue: TContext,
    request: HTTPRequest | undefined,
  ) => string | null | undefined | Promise<string | null | undefined>;
  /** The mutations that are refused without a key: all, or these fields of `Mutation`. Default: false */
  readonly required?: boolean | readonly string[] | undefined;
  /** For how long records and answers are kept: at most a year, and longer than the longest run. Default: 86,400, a day. */
  readonly ttl?: Seconds | undefined;
  /**
   * What a retry gets if the first attempt was interrupted, so that it is unknown whether it took effect. 'refuse': an error; a person can
   * look. 'run again': it runs, once the first attempt cannot be running any more; for mutations that are safe to repeat. Default: 'refuse'
   */
  readonly afterCrash?: 'refuse' | 'run again' | undefined;
  /** How long an attempt may take if the request has no deadline, at most a day. Default: 60; 'run again' then needs a number. */
  readonly lease?: Seconds | undefined;
  /**
   * How long each of two tries to reach the store may take, at most a minute; then the request is refused with 503. Also for `identity`.
   * Default: 500
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

/** Throws for options that would not do what they say. */
export function assertIdempotencyOptions(given: IdempotencyOptions | undefined): void {
  const options = given ?? ({} as IdempotencyOptions);
  assertKnownOptions(options, known, { of: 'idempotency' });
  const { identity, afterCrash = 'refuse' } = options;
  assertStore(options.store as unknown as Methods);
  if (typeof identity !== 'function')
    throw new TypeError(
      `Expected identity of idempotency to be a function such as ({ user }) => user?.id, or () => 'everyone', got ${describe(identity)}.`,
    );
  if (afterCrash !== 'refuse' && afterCrash !== 'run again')
    throw new TypeError(`Expected afterCrash of idempotency to be 'refuse' or 'run again', got ${describe(afterCrash)}.`);
  for (const [name, highest] of Object.entries(highestValues)) {
    const value = options[name as keyof typeof highestValues];
    if (value !== undefined && !(value > 0 && value <= highest))
      throw new TypeError(`Expected ${name} of idempotency to be above 0 and at most ${highest}, got ${describe(value)}.`);
  }
  const { ttl = defaultTTL, lease, required } = options;
  if (lease !== undefined && ttl <= lease)
    throw new TypeError(`Expected ttl of idempotency to be longer than lease, got ${ttl} and ${lease} seconds.`);
  if (required !== undefined && typeof required !== 'boolean' && !isListOfNames(required))
    throw new TypeError(`Expected required of idempotency to be true, false or a list of mutations, got ${describe(required)}.`);
}

const known: Readonly<Record<keyof IdempotencyOptions, true>> = {
  store: true,
  identity: true,
  required: true,
  ttl: true,
  afterCrash: true,
  lease: true,
  storeTimeout: true,
  maxAnswerBytes: true,
  bareKeys: true,
  releaseIf: true,
  prefix: true,
};

/** Seconds: a day. */
export const defaultTTL = 86_400;

const highestValues = {
  /** Seconds: a year. */
  ttl: 31_536_000,
  /** Seconds: a day. */
  lease: 86_400,
  /** Milliseconds: a minute. */
  storeTimeout: 60_000,
  maxAnswerBytes: Number.MAX_SAFE_INTEGER,
} as const;

function isListOfNames(required: unknown): boolean {
  return Array.isArray(required) && required.every((name) => typeof name === 'string');
}

type Methods = Readonly<Record<string, unknown>> | null | undefined;

/** Refuses stores that can only read and then write: they would let two attempts run. */
function assertStore(store: Methods): void {
  if (store?.['claim'] !== undefined && store['finish'] !== undefined && store['release'] !== undefined) return;
  const got =
    store?.['get'] === undefined
      ? describe(store)
      : store['getWithMetadata'] !== undefined && store['setJSON'] === undefined
        ? 'Workers KV, which has no conditional writes'
        : store['replace'] === undefined
          ? 'a client, or a KeyValueCache, which is not atomic'
          : 'memcached, which evicts records';
  throw new TypeError(`Expected store of idempotency to have claim, finish and release, such as redisStore(…), got ${got}.`);
}
