import type { DocumentNode, GraphQLFieldResolver, GraphQLSchema, ValidationRule } from 'graphql';

import type { KeyValueCache } from '../datasources/index.ts';
import { DocumentCache } from '../server/index.ts';
import type { DocumentSettings } from '../server/index.ts';
import type { FormatError } from './errors/format-errors.ts';
import type {
  ApolloServerPlugin,
  DataSource,
  GraphQLExecutor,
  GraphQLRequestContext,
  GraphQLResponse,
  Logger,
  SchemaHash,
} from './types.ts';

export type DataSources<TContext> = Record<string, DataSource<TContext>>;

/** Settings of automatic persisted queries. */
export interface PersistedQueryOptions {
  readonly cache?: KeyValueCache;
  /** Seconds; null: no expiry. Default: the cache decides. */
  readonly ttl?: number | null;
}

/** Parsed and validated documents by the hash of their text. */
export type DocumentStore = Pick<KeyValueCache<DocumentNode>, 'get' | 'set'> & Partial<KeyValueCache<DocumentNode>>;

/** The settings of one request, and its context value. A server creates them, and a subclass may change them. */
export interface GraphQLServerOptions<TContext = Record<string, any>, TRootValue = any> {
  schema: GraphQLSchema;
  /** Read on demand: it is not copied with `{ ...options }`. */
  schemaHash: SchemaHash;
  logger?: Logger | undefined;
  formatError?: FormatError | undefined;
  rootValue?: ((parsedQuery: DocumentNode) => TRootValue) | TRootValue;
  /** A function that throws means that the context could not be created. */
  context?: TContext | (() => never);
  validationRules?: readonly ValidationRule[] | undefined;
  executor?: GraphQLExecutor<any> | undefined;
  formatResponse?:
    | ((response: GraphQLResponse, requestContext: GraphQLRequestContext<TContext>) => GraphQLResponse | null | undefined)
    | undefined;
  fieldResolver?: GraphQLFieldResolver<any, any> | undefined;
  /** Stack traces in answers. Default: only when NODE_ENV is development; never when it is production. */
  debug?: boolean | undefined;
  dataSources?: (() => DataSources<TContext>) | undefined;
  cache?: KeyValueCache | undefined;
  persistedQueries?: PersistedQueryOptions | undefined;
  plugins?: readonly ApolloServerPlugin<any>[] | undefined;
  /** null: every request parses and validates its document. Default: in memory. */
  documentStore?: DocumentStore | null | undefined;
  dangerouslyDisableValidation?: boolean | undefined;
  parseOptions?: Record<string, any> | undefined;
  nodeEnv?: string | undefined;
  /** Default: true. */
  allowBatchedHttpRequests?: boolean | undefined;
}

/** The name under which the servers export this type. */
export type GraphQLOptions<TContext = Record<string, any>, TRootValue = any> = GraphQLServerOptions<TContext, TRootValue>;

/** The settings of one request, and settings that only the server itself can make. */
export interface QueryOptions extends GraphQLServerOptions<any> {
  readonly logger: Logger;
  readonly cache: KeyValueCache;
  readonly plugins: readonly ApolloServerPlugin<any>[];
  readonly context: object | (() => never);
  readonly documents: DocumentSettings;
  readonly hashSchema: () => SchemaHash;
  /** `formatError` sees stack traces even if they are not sent. */
  readonly showStacks?: boolean | undefined;
}

/** The settings of documents for one schema. A `documentStore` replaces the cache. */
export function documentSettings(
  schema: GraphQLSchema,
  { validationRules = [], documentStore, parseOptions }: Pick<GraphQLServerOptions, 'validationRules' | 'documentStore' | 'parseOptions'>,
): DocumentSettings {
  const maxTokens = parseOptions?.['maxTokens'] as unknown;
  return {
    schema,
    trustedDocuments: undefined,
    documents: new DocumentCache(documentStore === undefined ? 30 * 2 ** 20 : 0),
    incrementalRules: [],
    validationRules,
    introspection: true,
    maxTokens: typeof maxTokens === 'number' ? maxTokens : 15_000,
  };
}

/** The options of a request. Throws if a subclass has replaced the schema or the rules, by which no document would be checked. */
export function assertDocuments(given: GraphQLServerOptions): QueryOptions {
  const { schema, validationRules, documents } = given as Partial<QueryOptions>;
  if (documents === undefined || documents.schema !== schema || documents.validationRules !== validationRules)
    throw new Error(
      'createGraphQLServerOptions must return the schema and the validationRules of super. Create an ApolloServer for each schema, and choose its handler.',
    );
  return given as QueryOptions;
}
