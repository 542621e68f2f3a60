import { GraphQLError } from 'graphql';

import { describe, toPromise, waitAtMost } from '../../shared/index.ts';
import type { Milliseconds } from '../../shared/index.ts';
import type { ServerStartContext } from '../../server/index.ts';
import type { BudgetStore } from './budget-store.ts';

// Shared by the extensions that use a store.

const onCloudflare = 'Use durableObjectStore or d1Store';

/** Objects that users pass by mistake in place of a store, by a method of each. */
const lookalikes: Readonly<Record<string, string>> = {
  limit: `Cloudflare's binding ratelimit, which counts calls, not points. ${onCloudflare}`,
  setJSON: 'Netlify Blobs. Use netlifyBlobsStore for idempotency keys, and redisStore or postgresStore for points',
  getWithMetadata: `Workers KV, which has no conditional writes. ${onCloudflare}`,
  replace: 'memcached, which evicts records',
  claim: 'one that cannot take points, such as netlifyBlobsStore(…). Use redisStore or postgresStore',
  get: 'a client, or a KeyValueCache, which is not atomic',
};

/** Refuses stores that can only read and then write. */
export function assertStore(owner: string, store: unknown, methods: readonly string[]): void {
  const has = (method: string): boolean => typeof (store as Readonly<Record<string, unknown>> | null | undefined)?.[method] === 'function';
  if (methods.every(has)) return;
  const known = Object.keys(lookalikes).find(has);
  const got = known === undefined ? describe(store) : lookalikes[known];
  throw new TypeError(`Expected the option store of ${owner} to have ${methods.join(', ')}, such as redisStore(…), got ${got}.`);
}

/** Throws for a store in the memory of one of several processes. */
export function assertShared({ isLocal }: Pick<BudgetStore, 'isLocal'>, { nodeEnv }: Pick<ServerStartContext, 'nodeEnv'>): void {
  if (isLocal === true && nodeEnv !== 'development' && nodeEnv !== 'test')
    throw new Error(
      'Expected a shared store in production, got memoryStore(). If one process serves all requests, set isOnlyProcess: true.',
    );
}

/** The result of a function of the user, which may be asynchronous. Throws if it takes too long. */
export async function inTime<T>(limit: Milliseconds, name: string, call: () => T | Promise<T>): Promise<T> {
  const value = toPromise(call());
  if (!(value instanceof Promise)) return value;
  const result = await waitAtMost(limit, value);
  if (result === 'late') throw new Error(`${name} gave no answer within ${limit} ms.`);
  return result;
}

interface Refusal {
  readonly status: number;
  /** Seconds after which a retry can succeed. Without it, clients and proxies do not try again. */
  readonly retryAfter?: number | undefined;
  /** In a batch, a header field would apply to all elements. */
  readonly batchIndex?: number | undefined;
  /** More entries for the `extensions` of the error. */
  readonly details?: Readonly<Record<string, number>>;
}

/** The error for an operation that is not run. */
export function refusal(code: string, message: string, { status, retryAfter, batchIndex, details }: Refusal): GraphQLError {
  const headers = retryAfter !== undefined && batchIndex === undefined && { headers: { 'retry-after': String(retryAfter) } };
  const retry = retryAfter !== undefined && { retryAfter };
  return new GraphQLError(message, { extensions: { code, ...details, ...retry, http: { status, ...headers } } });
}

/** The client that `identity` of an extension returns. Undefined and null: it is unknown. */
export type Identity = string | number | bigint | null | undefined;

/** The digits of a number, such as the id of a row, for a client's identity. Anything else as it is. */
export function identityText(identity: unknown): unknown {
  return typeof identity === 'bigint' || Number.isFinite(identity) ? String(identity) : identity;
}
