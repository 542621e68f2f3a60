type Hooks = Readonly<Record<string, unknown>>;

/** Calls a hook of all listeners in parallel. */
export async function callHooks<T extends object>(
  listeners: readonly T[],
  hook: keyof T & string,
  ...args: readonly unknown[]
): Promise<unknown[]> {
  return Promise.all(listeners.map(async (listener) => call(listener, hook, args)));
}

/** Calls a hook of one listener after another until one returns a value. */
export async function callUntilAnswered<T extends object>(
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

/** Calls a hook that may return an end callback. Returns a function that calls these in reverse order. */
export async function startPhase<T extends object>(
  listeners: readonly T[],
  hook: keyof T & string,
  ...args: readonly unknown[]
): Promise<(...outcome: readonly unknown[]) => Promise<void>> {
  const ends = (await callHooks(listeners, hook, ...args)).filter(isFunction).toReversed();
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
