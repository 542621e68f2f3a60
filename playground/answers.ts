import type { ExplainReport } from '../src/tools/explain/report.ts';

/** The last response, apart from its data. */
export interface LastAnswer {
  readonly status: number;
  readonly milliseconds: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Defined if the server has explained it. */
  readonly report?: ExplainReport | undefined;
  /** Messages of errors that have several lines, such as those of `dev` about a function that cannot run. */
  readonly messages?: readonly string[];
}

/** The events of the last subscription. */
export interface LastEvents {
  readonly events: readonly { readonly milliseconds: number; readonly result: object }[];
  readonly hasEnded: boolean;
}

let last: LastAnswer | LastEvents | undefined;
const listeners = new Set<() => void>();

/** For `useSyncExternalStore`. */
export const lastAnswer = {
  subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  },
  get: (): LastAnswer | LastEvents | undefined => last,
};

function set(answer: LastAnswer | LastEvents | undefined): void {
  last = answer;
  for (const listener of listeners) listener();
}

/** `fetch` that records the status, time and headers of the response. Instead of an error, whose stack is of this page, it returns an answer that says what has happened. */
export const watchedFetch: typeof fetch = async (input, init) => {
  const start = performance.now();
  try {
    const response = await fetch(input, init);
    set({ status: response.status, milliseconds: Math.round(performance.now() - start), headers: [...response.headers] });
    if (isReadable(response)) return response;
    return errorAnswer(`The answer, with status ${response.status}, is not JSON: ${(await response.text()).slice(0, maxShown)}`);
  } catch (error) {
    if (init?.signal?.aborted === true) throw error;
    set(undefined);
    return errorAnswer(`There was no answer: ${(error as Error).message}. Does the server run, and may this page reach it?`);
  }
};

/** Characters of an answer in another format that are shown. */
const maxShown = 2000;

function isReadable({ headers }: Response): boolean {
  return /\bjson\b|^multipart\/mixed|^text\/event-stream/i.test(headers.get('content-type') ?? '');
}

function errorAnswer(message: string): Response {
  return Response.json({ errors: [{ message }] });
}

/** Records the events, and passes them on. */
export function watchedEvents(results: AsyncIterableIterator<object>): AsyncIterableIterator<object> {
  const start = performance.now();
  let events: LastEvents['events'] = [];
  const update = (hasEnded: boolean): void => set({ events, hasEnded });
  update(false);
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    async next() {
      const step = await results.next();
      if (step.done !== true)
        events = [...events, { milliseconds: Math.round(performance.now() - start), result: step.value }].slice(-maxEvents);
      update(step.done === true);
      return step;
    },
    async return() {
      update(true);
      return (await results.return?.()) ?? { done: true, value: undefined };
    },
  };
}

/** Older events of a subscription are dropped. */
const maxEvents = 200;

/** The response without the server's explanation, which has a panel of its own. Messages of several lines are repeated there, as text. */
export function withoutReport<T>(result: T): T {
  const { errors, extensions } = (result ?? {}) as { errors?: readonly { message: string }[]; extensions?: { explain?: ExplainReport } };
  const messages = (Array.isArray(errors) ? errors : []).map(({ message }) => String(message)).filter((message) => message.includes('\n'));
  if (messages.length > 0 && last !== undefined && 'status' in last) set({ ...last, messages });
  if (extensions?.explain === undefined) return result;
  const { explain, ...others } = extensions;
  if (last !== undefined && 'status' in last) set({ ...last, report: explain });
  const { extensions: _, ...rest } = result as object & { extensions: unknown };
  return (Object.keys(others).length === 0 ? rest : { ...rest, extensions: others }) as T;
}
