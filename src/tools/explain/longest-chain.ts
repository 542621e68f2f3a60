import type { Milliseconds } from '../../datasources/index.ts';
import type { LongestChain } from './report.ts';
import type { WatchedCall } from './watched-call.ts';

/** A call that took time, and its index. */
interface TimedCall {
  readonly number: number;
  readonly call: WatchedCall;
  readonly start: Milliseconds;
  readonly end: Milliseconds;
}

/**
 * The calls that the response waited for: the one that ended last, before it the one that had ended last when it began,
 * and so on.
 */
export function findLongestChain(calls: readonly WatchedCall[]): LongestChain | undefined {
  const byEnd = timedCalls(calls).toSorted((a, b) => a.end - b.end);
  const chain: TimedCall[] = [];
  for (let last = byEnd.pop(); last !== undefined;) {
    chain.unshift(last);
    const { start } = last;
    last = byEnd.findLast(({ end }) => end <= start);
  }
  if (chain.length < 2) return undefined;
  return {
    calls: chain.map(({ number }) => number),
    fields: chain.map(({ call }) => call.field?.join('.') ?? ''),
    milliseconds: chain.at(-1)!.end - chain[0]!.start,
  };
}

/** Excludes memo hits and calls that failed before sending, which take no time, and calls that have not ended. */
function timedCalls(calls: readonly WatchedCall[]): TimedCall[] {
  return calls.flatMap((call, number) =>
    call.end === undefined || call.layer === 'memo' || call.layer === 'none' ? [] : [{ number, call, start: call.start, end: call.end }],
  );
}
