/**
 * The tracing channels of graphql-js 17 (node:diagnostics_channel), on either major: subscribers are told of the
 * work that this library does in graphql-js's place, by the same names and with the same context objects.
 */
const names = ['parse', 'validate', 'execute', 'execute:variableCoercion', 'execute:rootSelectionSet', 'subscribe', 'resolve'] as const;

/** The last part of its name: no two have the same. */
export type ChannelName = LastPart<(typeof names)[number]>;
type LastPart<TName extends string> = TName extends `${string}:${infer TLast}` ? TLast : TName;

/** The part of node:diagnostics_channel's TracingChannel that is used here. */
export interface TracingChannel {
  readonly hasSubscribers: boolean | undefined;
  readonly start: Channel & {
    runStores<A extends unknown[], T>(context: object, run: (...values: A) => T, self: unknown, ...values: A): T;
  };
  readonly end: Channel;
  readonly asyncStart: Channel;
  readonly asyncEnd: Channel;
  readonly error: Channel;
  traceSync<T>(run: () => T, context: object): T;
}

interface Channel {
  publish(context: object): void;
}

/** The channel, if it has subscribers. */
export function listenedChannel(name: ChannelName): TracingChannel | undefined {
  // Found once: this is asked before every execution.
  channels ??= findChannels();
  const channel = channels[name];
  return channel?.hasSubscribers === true ? channel : undefined;
}

/** True when somebody listens to one of those that tell of an execution. Asked before each: the list is made once. */
export function isExecutionListened(): boolean {
  channels ??= findChannels();
  ofExecution ??= executionNames.flatMap((name) => channels?.[name] ?? []);
  for (let at = 0; at < ofExecution.length; at++) if (ofExecution[at]!.hasSubscribers === true) return true;
  return false;
}

const executionNames = ['execute', 'variableCoercion', 'rootSelectionSet', 'resolve'] as const;
let ofExecution: readonly TracingChannel[] | undefined;

let channels: Readonly<Partial<Record<ChannelName, TracingChannel>>> | undefined;

/** None without Node, or where its stand-in has no channels. */
function findChannels(): Readonly<Partial<Record<ChannelName, TracingChannel>>> {
  try {
    const { tracingChannel } = globalThis.process.getBuiltinModule('node:diagnostics_channel');
    return Object.fromEntries(
      names.map((name) => [name.slice(name.indexOf(':') + 1), tracingChannel(`graphql:${name}`)]),
    ) as unknown as typeof channels & object;
  } catch {
    return {};
  }
}

/**
 * Runs, and publishes start and end; of a promise asyncStart and asyncEnd too, and the error of what throws or rejects. What
 * subscribers bind to `start` (bindStore) holds meanwhile. The same order of events as graphql-js's.
 */
export function traceMixed<T>(channel: TracingChannel, context: object, run: () => T): T {
  return channel.start.runStores(context, runTraced<T>, undefined, channel, context, run);
}

function runTraced<T>(channel: TracingChannel, context: Traced, run: () => T): T {
  let result: T;
  try {
    result = run();
  } catch (error) {
    context.error = error;
    channel.error.publish(context);
    channel.end.publish(context);
    throw error;
  }
  if (isPromiseLike(result)) {
    channel.end.publish(context);
    return traceSettling(channel, context, result) as T;
  }
  context.result = result;
  channel.end.publish(context);
  return result;
}

/** Everything that is added to the context object of an event. */
interface Traced {
  error?: unknown;
  result?: unknown;
}

function traceSettling<T>(channel: TracingChannel, context: Traced, promise: PromiseLike<T>): PromiseLike<T> {
  return promise.then(
    (value) => {
      context.result = value;
      channel.asyncStart.publish(context);
      channel.asyncEnd.publish(context);
      return value;
    },
    (error: unknown) => {
      context.error = error;
      channel.error.publish(context);
      channel.asyncStart.publish(context);
      channel.asyncEnd.publish(context);
      throw error;
    },
  );
}

/** True for anything with a `then` method. */
export function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === 'function';
}

/**
 * Runs synchronous work that graphql-js would publish on a channel, without its being published: the text of the schema is
 * not a client's document. Each channel has no subscribers for this moment.
 */
export function untold<T>(name: ChannelName, run: () => T): T {
  const channel = listenedChannel(name);
  if (channel === undefined) return run();
  const parts = [channel.start, channel.end, channel.asyncStart, channel.asyncEnd, channel.error];
  for (const part of parts) Object.defineProperty(part, 'hasSubscribers', { value: false, configurable: true });
  try {
    return run();
  } finally {
    for (const part of parts) Reflect.deleteProperty(part, 'hasSubscribers');
  }
}
