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
