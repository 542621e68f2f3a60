import type { OperationDefinitionNode } from 'graphql';

import type { DataSourceRequest, KeyValueCache, Milliseconds } from '../../datasources/index.ts';
import { joinObservers } from '../../executor/index.ts';
import type { ExecutionObserver } from '../../executor/index.ts';
import { whenReady } from '../../shared/index.ts';
import type { OperationSettings, PersistedQuerySettings } from '../../server/for-tools.ts';
import type { GraphQLRequestListener, ServerPlugin } from '../../server/index.ts';
import { currentPath, pathObserver } from './resolver-paths.ts';
import type { ResolverCall } from './resolver-paths.ts';
import { WatchedCall } from './watched-call.ts';

/** The calls of a field's resolver. */
export interface RecordedResolver {
  calls: number;
  /** Of all calls of a batched resolver; undefined for others. */
  parents: number | undefined;
  /** Calls that have not ended. */
  open: number;
  readonly start: Milliseconds;
  /** The end of the last call. */
  end: Milliseconds;
  longest: Milliseconds;
}

/** Records one operation while it runs. */
export class Recording {
  readonly startedAt: Milliseconds = performance.now();
  readonly calls: WatchedCall[] = [];
  /** By the path of the field, without the indexes of lists. */
  readonly resolvers: Map<string, RecordedResolver> = new Map();
  /** The duration of each step. */
  readonly milliseconds: Record<'context' | 'parse' | 'validate' | 'execute', Milliseconds | undefined> = {
    context: undefined,
    parse: undefined,
    validate: undefined,
    execute: undefined,
  };
  contextValue: unknown;
  operation: OperationDefinitionNode | undefined;
  /** True when the document's text was found. */
  hasSource = false;
  /** True after the report was written. */
  isOver = false;
  /** True when the persisted query was found in a store. `keptQuery`: true when it was stored. */
  foundQuery = false;
  keptQuery = false;

  /** The same settings, with a plugin and persisted-query stores that record. */
  listeningSettings(settings: OperationSettings): OperationSettings {
    const { persistedQueries, notifyExecution } = settings;
    return {
      ...settings,
      // The plugin is last, so that it measures the step without the other plugins.
      plugins: [...settings.plugins, this.#plugin()],
      notifyExecution: (execution) => whenReady(notifyExecution?.(execution) ?? { wrap: undefined }, observePaths, undefined),
      persistedQueries: persistedQueries && this.#watchQueries(persistedQueries),
    };
  }

  /** Records a call. Undefined after the report, because a subscription continues to make calls. */
  watchCall(source: object, request: DataSourceRequest): WatchedCall | undefined {
    if (this.isOver) return undefined;
    const call = new WatchedCall(source, request, currentPath());
    this.calls.push(call);
    return call;
  }

  /** Records the call of a resolver. Returns the function that ends it. */
  noteResolver({ path, parents }: ResolverCall): () => void {
    if (this.isOver) return () => {};
    const start = performance.now();
    const field = path.join('.');
    const known = this.resolvers.get(field) ?? { calls: 0, parents: undefined, open: 0, start, end: start, longest: 0 };
    this.resolvers.set(field, known);
    known.calls++;
    known.open++;
    if (parents !== undefined) known.parents = (known.parents ?? 0) + parents;
    return () => {
      if (this.isOver) return;
      known.open--;
      known.end = performance.now();
      known.longest = Math.max(known.longest, known.end - start);
    };
  }

  #plugin(): ServerPlugin {
    return {
      requestDidStart: ({ contextValue }) => {
        this.contextValue = contextValue;
        this.milliseconds.context = performance.now() - this.startedAt;
        return this.#listener();
      },
    };
  }

  #listener(): GraphQLRequestListener {
    return {
      didResolveSource: () => {
        this.hasSource = true;
      },
      parsingDidStart: () => this.#measure('parse'),
      validationDidStart: () => this.#measure('validate'),
      didResolveOperation: ({ operation }: { operation: OperationDefinitionNode }) => {
        this.operation = operation;
      },
      executionDidStart: () => this.#measure('execute'),
    };
  }

  #measure(stage: keyof Recording['milliseconds']): () => void {
    const start = performance.now();
    // Records the start, in case the step does not end.
    this.milliseconds[stage] = 0;
    return () => {
      this.milliseconds[stage] = performance.now() - start;
    };
  }

  #watchQueries({ memory, shared, ttl }: PersistedQuerySettings): PersistedQuerySettings {
    return { memory: this.#watchStore(memory), shared: shared && this.#watchStore(shared), ttl };
  }

  #watchStore(store: KeyValueCache): KeyValueCache {
    return {
      get: async (key) => {
        const value = await store.get(key);
        this.foundQuery ||= value !== undefined;
        return value;
      },
      set: (key, value, options) => {
        this.keptQuery = true;
        return store.set(key, value, options);
      },
      delete: (key) => store.delete(key),
    };
  }
}

/** What the plugins have chosen for an execution, with an observer of paths inside of theirs. */
function observePaths<T extends { readonly observer?: ExecutionObserver | undefined }>(chosen: T): T {
  return { ...chosen, observer: joinObservers([chosen.observer, pathObserver]) };
}
