import type { Eventual, OperationInvocation } from '../../shared/index.ts';

/** Replaces the outcome of work that takes too long: by a value or an error. Undefined: the work is waited for still. */
export interface DeadlineFallbacks<T> {
  /** Called at the deadline, and when the client has left. */
  readonly onCancel?: (reason: Error) => T | undefined;
  /** Called at the last moment at which there can be an answer. */
  readonly onLastMoment: () => Eventual<T> | undefined;
}

/** Waits for work until the deadline. Ignores its later result. */
export function withDeadline<T>(
  work: Promise<T>,
  invocation: OperationInvocation,
  { onCancel, onLastMoment }: DeadlineFallbacks<T>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const settle = (fallback: () => Eventual<T> | undefined): void => {
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
