import { deepEqual, equal, match } from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';

const root = join(import.meta.dirname, '../../..');
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest;
const entries = Object.keys(manifest.exports).filter((entry) => entry !== './package.json');

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly type: string;
  readonly sideEffects: boolean;
  readonly bin: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, unknown>>;
  readonly files: readonly string[];
}

/** The names of `/v3/core`, which `/v3` and `/v3/express` export, too. */
const core: readonly string[] = [
  'ApolloError',
  'ApolloServerBase',
  'ApolloServerPluginCacheControl',
  'ApolloServerPluginCacheControlDisabled',
  'ApolloServerPluginDrainHttpServer',
  'ApolloServerPluginInlineTrace',
  'ApolloServerPluginInlineTraceDisabled',
  'ApolloServerPluginLandingPageDisabled',
  'ApolloServerPluginLandingPageGraphQLPlayground',
  'ApolloServerPluginLandingPageLocalDefault',
  'ApolloServerPluginLandingPageProductionDefault',
  'ApolloServerPluginSchemaReporting',
  'ApolloServerPluginUsageReporting',
  'ApolloServerPluginUsageReportingDisabled',
  'AuthenticationError',
  'CacheScope',
  'ErrorsAreMissesCache',
  'ForbiddenError',
  'HttpQueryError',
  'InMemoryLRUCache',
  'KeyvAdapter',
  'PersistedQueryNotFoundError',
  'PersistedQueryNotSupportedError',
  'PrefixingKeyValueCache',
  'SyntaxError',
  'UserInputError',
  'ValidationError',
  'formatApolloErrors',
  'fromGraphQLError',
  'gql',
  'isHttpQueryError',
  'makeExecutableSchema',
  'newCachePolicy',
  'toApolloError',
  'type AnyFunction',
  'type AnyFunctionMap',
  'type ApolloConfig',
  'type ApolloServerPlugin',
  'type ApolloServerPluginCacheControlOptions',
  'type ApolloServerPluginDrainHttpServerOptions',
  'type BaseContext',
  'type CSRFPreventionOptions',
  'type CacheAnnotation',
  'type CacheHint',
  'type CachePolicy',
  'type Config',
  'type Context',
  'type ContextFunction',
  'type DataSources',
  'type DocumentStore',
  'type ErrorOptions',
  'type ExecutableSchemaOptions',
  'type GraphQLExecutionResult',
  'type GraphQLExecutor',
  'type GraphQLFieldResolverParams',
  'type GraphQLOptions',
  'type GraphQLRequest',
  'type GraphQLRequestContext',
  'type GraphQLRequestContextDidEncounterErrors',
  'type GraphQLRequestContextDidResolveOperation',
  'type GraphQLRequestContextDidResolveSource',
  'type GraphQLRequestContextExecutionDidStart',
  'type GraphQLRequestContextParsingDidStart',
  'type GraphQLRequestContextResponseForOperation',
  'type GraphQLRequestContextValidationDidStart',
  'type GraphQLRequestContextWillSendResponse',
  'type GraphQLRequestExecutionListener',
  'type GraphQLRequestListener',
  'type GraphQLRequestListenerDidResolveField',
  'type GraphQLRequestListenerExecutionDidEnd',
  'type GraphQLRequestListenerParsingDidEnd',
  'type GraphQLRequestListenerValidationDidEnd',
  'type GraphQLRequestMetrics',
  'type GraphQLResponse',
  'type GraphQLSchemaContext',
  'type GraphQLSchemaModule',
  'type GraphQLServerListener',
  'type GraphQLServerOptions',
  'type GraphQLServiceContext',
  'type HTTPRequestHead',
  'type KeyValueCache',
  'type KeyValueCacheSetOptions',
  'type LandingPage',
  'type Logger',
  'type PersistedQueryOptions',
  'type PluginDefinition',
  'type ResolveInfoCacheControl',
  'type SchemaHash',
  'type ValidationRule',
  'type ValueOrPromise',
  'type VariableValues',
  'type WithRequired',
];

