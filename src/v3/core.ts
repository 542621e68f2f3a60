export { ApolloServerBase } from '../extensions/v3/server/apollo-server-base.ts';
export type { GraphQLOptions, GraphQLServerOptions } from '../extensions/v3/server/query-options.ts';
export type {
  Config,
  Context,
  ContextFunction,
  CSRFPreventionOptions,
  DataSources,
  GatewayInterface,
  GraphQLSchemaModule,
  GraphQLService,
  GraphQLServiceConfig,
  PersistedQueryOptions,
  SchemaChangeCallback,
  Unsubscriber,
} from '../extensions/v3/server/config.ts';
export { convertNodeHttpToRequest, resolveGraphqlOptions, runHttpQuery } from '../extensions/v3/server/integration.ts';
export type { HttpQueryRequest, HttpQueryResponse } from '../extensions/v3/server/integration.ts';
export { makeExecutableSchema } from '../extensions/v3/server/executable-schema.ts';
export type { ExecutableSchemaOptions } from '../extensions/v3/server/executable-schema.ts';
export { createTestClient } from '../extensions/v3/server/test-client.ts';
export type { ApolloServerTestClient } from '../extensions/v3/server/test-client.ts';
export type { DocumentStore } from '../extensions/v3/operation/operation.ts';
export { HttpQueryError, isHttpQueryError } from '../extensions/v3/errors/apollo-error.ts';
export { gql } from '../extensions/v3/gql.ts';
export { formatApolloErrors, fromGraphQLError } from '../extensions/v3/errors/format-errors.ts';
export type { ErrorOptions } from '../extensions/v3/errors/format-errors.ts';
export {
  ApolloError,
  AuthenticationError,
  ForbiddenError,
  PersistedQueryNotFoundError,
  PersistedQueryNotSupportedError,
  SyntaxError,
  toApolloError,
  UserInputError,
  ValidationError,
} from '../extensions/v3/errors/apollo-error.ts';
// Its module gives `info` of resolvers the type of `cacheControl`.
export type { ResolveInfoCacheControl } from '../extensions/cache-hints/field-policy.ts';
export { CacheScope, newCachePolicy } from '../extensions/cache-hints/policy.ts';
export type { CacheAnnotation, CacheHint, CachePolicy } from '../extensions/cache-hints/policy.ts';
export { ApolloServerPluginCacheControl, ApolloServerPluginCacheControlDisabled } from '../extensions/v3/plugins/cache-control.ts';
export type { ApolloServerPluginCacheControlOptions } from '../extensions/v3/plugins/cache-control.ts';
export {
  ApolloServerPluginLandingPageDisabled,
  ApolloServerPluginLandingPageGraphQLPlayground,
  ApolloServerPluginLandingPageLocalDefault,
  ApolloServerPluginLandingPageProductionDefault,
} from '../extensions/v3/plugins/landing-page.ts';
export type {
  ApolloServerPluginLandingPageDefaultBaseOptions,
  ApolloServerPluginLandingPageDefaultOptions,
  ApolloServerPluginLandingPageLocalDefaultOptions,
  ApolloServerPluginLandingPageProductionDefaultOptions,
  ApolloServerPluginLandingPageGraphQLPlaygroundOptions,
} from '../extensions/v3/plugins/landing-page.ts';
export {
  ApolloServerPluginDrainHttpServer,
  ApolloServerPluginInlineTrace,
  ApolloServerPluginInlineTraceDisabled,
  ApolloServerPluginSchemaReporting,
  ApolloServerPluginUsageReporting,
  ApolloServerPluginUsageReportingDisabled,
} from '../extensions/v3/plugins/reporting.ts';
export type {
  ApolloServerPluginDrainHttpServerOptions,
  ApolloServerPluginInlineTraceOptions,
  ApolloServerPluginSchemaReportingOptions,
  ApolloServerPluginUsageReportingOptions,
  ClientInfo,
  GenerateClientInfo,
  SendValuesBaseOptions,
  VariableValueOptions,
} from '../extensions/v3/plugins/reporting.ts';
export { ErrorsAreMissesCache } from '../extensions/v3/cache/errors-are-misses-cache.ts';
export { InMemoryLRUCache } from '../extensions/v3/cache/in-memory-lru-cache.ts';
export { KeyvAdapter, PrefixingKeyValueCache } from '../cache.ts';
export type { KeyValueCache, KeyValueCacheSetOptions } from '../cache.ts';
export type {
  AnyFunction,
  AnyFunctionMap,
  ApolloConfig,
  ApolloConfigInput,
  ApolloServerPlugin,
  BaseContext,
  GraphQLExecutionResult,
  GraphQLExecutor,
  GraphQLFieldResolverParams,
  GraphQLRequest,
  GraphQLRequestContext,
  GraphQLRequestContextDidEncounterErrors,
  GraphQLRequestContextDidResolveOperation,
  GraphQLRequestContextDidResolveSource,
  GraphQLRequestContextExecutionDidStart,
  GraphQLRequestContextParsingDidStart,
  GraphQLRequestContextResponseForOperation,
  GraphQLRequestContextValidationDidStart,
  GraphQLRequestContextWillSendResponse,
  GraphQLRequestExecutionListener,
  GraphQLRequestListener,
  GraphQLRequestListenerDidResolveField,
  GraphQLRequestListenerExecutionDidEnd,
  GraphQLRequestListenerParsingDidEnd,
  GraphQLRequestListenerValidationDidEnd,
  GraphQLRequestMetrics,
  GraphQLResponse,
  GraphQLSchemaContext,
  GraphQLServerListener,
  GraphQLServiceContext,
  HTTPRequestHead,
  LandingPage,
  Logger,
  PluginDefinition,
  SchemaHash,
  ValidationRule,
  ValueOrPromise,
  VariableValues,
  WithRequired,
} from '../extensions/v3/types.ts';
