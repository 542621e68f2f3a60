import { guardLogger } from '../../shared/index.ts';
import { print } from 'graphql';
import type { DocumentNode, GraphQLSchema } from 'graphql';

import { InMemoryLRUCache, PrefixingKeyValueCache, guardCache } from '../../datasources/index.ts';
import type { KeyValueCache } from '../../datasources/index.ts';
import type { DocumentSettings } from '../../server/for-v3.ts';
import { recommendedRequestHeaders } from '../http/csrf.ts';
import type { QueryOptions } from '../http/run-http-query.ts';
import { processGraphQLRequest } from '../operation/pipeline.ts';
import { createRequestContext } from '../operation/request-context.ts';
import type { DocumentStore } from '../operation/operation.ts';
import type { PersistedQuerySettings } from '../operation/persisted-query.ts';
import type { ApolloServerPlugin, GraphQLRequest, GraphQLResponse, HTTPRequestHead, Logger, SchemaHash } from '../types.ts';
import { assertConfig, noIntrospection } from './config.ts';
import type { Config } from './config.ts';
import type { HandlerSettings } from './serving.ts';
import { Lifecycle, logStartupError, installPlugins } from './lifecycle.ts';
import { hashSchema, makeSchema } from './make-schema.ts';
import { assertDocuments, documentSettings } from './query-options.ts';
import type { GraphQLServerOptions } from './query-options.ts';

/** An operation without HTTP. `http` is what plugins see of an HTTP request. */
export interface ExecutedRequest extends Omit<GraphQLRequest, 'query' | 'http'> {
  query?: string | DocumentNode;
  http?: Pick<HTTPRequestHead, 'url' | 'method'> & { readonly headers: Pick<HTTPRequestHead['headers'], 'get' | 'has'> };
}

/** The server without a platform: `start` starts it, and `executeOperation` runs operations. */
export class ApolloServerBase<ContextFunctionParams = any> {
  graphqlPath = '/';
  /** Options passed on with every request. Changes apply to the next request. */
  requestOptions: Partial<QueryOptions>;
  protected plugins: ApolloServerPlugin<any>[];
  readonly #config: Config<ContextFunctionParams>;
  readonly #logger: Logger;
  readonly #lifecycle: Lifecycle;
  readonly #schema: GraphQLSchema;
  readonly #cache: KeyValueCache;
  readonly #documents: DocumentSettings;
  #documentStore: DocumentStore | undefined = undefined;
  #hash: SchemaHash | undefined = undefined;

