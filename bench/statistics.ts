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

/** Runs a contestant `count` times. Resolves to the microseconds of one run. */
export type Timed = (count: number) => Promise<number>;

/** How two contestants are run in turns. */
export interface Turns {
  /** Milliseconds for each contestant in a round. */
  readonly slice: number;
  readonly rounds: number;
  /** Slices before the first that counts, because V8 compiles some code late. */
  readonly warmUps: number;
  /** Limit of runs in a slice. */
  readonly most: number;
}

/** The median of the ratios of each round. */
export async function pairedRatio(ours: Timed, theirs: Timed, turns: Turns): Promise<number> {
  const [ratio] = await pairedRatios(ours, [theirs], turns);
  return ratio!;
}

/** The median of the ratios to each of several others. */
export async function pairedRatios(ours: Timed, others: readonly Timed[], { slice, rounds, warmUps, most }: Turns): Promise<number[]> {
  let count = 4;
  for (let warmUp = 0; warmUp < warmUps; warmUp++) {
    count = Math.max(2, Math.min(most, Math.round((slice * 1000) / (await others[0]!(count)))));
    for (const timed of [ours, ...others.slice(1)]) await timed(count);
  }
  const ratios: number[][] = others.map(() => []);
  for (let round = 0; round < rounds; round++) {
    // Later contestants pay for the garbage of earlier ones: ours is first and last in turn.
    const mine = round % 2 === 0 ? await ours(count) : undefined;
    const times: number[] = [];
    for (const timed of others) times.push(await timed(count));
    const time = mine ?? (await ours(count));
    for (const [at, other] of times.entries()) ratios[at]!.push(time / other);
  }
  return ratios.map(median);
}
