import { deepEqual, equal, match } from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const root = join(import.meta.dirname, '..');
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
  readonly main: string;
  readonly types: string;
  readonly typesVersions: unknown;
}

/** What users may import. A name that comes or goes is a decision: it is written here, and in CHANGELOG.md. */
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
    'createHandler',
    'gql',
    'type AnsweredObjects',
    'type AnsweredRun',
    'type ApolloOperationManifest',
    'type CORSOptions',
    'type CORSOrigin',
    'type CacheOptions',
    'type CacheOptionsSource',
    'type ChunkStream',
    'type ContextArgument',
    'type ContextFits',
    'type ContextValue',
    'type CostOptions',
    'type DataSourceCall',
    'type DataSourceCallListener',
    'type DataSourceConfig',
    'type DataSourceOperation',
    'type DataSourceRequestInit',
    'type DeadlineOptions',
    'type EndHook',
    'type EnumValues',
    'type ExecutionWish',
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
    'type KeyValueCache',
    'type KeyValueCacheSetOptions',
    'type LandingPage',
    'type Logger',
    'type ObjectListing',
    'type OperationCall',
    'type OperationExecution',
    'type OperationOutcome',
    'type OptionsSource',
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
    'type ServerListener',
    'type ServerOptions',
    'type ServerPlugin',
    'type ServerStartContext',
    'type StreamedResponse',
    'type SubsequentPayload',
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
  './fetch': ['createHandler', 'type FetchHandler'],
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
  './build': ['readBuild', 'type SchemaBuild'],
  './landing-page': ['landingPage', 'type LandingPageOptions'],
  './v3': [
    'ApolloError',
    'ApolloServer',
    'AuthenticationError',
    'ForbiddenError',
    'SchemaDirectiveVisitor',
    'SyntaxError',
    'UserInputError',
    'ValidationError',
    'gql',
    'toApolloError',
    'type ApolloServerPlugin',
    'type Config',
    'type Context',
    'type ContextFunction',
    'type CreateHandlerOptions',
    'type ExpressContext',
    'type ExpressRequest',
    'type ExpressResponse',
    'type GatewayInterface',
    'type GetMiddlewareOptions',
    'type GraphQLOptions',
    'type GraphQLRequest',
    'type GraphQLResponse',
    'type GraphQLSchemaModule',
    'type LambdaContextFunctionParams',
    'type PluginDefinition',
  ],
  './v3/core': [
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
    'createTestClient',
    'formatApolloErrors',
    'gql',
    'isHttpQueryError',
    'makeExecutableSchema',
    'newCachePolicy',
    'toApolloError',
    'type ApolloConfig',
    'type ApolloConfigInput',
    'type ApolloServerPlugin',
    'type ApolloServerPluginCacheControlOptions',
    'type ApolloServerPluginDrainHttpServerOptions',
    'type ApolloServerPluginLandingPageDefaultOptions',
    'type ApolloServerPluginLandingPageGraphQLPlaygroundOptions',
    'type ApolloServerTestClient',
    'type BaseContext',
    'type CSRFPreventionOptions',
    'type CacheAnnotation',
    'type CacheHint',
    'type CachePolicy',
    'type Config',
    'type Context',
    'type ContextFunction',
    'type DocumentStore',
    'type ExecutableSchemaOptions',
    'type GatewayInterface',
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
    'type GraphQLRequestMetrics',
    'type GraphQLResponse',
    'type GraphQLSchemaContext',
    'type GraphQLSchemaModule',
    'type GraphQLServerListener',
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
  ],
  './v3/datasource': ['DataSource', 'type DataSourceConfig', 'type KeyValueCache'],
  './v3/datasource-rest': [
    'HTTPCache',
    'RESTDataSource',
    'type Body',
    'type CacheOptions',
    'type Request',
    'type RequestOptions',
    'type Response',
  ],
  './v3/express': [
    'ApolloError',
    'ApolloServer',
    'AuthenticationError',
    'ForbiddenError',
    'SchemaDirectiveVisitor',
    'SyntaxError',
    'UserInputError',
    'ValidationError',
    'gql',
    'toApolloError',
    'type ApolloServerPlugin',
    'type Config',
    'type Context',
    'type ContextFunction',
    'type CreateHandlerOptions',
    'type ExpressContext',
    'type GatewayInterface',
    'type GetMiddlewareOptions',
    'type GraphQLOptions',
    'type GraphQLRequest',
    'type GraphQLResponse',
    'type GraphQLSchemaModule',
    'type ListenOptions',
    'type Middleware',
    'type NodeHandler',
    'type PluginDefinition',
    'type ServerInfo',
    'type ServerRegistration',
  ],
  './v3/micro': [
    'ApolloError',
    'ApolloServer',
    'AuthenticationError',
    'ForbiddenError',
    'SchemaDirectiveVisitor',
    'SyntaxError',
    'UserInputError',
    'ValidationError',
    'gql',
    'toApolloError',
    'type ApolloServerPlugin',
    'type Config',
    'type Context',
    'type ContextFunction',
    'type CreateHandlerOptions',
    'type GatewayInterface',
    'type GraphQLOptions',
    'type GraphQLRequest',
    'type GraphQLResponse',
    'type GraphQLSchemaModule',
    'type NodeContextFunctionParams',
    'type NodeHandler',
    'type PluginDefinition',
  ],
  './v3/azure-functions': [
    'ApolloError',
    'ApolloServer',
    'AuthenticationError',
    'ForbiddenError',
    'SchemaDirectiveVisitor',
    'SyntaxError',
    'UserInputError',
    'ValidationError',
    'gql',
    'toApolloError',
    'type ApolloServerPlugin',
    'type AzureContext',
    'type AzureContextFunctionParams',
    'type AzureFunction',
    'type AzureRequest',
    'type Config',
    'type Context',
    'type ContextFunction',
    'type CreateHandlerOptions',
    'type GatewayInterface',
    'type GraphQLOptions',
    'type GraphQLRequest',
    'type GraphQLResponse',
    'type GraphQLSchemaModule',
    'type PluginDefinition',
  ],
  './incremental': ['incrementalDelivery', 'type IncrementalDelivery', 'type IncrementalDeliveryOptions'],
  './graphql-js': ['graphqlJSExecutor', 'type GraphQLJSExecutor'],
  './opentelemetry': ['openTelemetry', 'type OpenTelemetryOptions', 'type StageSpans'],
  './cost-line': ['costLine', 'type CostLineOptions', 'type CostRecord'],
  './edge': [
    'PurgeRefused',
    'cacheControlDefinitions',
    'cloudFrontPurge',
    'cloudflarePurge',
    'edge',
    'fastlyPurge',
    'listObjects',
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
    'type PurgeFetch',
    'type PurgePlatform',
    'type PurgeRequest',
    'type PurgeResponse',
    'type ResolveInfoCacheControl',
    'varnishPurge',
    'vercelPurge',
  ],
  './testing': [
    'createEvent',
    'createTester',
    'readResult',
    'recordingFetch',
    'type AnyHandler',
    'type EventSettings',
    'type PlatformName',
    'type RecordedRequest',
    'type RecordingFetch',
    'type RequestFields',
    'type RunOptions',
    'type SubscriptionResult',
    'type TestResult',
    'type Tester',
    'type TesterSettings',
    'type TypedDocument',
  ],
  './explain': [
    'explainOperation',
    'type CacheLayer',
    'type DuplicateCalls',
    'type ExplainReport',
    'type ExplainedCall',
    'type ExplainedDocument',
    'type ExplainedExecutor',
    'type ExplainedSchema',
    'type ExplainedTimes',
    'type LongestChain',
    'type SerialCalls',
  ],
  './checks': ['checkPlugins', 'checkWhole'],
};

