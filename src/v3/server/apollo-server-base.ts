import { print } from 'graphql';
import type { DocumentNode } from 'graphql';

import { InMemoryLRUCache, PrefixingKeyValueCache, guardCache } from '../../datasources/index.ts';
import type { KeyValueCache } from '../../datasources/index.ts';
import type { ServerOptions } from '../../server/index.ts';
import { guardLogger } from '../../shared/index.ts';
import type { CORSOptions } from '../http/cors.ts';
import { recommendedRequestHeaders, respond } from '../http/respond.ts';
import type { Endpoint, GetMiddlewareOptions } from '../http/respond.ts';
import { runOperation } from '../operation/operation.ts';
import { assertDocuments, documentSettings } from '../options.ts';
import type { DocumentStore, GraphQLServerOptions, QueryOptions } from '../options.ts';
import type { ApolloServerPlugin, GraphQLRequest, GraphQLResponse, HTTPRequestHead, Logger, SchemaHash } from '../types.ts';
import { assertConfig, noIntrospection } from './config.ts';
import type { Config } from './config.ts';
import { Lifecycle, installPlugins, logStartupError } from './lifecycle.ts';
import { hashSchema as hashOf, makeSchema } from './make-schema.ts';

/** The argument of `createHandler`. */
export interface CreateHandlerOptions {
  /** How the endpoint is served. */
  expressGetMiddlewareOptions?: GetMiddlewareOptions;
  /** Like `expressGetMiddlewareOptions.cors`, but a value without `origin` allows no origin. With `{}`, no answer has CORS headers. */
  cors?: CORSOptions | boolean;
  /** `expressGetMiddlewareOptions.onHealthCheck`. */
  onHealthCheck?: (request: any) => Promise<any>;
}

