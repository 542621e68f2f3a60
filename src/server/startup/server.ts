import type { GraphQLSchema } from 'graphql';

import { assertSynchronous, guardLogger, readEnvironment, readProcess, isObjectLike } from '../../shared/index.ts';
import type { Facts } from '../../shared/index.ts';
import { InMemoryLRUCache, guardCache } from '../../datasources/index.ts';
import type { DeadlineOptions } from './deadline.ts';
import { findCheck, findChecks, createVerifier } from './load-tools.ts';
import type { DevelopmentChecks } from './load-tools.ts';
import { corsWith } from '../doors/cors.ts';
import type { HTTPSettings } from '../doors/http-settings.ts';
import { defaultStatusProfile } from '../doors/graphql/status.ts';
import { createStages, inOrder } from '../operation/around.ts';
import { DocumentCache } from '../operation/documents/document.ts';
import type { Logger } from '../operation/types.ts';
import type { ServerListener } from '../operation/server-start.ts';
import type { SchemaParts, ServerPlugin } from '../operation/plugin.ts';
import type { OperationSettings } from '../operation/operation.ts';
import { createTrustedDocuments } from '../operation/documents/trusted-documents.ts';
import type { CheckedDocuments } from '../operation/documents/trusted-documents.ts';
import { assertOptions } from './options.ts';
import type { ServerOptions } from './options.ts';
import { createSchema } from '../../executor/schema/index.ts';

/** A server with its settings and its schema, whose plugins have not been started. */
export interface Server {
  readonly http: HTTPSettings;
  readonly deadline: false | DeadlineOptions | undefined;
  /** The plugins in the order of the option `plugins`. */
  readonly listed: readonly ServerPlugin[];
  readonly nodeEnv: string | undefined;
}

/** A server that is ready for requests. */
export interface StartedServer {
  readonly http: HTTPSettings;
  /** The hooks that plugins returned from `start` or `serverWillStart`. */
  readonly listeners: readonly ServerListener[];
}

/** Options → prepared server. Called once per cold start. Throws for wrong options and wrong schema text. */
export function createServer(given: ServerOptions): Server {
  assertOptions(given);
  const nodeEnv = given.nodeEnv ?? readNodeEnv();
  const logger = guardLogger(given.logger ?? console);
  const checks = nodeEnv === 'development' ? findChecks() : undefined;
  const options = checks === undefined ? given : checks.watchOptions(given, logger);
  const listed = (options.plugins ?? []) as readonly ServerPlugin[];
  const plugins = inOrder(listed);
  assertOnce(plugins);
  const operation = operationSettings(options, { listed, plugins, nodeEnv, logger, checks });
  checks?.warnOfOptions(given, operation.schema, logger);
  return {
    http: httpSettings(options, operation, checks?.explain ?? (isVerified(nodeEnv) ? createVerifier() : undefined)),
    deadline: options.deadline,
    listed,
    nodeEnv,
  };
}

function assertOnce(plugins: readonly ServerPlugin[]): void {
  const names = plugins.flatMap(({ once }) => once ?? []);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw new Error(`Expected ${twice} once in plugins, got it twice.`);
}

/** The server of each plugin that serves one handler only. */
const owners = new WeakMap<ServerPlugin, Server>();

/**
 * Claims the plugins that can serve one handler only, after their start: if a start fails, another server may start with the same plugins.
 */
function own(server: Server): void {
  const once = server.http.operation.plugins.filter((plugin) => plugin.once !== undefined);
  const shared = once.find((plugin) => (owners.get(plugin) ?? server) !== server);
  if (shared !== undefined)
    throw new Error(`Expected a separate ${shared.once} for each handler, got one that already serves another handler.`);
  for (const plugin of once) owners.set(plugin, server);
}