/** What users can import. Adding or removing a name is a decision: record it here. */
const publicNames: Readonly<Record<string, readonly string[]>> = {
  '.': [
    'AuthenticationError',
    'DataSource',
    'DataSourceRequest',
    'ForbiddenError',
    'HeaderMap',
    'InMemoryLRUCache',
    'KeyvAdapter',
    'PrefixingKeyValueCache',
    'RESTDataSource',
    'batch',
    'byKey',
    'createHandler',
    'gql',
    'groupByKey',
    'selectedFields',
    'selectionsOf',
    'type ApolloOperationManifest',
    'type BatchOptions',
    'type BatchResolver',
    'type BatchedFieldResolver',
    'type CORSOptions',
    'type CORSOrigin',
    'type CacheOptions',
    'type CacheOptionsSource',
    'type ChunkStream',
    'type ContextArgument',
    'type ContextFits',
    'type ContextValue',
    'type DataSourceCall',
    'type DataSourceCallListener',
    'type DataSourceConfig',
    'type DataSourceOperation',
    'type DataSourceRequestInit',
    'type DeadlineOptions',
    'type DocumentOutcome',
    'type EndHook',
    'type EnumValues',
    'type ErrorBehavior',
    'type ExecutionObserver',
    'type ExecutionOptions',
    'type FetchInit',
    'type FetchResult',
    'type FetchedResponse',
    'type FieldResolver',
    'type FieldResolverObject',
    'type FormatError',
    'type GraphQLRequest',
    'type GraphQLRequestContext',
    'type GraphQLRequestListener',
    'type HTTPExtension',
    'type HTTPFetch',
    'type HTTPMethod',
    'type HTTPRequest',
    'type HTTPRequestBody',
    'type HTTPResponse',
    'type HTTPStatusProfile',
    'type Handler',
    'type KeyOf',
    'type KeyValueCache',
    'type KeyValueCacheSetOptions',
    'type LandingPage',
    'type Logger',
    'type ObservedCall',
    'type ObservedTypeCall',
    'type OperationCall',
    'type OperationExecution',
    'type OperationInContext',
    'type OperationOutcome',
    'type OptionsSource',
    'type PayloadOutcome',
    'type PayloadStream',
    'type QueryParams',
    'type QueryValue',
    'type RESTDataSourceOptions',
    'type RequestCall',
    'type RequestContextWithDocument',
    'type RequestContextWithErrors',
    'type RequestContextWithOperation',
    'type RequestContextWithResponse',
    'type RequestContextWithSource',
    'type ResolverMap',
    'type Resolvers',
    'type ResponseHead',
    'type RetryOptions',
    'type ScalarResolvers',
    'type SelectedFieldsOptions',
    'type SelectedObject',
    'type SelectionInfo',
    'type SelectionsOrigin',
    'type ServerListener',
    'type ServerOptions',
    'type ServerPlugin',
    'type ServerStartContext',
    'type StreamedResponse',
    'type SubsequentPayload',
    'type TrustedDocument',
    'type TrustedDocumentManifest',
    'type TrustedDocumentOptions',
    'type TypeDefs',
    'type TypeResolvers',
  ],
  './aws-lambda': [
    'createHandler',
    'createStreamingHandler',
    'type LambdaEvent',
    'type LambdaHandler',
    'type LambdaStreamingHandler',
    'type ResponseStream',
  ],
  './netlify': [
    'createHandler',
    'type NetlifyContext',
    'type NetlifyEvent',
    'type NetlifyHandler',
    'type NetlifyHandlerContext',
    'type NetlifyHandlerEvent',
    'type NetlifyHandlerResponse',
  ],
  './fetch': ['createHandler', 'type FetchContext', 'type FetchHandler'],
  './node': ['createListener', 'serve', 'type ListenOptions', 'type NodeExchange', 'type NodeListener', 'type RunningServer'],
  './datasource': [
    'AuthenticationError',
    'DataSource',
    'DataSourceRequest',
    'ForbiddenError',
    'RESTDataSource',
    'type CacheOptions',
    'type CacheOptionsSource',
    'type CacheOutcome',
    'type DataSourceConfig',
    'type DataSourceOperation',
    'type DataSourceRequestInit',
    'type FetchInit',
    'type FetchResult',
    'type FetchedResponse',
    'type HTTPFetch',
    'type HTTPMethod',
    'type Milliseconds',
    'type QueryParams',
    'type QueryValue',
    'type RESTDataSourceOptions',
    'type RetryOptions',
  ],
  './cache': [
    'InMemoryLRUCache',
    'KeyvAdapter',
    'PrefixingKeyValueCache',
    'guardCache',
    'type GuardOptions',
    'type InMemoryLRUCacheOptions',
    'type KeyValueCache',
    'type KeyValueCacheSetOptions',
    'type KeyvAdapterOptions',
    'type KeyvLike',
    'type Seconds',
  ],
  './playground': ['playground', 'type PackedPlayground'],
  './landing-page': ['landingPage', 'type LandingPageOptions'],
  './v3': [
    ...core,
    'ApolloServer',
    'type CreateHandlerOptions',
    'type ExpressContext',
    'type ExpressRequest',
    'type ExpressResponse',
    'type GetMiddlewareOptions',
    'type LambdaContextFunctionParams',
  ].toSorted(),
  './v3/core': core,
  './v3/datasource': ['DataSource', 'type DataSourceConfig', 'type KeyValueCache'],
  './v3/datasource-rest': [
    'HTTPCache',
    'RESTDataSource',
    'type Body',
    'type CacheOptions',
    'type Request',
    'type RequestOptions',
    'type Response',
    'type URLSearchParamsInit',
  ],
  './v3/express': [
    ...core,
    'ApolloServer',
    'type ApolloServerExpressConfig',
    'type BodyParserConfig as OptionsJson',
    'type CorsOptions',
    'type CreateHandlerOptions',
    'type ExpressContext',
    'type GetMiddlewareOptions',
    'type Middleware',
    'type NodeHandler',
    'type ServerRegistration',
  ].toSorted(),
  './incremental': ['incrementalDelivery', 'type IncrementalDelivery', 'type IncrementalDeliveryOptions'],
  './graphql-js': ['graphqlJSExecutor', 'type GraphQLJSExecutor'],
  './opentelemetry': ['openTelemetry', 'type OpenTelemetryOptions'],
  './cost-line': ['costLine', 'type CostLineOptions', 'type CostRecord'],
  './compression': ['compression', 'type CompressionOptions'],
  './limits': ['costOf', 'limits', 'type LimitsOptions', 'type PageLimitOptions', 'type PageSizes'],
  './edge': [
    'cacheControlDefinitions',
    'cloudFrontPurge',
    'cloudflarePurge',
    'edge',
    'fastlyPurge',
    'netlifyPurge',
    'type CDN',
    'type CacheAnnotation',
    'type CacheHint',
    'type CachePolicy',
    'type CacheScope',
    'type Edge',
    'type EdgeDecision',
    'type EdgeOptions',
    'type InvalidationInput',
    'type Purge',
    'type PurgeClient',
    'type PurgePlatform',
    'type PurgeRequest',
    'type ResolveInfoCacheControl',
    'vercelPurge',
  ],
  './subgraph': [
    'inlineTraces',
    'subgraph',
    'type InlineTraceOptions',
    'type InlineTraces',
    'type RouterSecret',
    'type SubgraphOptions',
    'type SubgraphServerOptions',
    'type SubgraphSettings',
  ],
  './mcp': ['mcp', 'mcpDefinitions', 'type AuthorizationOptions', 'type JSONSchema', 'type MCPOptions', 'type ToolOptions'],
  './budget': [
    'BudgetBucket',
    'budget',
    'd1Store',
    'durableObjectStore',
    'dynamoDBStore',
    'memoryStore',
    'postgresStore',
    'redisStore',
    'storeTable',
    'type BudgetOptions',
    'type BudgetStore',
    'type D1Client',
    'type DurableObjectBinding',
    'type DurableObjectState',
    'type DynamoDBClient',
    'type DynamoDBStoreOptions',
    'type EvaluateScript',
    'type MemoryStoreOptions',
    'type Microseconds',
    'type Plan',
    'type PostgresClient',
    'type TableOptions',
    'type Take',
    'type TakeResult',
  ],
  './idempotency': [
    'IdempotencyRecord',
    'd1Store',
    'durableObjectStore',
    'dynamoDBStore',
    'idempotency',
    'idempotencyDefinitions',
    'idempotencyKeyOf',
    'memoryStore',
    'netlifyBlobsStore',
    'postgresStore',
    'redisStore',
    'storeTable',
    'type BlobStore',
    'type Claim',
    'type ClaimResult',
    'type D1Client',
    'type DurableObjectBinding',
    'type DurableObjectState',
    'type DynamoDBClient',
    'type DynamoDBStoreOptions',
    'type EvaluateScript',
    'type Finish',
    'type IdempotencyOptions',
    'type IdempotencyStore',
    'type MemoryStoreOptions',
    'type PostgresClient',
    'type TableOptions',
  ],
  './testing': [
    'createEvent',
    'createTester',
    'readResult',
    'recordingFetch',
    'storeTests',
    'type AnyHandler',
    'type EventSettings',
    'type ExplainReport',
    'type PlatformName',
    'type RecordedRequest',
    'type RecordingFetch',
    'type RequestFields',
    'type RunOptions',
    'type StoreTest',
    'type SubscriptionResult',
    'type TestResult',
    'type Tester',
    'type TesterSettings',
    'type TypedDocument',
  ],
};

