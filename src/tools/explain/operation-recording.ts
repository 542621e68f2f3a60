import { AsyncLocalStorage } from 'node:async_hooks';

import type { DataSourceRequest, Milliseconds, WatchCall } from '../../datasources/index.ts';
import type { ExecutionObserver } from '../../executor/index.ts';
import type { Explainable, OperationSettings } from '../../server/for-tools.ts';
import type { OperationOutcome, ServerPlugin } from '../../server/index.ts';
import { WatchedCall } from './watched-call.ts';

/** A key or index of a path in the response, and those before it. */
interface Link {
  readonly prev: Link | undefined;
  readonly key: string | number;
}

/** The path of the field whose resolver is running, also after it has awaited something. It is empty outside of an explained operation. */
const current = new AsyncLocalStorage<{ readonly path: Link | undefined }>();

const observer: ExecutionObserver = {
  field: ({ path }, resolve) => (current.getStore() === undefined ? resolve() : current.run({ path }, resolve)),
};

/** Records one operation while it runs. */
export class Recording {
  readonly startedAt: Milliseconds = performance.now();
  readonly calls: WatchedCall[] = [];
  /** The duration of each step that has begun, by its name. */
  readonly milliseconds: Map<string, Milliseconds> = new Map();
  contextValue: unknown;
  #isOver = false;

  async record({ call, operation, run }: Explainable): Promise<OperationOutcome> {
    const settings: OperationSettings = call.settings.operation;
    // The plugin is last, so that it measures the step without the other plugins.
    const recorded = { ...settings, plugins: [...settings.plugins, this.#plugin()] };
    const watchCall: WatchCall = (source, request) => {
      const watched = this.#watchCall(source, request);
      return watched && { listeners: [watched], logger: settings.logger };
    };
    const outcome = await current.run({ path: undefined }, async () => run({ ...operation, settings: recorded, watchCall, observer }));
    this.#isOver = true;
    return outcome;
  }

  /** Watches a call. Returns undefined after the report, because a subscription continues to make calls. */
  #watchCall(source: object, request: DataSourceRequest): WatchedCall | undefined {
    if (this.#isOver) return undefined;
    const keys: (string | number)[] = [];
    for (let link = current.getStore()?.path; link !== undefined; link = link.prev) keys.unshift(link.key);
    const call = new WatchedCall(source, request, keys.length === 0 ? undefined : keys.join('.'));
    this.calls.push(call);
    return call;
  }

  #plugin(): ServerPlugin {
    return {
      requestDidStart: ({ contextValue }) => {
        this.contextValue = contextValue;
        this.milliseconds.set('context', performance.now() - this.startedAt);
        return {
          parsingDidStart: () => this.#measure('parse'),
          validationDidStart: () => this.#measure('validate'),
          executionDidStart: () => this.#measure('execute'),
        };
      },
    };
  }

  #measure(step: string): () => void {
    const start = performance.now();
    // Records the start, in case the step does not end.
    this.milliseconds.set(step, 0);
    return () => void this.milliseconds.set(step, performance.now() - start);
  }
}
