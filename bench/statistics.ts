/** The median: the middle value, or the mean of the two middle ones. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** Three significant figures: more would be noise. */
export function rounded(value: number): number {
  return Number(value.toPrecision(3));
}

/** Combines several runs of a measurement: each figure is the median of the runs, and other values are those of the first run. */
export function medianOfRuns<T>(runs: readonly [T, ...T[]]): T {
  return merge(runs) as T;
}

function merge(values: readonly unknown[]): unknown {
  const [first] = values;
  if (typeof first === 'number') return rounded(median(values as number[]));
  if (Array.isArray(first)) return first.map((_, at) => merge(values.map((one) => (one as unknown[])[at])));
  if (typeof first !== 'object' || first === null) return first;
  return Object.fromEntries(Object.keys(first).map((key) => [key, merge(values.map((one) => (one as Record<string, unknown>)[key]))]));
}