/** Runs `start` of every plugin, and adds what they return to `listeners`. Landing pages are used in development only. */
export async function startServer(server: Server, listeners: ServerListener[]): Promise<StartedServer> {
  const { http, listed, nodeEnv } = server;
  const { operation, maxBodyBytes, maxResultBytes } = http;
  const { schema, cache, logger } = operation;
  const trustedDocuments = (): CheckedDocuments => operation.trustedDocuments?.entries() ?? [];
  const observesResolvers = operation.executor === undefined;
  const facts: Facts = new Map();
  const context = { schema, cache, logger, nodeEnv, trustedDocuments, maxBodyBytes, maxResultBytes, observesResolvers, facts };
  for (const plugin of operation.plugins) {
    const listener = await plugin.serverWillStart?.(context);
    if (isObjectLike(listener)) listeners.push(listener);
    const started = await plugin.start?.(context);
    if (started?.page !== undefined) listeners.push({ renderLandingPage: () => started.page!() });
    if (started?.stop !== undefined) listeners.push({ serverWillStop: () => started.stop!() });
  }
  own(server);
  const doors = listed.flatMap((plugin) => plugin.doors?.(context) ?? []);
  const withPage = operation.development ? listeners.find((listener) => listener.renderLandingPage !== undefined) : undefined;
  const renderLandingPage = withPage && (() => withPage.renderLandingPage!());
  return { http: { ...http, doors: doors.length > 0 ? doors : undefined, renderLandingPage }, listeners };
}

function isVerified(nodeEnv: string | undefined): boolean {
  return nodeEnv === 'test' && readEnvironment('GRAPHQL_FUNCTIONS_VERIFY') === '1';
}

function httpSettings(options: ServerOptions, operation: OperationSettings, explain: HTTPSettings['explain']): HTTPSettings {
  const { csrfPrevention, allowBatchedHttpRequests } = options;
  return {
    csrfPrevention: csrfPrevention === undefined ? 'foreign' : csrfPrevention === false ? 'never' : 'always',
    csrfRequestHeaders:
      typeof csrfPrevention === 'object' ? csrfPrevention.requestHeaders.map((name) => name.toLowerCase()) : preflightHeaders,
    maxBatchSize:
      allowBatchedHttpRequests === false ? 0 : typeof allowBatchedHttpRequests === 'object' ? allowBatchedHttpRequests.limit : 10,
    maxBodyBytes: options.maxBodyBytes ?? mebibyte,
    maxResultBytes: options.maxResultBytes ?? 32 * mebibyte,
    takesDocumentIds: operation.trustedDocuments !== undefined,
    development: operation.development,
    cors: options.cors && corsWith(options.cors, operation.plugins),
    httpStatusProfile: options.httpStatusProfile ?? defaultStatusProfile,
    multipart: options.incrementalDelivery?.multipart,
    waitsInOperationsOnly: operation.plugins.length === 0 && explain === undefined && typeof options.cors?.origin !== 'function',
    doors: undefined,
    renderLandingPage: undefined,
    explain,
    operation,
  };
}

const mebibyte = 1024 * 1024;
/** The header name of GraphQL over HTTP, two of this server's contract, and two that clients of the version-3 generation send. */
const preflightHeaders = [
  'graphql-require-preflight',
  'x-vendor-operation-name',
  'vendor-require-preflight',
  'x-apollo-operation-name',
  'apollo-require-preflight',
];

interface Prepared {
  /** The plugins in the order of the option `plugins`. */
  readonly listed: readonly ServerPlugin[];
  readonly plugins: readonly ServerPlugin[];
  readonly nodeEnv: string | undefined;
  readonly logger: Logger;
  readonly checks: DevelopmentChecks | undefined;
}

