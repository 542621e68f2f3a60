// Bundled into functions by the dev server, and into nothing else.

import { costLine } from '../../cost-line.ts';
import type { CostRecord } from '../../cost-line.ts';
import type { OperationOutcome } from '../../operation/types.ts';
import type { ServerPlugin } from '../../operation/plugin.ts';
import type { ServerOptions } from '../../server/options.ts';
import type { OptionsSource } from '../../server/start.ts';
import { watchShapes } from './shape-watch.ts';
import type { OperationRecord } from './thread-messages.ts';

/** The same options with a plugin more, which reports every operation. What is wrong with options is left for createHandler to say. */
export function withOperationLog(source: OptionsSource<ServerOptions>): OptionsSource<ServerOptions> {
  if (typeof source !== 'function' && !(source instanceof Promise)) return withPlugin(source);
  // Here the stack still leads to the user's line.
  const handOver = listenerOf<[], (options: ServerOptions) => void>('graphql-functions.later')?.();
  const take = (options: ServerOptions): ServerOptions => {
    handOver?.(options);
    return withPlugin(options);
  };
  return typeof source === 'function' ? async () => take(await source()) : source.then(take);
}

/** To the thread in which this bundle runs: what createHandler was called with when it threw. */
export function reportRefusal(source: unknown, refusal: unknown): void {
  listenerOf<[source: unknown, refusal: unknown]>('graphql-functions.refusals')?.(source, refusal);
}

function withPlugin(options: ServerOptions): ServerOptions {
  if (typeof options !== 'object' || options === null || !Array.isArray(options.plugins ?? [])) return options;
  const { context } = options;
  // The first: what other plugins do is part of it.
  const shapes = watchShapes(options, (message) => listenerOf<[message: string]>('graphql-functions.errors')?.(message));
  const logged = { ...options, plugins: [operationLog, ...(shapes === undefined ? [] : [shapes]), ...(options.plugins ?? [])] };
  return typeof context === 'function' ? { ...logged, context: withHint(context) } : logged;
}

/** The same function. When it reads what its argument does not have, as in other servers, the log says what there is. */
function withHint(context: NonNullable<ServerOptions['context']>): NonNullable<ServerOptions['context']> {
  return (argument) => {
    try {
      const value = context(argument);
      return value instanceof Promise ? value.catch(hintAndThrow) : value;
    } catch (error) {
      return hintAndThrow(error);
    }
  };
}

function hintAndThrow(error: unknown): never {
  if (error instanceof TypeError && /^Cannot (?:read|destructure) propert|is not a function/.test(error.message))
    listenerOf<[message: string]>('graphql-functions.errors')?.(contextHint);
  throw error;
}

const contextHint =
  "context() failed. Its argument has request, response, event, context, env, waitUntil and signal; a header is request.headers.get('authorization').";

/** Where the records of a request go. */
interface Recording {
  /** A stream begins, and will be recorded at its end. */
  opened(record: OperationRecord): void;
  ended(record: OperationRecord): void;
}

const recordings = new WeakMap<OperationOutcome, Recording>();

/** The record that costLine writes in production. */
const cost = costLine({
  write: (_line, record, outcome) => {
    if (outcome !== undefined) recordings.get(outcome)?.ended(toOperationRecord(record, outcome));
  },
});

const operationLog: ServerPlugin = {
  ...cost,
  async aroundOperation(call, next) {
    const start = performance.now();
    // The stream of a subscription ends in the asynchronous context of its reader.
    const recording = listenerOf<[], Recording | undefined>('graphql-functions.recording')?.();
    return cost.aroundOperation!(call, async () => {
      const outcome = await next();
      if (recording === undefined) return outcome;
      recordings.set(outcome, recording);
      if (outcome.stream !== undefined) recording.opened(toOperationRecord(openedRecord(performance.now() - start), outcome));
      return outcome;
    });
  },
  async invalidRequestWasReceived({ error }) {
    listenerOf<[message: string]>('graphql-functions.errors')?.(messageOf(error));
  },
};

type Cost = Pick<CostRecord, 'durationMs' | 'upstream'>;

function openedRecord(durationMs: number): Cost {
  return { durationMs, upstream: { calls: 0, ms: 0, outcomes: {} } };
}

function toOperationRecord({ durationMs, upstream }: Cost, { operation, errors }: OperationOutcome): OperationRecord {
  const { miss = 0, bypass = 0, none = 0 } = upstream.outcomes;
  return {
    operation: labelOf(operation),
    milliseconds: Math.round(durationMs),
    calls: upstream.calls,
    hits: upstream.calls - miss - bypass - none,
    errors: errors.map(messageOf),
  };
}

function labelOf(operation: OperationOutcome['operation']): string | undefined {
  if (operation === undefined) return undefined;
  const fields = operation.selectionSet.selections.map((selection) => ('name' in selection ? selection.name.value : '…'));
  return `${operation.operation} ${operation.name?.value ?? `{ ${fields.join(' ')} }`}`;
}

/** Of what was thrown, not of what graphql-js or the masking made of it. */
function messageOf(error: {
  readonly message: string;
  readonly originalError?: unknown;
  readonly path?: readonly unknown[] | undefined;
  readonly extensions?: Readonly<Record<string, unknown>> | undefined;
}): string {
  const { originalError, path, extensions } = error;
  const { url } = (extensions?.['response'] ?? {}) as { readonly url?: unknown };
  const said = withRemedy(originalError instanceof Error ? originalError.message : error.message);
  // The message is for clients: it does not name the address.
  const message = typeof url === 'string' && url !== '' ? `${said} (${url})` : said;
  return path === undefined ? message : `${message} (at ${path.join('.')})`;
}

/** graphql-js's words for a type that nobody names are of schemas made in code. */
function withRemedy(message: string): string {
  const [, type] = /^Abstract type "(\w+)" must resolve to an Object type/.exec(message) ?? [];
  return type === undefined
    ? message
    : `${message} In resolvers, write ${type}: { __resolveType: (value) => 'Name' }, or return values with a __typename.`;
}

function listenerOf<TArguments extends unknown[], TResult = void>(name: string): ((...values: TArguments) => TResult) | undefined {
  return Object.getOwnPropertyDescriptor(globalThis, Symbol.for(name))?.value as ((...values: TArguments) => TResult) | undefined;
}
