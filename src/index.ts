export { createHandler } from './handler/universal.ts';
export type { Handler } from './handler/universal.ts';
export type { ContextFits, ContextValue, ServerOptions } from './server/options.ts';
export type { OptionsSource } from './server/start.ts';
export type { DeadlineOptions } from './server/deadline.ts';

export { HeaderMap } from './message/header-map.ts';
export type { HTTPRequest, HTTPRequestBody } from './message/http-messages.ts';
export type { ChunkStream, HTTPResponse, ResponseHead, StreamedResponse } from './message/http-messages.ts';
export type { ContextArgument } from './http/context-argument.ts';
export type { CORSOptions, CORSOrigin } from './http/cors.ts';
export type { HTTPStatusProfile } from './http/status.ts';
export type { CostOptions } from './operation/limits/cost.ts';
export type { GraphQLRequest } from './operation/types.ts';
export type { FormatError, HTTPExtension } from './operation/errors.ts';
export type { Logger } from './operation/types.ts';
export type {
  DataSourceCall,
  DataSourceCallListener,
  EndHook,
  ExecutionWish,
  GraphQLRequestContext,
  GraphQLRequestListener,
  LandingPage,
  OperationCall,
  OperationExecution,
  RequestCall,
  RequestContextWithDocument,
  RequestContextWithErrors,
  RequestContextWithOperation,
  RequestContextWithResponse,
  RequestContextWithSource,
  ServerListener,
  ServerPlugin,
  ServerStartContext,
} from './operation/plugin.ts';
export type { AnsweredObjects, AnsweredRun, ObjectListing, OperationOutcome, PayloadStream, SubsequentPayload } from './operation/types.ts';
export type { ApolloOperationManifest, TrustedDocumentManifest, TrustedDocumentOptions } from './operation/documents/trusted-documents.ts';
export { gql } from './schema/sdl/type-defs.ts';
export type {
  EnumValues,
  FieldResolver,
  FieldResolverObject,
  ResolverMap,
  Resolvers,
  ScalarResolvers,
  TypeResolvers,
} from './schema/resolvers/resolver-map.ts';
export type { TypeDefs } from './schema/sdl/type-defs.ts';

export { InMemoryLRUCache } from './cache/in-memory.ts';
export type { KeyValueCache, KeyValueCacheSetOptions } from './cache/key-value-cache.ts';
export { KeyvAdapter } from './cache/keyv.ts';
export { PrefixingKeyValueCache } from './cache/guard.ts';
export { DataSource } from './datasource/data-source.ts';
export type { DataSourceConfig, DataSourceOperation } from './datasource/data-source.ts';
export { AuthenticationError, ForbiddenError } from './datasource/errors.ts';
export { DataSourceRequest } from './datasource/request.ts';
export type {
  CacheOptions,
  CacheOptionsSource,
  DataSourceRequestInit,
  FetchInit,
  HTTPMethod,
  QueryParams,
  QueryValue,
} from './datasource/request.ts';
export type { FetchResult } from './datasource/received.ts';
export type { FetchedResponse } from './datasource/received.ts';
export { RESTDataSource } from './datasource/rest-data-source.ts';
export type { RESTDataSourceOptions } from './datasource/rest-data-source.ts';
export type { RetryOptions } from './datasource/retry.ts';
export type { HTTPFetch } from './datasource/send.ts';
