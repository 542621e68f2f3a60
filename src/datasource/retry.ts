import type { OriginResponse } from './origin/origin-response.ts';
import type { Milliseconds } from '../cache/key-value-cache.ts';

/** When a failed GET is sent again. A number stands for `{ limit }`. */
export interface RetryOptions {
  /** How many times more. Default: 2 */
  readonly limit?: number | undefined;
  /** Before the first retry, doubled for each one after; a random part of it is left out. Default: 100 */
  readonly delay?: Milliseconds | undefined;
  /** The longest wait; a Retry-After beyond it means that the answer stands. Default: 5000 */
  readonly maxDelay?: Milliseconds | undefined;
  /** How long one attempt may take until its header fields are there; then the next one begins. Default: no limit */
  readonly attemptTimeout?: Milliseconds | undefined;
  /** Statuses worth another attempt. Default: 408, 429, 500, 502, 503, 504 */
  readonly statuses?: readonly number[] | undefined;
}

/** The settings of a call's attempts, and their end. */
export interface Attempts {
  readonly send: (signal: AbortSignal) => Promise<OriginResponse>;
  /** Aborts when the last taker has left. */
  readonly signal: AbortSignal;
  /** True when it may be done twice. */
  readonly isRepeatable: boolean;
  /** Makes the error of an attempt that took longer than its `attemptTimeout`. */
  readonly onTimeout: (timeout: Milliseconds) => Error;
}

const retryable = [408, 429, 500, 502, 503, 504];

/**
 * Sends until there is an answer worth keeping, a limit is reached or the last taker has left.
 * Only a GET is sent again: a write that got no answer may have been done.
 */
export async function sendWithRetry(
  { send: sendNow, signal, isRepeatable, onTimeout }: Attempts,
  options: RetryOptions | number,
): Promise<OriginResponse> {
  const { limit = 2, delay = 100, maxDelay = 5000, attemptTimeout, statuses = retryable } = toRetryOptions(options);
  const send =
    attemptTimeout === undefined ? () => sendNow(signal) : () => sendInTime({ send: sendNow, signal, onTimeout }, attemptTimeout);
  for (let attempt = 0; ; attempt++) {
    const last = !isRepeatable || attempt >= limit;
    const response = await (last ? send() : send().catch((error: unknown) => keepUnlessAborted(error, signal)));
    if (last || (response !== undefined && !statuses.includes(response.status))) return response as OriginResponse;

    const wait = waitBefore(attempt, delay, response);
    if (wait > maxDelay && response !== undefined) return response;
    // The connection is free again only when the body has been read or dropped.
    await response?.body?.cancel();
    await sleep(Math.min(wait, maxDelay), signal);
  }
}

function toRetryOptions(options: RetryOptions | number): RetryOptions {
  return typeof options === 'number' ? { limit: options } : options;
}

/** One attempt. Only its header fields are waited for by the clock: the body that follows still ends with `signal`. */
async function sendInTime({ send, signal, onTimeout }: Omit<Attempts, 'isRepeatable'>, timeout: Milliseconds): Promise<OriginResponse> {
  const attempt = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      attempt.abort(onTimeout(timeout));
      reject(attempt.signal.reason as Error);
    }, timeout);
  });
  const sent = send(AbortSignal.any([signal, attempt.signal]));
  // The user's function may ignore the signal and answer after all. That response is dropped, so its body is cancelled.
  sent.then((response) => (attempt.signal.aborted ? response.body?.cancel() : undefined)).catch(() => {});
  try {
    return await Promise.race([sent, late]);
  } catch (error) {
    // However the platform words an abort, the reason for it is the error.
    throw attempt.signal.aborted ? attempt.signal.reason : error;
  } finally {
    clearTimeout(timer);
  }
}

/** A network failure is worth another attempt, an abort is meant. */
function keepUnlessAborted(error: unknown, signal: AbortSignal): undefined {
  if (signal.aborted) throw error;
}

/** The wait that the server asks for, else twice as long as before, spread so that callers do not come back in step. */
function waitBefore(attempt: number, delay: Milliseconds, response: OriginResponse | undefined): Milliseconds {
  const retryAfter = response?.headers.get('retry-after');
  if (retryAfter) {
    const seconds = /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1000 : Date.parse(retryAfter) - Date.now();
    if (!Number.isNaN(seconds)) return Math.max(0, seconds);
  }
  return delay * 2 ** attempt * (0.5 + Math.random() / 2);
}

function sleep(duration: Milliseconds, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    }, duration);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
}
