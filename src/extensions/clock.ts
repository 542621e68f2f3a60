/** Milliseconds on a clock that is not set back. Where there is Node its own: the first touch of `performance` takes 1.3 ms of a cold start. */
export function now(): number {
  const time = globalThis.process?.hrtime?.();
  return time === undefined ? performance.now() : time[0] * 1000 + time[1] / 1e6;
}
