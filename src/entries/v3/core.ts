export { ApolloServerBase } from '../../v3/server/apollo-server-base.ts';
export type { DataSources, DocumentStore, GraphQLOptions, GraphQLServerOptions, PersistedQueryOptions } from '../../v3/options.ts';
export type { Config, Context, ContextFunction, CSRFPreventionOptions, GraphQLSchemaModule } from '../../v3/server/config.ts';
export { makeExecutableSchema } from '../../v3/server/make-schema.ts';
export type { ExecutableSchemaOptions } from '../../v3/server/make-schema.ts';
export { HttpQueryError, isHttpQueryError } from '../../v3/errors/apollo-error.ts';
export { gql } from '../../v3/gql.ts';
export { formatApolloErrors, fromGraphQLError } from '../../v3/errors/format-errors.ts';
export type { ErrorOptions } from '../../v3/errors/format-errors.ts';
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
} from '../../v3/errors/apollo-error.ts';
// Importing this module adds `cacheControl` to the type of `info`.
export { CacheScope, newCachePolicy } from '../../extensions/edge/index.ts';
export type { CacheAnnotation, CacheHint, CachePolicy, ResolveInfoCacheControl } from '../../extensions/edge/index.ts';
export { ApolloServerPluginCacheControl, ApolloServerPluginCacheControlDisabled } from '../../v3/plugins/cache-control.ts';
export type { ApolloServerPluginCacheControlOptions } from '../../v3/plugins/cache-control.ts';
export { ApolloServerPluginDrainHttpServer } from '../../v3/plugins/drain-http-server.ts';
export type { ApolloServerPluginDrainHttpServerOptions } from '../../v3/plugins/drain-http-server.ts';
export {
  ApolloServerPluginInlineTrace,
  ApolloServerPluginInlineTraceDisabled,
  ApolloServerPluginLandingPageDisabled,
  ApolloServerPluginLandingPageGraphQLPlayground,
  ApolloServerPluginLandingPageLocalDefault,
  ApolloServerPluginLandingPageProductionDefault,
  ApolloServerPluginSchemaReporting,
  ApolloServerPluginUsageReporting,
  ApolloServerPluginUsageReportingDisabled,
} from '../../v3/plugins/withdrawn.ts';
export { ErrorsAreMissesCache } from '../../v3/cache/errors-are-misses-cache.ts';
export { InMemoryLRUCache } from '../../v3/cache/in-memory-lru-cache.ts';
export { KeyvAdapter, PrefixingKeyValueCache } from '../cache.ts';
export type { KeyValueCache, KeyValueCacheSetOptions } from '../cache.ts';
export type {
  AnyFunction,
  AnyFunctionMap,
  ApolloConfig,
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
  InternalPlugin,
  LandingPage,
  Logger,
  PluginDefinition,
  SchemaHash,
  ValidationRule,
  ValueOrPromise,
  VariableValues,
  WithRequired,
} from '../../v3/types.ts';