const lists = /^export (type )?\{([^}]*)\}/gm;
const declarations = /^export (?:async )?(interface|type|function|class|const) (\w+)/gm;

for (const entry of entries) {
  test(`${entry} exports these names and no others`, () => {
    const names = namesOf(readFileSync(join(root, 'src', sourceOf(entry)), 'utf8'));

    deepEqual(names, publicNames[entry]);
  });

  test(`${entry} has a build and types of its own for import and for require`, () => {
    const source = sourceOf(entry).replace('.ts', '').replaceAll('/', '-');

    deepEqual(manifest.exports[entry], {
      import: { types: `./dist/esm/${source}.d.ts`, default: `./dist/esm/${source}.js` },
      require: { types: `./dist/cjs/${source}.d.ts`, default: `./dist/cjs/${source}.js` },
    });
  });
}

test('TypeScript that does not read the exports map ("moduleResolution": "node") finds the types of each entry', () => {
  const { main, types, typesVersions } = manifest;
  const paths = entries
    .filter((entry) => entry !== '.')
    .map((entry) => [entry.slice(2), [`./dist/cjs/${entry.slice(2).replaceAll('/', '-')}.d.ts`]]);

  deepEqual(
    { main, types, typesVersions },
    { main: './dist/cjs/index.js', types: './dist/cjs/index.d.ts', typesVersions: { '*': Object.fromEntries(paths) } },
  );
});

test('every public entry is in the exports map and has a source', () => {
  const missing = Object.keys(publicNames).filter((entry) => !entries.includes(entry) || !existsSync(join(root, 'src', sourceOf(entry))));

  deepEqual(missing, []);
});

test('bundlers may drop what is not used', () => {
  equal(manifest.sideEffects, false);
  equal(manifest.type, 'module');
});

test('the changelog tells about this version', () => {
  const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');

  match(changelog, new RegExp(`^## ${manifest.version.replaceAll('.', '\\.')}\\b`, 'm'));
});

/** `./aws-lambda` → `aws-lambda.ts`, `./v3/core` → `v3/core.ts`, a path below src/. */
function sourceOf(entry: string): string {
  if (entry === '.') return 'index.ts';
  return `${entry.slice(2)}.ts`;
}

function namesOf(text: string): string[] {
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
  return [...listed, ...declared].toSorted();
}
