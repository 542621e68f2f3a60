import type { NotStored, StorageCase, StorageTerms } from './http-cache/freshness.ts';
import type { Milliseconds } from './cache/key-value-cache.ts';
import { isPromiseLike } from '../shared/index.ts';

/**
 * The layer that answered a call:
 * - `memo`: an earlier call of the same instance
 * - `fresh`: the response cache, without a request
 * - `revalidated`: the response cache, after a 304 of the origin
 * - `stale`: the response cache, with a stale response (stale-while-revalidate, stale-if-error, a cache mode)
 * - `miss`: the origin; the response cache had no usable response
 * - `bypass`: the origin; the response cache was not used
 */
export type CacheOutcome = 'memo' | 'fresh' | 'revalidated' | 'stale' | 'miss' | 'bypass';

/** How a stored response is used. */
export type EntryUse = 'fresh' | 'stale' | 'stale-while-revalidate' | 'revalidate';

/** The parts of a stored response that decide its use. */
export interface StoredResponse {
  readonly head: Pick<StorageTerms, 'audience' | 'byTTL' | 'freshUntil'> & { readonly status: number; readonly storedAt: Milliseconds };
  readonly headers: Readonly<Record<string, string>>;
}

/** Follows the decisions about one call, for plugins and for `explain`. */
export interface CallWatch {
  /** A stored response was found. */
  found(entry: StoredResponse, use: EntryUse, now: Milliseconds): void;
  /** The stored response is for requests with other header fields. */
  passedOver(entry: StoredResponse): void;
  /** The result of the call is a stored response, or one that is stored now. */
  used?(entry: StoredResponse): void;
  /** The request is sent, once for each attempt. */
  sent(): void;
  /** Calls `send` and returns its result, for example in an asynchronous context. */
  aroundSend<T>(send: () => T): T;
  /** The origin has responded to an attempt. */
  answered(status: number): void;
  /** How long the response is stored, or why it is not. */
  judged(storage: StorageCase, terms: StorageTerms | NotStored): void;
  /** The call has a result or an error. */
  ended(error?: unknown): void;
}

/** Who follows one call. */
export interface CallListeners {
  readonly listeners: readonly (Partial<CallWatch> | void)[];
  readonly logger: { error(message: string, ...details: unknown[]): void };
}

type Step = Exclude<keyof CallWatch, 'aroundSend'>;
const steps: readonly Step[] = ['found', 'used', 'passedOver', 'sent', 'answered', 'judged', 'ended'];

/** Several listeners as one that has every step. Nothing waits for a step: if it is asynchronous and fails, that is logged. */
export function joinListeners({ listeners, logger }: CallListeners): CallWatch {
  const notify = (step: Step) => [
    step,
    (...given: unknown[]) => {
      for (const listener of listeners) {
        const work = (listener?.[step] as ((...given: unknown[]) => unknown) | undefined)?.(...given);
        // Some loggers print `undefined`.
        const fail = (error: unknown): void => logger.error(`${step} of a plugin failed.`, ...(error === undefined ? [] : [error]));
        if (isPromiseLike(work)) Promise.resolve(work).catch(fail);
      }
    },
  ];
  const aroundSend: CallWatch['aroundSend'] = (send) =>
    listeners.reduceRight((next, listener) => (listener?.aroundSend ? () => listener.aroundSend!(next) : next), send)();
  return { ...Object.fromEntries(steps.map(notify)), aroundSend } as CallWatch;
}
