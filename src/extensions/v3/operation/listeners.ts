import type { GraphQLFieldResolverParams, GraphQLRequestExecutionListener, GraphQLRequestListenerDidResolveField } from '../types.ts';

type Hooks = Readonly<Record<string, unknown>>;

/** Calls a hook of all listeners at once and waits for all. */
export async function tellAll<T extends object>(
  listeners: readonly T[],
  hook: keyof T & string,
  ...args: readonly unknown[]
): Promise<unknown[]> {
  return Promise.all(listeners.map(async (listener) => call(listener, hook, args)));
}

/** Asks one listener after another, until one has an answer. */
export async function askInTurn<T extends object>(
  listeners: readonly T[],
  hook: keyof T & string,
  ...args: readonly unknown[]
): Promise<unknown> {
  for (const listener of listeners) {
    const answer = await call(listener, hook, args);
    if (answer !== null && answer !== undefined) return answer;
  }
  return undefined;
}

/** Begins a stage. Returns what ends it: the end callbacks, the last listener's first. */
export async function begin<T extends object>(
  listeners: readonly T[],
  hook: keyof T & string,
  ...args: readonly unknown[]
): Promise<(...outcome: readonly unknown[]) => Promise<void>> {
  const ends = (await tellAll(listeners, hook, ...args)).filter(isFunction).toReversed();
  return async (...outcome) => {
    await Promise.all(ends.map(async (end) => end(...outcome)));
  };
}

function isFunction(value: unknown): value is (...args: readonly unknown[]) => unknown {
  return typeof value === 'function';
}

function call(listener: object, hook: string, args: readonly unknown[]): unknown {
  const method = (listener as Hooks)[hook];
  return typeof method === 'function' ? method.apply(listener, args) : undefined;
}

/** The `willResolveField` of several listeners as one; undefined when none has it. */
export function fieldHookOf(
  listeners: readonly GraphQLRequestExecutionListener[],
): ((params: GraphQLFieldResolverParams) => GraphQLRequestListenerDidResolveField) | undefined {
  const listening = listeners.filter(({ willResolveField }) => typeof willResolveField === 'function');
  if (listening.length === 0) return undefined;
  return (params) => {
    const ends: GraphQLRequestListenerDidResolveField[] = [];
    for (const listener of listening) {
      const end = listener.willResolveField!(params);
      if (end) ends.unshift(end);
    }
    return (error, result) => {
      for (const end of ends) end(error, result);
    };
  };
}