function operationSettings(options: ServerOptions, prepared: Prepared): OperationSettings {
  const { listed, plugins, nodeEnv, logger, checks } = prepared;
  const development = nodeEnv === 'development';
  const developmentOrTest = development || nodeEnv === 'test';
  const cacheBytes = defaultCacheBytes();
  const store = options.cache === 'bounded' ? undefined : options.cache;
  // A store that is slow, fails or is down acts as an empty cache, and fails no request.
  const onError = (error: unknown): void => logger.warn('The cache failed, which counts as a miss.', error);
  const cache = store === undefined ? new InMemoryLRUCache({ maxSize: cacheBytes }) : guardCache(store, { onError });
  const schema = schemaOf(options, prepared);
  const pageDefaults = plugins
    .map((plugin) => assertSynchronous(plugin.pageDefaults?.(schema), 'pageDefaults of a plugin'))
    .find((one) => one !== undefined);
  const directives = plugins.flatMap((plugin) => plugin.documentDirectives ?? []);
  options.executor?.assertSupported({ ...options, pageDefaults }, schema);
  return {
    schema,
    context: options.context as OperationSettings['context'],
    dataSources: options.dataSources as OperationSettings['dataSources'],
    cache,
    logger,
    plugins,
    // Compiling this function takes a cold process 0.2 ms.
    stages: plugins.length > 0 ? createStages(listed) : undefined,
    development,
    // Persisted queries have a separate cache in memory, so that they and upstream responses do not evict each other.
    persistedQueries:
      options.persistedQueries === false ? undefined : { memory: new InMemoryLRUCache({ maxSize: 3 * mebibyte }), shared: store && cache },
    trustedDocuments: options.trustedDocuments && createTrustedDocuments(options.trustedDocuments, { schema, directives, development }),
    documents: new DocumentCache(cacheBytes),
    incrementalRules: options.incrementalDelivery?.validationRules ?? [],
    validationRules: options.validationRules ?? [],
    introspection: options.introspection ?? development,
    maxTokens: options.maxTokens ?? 15_000,
    pageDefaults,
    errorHandling: options.deadline && options.deadline.partial === 'NULL' ? { keepsFinished: true } : undefined,
    incrementalDelivery: options.incrementalDelivery,
    takesAsyncIterables: options.incrementalDelivery !== undefined,
    rootValue: options.rootValue,
    fieldResolver: options.fieldResolver,
    explainMismatch: checks?.explainMismatch,
    executor: options.executor,
    maskErrors: options.maskErrors ?? !developmentOrTest,
    includeStacktrace: options.includeStacktraceInErrorResponses ?? development,
    exposeUpstreamErrors: developmentOrTest,
    formatError: options.formatError,
  };
}

function schemaOf(
  { typeDefs, resolvers, schema, incrementalDelivery }: ServerOptions,
  { plugins, nodeEnv, logger }: Prepared,
): GraphQLSchema {
  const settings = {
    checkWhole: (nodeEnv === 'development' || nodeEnv === 'test') && findCheck,
    warn: (message: string) => logger.warn(message),
    directives: incrementalDelivery?.directives ?? [],
  };
  const parts: SchemaParts = { typeDefs, resolvers };
  for (const plugin of plugins)
    Object.assign(parts, assertSynchronous(plugin.schemaWillBuild?.(parts, { nodeEnv }), 'schemaWillBuild of a plugin'));
  return createSchema({ ...(parts as Pick<ServerOptions, 'typeDefs' | 'resolvers'>), schema }, settings);
}

/**
 * The default size of the cache of documents and of the cache of responses: 30 MiB, but at most 1/32 of the memory of a Lambda function or
 * container, where 120 of 128 MB are used before anything is cached.
 */
function defaultCacheBytes(): number {
  const megabytes = Number(readEnvironment('AWS_LAMBDA_FUNCTION_MEMORY_SIZE'));
  // This takes 0.1 ms. Some containers report 0 if there is no limit.
  const bytes = megabytes > 0 ? megabytes * mebibyte : readProcess((process) => process.constrainedMemory?.()) || Infinity;
  return Math.min(30 * mebibyte, bytes / 32);
}

/** Reads NODE_ENV. Undefined counts as production. */
export function readNodeEnv(): string | undefined {
  return readEnvironment('NODE_ENV');
}
