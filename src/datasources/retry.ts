import type { Milliseconds, Seconds } from './cache/key-value-cache.ts';
import { waitAtMost } from '../shared/index.ts';

/** Retries of failed GETs. A number means `{ limit }`. */
export interface RetryOptions {
  /** The number of retries. Default: 2 */
  readonly limit?: number | undefined;
  /** The wait before the first retry, doubled for each further one, less a random part. Default: 100 */
  readonly delay?: Milliseconds | undefined;
  /** The longest wait. With a longer Retry-After there is no retry. Default: 5000 */
  readonly maxDelay?: Milliseconds | undefined;
  /** The most milliseconds until the header fields of one attempt have arrived. Default: none */
  readonly attemptTimeout?: Milliseconds | undefined;
  /** Statuses that are retried. Default: 408, 429, 500, 502, 503, 504 */
  readonly statuses?: readonly number[] | undefined;
}

/** The attempts of a call. */
export interface Attempts {
  readonly send: (signal: AbortSignal) => Promise<Response>;
  /** Aborts when the last caller has given up. */
  readonly signal: AbortSignal;
  /** True if the request may be sent twice. */
  readonly isRepeatable: boolean;
  /** Creates the error of an `attemptTimeout`. */
  readonly onTimeout: (timeout: Milliseconds) => Error;
}

const retryable = [408, 429, 500, 502, 503, 504];

/**
 * Sends until a response needs no retry, a limit is reached or the last caller has given up. Only GETs are retried: a write without a
 * response may have had its effect.
 */
export async function sendWithRetry(
  { send: sendNow, signal, isRepeatable, onTimeout }: Attempts,
  options: RetryOptions | number,
): Promise<Response> {
  const settings: RetryOptions = typeof options === 'number' ? { limit: options } : options;
  const { limit = 2, delay = 100, maxDelay = 5000, attemptTimeout, statuses = retryable } = settings;
  const send =
    attemptTimeout === undefined ? () => sendNow(signal) : () => sendInTime({ send: sendNow, signal, onTimeout }, attemptTimeout);
  for (let attempt = 0; ; attempt++) {
    const last = !isRepeatable || attempt >= limit;
    const response = await (last ? send() : send().catch((error: unknown) => keepUnlessAborted(error, signal)));
    if (last || (response !== undefined && !statuses.includes(response.status))) return response as Response;

    const wait = waitBefore(attempt, delay, response);
    if (wait > maxDelay && response !== undefined) return response;
    // An unread body would keep its connection.
    await response?.body?.cancel();
    await sleep(Math.min(wait, maxDelay), signal);
  }
}

/** One attempt. The timeout ends with the header fields; `signal` aborts the body, too. */
async function sendInTime({ send, signal, onTimeout }: Omit<Attempts, 'isRepeatable'>, timeout: Milliseconds): Promise<Response> {
  const attempt = new AbortController();
  const sent = send(AbortSignal.any([signal, attempt.signal]));
  const response = await waitAtMost(timeout, sent);
  if (response !== 'late') return response;
  attempt.abort(onTimeout(timeout));
  // `httpFetch` may ignore the signal.
  sent.then((late) => late.body?.cancel()).catch(() => {});
  throw attempt.signal.reason;
}

/** Network failures are retried, aborts are not. */
function keepUnlessAborted(error: unknown, signal: AbortSignal): undefined {
  if (signal.aborted) throw error;
}

/** Retry-After, or twice the wait before, with a random part so that callers do not retry at the same time. */
function waitBefore(attempt: number, delay: Milliseconds, response: Response | undefined): Milliseconds {
  const seconds = response && secondsToRetry(response);
  return seconds === undefined ? delay * 2 ** attempt * (0.5 + Math.random() / 2) : seconds * 1000;
}

/** Retry-After (RFC 9110 section 10.2.3): seconds, or a date. Undefined if the response has none. */
export function secondsToRetry({ headers }: Response): Seconds | undefined {
  const value = headers.get('retry-after') ?? '';
  const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
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
