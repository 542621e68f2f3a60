import type {
  DocumentNode,
  GraphQLError,
  GraphQLFormattedError,
  GraphQLResolveInfo,
  GraphQLSchema,
  OperationDefinitionNode,
  ValidationRule,
} from 'graphql';

import type { DataSourceOperation, KeyValueCache } from '../datasources/index.ts';
import type { HeaderMap } from '../shared/index.ts';

export type ValueOrPromise<T> = T | Promise<T>;
export type BaseContext = Record<string, any>;
export type VariableValues = Record<string, any>;
export type { ValidationRule };

/** The methods of `console` and of common loggers. */
export type Logger = Pick<Console, 'debug' | 'info' | 'warn' | 'error'>;

/** Header fields for plugins, compatible with the web's `Headers` and with apollo-server-env. */
export type PluginHeaders = Iterable<[name: string, value: string]> &
  Pick<HeaderMap, 'get' | 'has' | 'set' | 'append' | 'delete'> &
  Record<'keys' | 'values', () => Iterator<string>> &
  Record<'entries', () => Iterator<[name: string, value: string]>>;

/** The part of an HTTP request that plugins see. */
export interface HTTPRequestHead {
  readonly url: string;
  readonly method: string;
  readonly headers: PluginHeaders;
}

/** One operation as the client sent it. */
export interface GraphQLRequest {
  query?: string;
  operationName?: string;
  variables?: VariableValues;
  extensions?: Record<string, any>;
  http?: HTTPRequestHead;
}

/** The answer of one operation. */
export interface GraphQLResponse {
  data?: Record<string, any> | null;
  errors?: readonly GraphQLFormattedError[];
  extensions?: Record<string, any>;
  http?: { readonly headers: PluginHeaders; status?: number };
}

/** The result of an execution, before its errors are formatted. */
export type GraphQLExecutionResult = Omit<GraphQLResponse, 'errors' | 'http'> & { errors?: readonly GraphQLError[] };

/** Executes operations in place of this package. */
export type GraphQLExecutor<TContext = BaseContext> = (
  requestContext: GraphQLRequestContextExecutionDidStart<TContext>,
) => Promise<GraphQLExecutionResult>;

export interface GraphQLRequestMetrics {
  captureTraces?: boolean;
  persistedQueryHit?: boolean;
  persistedQueryRegister?: boolean;
  responseCacheHit?: boolean;
  forbiddenOperation?: boolean;
  registeredOperation?: boolean;
  startHrTime?: [number, number];
}

/** Branded as in apollo-server-types, for plugins that are typed with that package. */
export type SchemaHash = string & { readonly __fauxpaque: 'SchemaHash' };

/** The context that all hooks of one operation share. Each step adds to it. */
export interface GraphQLRequestContext<TContext = BaseContext> {
  readonly request: GraphQLRequest;
  response: GraphQLResponse;
  readonly schema: GraphQLSchema;
  readonly schemaHash: SchemaHash;
  readonly context: TContext;
  readonly cache: KeyValueCache;
  readonly logger: Logger;
  readonly queryHash?: string;
  source?: string;
  document?: DocumentNode;
  operationName?: string | null;
  operation?: OperationDefinitionNode;
  errors?: readonly GraphQLError[];
  metrics: GraphQLRequestMetrics;
  debug?: boolean | undefined;
  readonly overallCachePolicy: PluginCachePolicy;
  readonly requestIsBatched: boolean;
}

/** The lifetime of an answer. Its scope is "PUBLIC" or "PRIVATE". */
export interface PluginCachePolicy {
  maxAge?: number | undefined;
  // Any: apollo-server-types has another enum, and plugins typed with that must be assignable.
  scope?: any;
  replace(hint: PluginCacheHint): void;
  restrict(hint: PluginCacheHint): void;
  policyIfCacheable(): { maxAge: number; scope: any } | null;
}

type PluginCacheHint = Pick<PluginCachePolicy, 'maxAge' | 'scope'>;

type With<T, K extends keyof T> = T & { [P in K]-?: NonNullable<T[P]> };
type Named<TContext> = GraphQLRequestContext<TContext> & { readonly operationName: string | null };

export type GraphQLRequestContextDidResolveSource<TContext> = With<GraphQLRequestContext<TContext>, 'source' | 'queryHash'>;
export type GraphQLRequestContextParsingDidStart<TContext> = GraphQLRequestContextDidResolveSource<TContext>;
export type GraphQLRequestContextValidationDidStart<TContext> = With<GraphQLRequestContextParsingDidStart<TContext>, 'document'>;
export type GraphQLRequestContextDidResolveOperation<TContext> = With<GraphQLRequestContextValidationDidStart<TContext>, 'operation'> &
  Named<TContext>;
export type GraphQLRequestContextResponseForOperation<TContext> = GraphQLRequestContextDidResolveOperation<TContext>;
export type GraphQLRequestContextExecutionDidStart<TContext> = GraphQLRequestContextDidResolveOperation<TContext>;
export type GraphQLRequestContextDidEncounterErrors<TContext> = With<GraphQLRequestContext<TContext>, 'errors'>;
export type GraphQLRequestContextWillSendResponse<TContext> = GraphQLRequestContextDidResolveSource<TContext>;

