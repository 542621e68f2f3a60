import type { KeyValueCache } from './cache/key-value-cache.ts';
import type { CallListeners } from './call-watch.ts';
import type { DataSourceRequest } from './request.ts';

/** The argument of a data source when an operation begins. */
export interface DataSourceConfig<TContext> {
  readonly context: TContext;
  readonly cache: KeyValueCache;
  /** The operation; undefined if the data source is used without a server. */
  readonly operation?: DataSourceOperation | undefined;
  /** Follows the calls of the operation, for plugins and for `explain`. */
  readonly watchCall?: WatchCall | undefined;
  /** Warns of likely mistakes. Undefined in production. */
  readonly warn?: ((message: string) => void) | undefined;
}

/** The operation of a data source. */
export interface DataSourceOperation {
  /** Aborts when the client has left or the deadline has passed. Created when it is first read. */
  readonly signal: AbortSignal;
  /** Accepts work that may end after the answer, such as a cache write. */
  waitUntil(work: Promise<unknown>): void;
}

/** Starts to follow a call; returns undefined for calls that are not followed. */
export type WatchCall = (source: object, request: DataSourceRequest) => CallListeners | undefined;

/**
 * Fetches data from one store or one API. The `dataSources` function creates an instance for each operation: a shared instance
 * would mix the data of different users.
 *
 * @example
 * class Authors extends DataSource<MyContext> {
 *   byId(id: string) {
 *     return this.context.db.authors.get(id);
 *   }
 * }
 */
// `any`, so that a subclass that does not use its context needs no type for it.
export abstract class DataSource<TContext = any> {
  // `declare`, because a field would replace a getter of a subclass.
  /** The context of the operation, from {@link initialize} on. */
  declare context: TContext;

  /** Called once for every operation, before the first resolver. An override may be async; call `super.initialize`. */
  initialize(config: DataSourceConfig<TContext>): void | Promise<void> {
    this.context = config.context;
  }
}
