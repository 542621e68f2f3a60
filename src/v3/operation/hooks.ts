import type { ApolloError } from '../errors/apollo-error.ts';
import type { AnyFunctionMap } from '../types.ts';

type Listeners = readonly AnyFunctionMap[];

/** Calls a hook of all listeners in parallel. */
export async function callHooks(listeners: Listeners, hook: string, ...args: readonly unknown[]): Promise<unknown[]> {
  const call = async (listener: AnyFunctionMap): Promise<unknown> =>
    typeof listener[hook] === 'function' ? (listener[hook](...args) as unknown) : undefined;
  return Promise.all(listeners.map(call));
}

/** Calls a hook that may return an end callback. Returns a function that calls these in reverse order. */
export async function startPhase(
  listeners: Listeners,
  hook: string,
  context: object,
): Promise<(...outcome: readonly unknown[]) => Promise<void>> {
  const ends = (await callHooks(listeners, hook, context)).toReversed() as AnyFunctionMap[string][];
  return async (...outcome) => {
    await Promise.all(ends.map(async (end): Promise<unknown> => typeof end === 'function' && end(...outcome)));
  };
}

/** Thrown to end an operation with the errors of an answer. Anything else thrown is a failure of the server. */
export class RefusedOperation extends AggregateError {
  declare readonly errors: Error[];
  readonly errorClass: (new (message: string) => ApolloError) | undefined;

  constructor(errors: readonly Error[], errorClass?: new (message: string) => ApolloError) {
    super(errors);
    this.errorClass = errorClass;
  }
}