/** The argument of `willResolveField`: the four arguments of a resolver. */
export interface GraphQLFieldResolverParams<TSource = any, TContext = BaseContext, TArgs = Record<string, any>> {
  readonly source: TSource;
  readonly args: TArgs;
  readonly context: TContext;
  readonly info: GraphQLResolveInfo;
}

/** Called when a field has its value, or its error. */
export type GraphQLRequestListenerDidResolveField = (error: Error | null, result?: any) => void;

/** The ends of hooks that `parsingDidStart`, `validationDidStart` and `executionDidStart` may return. */
export type GraphQLRequestListenerParsingDidEnd = (error?: Error) => ValueOrPromise<void>;
export type GraphQLRequestListenerValidationDidEnd = (errors?: readonly Error[]) => ValueOrPromise<void>;
export type GraphQLRequestListenerExecutionDidEnd = (error?: Error) => ValueOrPromise<void>;

/** Any function, and an object of functions: plugins may have custom hooks. */
export type AnyFunction = (...args: any[]) => any;
export type AnyFunctionMap = Record<string, AnyFunction | undefined>;

/** A type with some properties required. */
export type WithRequired<T, K extends keyof T> = T & Required<Pick<T, K>>;

/** The hooks of one execution. */
export interface GraphQLRequestExecutionListener<TContext = BaseContext> extends AnyFunctionMap {
  executionDidEnd?: GraphQLRequestListenerExecutionDidEnd;
  /** Synchronous, because it is called for every field. */
  willResolveField?(params: GraphQLFieldResolverParams<any, TContext>): GraphQLRequestListenerDidResolveField | void;
}

/** The hooks of one operation, in their order. All are optional. */
export interface GraphQLRequestListener<TContext = BaseContext> extends AnyFunctionMap {
  didResolveSource?(context: GraphQLRequestContextDidResolveSource<TContext>): ValueOrPromise<void>;
  parsingDidStart?(context: GraphQLRequestContextParsingDidStart<TContext>): ValueOrPromise<GraphQLRequestListenerParsingDidEnd | void>;
  validationDidStart?(
    context: GraphQLRequestContextValidationDidStart<TContext>,
  ): ValueOrPromise<GraphQLRequestListenerValidationDidEnd | void>;
  didResolveOperation?(context: GraphQLRequestContextDidResolveOperation<TContext>): ValueOrPromise<void>;
  responseForOperation?(context: GraphQLRequestContextResponseForOperation<TContext>): ValueOrPromise<GraphQLResponse | null>;
  executionDidStart?(
    context: GraphQLRequestContextExecutionDidStart<TContext>,
  ): ValueOrPromise<GraphQLRequestExecutionListener<TContext> | void>;
  didEncounterErrors?(context: GraphQLRequestContextDidEncounterErrors<TContext>): ValueOrPromise<void>;
  willSendResponse?(context: GraphQLRequestContextWillSendResponse<TContext>): ValueOrPromise<void>;
}

/** The argument of `serverWillStart`. */
export interface GraphQLServiceContext {
  readonly logger: Logger;
  readonly schema: GraphQLSchema;
  readonly schemaHash: SchemaHash;
  readonly apollo: ApolloConfig;
  readonly persistedQueries?: { readonly cache: KeyValueCache };
  readonly serverlessFramework: boolean;
}

/** The option `apollo`, which plugins may read. */
export interface ApolloConfig {
  readonly key?: string;
  readonly keyHash?: string;
  readonly graphRef?: string;
}

export interface GraphQLSchemaContext {
  readonly apiSchema: GraphQLSchema;
}

/** The page a browser gets. */
export interface LandingPage {
  readonly html: string;
}

/** The hooks of a server's life. */
export interface GraphQLServerListener {
  schemaDidLoadOrUpdate?(schemaContext: GraphQLSchemaContext): void;
  drainServer?(): ValueOrPromise<void>;
  serverWillStop?(): ValueOrPromise<void>;
  renderLandingPage?(): ValueOrPromise<LandingPage>;
}

/** A plugin of version 3: an object with hooks. */
export interface ApolloServerPlugin<TContext = BaseContext> {
  serverWillStart?(service: GraphQLServiceContext): ValueOrPromise<GraphQLServerListener | void>;
  requestDidStart?(context: GraphQLRequestContext<TContext>): ValueOrPromise<GraphQLRequestListener<TContext> | void>;
}

/** A plugin, or a function that creates one. */
export type PluginDefinition = ApolloServerPlugin<any> | (() => ApolloServerPlugin<any>);

/** A plugin that replaces one that the server would add: `CacheControl` or `UsageReporting`. */
export interface InternalPlugin {
  __internal_plugin_id__(): string;
}

/** The argument of `initialize`, when an operation begins. */
export interface DataSourceConfig<TContext> {
  context: TContext;
  cache: KeyValueCache;
  /** The current operation; not part of version 3. */
  operation?: DataSourceOperation | undefined;
}

/** A data source of apollo-datasource 3. */
export abstract class DataSource<TContext = any> {
  /** Called once for every operation, and awaited. */
  initialize?(config: DataSourceConfig<TContext>): void | Promise<void>;
}
