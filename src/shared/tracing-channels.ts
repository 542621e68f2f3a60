import { isPromiseLike } from './promise-or-value.ts';

/**
 * The tracing channels of graphql-js 17 (node:diagnostics_channel), on either major: work that this library does in place of
 * graphql-js is published under the same names with the same context objects.
 */
const names = ['parse', 'validate', 'execute', 'subscribe', 'resolve'] as const;

export type ChannelName = (typeof names)[number];

type Diagnostics = ReturnType<typeof globalThis.process.getBuiltinModule<'node:diagnostics_channel'>>;

export type TracingChannel = ReturnType<Diagnostics['tracingChannel']>;

/** The channel, if it has subscribers. */
export function listenedChannel(name: ChannelName): TracingChannel | undefined {
  channels ??= findChannels();
  const channel = channels[name];
  return channel?.hasSubscribers === true ? channel : undefined;
}

let channels: Readonly<Partial<Record<ChannelName, TracingChannel>>> | undefined;

/** The channels; empty without Node, or if its substitute has no channels. */
function findChannels(): Readonly<Partial<Record<ChannelName, TracingChannel>>> {
  try {
    const { tracingChannel } = globalThis.process.getBuiltinModule('node:diagnostics_channel');
    return Object.fromEntries(names.map((name) => [name, tracingChannel(`graphql:${name}`)])) as unknown as typeof channels & object;
  } catch {
    return {};
  }
}

/**
 * Runs a function and publishes its start and end, asyncStart and asyncEnd if it returns a promise, and its error if it throws or rejects.
 * The stores that subscribers bind to `start` (bindStore) apply during the call. The order of events is that of graphql-js.
 */
export function traceMixed<T>(channel: TracingChannel, context: Traced, run: () => T): T {
  // Node keeps the bound stores in this Map. Without any, runStores only publishes, and takes a third of a listener's time.
  const { _stores: stores } = channel.start as { readonly _stores?: ReadonlyMap<unknown, unknown> };
  if (stores?.size !== 0) return channel.start.runStores(context, () => traceCall(channel, context, run));
  channel.start.publish(context);
  return traceCall(channel, context, run);
}

function traceCall<T>(channel: TracingChannel, context: Traced, run: () => T): T {
  let result: T;
  try {
    result = run();
  } catch (error) {
    context.error = error;
    channel.error.publish(context);
    channel.end.publish(context);
    throw error;
  }
  // Most values are primitive: looking for their `then` takes as long as publishing.
  const isLate = (typeof result === 'object' || typeof result === 'function') && isPromiseLike(result);
  if (!isLate) context.result = result;
  channel.end.publish(context);
  return isLate ? (traceSettling(channel, context, result as PromiseLike<unknown>) as T) : result;
}

/** The context object of an event, to which the outcome is added. */
type Traced = object & { error?: unknown; result?: unknown };

/**
 * Calls `then` of the result itself, as graphql-js does: an `await` would call that of a thenable later, and so change the order of events.
 * Ignores the result of a thenable's `then`, which may return nothing.
 */
function traceSettling<T>(channel: TracingChannel, context: Traced, promise: PromiseLike<T>): PromiseLike<T> {
  const publish = (): void => {
    channel.asyncStart.publish(context);
    channel.asyncEnd.publish(context);
  };
  const onValue = (value: T): T => {
    context.result = value;
    publish();
    return value;
  };
  const onError = (error: unknown): void => {
    context.error = error;
    channel.error.publish(context);
    publish();
  };
  if (promise.then !== Promise.prototype.then)
    return new Promise((resolve, reject) => void promise.then((value) => resolve(onValue(value)), (error: unknown) => (onError(error), reject(error)))); // prettier-ignore
  return promise.then(onValue, (error: unknown) => {
    onError(error);
    throw error;
  });
}
