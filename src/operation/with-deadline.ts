import type { OperationInvocation } from '../message/invocation.ts';

/** Stands in for work that takes too long. A value is taken instead of the work's, undefined waits on; a throw is a rejection. */
export interface DeadlineFallbacks<T> {
  /** Asked at the deadline, and when the client has left. */
  readonly onCancel?: (reason: Error) => T | undefined;
  /** Asked at the last moment at which there can be an answer. */
  readonly onLastMoment: () => T;
}

/** Waits for work for as long as the operation may wait. The outcome of work that comes later is dropped. */
export function withDeadline<T>(
  work: Promise<T>,
  invocation: OperationInvocation,
  { onCancel, onLastMoment }: DeadlineFallbacks<T>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const settle = (fallback: () => T | undefined): void => {
      try {
        const value = fallback();
        if (value !== undefined) resolve(value);
      } catch (error) {
        reject(error);
      }
    };
    const stops = [
      ...(onCancel === undefined ? [] : [invocation.onCancel((reason) => settle(() => onCancel(reason)))]),
      invocation.onLastMoment(() => settle(onLastMoment)),
    ];
    const stop = (): void => stops.forEach((one) => one());
    work.then(resolve, reject).then(stop, stop);
  });
}
