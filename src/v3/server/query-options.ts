import type { DocumentNode, GraphQLFieldResolver, GraphQLSchema, ValidationRule } from 'graphql';

import type { KeyValueCache } from '../../datasources/index.ts';
import { DocumentCache } from '../../server/for-v3.ts';
import type { DocumentSettings } from '../../server/for-v3.ts';
import type { FormatError } from '../errors/format-errors.ts';
import type { QueryOptions } from '../http/run-http-query.ts';
import type { DocumentStore } from '../operation/operation.ts';
import type { ApolloServerPlugin, GraphQLExecutor, GraphQLRequestContext, GraphQLResponse, Logger, SchemaHash } from '../types.ts';
import type { DataSources, PersistedQueryOptions } from './config.ts';

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
  debug?: boolean | undefined;
  dataSources?: (() => DataSources<TContext>) | undefined;
  cache?: KeyValueCache | undefined;
  persistedQueries?: PersistedQueryOptions | undefined;
  plugins?: readonly ApolloServerPlugin<any>[] | undefined;
  documentStore?: DocumentStore | null | undefined;
  dangerouslyDisableValidation?: boolean | undefined;
  parseOptions?: Record<string, any> | undefined;
  nodeEnv?: string | undefined;
  allowBatchedHttpRequests?: boolean | undefined;
}

/** The name under which the servers export it. */
export type GraphQLOptions<TContext = Record<string, any>, TRootValue = any> = GraphQLServerOptions<TContext, TRootValue>;

/** The options that concern documents. */
export type DocumentChoices = Pick<GraphQLServerOptions, 'schema' | 'validationRules' | 'documentStore' | 'parseOptions'>;

/** The settings of documents for one schema. A `documentStore` replaces the cache. */
export function documentSettings({ schema, validationRules = [], documentStore, parseOptions }: DocumentChoices): DocumentSettings {
  const maxTokens = parseOptions?.['maxTokens'] as unknown;
  return {
    schema,
    documents: new DocumentCache(documentStore === undefined ? 30 * mebibyte : 0),
    incrementalRules: [],
    validationRules,
    introspection: true,
    maxTokens: typeof maxTokens === 'number' ? maxTokens : 15_000,
  };
}

const mebibyte = 1024 * 1024;

/** The options of a request. Throws if a subclass has replaced the schema or the rules, by which no document would be checked. */
export function assertDocuments(given: GraphQLServerOptions): QueryOptions {
  const options = given as GraphQLServerOptions & Partial<QueryOptions>;
  const { schema, validationRules, documents } = options;
  if (documents === undefined || documents.schema !== schema || documents.validationRules !== validationRules)
    throw new Error(
      'createGraphQLServerOptions must return the schema and the validationRules of super. Create an ApolloServer for each schema, and choose its handler.',
    );
  return options as QueryOptions;
}
