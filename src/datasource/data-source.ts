import type { KeyValueCache } from '../cache/key-value-cache.ts';
import type { CallWatch } from './call-watch.ts';
import type { DataSourceRequest } from './request.ts';

/** The argument of a data source when an operation begins. */
export interface DataSourceConfig<TContext> {
  readonly context: TContext;
  readonly cache: KeyValueCache;
  /** The operation's own life; absent when the data source is used without a server. */
  readonly operation?: DataSourceOperation | undefined;
  /** Follows the calls of the operation. Absent unless a plugin does, or the operation is explained. */
  readonly watchCall?: WatchCall | undefined;
  /** Tells the developer of what looks like a mistake. Absent in production. */
  readonly warn?: ((message: string) => void) | undefined;
  /** Looks for mistakes in what the constructor was given. Absent in production. */
  readonly checkOptions?: ((given: object) => void) | undefined;
}

/** The life of the operation a data source works for. */
export interface DataSourceOperation {
  /** Aborts when the operation is over: the client has left, or its time is up. Made when first read: read it only to send something. */
  readonly signal: AbortSignal;
  /** Takes work that may end after the answer is known, a cache write for instance. */
  waitUntil(work: Promise<unknown>): void;
}

/** Begins to follow a call; undefined leaves it alone. */
export type WatchCall = (source: object, request: DataSourceRequest) => CallWatch | undefined;

/**
 * The logic for talking to one store or one API. The `dataSources` function makes a new instance for
 * every operation: an instance that serves two of them mixes what they may see.
 *
 * @example
 * class Authors extends DataSource<MyContext> {
 *   byId(id: string) {
 *     return this.context.db.authors.get(id);
 *   }
 * }
 */
// `any`, so that a subclass which does not care about its context need not write a type for it.
// oxlint-disable-next-line typescript/no-explicit-any
export abstract class DataSource<TContext = any> {
  // `declare`: a real field would be set to undefined after a subclass's own initialiser or getter had its say.
  /** The context of the operation, from {@link initialize} on. */
  declare context: TContext;

  /** Called once for every operation, before the first resolver. An override may be async; call `super.initialize`. */
  initialize(config: DataSourceConfig<TContext>): void | Promise<void> {
    this.context = config.context;
  }
}
