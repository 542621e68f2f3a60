import type { OperationLife } from './context.ts';

/** What stands in for work that takes too long. A value is taken instead of the work's, undefined waits on; a throw is a rejection. */
export interface StandIns<T> {
  /** Asked at the deadline, and when the client has left. */
  readonly atTimeUp?: (reason: Error) => T | undefined;
  /** Asked at the last moment at which there can be an answer. */
  readonly atLastMoment: () => T;
}

/** Waits for work for as long as the operation may wait. What the work comes to after that is nobody's business. */
export function inTime<T>(work: Promise<T>, life: OperationLife, { atTimeUp, atLastMoment }: StandIns<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const settle = (standIn: () => T | undefined): void => {
      try {
        const value = standIn();
        if (value !== undefined) resolve(value);
      } catch (error) {
        reject(error);
      }
    };
    const stops = [
      ...(atTimeUp === undefined ? [] : [life.onTimeUp((reason) => settle(() => atTimeUp(reason)))]),
      life.onLastMoment(() => settle(atLastMoment)),
    ];
    const stop = (): void => stops.forEach((one) => one());
    work.then(resolve, reject).then(stop, stop);
  });
}