  /** Throws for invalid options and for a schema that cannot be built. Plugins run when the server starts. */
  constructor(config: Config<ContextFunctionParams>) {
    if (!config) throw new Error('ApolloServer requires options.');
    const nodeEnv = config.nodeEnv ?? readNodeEnv();
    this.#config = { ...config, ...(nodeEnv !== undefined && { nodeEnv }) };
    this.#logger = guardLogger(config.logger ?? console);
    assertConfig(this.#config, this.#logger);
    const { cache, documentStore, parseOptions } = config;
    this.#cache = cache === undefined || cache === 'bounded' ? new InMemoryLRUCache() : this.#guard(cache);
    this.requestOptions = this.#requestOptions();
    this.plugins = installPlugins(this.#config);
    const schema = makeSchema(this.#config, this.#logger);
    this.#schema = schema;
    const introspection = config.introspection ?? nodeEnv !== 'production';
    const validationRules = [...(config.validationRules ?? []), ...(introspection ? [] : [noIntrospection])];
    this.#documents = documentSettings({ schema, validationRules, documentStore, parseOptions });
    const persisted = this.requestOptions.persistedQueries;
    const hash = (): SchemaHash => this.#hashOfSchema();
    this.#lifecycle = new Lifecycle(this.plugins, {
      logger: this.#logger,
      schema,
      get schemaHash() {
        return hash();
      },
      apollo: config.apollo ?? {},
      serverlessFramework: this.serverlessFramework(),
      ...(persisted && { persistedQueries: { cache: persisted.cache } }),
    });
    if (this.serverlessFramework()) this.startIfNeeded();
  }

  /** The parts of this server that a handler needs. */
  protected handlerSettings(options: HandlerSettings['options']): HandlerSettings {
    const { nodeEnv, csrfPrevention } = this.#config;
    const requestHeaders = typeof csrfPrevention === 'object' ? csrfPrevention.requestHeaders : undefined;
    return {
      options,
      nodeEnv,
      logger: this.#logger,
      schema: this.#schema,
      ready: () => this.ensureStarted(),
      csrfRequestHeaders: csrfPrevention ? (requestHeaders ?? recommendedRequestHeaders) : undefined,
      landingPage: () => this.#lifecycle.landingPage,
    };
  }

  /** Throws on a serverless server, which starts by itself. */
  async start(): Promise<void> {
    if (this.serverlessFramework()) {
      throw new Error(
        "When using an ApolloServer subclass from a serverless framework package, you don't need to call start(); just call createHandler().",
      );
    }
    return this._start();
  }

  /** Calls the plugins' hooks. */
  async stop(): Promise<void> {
    return this.#lifecycle.stop();
  }

  /**
   * Runs one operation without HTTP. `integrationContextArgument` is the argument of the context function. Rejects when that
   * function fails.
   */
  async executeOperation(request: ExecutedRequest, integrationContextArgument?: Partial<ContextFunctionParams>): Promise<GraphQLResponse> {
    if (this.#lifecycle.phase === 'initialized') await this._start();
    const options = {
      ...assertDocuments(await this.graphQLServerOptions(integrationContextArgument as ContextFunctionParams | undefined)),
      ...this.#withoutHTTP(),
    };
    if (typeof options.context === 'function') return options.context() as never;
    const { query } = request;
    const text = query && typeof query !== 'string' ? print(query) : query;
    const context = createRequestContext(options, { ...request, query: text } as GraphQLRequest, false);
    return processGraphQLRequest(options, context, { invocation: undefined, operations: 1, capacity: undefined });
  }

  /** Without HTTP, stack traces are included only with `debug: true`. */
  #withoutHTTP(): Pick<QueryOptions, 'debug' | 'showStacks'> | undefined {
    return this.#config.debug === undefined ? { debug: undefined, showStacks: false } : undefined;
  }

  /** True when it starts by itself, as on a function platform. */
  protected serverlessFramework(): boolean {
    return false;
  }

  /** Starts the server if `start` was not called, as in version 2. A failed start is logged, and every request reports it. */
  protected startIfNeeded(): void {
    if (this.#lifecycle.phase === 'initialized') this._start().catch((error: unknown) => logStartupError(this.#logger, error));
  }

  protected _start(): Promise<void> {
    return this.#lifecycle.start();
  }

  /** Resolves when it can take requests. */
  protected async ensureStarted(): Promise<void> {
    return this.#lifecycle.ready();
  }

  /** The options, with the context value of one HTTP request. */
  protected async graphQLServerOptions(integrationContextArgument?: ContextFunctionParams): Promise<GraphQLServerOptions> {
    await this.#lifecycle.ready();
    const { dangerouslyDisableValidation, documentStore, executor } = this.#config;
    const options: Omit<QueryOptions, 'schemaHash'> = {
      schema: this.#schema,
      hashSchema: () => this.#hashOfSchema(),
      documents: this.#documents,
      validationRules: this.#documents.validationRules,
      // With its own prefix, because a document is valid for one schema only.
      documentStore: documentStore && (this.#documentStore ??= prefixed(documentStore, `${globalThis.crypto.randomUUID()}:`)),
      dangerouslyDisableValidation,
      plugins: this.plugins,
      logger: this.#logger,
      cache: this.#cache,
      context: await this.#makeContext(integrationContextArgument),
      ...this.requestOptions,
      ...(executor && { executor }),
    };
    // Computed when read: hashing a schema loads node:crypto, and few plugins need it.
    return Object.defineProperty(options, 'schemaHash', { get: options.hashSchema, configurable: true }) as QueryOptions &
      GraphQLServerOptions;
  }

  /** A failed context becomes a function that throws the error, so that it is formatted with the options of the request. */
  async #makeContext(argument: ContextFunctionParams | undefined): Promise<object> {
    const { context } = this.#config;
    if (typeof context !== 'function') return context ?? {};
    try {
      return (await context(argument ?? ({} as ContextFunctionParams))) ?? {};
    } catch (error) {
      return () => {
        throw error;
      };
    }
  }

  #requestOptions(): Partial<QueryOptions> {
    const { rootValue, fieldResolver, dataSources, formatError, formatResponse, allowBatchedHttpRequests, debug, nodeEnv } = this.#config;
    const persistedQueries = this.#persistedQueries();
    return {
      rootValue,
      fieldResolver,
      dataSources,
      formatError,
      formatResponse,
      allowBatchedHttpRequests,
      persistedQueries,
      // Never in production, even with `debug: true`: a stack trace contains file names and may contain values.
      debug: nodeEnv === 'production' ? false : (debug ?? nodeEnv === 'development'),
      // As in version 3: where NODE_ENV is not set, as on Lambda, formatters rely on them.
      showStacks: nodeEnv !== 'production' && (debug ?? nodeEnv !== 'test'),
    };
  }

  #persistedQueries(): PersistedQuerySettings | undefined {
    const { persistedQueries, cache } = this.#config;
    if (persistedQueries === false) return undefined;
    const store = persistedQueries?.cache ?? cache;
    const isOwn = store === undefined || store === 'bounded';
    // A separate cache in memory, so that clients cannot push out responses.
    const guarded = isOwn
      ? new InMemoryLRUCache({ maxSize: 3 * mebibyte })
      : guardCache(store, {
          onError: (error) => this.#logger.warn('The cache of persisted queries failed; it counts as empty.', error),
        });
    return { cache: new PrefixingKeyValueCache(guarded, 'apq:'), ttl: persistedQueries?.ttl };
  }

  /** A store that is slow, failing or unreachable counts as empty and never fails a request. */
  #guard(cache: KeyValueCache): KeyValueCache {
    return guardCache(cache, { onError: (error) => this.#logger.warn('The cache failed, which counts as a miss.', error) });
  }

  #hashOfSchema(): SchemaHash {
    return (this.#hash ??= hashSchema(this.#schema));
  }
}

function prefixed(store: DocumentStore, prefix: string): DocumentStore {
  return {
    get: async (key) => store.get(prefix + key),
    set: async (key, document) => store.set(prefix + key, document),
    delete: async (key) => store.delete?.(prefix + key),
  };
}

const mebibyte = 1024 * 1024;

function readNodeEnv(): string | undefined {
  return globalThis.process?.env?.['NODE_ENV'];
}
