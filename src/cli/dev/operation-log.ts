// Bundled into functions by the dev server, and into nothing else.

import type { ServerPlugin } from '../../operation/plugin.ts';
import type { ServerOptions } from '../../server/options.ts';
import type { OptionsSource } from '../../server/start.ts';
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
  return { ...options, plugins: [...(options.plugins ?? []), operationLog] };
}

const operationLog: ServerPlugin = {
  async contextCreationDidFail({ error }) {
    reportError(messageOf(error));
  },
  async invalidRequestWasReceived({ error }) {
    reportError(messageOf(error));
  },
  async requestDidStart({ contextValue }) {
    const start = performance.now();
    const calls: WatchedRequest[] = [];
    const { dataSources = {} } = (contextValue ?? {}) as { dataSources?: object };
    for (const dataSource of Object.values(dataSources)) watch(dataSource, calls);
    let thrown: readonly Error[] = [];
    return {
      async didEncounterErrors({ errors }) {
        thrown = errors;
      },
      async willSendResponse({ operationName, operation, response }) {
        const fields = operation?.selectionSet.selections.map((selection) => ('name' in selection ? selection.name.value : '…')) ?? [];
        report({
          operation: `${operation?.operation ?? 'refused'} ${operationName ?? (fields.length > 0 ? `{ ${fields.join(' ')} }` : '')}`.trim(),
          milliseconds: Math.round(performance.now() - start),
          calls: calls.length,
          hits: calls.filter(({ outcome }) => outcome !== undefined && outcome !== 'miss' && outcome !== 'bypass').length,
          errors: (thrown.length > 0 ? thrown : (response.result.errors ?? [])).map(messageOf),
        });
      },
    };
  },
};

/** Of what was thrown, not of what graphql-js or the masking made of it. */
function messageOf(error: {
  readonly message: string;
  readonly originalError?: unknown;
  readonly path?: readonly unknown[] | undefined;
}): string {
  const { originalError, path } = error;
  const message = originalError instanceof Error ? originalError.message : error.message;
  return path === undefined ? message : `${message} (at ${path.join('.')})`;
}

interface WatchedRequest {
  /** Set by the data source when it knows who answered. */
  readonly outcome?: string;
}

/** Sees every call of a REST data source. The instance is this operation's own. */
function watch(dataSource: unknown, calls: WatchedRequest[]): void {
  if (typeof dataSource !== 'object' || dataSource === null) return;
  const watched = dataSource as { willSendRequest?: (request: WatchedRequest) => unknown };
  const { willSendRequest } = watched;
  if (typeof willSendRequest !== 'function') return;
  watched.willSendRequest = (request) => {
    calls.push(request);
    return willSendRequest.call(dataSource, request);
  };
}

/** To the thread in which this bundle runs. */
function report(record: OperationRecord): void {
  listenerOf<[record: OperationRecord]>('graphql-functions.operations')?.(record);
}

function reportError(message: string): void {
  listenerOf<[message: string]>('graphql-functions.errors')?.(message);
}

function listenerOf<TArguments extends unknown[], TResult = void>(name: string): ((...values: TArguments) => TResult) | undefined {
  return Object.getOwnPropertyDescriptor(globalThis, Symbol.for(name))?.value as ((...values: TArguments) => TResult) | undefined;
}
