import type { KeyValueCache } from '../../../cache/key-value-cache.ts';
import type { DataSourceOperation } from '../../../datasource/data-source.ts';

/** The argument of `initialize`, when an operation begins. */
export interface DataSourceConfig<TContext> {
  context: TContext;
  cache: KeyValueCache;
  /** The operation that the data source works for; absent without a server, and in version 3. */
  operation?: DataSourceOperation | undefined;
}

/** The logic for talking to one store or one API, in the form of apollo-datasource 3. */
export abstract class DataSource<TContext = any> {
  /** Called once for every operation, and awaited. */
  initialize?(config: DataSourceConfig<TContext>): void | Promise<void>;
}