const lists = /^export (type )?\{([^}]*)\}/gm;
const stars = /^export \* from '([^']+)';/gm;
const declarations = /^export (?:async )?(interface|type|function|class|const) (\w+)/gm;

for (const entry of entries) {
  test(`${entry} exports these names and no others`, () => {
    const names = namesIn(join(root, 'src/entries', sourceOf(entry)));

    // A function has a declaration for each of its signatures.
    deepEqual([...new Set(names)].toSorted(), publicNames[entry]);
  });

  test(`${entry} has separate builds and types for import and require`, () => {
    const source = sourceOf(entry).replace('.ts', '').replaceAll('/', '-');

    deepEqual(manifest.exports[entry], {
      import: `./dist/esm/${source}.js`,
      require: `./dist/cjs/${source}.js`,
    });
  });
}

test('every public entry is in the exports map and has a source', () => {
  const missing = Object.keys(publicNames).filter(
    (entry) => !entries.includes(entry) || !existsSync(join(root, 'src/entries', sourceOf(entry))),
  );

  deepEqual(missing, []);
});

test('bundlers can drop unused code', () => {
  equal(manifest.sideEffects, false);
  equal(manifest.type, 'module');
});

test('the changelog has an entry for this version', () => {
  const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');

  match(changelog, new RegExp(`^## ${manifest.version.replaceAll('.', '\\.')}\\b`, 'm'));
});

/** `./aws-lambda` → `aws-lambda.ts`, `./v3/core` → `v3/core.ts`, a path below src/entries/. */
function sourceOf(entry: string): string {
  if (entry === '.') return 'index.ts';
  return `${entry.slice(2)}.ts`;
}

/** The names that a file exports, including those of files that it re-exports completely. */
function namesIn(file: string): string[] {
  const text = readFileSync(file, 'utf8');
  const listed = [...text.matchAll(lists)].flatMap(([, type, names = '']) =>
    names
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '')
      .map((name) => (type !== undefined && !name.startsWith('type ') ? `type ${name}` : name)),
  );
  const declared = [...text.matchAll(declarations)].map(([, kind = '', name = '']) =>
    kind === 'interface' || kind === 'type' ? `type ${name}` : name,
  );
  const starred = [...text.matchAll(stars)].flatMap(([, path = '']) => namesIn(join(dirname(file), path)));
  return [...listed, ...declared, ...starred];
}
