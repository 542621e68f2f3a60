import { deferred } from './deferred.ts';

/** A source of events, as returned by a subscription's `subscribe`, to which a test pushes events. */
export interface EventSource<T> extends AsyncIterable<T> {
  push(...events: readonly T[]): void;
  /** Ends the source: there are no more events. */
  complete(): void;
  fail(error: unknown): void;
  /** How often an event was requested. */
  pulls(): number;
  /** Resolves when it has been closed. */
  readonly closed: Promise<void>;
  isClosed(): boolean;
}

export function createEventSource<T>(): EventSource<T> {
  const settled: (() => Promise<IteratorResult<T>>)[] = [];
  const waiting: ((result: Promise<IteratorResult<T>>) => void)[] = [];
  const closed = deferred();
  let isClosed = false;
  let pulls = 0;
  const settle = (result: () => Promise<IteratorResult<T>>): void => {
    const next = waiting.shift();
    if (next === undefined) settled.push(result);
    else next(result());
  };
  const iterator: AsyncIterator<T> = {
    next() {
      pulls += 1;
      const result = settled.shift();
      return result === undefined ? new Promise((resolve) => waiting.push(resolve)) : result();
    },
    async return() {
      isClosed = true;
      closed.resolve();
      return { done: true, value: undefined };
    },
  };
  return {
    [Symbol.asyncIterator]: () => iterator,
    push: (...values) => {
      for (const value of values) settle(async () => ({ done: false, value }));
    },
    complete: () => settle(async () => ({ done: true, value: undefined })),
    fail: (error) =>
      settle(async () => {
        throw error;
      }),
    pulls: () => pulls,
    closed: closed.promise,
    isClosed: () => isClosed,
  };
}
