export { AuthenticationError, DataSource, DataSourceRequest, ForbiddenError, RESTDataSource } from '../datasources/index.ts';
export type {
  CacheOptions,
  CacheOptionsSource,
  CacheOutcome,
  DataSourceConfig,
  DataSourceOperation,
  DataSourceRequestInit,
  FetchInit,
  FetchResult,
  FetchedResponse,
  HTTPFetch,
  HTTPMethod,
  Milliseconds,
  QueryParams,
  QueryValue,
  RESTDataSourceOptions,
  RetryOptions,
} from '../datasources/index.ts';
