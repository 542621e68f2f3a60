import type { DocumentNode, GraphQLFieldResolver, GraphQLSchema, ValidationRule } from 'graphql';

import { InMemoryLRUCache } from '../../datasources/index.ts';
import type { KeyValueCache } from '../../datasources/index.ts';
import { guardLogger } from '../../shared/index.ts';
import { DocumentCache } from '../../server/for-v3.ts';
import type { DocumentSettings } from '../../server/for-v3.ts';
import type { FormatError } from '../errors/format-errors.ts';
import type { QueryOptions } from '../http/run-http-query.ts';
import type { DocumentStore } from '../operation/operation.ts';
import type { ApolloServerPlugin, GraphQLExecutor, GraphQLRequestContext, GraphQLResponse, Logger, SchemaHash } from '../types.ts';
import type { DataSources, PersistedQueryOptions } from './config.ts';
import { hashSchema } from './make-schema.ts';

/** The settings of one request, and its context value. A server creates them, a subclass may change them, and a host may write them itself. */
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
    maxNesting: 200,
    maxDepth: undefined,
    maxAliases: undefined,
  };
}

const mebibyte = 1024 * 1024;

/** Cached for one schema whose options a host wrote by hand. */
interface Kept {
  readonly validationRules: readonly ValidationRule[] | undefined;
  readonly documents: DocumentSettings;
  readonly cache: KeyValueCache;
  hash: SchemaHash | undefined;
}

const keptBySchema = new WeakMap<GraphQLSchema, Kept>();

/**
 * Adds what is missing of the options of a request. Those of a server are complete, unless a subclass replaced the schema or the
 * rules; a host may have written all of them. Documents are then validated against that schema and those rules.
 */
export function completeOptions(given: GraphQLServerOptions): QueryOptions {
  const options = given as GraphQLServerOptions & Partial<QueryOptions>;
  const { schema, validationRules, documents } = options;
  if (documents !== undefined && documents.schema === schema && documents.validationRules === validationRules)
    return options as QueryOptions;
  const kept = keptFor(options);
  const debug = options.debug ?? isDeveloper(options.nodeEnv);
  const { persistedQueries } = options;
  const store = persistedQueries?.cache;
  return {
    ...(options as QueryOptions),
    context: options.context ?? {},
    plugins: options.plugins ?? [],
    logger: guardLogger(options.logger ?? console),
    cache: options.cache ?? kept.cache,
    persistedQueries: store && { cache: store, ttl: persistedQueries?.ttl },
    debug,
    showStacks: options.showStacks ?? debug,
    documentStore: options.documentStore,
    documents: kept.documents,
    hashSchema: () => (kept.hash ??= hashSchema(schema)),
  };
}

function keptFor(options: GraphQLServerOptions): Kept {
  const { schema, validationRules } = options;
  const known = keptBySchema.get(schema);
  if (known !== undefined && known.validationRules === validationRules) return known;
  const kept = { validationRules, documents: documentSettings(options), cache: known?.cache ?? new InMemoryLRUCache(), hash: known?.hash };
  keptBySchema.set(schema, kept);
  return kept;
}

function isDeveloper(nodeEnv: string | undefined): boolean {
  return (nodeEnv ?? globalThis.process?.env?.['NODE_ENV']) === 'development';
}
