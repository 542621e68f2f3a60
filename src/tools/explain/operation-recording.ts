import type { DataSourceRequest, Milliseconds } from '../../datasources/index.ts';
import type { OperationSettings } from '../../server/for-tools.ts';
import type { ServerPlugin } from '../../server/index.ts';
import { currentPath } from './resolver-paths.ts';
import type { ResponsePath } from './resolver-paths.ts';
import { WatchedCall } from './watched-call.ts';

/** Records one operation while it runs. */
export class Recording {
  readonly startedAt: Milliseconds = performance.now();
  readonly calls: WatchedCall[] = [];
  /** The calls of batched resolvers, by the path of the field, without the indexes of lists. */
  readonly batches: Map<string, { calls: number; parents: number }> = new Map();
  /** The duration of each step. */
  readonly milliseconds: Record<'context' | 'parse' | 'validate' | 'execute', Milliseconds | undefined> = {
    context: undefined,
    parse: undefined,
    validate: undefined,
    execute: undefined,
  };
  contextValue: unknown;
  /** True after the report was written. */
  isOver = false;

  /** The same settings, with a plugin that records. */
  listeningSettings(settings: OperationSettings): OperationSettings {
    return {
      ...settings,
      // The plugin is last, so that it measures the step without the other plugins.
      plugins: [...settings.plugins, this.#plugin()],
    };
  }

  /** Records a call. Undefined after the report, because a subscription continues to make calls. */
  watchCall(source: object, request: DataSourceRequest): WatchedCall | undefined {
    if (this.isOver) return undefined;
    const call = new WatchedCall(source, request, currentPath());
    this.calls.push(call);
    return call;
  }

  /** Records the call of a batched resolver. */
  noteBatch(path: ResponsePath, parents: number): void {
    const field = path.filter((key) => typeof key === 'string').join('.');
    const known = this.batches.get(field) ?? { calls: 0, parents: 0 };
    this.batches.set(field, { calls: known.calls + 1, parents: known.parents + parents });
  }

  #plugin(): ServerPlugin {
    return {
      requestDidStart: ({ contextValue }) => {
        this.contextValue = contextValue;
        this.milliseconds.context = performance.now() - this.startedAt;
        return {
          parsingDidStart: () => this.#measure('parse'),
          validationDidStart: () => this.#measure('validate'),
          executionDidStart: () => this.#measure('execute'),
        };
      },
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
}