/** An operation without HTTP. `http`: the HTTP request that plugins see. */
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
  readonly #lifecycle: Lifecycle;
  /** The options that are the same for every request. */
  readonly #fixed: Pick<QueryOptions, 'schema' | 'hashSchema' | 'documents' | 'validationRules' | 'logger' | 'cache'>;
  #documentStore: DocumentStore | undefined = undefined;

  /** Throws for invalid options and for a schema that cannot be built. Plugins run when the server starts. */
  constructor(given: Config<ContextFunctionParams>) {
    if (!given) throw new Error('ApolloServer requires options.');
    const nodeEnv = given.nodeEnv ?? globalThis.process?.env?.['NODE_ENV'];
    const config = { ...given, ...(nodeEnv !== undefined && { nodeEnv }) };
    const logger = guardLogger(config.logger ?? console);
    this.#config = config;
    assertConfig(config);
    const cache = cacheOf(config.cache, 30 * 2 ** 20, (error) => logger.warn('The cache failed, which counts as a miss.', error));
    this.requestOptions = requestOptionsOf(config, logger);
    this.plugins = installPlugins(config);
    const schema = makeSchema(config, logger);
    const introspection = config.introspection ?? nodeEnv !== 'production';
    const validationRules = [...(config.validationRules ?? []), ...(introspection ? [] : [noIntrospection])];
    let hash: SchemaHash | undefined;
    // Computed when read: hashing a schema loads node:crypto, and few plugins need it.
    const hashSchema = (): SchemaHash => (hash ??= hashOf(schema));
    this.#fixed = {
      schema,
      hashSchema,
      documents: documentSettings(schema, { ...config, validationRules }),
      validationRules,
      logger,
      cache,
    };
    const persisted = this.requestOptions.persistedQueries?.cache;
    this.#lifecycle = new Lifecycle(this.plugins, {
      logger,
      schema,
      get schemaHash() {
        return hashSchema();
      },
      apollo: config.apollo ?? {},
      serverlessFramework: this.serverlessFramework(),
      ...(persisted && { persistedQueries: { cache: persisted } }),
    });
    if (this.serverlessFramework()) this.startIfNeeded();
  }

  /**
   * The options of a handler: this package's server handles platforms and deadlines, and `respond` answers by version 3's rules. `options`:
   * those of a request.
   */
  protected serverOptions(given: CreateHandlerOptions = {}, options: Endpoint['options']): ServerOptions {
    if ('expressAppFromMiddleware' in given)
      throw new TypeError(
        'createHandler does not take expressAppFromMiddleware: your app would be ignored. Use getMiddleware of graphql-functions/v3/express in your app, and serverless-http for Lambda: see docs/migration.md, "Other hosts".',
      );
    const { cors, onHealthCheck, expressGetMiddlewareOptions } = given;
    const { schema, logger } = this.#fixed;
    const { nodeEnv, csrfPrevention } = this.#config;
    const requestHeaders = typeof csrfPrevention === 'object' ? csrfPrevention.requestHeaders : undefined;
    const answersPreflights = typeof cors === 'object';
    const endpoint: Endpoint = {
      options,
      logger,
      ready: () => this.ensureStarted(),
      landingPage: () => this.#lifecycle.landingPage,
      csrfRequestHeaders: csrfPrevention ? (requestHeaders ?? recommendedRequestHeaders) : undefined,
      answersPreflights,
      ...(onHealthCheck && { onHealthCheck }),
      ...(cors !== undefined && { cors: answersPreflights ? { origin: false, ...cors } : cors }),
      ...expressGetMiddlewareOptions,
    };
    return {
      schema,
      logger,
      ...(nodeEnv !== undefined && { nodeEnv }),
      landingPage: false,
      persistedQueries: false,
      plugins: [{ request: async (call) => ({ ...(await respond(endpoint, call)), defaultCacheControl: false }) }],
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
    const given = assertDocuments(await this.graphQLServerOptions(integrationContextArgument as ContextFunctionParams | undefined));
    // Without HTTP, stack traces are included only with `debug: true`.
    const options = this.#config.debug === undefined ? { ...given, debug: undefined, showStacks: false } : given;
    if (typeof options.context === 'function') return options.context() as never;
    const { query } = request;
    const text = query && typeof query !== 'string' ? print(query) : query;
    return runOperation(options, { ...request, query: text } as GraphQLRequest, { operations: 1, isBatched: false });
  }

  /** True if the server starts by itself, as on a function platform. */
  protected serverlessFramework(): boolean {
    return false;
  }

  /** Starts the server if `start` was not called, as in version 2. A failed start is logged, and every request reports it. */
  protected startIfNeeded(): void {
    if (this.#lifecycle.phase === 'initialized') this._start().catch((error: unknown) => logStartupError(this.#fixed.logger, error));
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
    const { documentStore } = this.#config;
    const options: Omit<QueryOptions, 'schemaHash'> = {
      ...this.#fixed,
      // Adds a prefix for the schema, because a document is valid for one schema only.
      documentStore: documentStore && (this.#documentStore ??= prefixed(documentStore)),
      plugins: this.plugins,
      context: await this.#makeContext(integrationContextArgument),
      ...this.requestOptions,
    };
    return Object.defineProperty(options, 'schemaHash', { get: options.hashSchema, configurable: true }) as QueryOptions;
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
}

const passedOn =
  'rootValue fieldResolver executor dataSources formatError formatResponse allowBatchedHttpRequests dangerouslyDisableValidation'.split(
    ' ',
  );

/** The options that users may change for later requests. */
function requestOptionsOf(config: Config, logger: Logger): Partial<QueryOptions> {
  const { debug, nodeEnv, persistedQueries, cache } = config;
  const warn = (error: unknown): void => logger.warn('The cache of persisted queries failed; it counts as empty.', error);
  return {
    ...Object.fromEntries(passedOn.map((name) => [name, config[name as keyof Config]])),
    persistedQueries:
      persistedQueries === false
        ? undefined
        : {
            ...persistedQueries,
            // A separate cache in memory, so that clients cannot push out responses.
            cache: new PrefixingKeyValueCache(cacheOf(persistedQueries?.cache ?? cache, 3 * 2 ** 20, warn), 'apq:'),
          },
    // Clients get no stack trace in production, even with `debug: true`: it contains file names and may contain values.
    debug: nodeEnv === 'production' ? false : (debug ?? nodeEnv === 'development'),
    // Formatters rely on stacks where NODE_ENV is not set, as on Lambda; version 3 shows them there, too.
    showStacks: nodeEnv !== 'production' && (debug ?? nodeEnv !== 'test'),
  };
}

/** A store that is slow, failing or unreachable counts as empty and never fails a request. */
function cacheOf(store: Config['cache'], maxSize: number, onError: (error: unknown) => void): KeyValueCache {
  return store === undefined || store === 'bounded' ? new InMemoryLRUCache({ maxSize }) : guardCache(store, { onError });
}

function prefixed(store: DocumentStore): DocumentStore {
  return new PrefixingKeyValueCache(store as KeyValueCache<DocumentNode>, `${globalThis.crypto.randomUUID()}:`);
}
