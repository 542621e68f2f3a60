import type { ExplainReport } from '../src/tools/explain/report.ts';

/** What is known of the last answer, beside its data. */
export interface LastAnswer {
  readonly status: number;
  readonly milliseconds: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Where the server explained it. */
  readonly report?: ExplainReport | undefined;
}

let last: LastAnswer | undefined;
const listeners = new Set<() => void>();

/** For `useSyncExternalStore`. */
export const lastAnswer = {
  subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  },
  get: (): LastAnswer | undefined => last,
};

function set(answer: LastAnswer): void {
  last = answer;
  for (const listener of listeners) listener();
}

/** `fetch`, which keeps status, time and headers of what comes back. */
export const watchedFetch: typeof fetch = async (input, init) => {
  const start = performance.now();
  const response = await fetch(input, init);
  set({ status: response.status, milliseconds: Math.round(performance.now() - start), headers: [...response.headers] });
  return response;
};

/** The answer without the server's explanation of it, which is shown in a panel of its own. */
export function withoutReport<T>(result: T): T {
  const { extensions } = (result ?? {}) as { extensions?: { explain?: ExplainReport } };
  if (extensions?.explain === undefined) return result;
  const { explain, ...others } = extensions;
  if (last !== undefined) set({ ...last, report: explain });
  const { extensions: _, ...rest } = result as object & { extensions: unknown };
  return (Object.keys(others).length === 0 ? rest : { ...rest, extensions: others }) as T;
}
