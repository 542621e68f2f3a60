import { median, rounded } from './statistics.ts';

/**
 * Combines several runs of a measurement: each figure is the median of the runs. `ratios` has the lowest and the highest `ratio` of the
 * runs, `ratio16s` those of `ratio16`, and `medians` those of `median`. Other values are those of the first run.
 */
export function medianOfRuns<T>(runs: readonly [T, ...T[]]): T {
  return merge(runs) as T;
}

function merge(values: readonly unknown[]): unknown {
  const [first] = values;
  if (typeof first === 'number') return rounded(median(values as number[]));
  if (Array.isArray(first)) return first.map((_, at) => merge(values.map((one) => (one as unknown[])[at])));
  if (typeof first !== 'object' || first === null) return first;
  return Object.fromEntries(
    Object.keys(first).flatMap((key): [string, unknown][] => {
      const all = values.map((one) => (one as Record<string, unknown>)[key]);
      const merged: [string, unknown] = [key, merge(all)];
      return key === 'ratio' || key === 'ratio16' || key === 'median' ? [merged, [`${key}s`, rangeOf(all as number[])]] : [merged];
    }),
  );
}

function rangeOf(values: readonly number[]): [lowest: number, highest: number] {
  return [Math.min(...values), Math.max(...values)];
}
