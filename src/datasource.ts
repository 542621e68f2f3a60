export type { CacheOutcome } from './datasource/call-watch.ts';
export { DataSource, type DataSourceConfig, type DataSourceOperation } from './datasource/data-source.ts';
export { AuthenticationError, ForbiddenError } from './datasource/errors.ts';
export {
  DataSourceRequest,
  type CacheOptions,
  type CacheOptionsSource,
  type DataSourceRequestInit,
  type FetchInit,
  type HTTPMethod,
  type QueryParams,
  type QueryValue,
} from './datasource/request.ts';
export type { FetchedResponse } from './datasource/received.ts';
export type { FetchResult } from './datasource/received.ts';
export { RESTDataSource, type RESTDataSourceOptions } from './datasource/rest-data-source.ts';
export type { RetryOptions } from './datasource/retry.ts';
export type { HTTPFetch } from './datasource/send.ts';
export type { Milliseconds } from './cache/key-value-cache.ts';
