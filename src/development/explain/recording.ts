import type { DocumentNode, GraphQLSchema, OperationDefinitionNode } from 'graphql';

import type { KeyValueCache, Milliseconds } from '../../cache/key-value-cache.ts';
import type { DataSourceRequest } from '../../datasource/request.ts';
import type { PersistedQuerySettings } from '../../operation/documents/persisted-queries.ts';
import type { GraphQLRequestListener, ServerPlugin } from '../../operation/plugin.ts';
import type { OperationSettings } from '../../operation/state.ts';
import { currentPath, markResolvers } from './resolver-paths.ts';
import { WatchedCall } from './watched-call.ts';

/** How one operation goes, written down while it goes. */
export class Recording {
  readonly startedAt: Milliseconds = performance.now();
  readonly calls: WatchedCall[] = [];
  /** The times of the stages. */
  readonly milliseconds: Record<'context' | 'parse' | 'validate' | 'execute', Milliseconds | undefined> = {
    context: undefined,
    parse: undefined,
    validate: undefined,
    execute: undefined,
  };
  contextValue: unknown;
  operation: OperationDefinitionNode | undefined;
  /** True when the text of the document was found. */
  hasSource = false;
  /** Nothing is written down any more: the report has been. */
  isOver = false;
  /** The persisted query was found in a store; and one was put there. */
  foundQuery = false;
  keptQuery = false;

  /** The same settings, but for those who listen. */
  listeningSettings(settings: OperationSettings): OperationSettings {
    const { persistedQueries } = settings;
    return {
      ...settings,
      // The last: what it measures is the stage, not the other plugins.
      plugins: [...settings.plugins, this.#plugin(settings.schema)],
      persistedQueries: persistedQueries && this.#watchQueries(persistedQueries),
    };
  }

  /** A subscription goes on making calls for as long as it lives. */
  watchCall(source: object, request: DataSourceRequest): WatchedCall | undefined {
    if (this.isOver) return undefined;
    const call = new WatchedCall(source, request, currentPath());
    this.calls.push(call);
    return call;
  }

  #plugin(schema: GraphQLSchema): ServerPlugin {
    return {
      requestDidStart: ({ contextValue }) => {
        this.contextValue = contextValue;
        this.milliseconds.context = performance.now() - this.startedAt;
        return this.#listener(schema);
      },
    };
  }

  #listener(schema: GraphQLSchema): GraphQLRequestListener {
    return {
      didResolveSource: () => {
        this.hasSource = true;
      },
      parsingDidStart: () => this.#measure('parse'),
      validationDidStart: () => this.#measure('validate'),
      didResolveOperation: ({ document, operation }: { document: DocumentNode; operation: OperationDefinitionNode }) => {
        this.operation = operation;
        markResolvers(schema, document);
      },
      executionDidStart: () => this.#measure('execute'),
    };
  }

  #measure(stage: keyof Recording['milliseconds']): () => void {
    const start = performance.now();
    // Known to have begun, should it never end.
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
