import type { DataSource } from '../datasource/data-source.ts';
import type { ContextValue } from './options.ts';

/**
 * Anything when the context is enough for the data sources, else what no options are. A data source class says what it
 * reads by its type argument, `DataSource<{ token: string }>`; one that gets less would find undefined there.
 */
export type ContextFits<TContext, TDataSources> =
  UnfitDataSources<TContext, TDataSources> extends never
    ? unknown
    : { readonly dataSources: `context() does not return what the data source ${UnfitDataSources<TContext, TDataSources> & string} reads` };

/** The names of data sources that read more from the context than there is. */
type UnfitDataSources<TContext, TDataSources> = {
  [Name in keyof TDataSources]: TDataSources[Name] extends DataSource<infer TNeeded>
    ? // `object` is what a context is taken for until its function has been looked at.
      object extends TContext
      ? never
      : ContextValue<TContext, TDataSources> extends TNeeded
        ? never
        : Name
    : never;
}[keyof TDataSources];
