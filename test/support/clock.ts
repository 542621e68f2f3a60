import type { TestContext } from 'node:test';

/** A clock that tests advance manually. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  turn(milliseconds: number): void;
}

export function createClock(start: number = Date.UTC(2026, 0, 1)): Clock {
  let time = start;
  return {
    now: () => time,
    turn: (milliseconds) => {
      time += milliseconds;
    },
  };
}

/** Runs everything that is ready. */
export async function quiet(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** Mocks timers and Date. The returned function advances them, and runs everything that is ready before and after. */
export function stopTheClock(t: TestContext): (milliseconds: number) => Promise<void> {
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: Date.UTC(2026, 10, 20) });
  return async (milliseconds) => {
    await quiet();
    t.mock.timers.tick(milliseconds);
    await quiet();
  };
}
